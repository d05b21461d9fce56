//! How much of what a client sends comes back to it in errors.

use proofmark_sdk::server::{Context, NoArguments, tool};
use serde_json::{Value, json};

use crate::common::{
    Client, LineClient, NEWEST_LEGACY, Probe, builder, code, http, modern, quick, request, server,
};

fn asking_with(long: &str) -> Vec<Value> {
    let one = |method: &str, params: Value| request(1, method, params);
    vec![
        one("resources/read", json!({ "uri": long })),
        one("resources/subscribe", json!({ "uri": long })),
        one("tools/call", json!({ "name": long })),
        one("tools/call", json!({ "name": "echo", "arguments": { "text": 1, "delay_ms": long } })),
        one("tools/call", json!({ "name": "echo", "arguments": long })),
        one("tools/call", json!({ "name": "strict", "arguments": { long: 1 } })),
        one("tools/list", json!({ "cursor": long })),
        one("prompts/get", json!({ "name": long })),
        one("prompts/get", json!({ "name": "a", "arguments": long })),
        one("logging/setLevel", json!({ "level": long })),
        one("completion/complete", json!({ "ref": { "type": long }, "argument": {} })),
        one(
            "completion/complete",
            json!({
                "ref": { "type": "ref/resource", "uri": long }, "argument": { "name": "a", "value": "" }
            }),
        ),
        one(long, json!({})),
    ]
}

fn shown(message: &Value) -> String {
    message.to_string().chars().take(200).collect()
}

#[tokio::test]
async fn errors_quote_little_of_what_was_received() {
    let long = "u".repeat(1_000_000);
    let strict = tool("strict").handler(async |_: Context, _: NoArguments| "ran");
    let server = builder(&Probe::default()).add_tool(strict).build().unwrap();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    for message in asking_with(&long) {
        let answer = line.ask(&message).await;
        let bytes = answer.to_string().len();
        assert!(bytes <= 1024, "{bytes} bytes answer {}", shown(&message));
    }
}

#[tokio::test]
async fn errors_over_http_quote_little_of_what_was_received() {
    let long = "u".repeat(1_000_000);
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    for message in asking_with(&long) {
        let bytes = client.post(&message).await.body.len();
        assert!(bytes <= 1024, "{bytes} bytes answer {}", shown(&message));
    }
    let mut version = modern(1, "tools/list", json!({}));
    version["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(long);
    let posted = Client::new(test.client.address).post(&version).await;
    assert!(posted.status >= 400 && posted.body.len() <= 1024, "{}", posted.body.len());
    test.stop().await;
}

#[tokio::test]
async fn a_uri_is_repeated_up_to_the_limit_and_left_out_beyond() {
    let (server, _) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    for (bytes, is_repeated) in [(2048, true), (2049, false)] {
        let uri = format!("test:{}", "u".repeat(bytes - 5));
        let refused = line.ask(&request(bytes, "resources/read", json!({ "uri": uri }))).await;
        assert_eq!(code(&refused), -32002);
        assert_eq!(refused["error"]["data"]["uri"] == json!(uri), is_repeated);
        assert_eq!(refused["error"].get("data").is_some(), is_repeated);
    }
}
