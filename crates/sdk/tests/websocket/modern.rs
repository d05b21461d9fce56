//! The modern revision: no handshake, and questions in rounds.

use proofmark_sdk::transport::MessageSettings;
use serde_json::{Value, json};

use crate::common::{Client, notification, request, text};

/// A request that stands for itself.
fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
        "progressToken": "p",
    });
    request(id, method, params)
}

fn call(id: impl Into<Value>, tool: &str) -> Value {
    modern(id, "tools/call", json!({ "name": tool, "arguments": {} }))
}

async fn connect() -> Client {
    Client::connect(MessageSettings::default()).await
}

#[tokio::test]
async fn a_server_is_discovered_and_called_without_a_handshake() {
    let mut client = connect().await;
    let discovered = client.ask(&modern(1, "server/discover", json!({}))).await;
    assert!(discovered["result"]["capabilities"]["tools"].is_object(), "{discovered}");
    assert_eq!(text(&client.ask(&call(2, "add")).await), "added");
}

#[tokio::test]
async fn progress_comes_before_the_answer() {
    let mut client = connect().await;
    client.send(&call(1, "steps")).await;
    for _ in 1..=3 {
        assert_eq!(client.message().await.unwrap()["method"], "notifications/progress");
    }
    assert_eq!(text(&client.message().await.unwrap()), "all steps");
}

#[tokio::test]
async fn a_question_ends_the_round_and_its_answer_begins_the_next() {
    let mut client = connect().await;
    let asked = client.ask(&call(1, "asks")).await;
    let result = &asked["result"];
    assert_eq!(result["resultType"], "input_required", "{asked}");
    assert_eq!(result["inputRequests"]["well"]["method"], "elicitation/create", "{asked}");
    let mut again = call(2, "asks");
    again["params"]["requestState"] = result["requestState"].clone();
    again["params"]["inputResponses"] = json!({ "well": { "action": "accept", "content": {} } });
    assert_eq!(text(&client.ask(&again).await), "accepted");
}

#[tokio::test]
async fn a_cancelled_call_is_stopped_and_not_answered() {
    let mut client = connect().await;
    client.send(&call(1, "slow")).await;
    client.send(&notification("notifications/cancelled", json!({ "requestId": 1 }))).await;
    client.until_stopped(1).await;
    assert_eq!(text(&client.ask(&call(2, "add")).await), "added");
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_the_next_one_is_served() {
    let mut client = connect().await;
    client.send(&json!({ "jsonrpc": "2.0" })).await;
    let refused = client.message().await.unwrap();
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert_eq!(text(&client.ask(&call(1, "add")).await), "added");
}
