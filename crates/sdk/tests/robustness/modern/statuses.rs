//! What is wrong with a request decides its status and its code.

use proofmark_sdk::core::revision::{Era, Revision};
use serde_json::{Value, json};

use crate::common::{HttpTest, MODERN, Probe, builder, code, http, http_with, modern, quick};

/// Posts a body with these headers beside the usual ones.
async fn refused(test: &HttpTest, headers: &str, body: &Value) -> (u16, i64) {
    let bytes = test.client.post_bytes(headers, body.to_string().as_bytes());
    let response = test.client.answer(&bytes).await;
    let answer = response.json();
    assert_eq!(answer.get("id"), body.get("id"), "{headers} {body}: {answer}");
    (response.status, code(&answer))
}

fn headers(version: &str, method: &str) -> String {
    format!("Mcp-Protocol-Version: {version}\r\nMcp-Method: {method}\r\n")
}

fn without(key: &str) -> Value {
    let mut message = modern(1, "server/discover", json!({}));
    let meta = message["params"]["_meta"].as_object_mut().unwrap();
    assert!(meta.remove(&format!("io.modelcontextprotocol/{key}")).is_some());
    message
}

#[tokio::test]
async fn a_request_that_does_not_explain_itself_is_refused() {
    let test = http(quick()).await;
    let discover = headers(MODERN, "server/discover");
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {}}}),
        without("protocolVersion"),
        without("clientCapabilities"),
    ] {
        assert_eq!(refused(&test, &discover, &message).await, (400, -32602), "{message}");
    }
    let response = test.client.ask(&without("clientInfo")).await;
    assert_eq!(response.status, 200);
    test.stop().await;
}

#[tokio::test]
async fn a_version_that_is_not_served_is_refused_with_those_that_are() {
    let test = http(quick()).await;
    let mut message = modern(1, "server/discover", json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("v999.0.0");
    let body = message.to_string();
    let headers = headers("v999.0.0", "server/discover");
    let response = test.client.answer(&test.client.post_bytes(&headers, body.as_bytes())).await;
    let error = &response.json()["error"];
    assert_eq!((response.status, &error["code"]), (400, &json!(-32022)));
    assert_eq!(error["data"]["requested"], "v999.0.0");
    let supported = error["data"]["supported"].as_array().unwrap();
    assert_eq!(supported.len(), Revision::ALL.len());
    assert!(supported.contains(&json!(MODERN)));
    // That the two disagree comes first.
    let named = self::headers(MODERN, "server/discover");
    assert_eq!(refused(&test, &named, &message).await, (400, -32020));
    test.stop().await;
}

#[tokio::test]
async fn headers_that_contradict_the_body_are_refused() {
    let test = http(quick()).await;
    let list = modern(1, "tools/list", json!({}));
    let version = format!("Mcp-Protocol-Version: {MODERN}\r\n");
    let with = |rest: &str| format!("{version}{rest}");
    for headers in [
        with(""),
        with("Mcp-Method: prompts/list\r\n"),
        with("Mcp-Method: TOOLS/LIST\r\n"),
        with("Mcp-Method: tools/list\r\nMcp-Method: tools/list\r\n"),
        "Mcp-Method: tools/list\r\n".to_owned(),
        "Mcp-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/list\r\n".to_owned(),
    ] {
        assert_eq!(refused(&test, &headers, &list).await, (400, -32020), "{headers}");
    }
    let echo = modern(1, "tools/call", json!({"name": "echo", "arguments": {"text": "a"}}));
    for name in ["", "Mcp-Name: other\r\n", "Mcp-Name: =?base64?!?=\r\n"] {
        let headers = with(&format!("Mcp-Method: tools/call\r\n{name}"));
        assert_eq!(refused(&test, &headers, &echo).await, (400, -32020), "{headers}");
    }
    for headers in [
        with("mcp-method: tools/call\r\nMCP-NAME:   echo  \r\n"),
        with("Mcp-Method: tools/call\r\nMcp-Name: =?base64?ZWNobw==?=\r\n"),
    ] {
        let bytes = test.client.post_bytes(&headers, echo.to_string().as_bytes());
        assert_eq!(test.client.answer(&bytes).await.status, 200, "{headers}");
    }
    test.stop().await;
}

#[tokio::test]
async fn methods_that_are_gone_or_never_were_are_not_found() {
    let test = http(quick()).await;
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
        "tasks/result",
        "skills/list",
        "unknown/method",
    ] {
        let message = modern("x", method, json!({"uri": "test://one", "level": "info"}));
        let expected = (404, -32601);
        assert_eq!(refused(&test, &headers(MODERN, method), &message).await, expected, "{method}");
    }
    test.stop().await;
}

#[tokio::test]
async fn what_is_no_modern_message_is_refused() {
    let test = http(quick()).await;
    let list = headers(MODERN, "tools/list");
    let batch = json!([modern(1, "tools/list", json!({}))]);
    let response =
        test.client.answer(&test.client.post_bytes(&list, batch.to_string().as_bytes())).await;
    assert_eq!((response.status, code(&response.json())), (400, -32600));
    let response = test.client.answer(&test.client.post_bytes(&list, b"{")).await;
    assert_eq!((response.status, code(&response.json())), (400, -32700));
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string();
    let response = test.client.answer(&test.client.post_bytes(&list, answer.as_bytes())).await;
    assert_eq!((response.status, code(&response.json())), (400, -32600));
    test.stop().await;
}

#[tokio::test]
async fn ordinary_errors_come_with_status_200() {
    let test = http(quick()).await;
    for (method, params) in [
        ("tools/call", json!({"name": "unknown"})),
        ("prompts/get", json!({"name": "unknown"})),
        ("resources/read", json!({"uri": "test://nowhere"})),
        ("tools/list", json!({"cursor": "made up"})),
    ] {
        let response = test.client.ask(&modern(1, method, params)).await;
        let answer = response.json();
        assert_eq!((response.status, code(&answer)), (200, -32602), "{method}: {answer}");
    }
    let response = test.client.ask(&modern(1, "resources/read", json!({"uri": "test://no"}))).await;
    assert_eq!(response.json()["error"]["data"]["uri"], "test://no");
    test.stop().await;
}

#[tokio::test]
async fn a_notification_is_accepted_without_a_word() {
    let test = http(quick()).await;
    let message = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1,
            "_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}}});
    let headers = headers(MODERN, "notifications/cancelled");
    let bytes = test.client.post_bytes(&headers, message.to_string().as_bytes());
    let response = test.client.answer(&bytes).await;
    assert_eq!((response.status, response.body.len()), (202, 0));
    test.stop().await;
}

#[tokio::test]
async fn without_the_legacy_era_only_post_is_allowed() {
    let probe = Probe::default();
    let server = builder(&probe).revisions(Revision::of(Era::Modern)).build().unwrap();
    let test = http_with(server, probe, "127.0.0.1:0", quick()).await;
    for method in ["GET", "DELETE", "PUT"] {
        let response = test.client.bodiless(method, "").await;
        assert_eq!((response.status, response.header("allow")), (405, Some("POST")), "{method}");
    }
    let response = test.client.ask(&modern(1, "server/discover", json!({}))).await;
    let names: Vec<_> = Revision::of(Era::Modern).rev().collect();
    assert_eq!(response.json()["result"]["supportedVersions"], json!(names));
    let legacy = crate::common::initialize(crate::common::NEWEST_LEGACY);
    assert_eq!(test.client.post(&legacy).await.status, 400);
    test.stop().await;
}
