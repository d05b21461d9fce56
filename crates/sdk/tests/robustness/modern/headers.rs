//! Arguments that are repeated in headers.

use proofmark_sdk::{
    core::json::Raw,
    server::{BuildError, Context, Server, ToolEntry, tool},
};
use serde_json::{Map, Value, json};

use crate::common::{HttpTest, Probe, call, code, http_with, modern, quick, text};

fn marked(schema: Value) -> ToolEntry {
    tool("mirrored")
        .input_schema(Raw::new(&schema).unwrap())
        .handler(async |_: Context, given: Map<String, Value>| Value::Object(given).to_string())
}

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "deep": {"type": "object", "properties": {
            "dry": {"type": "boolean", "x-mcp-header": "Dry"}
        }}
    }})
}

async fn test() -> HttpTest {
    let server = Server::builder("s", "1").add_tool(marked(schema())).build().unwrap();
    http_with(server, Probe::default(), "127.0.0.1:0", quick()).await
}

#[tokio::test]
async fn headers_that_say_what_the_arguments_say_are_let_in() {
    let test = test().await;
    for (arguments, headers) in [
        (json!({}), ""),
        (json!({"deep": {}}), ""),
        (json!({"region": "eu"}), "Mcp-Param-Region: eu\r\n"),
        (json!({"region": "eu"}), "MCP-PARAM-REGION:   eu  \r\n"),
        (json!({"region": "Hello"}), "Mcp-Param-Region: =?base64?SGVsbG8=?=\r\n"),
        (json!({"region": "=?base64?SGVsbG8="}), "Mcp-Param-Region: =?base64?SGVsbG8=\r\n"),
        (json!({"count": 42}), "Mcp-Param-Count: 42.0\r\n"),
        (json!({"deep": {"dry": true}}), "Mcp-Param-Dry: true\r\n"),
        (json!({"other": 1}), "Mcp-Param-Unknown: 7\r\n"),
    ] {
        let response = post(&test, &arguments, headers).await;
        assert_eq!(response.status, 200, "{arguments} {headers}: {response:?}");
        let echoed: Value = serde_json::from_str(text(&response.json())).unwrap();
        assert_eq!(echoed, arguments);
    }
    // No header is missed for a null; that the tool wants a text is for its schema to say.
    let response = post(&test, &json!({"region": null}), "").await;
    assert_eq!((response.status, &response.json()["result"]["isError"]), (200, &json!(true)));
    test.stop().await;
}

#[tokio::test]
async fn headers_that_say_something_else_are_refused() {
    let test = test().await;
    for (arguments, headers) in [
        (json!({"region": "eu"}), ""),
        (json!({"region": "eu"}), "Mcp-Param-Region: us\r\n"),
        (json!({"region": "eu"}), "Mcp-Param-Region: EU\r\n"),
        (json!({"region": "eu"}), "Mcp-Param-Region: eu\r\nMcp-Param-Region: eu\r\n"),
        (json!({"region": "Hello"}), "Mcp-Param-Region: =?base64?SGVsbG8?=\r\n"),
        (json!({"region": "Hello"}), "Mcp-Param-Region: =?base64?SGVs!!!bG8=?=\r\n"),
        (json!({}), "Mcp-Param-Region: eu\r\n"),
        (json!({"region": null}), "Mcp-Param-Region: null\r\n"),
        (json!({"count": 42}), "Mcp-Param-Count: 43\r\n"),
        (json!({"deep": {"dry": true}}), "Mcp-Param-Dry: True\r\n"),
    ] {
        let response = post(&test, &arguments, headers).await;
        let answer = response.json();
        assert_eq!((response.status, code(&answer)), (400, -32020), "{arguments} {headers}");
        assert_eq!(answer["id"], 1);
    }
    test.stop().await;
}

#[tokio::test]
async fn legacy_clients_know_nothing_of_it() {
    let test = test().await;
    for version in crate::common::LEGACY {
        let client = test.client.begin(version).await;
        let response = client.post(&call(1, "mirrored", json!({"region": "eu"}))).await;
        assert_eq!(text(&response.json()), r#"{"region":"eu"}"#, "{version}");
    }
    test.stop().await;
}

#[test]
fn a_tool_with_a_bad_mark_is_not_served() {
    let region = |mark: Value, kind: &str| json!({"type": "object", "properties": {"region": {"type": kind, "x-mcp-header": mark}}});
    for schema in [
        region(json!(""), "string"),
        region(json!(1), "string"),
        region(json!("a b"), "string"),
        region(json!("Region"), "object"),
        json!({"type": "object", "properties": {
            "a": {"type": "string", "x-mcp-header": "R"},
            "b": {"type": "string", "x-mcp-header": "r"}
        }}),
    ] {
        let error = Server::builder("s", "1").add_tool(marked(schema.clone())).build().err();
        let Some(BuildError::HeaderParameter { tool, .. }) = &error else { panic!("{schema}") };
        assert_eq!(tool, "mirrored");
        let server = Server::builder("s", "1").add_tool(marked(self::schema())).build().unwrap();
        assert!(server.remove_tool("mirrored"));
        assert!(server.add_tool(marked(schema)).is_err());
    }
}

async fn post(test: &HttpTest, arguments: &Value, headers: &str) -> crate::common::Response {
    let message = modern(1, "tools/call", json!({"name": "mirrored", "arguments": arguments}));
    let routing =
        "Mcp-Method: tools/call\r\nMcp-Name: mirrored\r\nMcp-Protocol-Version: 2026-07-28\r\n";
    let extra = format!("{routing}{headers}");
    test.client.answer(&test.client.post_bytes(&extra, message.to_string().as_bytes())).await
}
