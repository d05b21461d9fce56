//! What a request must repeat in its headers, and what it must not get wrong about itself.

use proofmark_sdk::{
    core::types::TaskSupport,
    server::{Context, NoArguments, tool},
};
use serde_json::{Value, json};

use crate::common::{HttpTest, MODERN, Probe, Response, builder, code, http_with, modern, quick};

/// A server that also runs tasks.
async fn serve() -> HttpTest {
    let probe = Probe::default();
    let task = tool("task").as_task(TaskSupport::Optional);
    let server = builder(&probe).add_tool(task.handler(async |_: Context, _: NoArguments| "done"));
    http_with(server.build().unwrap(), probe, "127.0.0.1:0", quick()).await
}

/// Posts a message under its version and method, and whatever else is to be said in the head.
async fn post(test: &HttpTest, message: &Value, headers: &str) -> Response {
    let method = message["method"].as_str().unwrap();
    let headers = format!("Mcp-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n{headers}");
    test.client.answer(&test.client.post_bytes(&headers, message.to_string().as_bytes())).await
}

fn with_meta(key: &str, value: Value) -> Value {
    let mut message = modern(1, "tools/list", json!({}));
    message["params"]["_meta"][key] = value;
    message
}

#[tokio::test]
async fn what_a_request_is_about_is_repeated_in_the_head() {
    let test = serve().await;
    let extensions = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    for (method, params, subject) in [
        ("tools/call", json!({"name": "echo", "arguments": {"text": "a"}}), "echo"),
        ("prompts/get", json!({"name": "a"}), "a"),
        ("resources/read", json!({"uri": "test://one"}), "test://one"),
        ("tasks/get", json!({"taskId": "some-task"}), "some-task"),
        ("tasks/cancel", json!({"taskId": "some-task"}), "some-task"),
        ("tasks/update", json!({"taskId": "some-task", "inputResponses": {}}), "some-task"),
    ] {
        let mut message = modern(1, method, params);
        message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            extensions.clone();
        for wrong in [
            String::new(),
            "Mcp-Name: another\r\n".to_owned(),
            format!("Mcp-Name: {}\r\n", subject.to_uppercase()),
            format!("Mcp-Name: {subject}\r\nMcp-Name: {subject}\r\n"),
            "Mcp-Name: =?base64?not base64?=\r\n".to_owned(),
            "Mcp-Name: \u{e9}cho\r\n".to_owned(),
        ] {
            let response = post(&test, &message, &wrong).await;
            let answer = response.json();
            assert_eq!((response.status, code(&answer)), (400, -32020), "{method} {wrong}");
            assert_eq!(answer["id"], 1);
        }
        let right = post(&test, &message, &format!("Mcp-Name: {subject}\r\n")).await;
        assert_eq!(right.status, 200, "{method}: {right:?}");
    }
    test.stop().await;
}

#[tokio::test]
async fn what_a_request_says_about_itself_has_the_right_form() {
    let test = serve().await;
    let prefixed = |key: &str| format!("io.modelcontextprotocol/{key}");
    // What every request must have is as good as missing when it cannot be read.
    for (key, values, status) in [
        (prefixed("protocolVersion"), [json!(20_260_728), json!(null), json!([MODERN])], 400),
        (prefixed("clientCapabilities"), [json!(true), json!(null), json!([])], 400),
        (prefixed("logLevel"), [json!("loud"), json!(3), json!({})], 200),
        ("progressToken".to_owned(), [json!({}), json!(true), json!([1])], 200),
    ] {
        for value in values {
            let response = post(&test, &with_meta(&key, value.clone()), "").await;
            let answer = response.json();
            assert_eq!(
                (response.status, code(&answer), &answer["id"]),
                (status, -32602, &json!(1)),
                "{key}: {value}"
            );
        }
    }
    for meta in [json!(null), json!([]), json!("meta")] {
        let mut message = modern(1, "tools/list", json!({}));
        message["params"]["_meta"] = meta.clone();
        let response = post(&test, &message, "").await;
        assert_eq!((response.status, code(&response.json())), (400, -32602), "{meta}");
    }
    test.stop().await;
}

#[tokio::test]
async fn a_subscription_says_what_it_is_for() {
    let test = serve().await;
    for params in [
        json!({}),
        json!({"notifications": null}),
        json!({"notifications": ["toolsListChanged"]}),
        json!({"notifications": {"toolsListChanged": "yes"}}),
        json!({"notifications": {"resourceSubscriptions": "test://one"}}),
    ] {
        let message = modern("l", "subscriptions/listen", params.clone());
        let answer = post(&test, &message, "").await.json();
        assert_eq!((code(&answer), &answer["id"]), (-32602, &json!("l")), "{params}");
    }
    let tasks = json!({"notifications": {"taskIds": ["some-task"]}});
    let response = post(&test, &modern("l", "subscriptions/listen", tasks), "").await;
    assert_eq!((response.status, code(&response.json())), (400, -32021));
    test.stop().await;
}

#[tokio::test]
async fn who_talks_in_another_form_or_from_elsewhere_is_sent_away() {
    let test = serve().await;
    let message = modern(1, "server/discover", json!({}));
    let whole = String::from_utf8(test.client.modern_bytes(&message)).unwrap();
    let accept = "application/json, text/event-stream";
    let own = format!("Host: {}", test.client.address);
    for (usual, other, status) in [
        (accept, "application/json", 406),
        (accept, "text/event-stream", 406),
        (accept, "*/*", 200),
        ("Content-Type: application/json", "Content-Type: text/plain", 415),
        ("Content-Type: application/json\r\n", "", 415),
        (&*own, "Host: evil.test", 403),
        ("Mcp-Method:", "Origin: https://evil.test\r\nMcp-Method:", 403),
        ("Mcp-Method:", "Origin: http://localhost:1\r\nMcp-Method:", 200),
    ] {
        assert!(whole.contains(usual), "{usual}");
        let response = test.client.answer(whole.replacen(usual, other, 1).as_bytes()).await;
        assert_eq!(response.status, status, "{other}");
    }
    test.stop().await;
}

#[tokio::test]
async fn a_notification_that_is_none_is_refused_without_an_id() {
    let test = serve().await;
    for body in [
        json!({"jsonrpc": "2.0", "method": 7}),
        json!({"jsonrpc": "1.0", "method": "notifications/cancelled"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 7}),
    ] {
        let headers =
            format!("Mcp-Protocol-Version: {MODERN}\r\nMcp-Method: notifications/cancelled\r\n");
        let bytes = test.client.post_bytes(&headers, body.to_string().as_bytes());
        let response = test.client.answer(&bytes).await;
        let answer = response.json();
        assert_eq!((response.status, code(&answer)), (400, -32600), "{body}");
        assert_eq!(answer.get("id"), None, "{answer}");
    }
    test.stop().await;
}
