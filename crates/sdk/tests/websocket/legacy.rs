//! The newest legacy revision: handshake, calls, progress, a question, cancellation.

use proofmark_sdk::transport::MessageSettings;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::common::{Client, call, notification, request, text};

#[tokio::test]
async fn a_call_is_answered_in_one_frame() {
    let mut client = Client::begin().await;
    assert_eq!(text(&client.ask(&call(1, "add")).await), "added");
}

#[tokio::test]
async fn a_request_before_the_handshake_is_refused() {
    let mut client = Client::connect(MessageSettings::default()).await;
    let refused = client.ask(&call(1, "add")).await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
}

#[tokio::test]
async fn progress_comes_before_the_answer() {
    let mut client = Client::begin().await;
    client.send(&call(1, "steps")).await;
    for step in 1..=3 {
        let progress = client.message().await.unwrap();
        assert_eq!(progress["method"], "notifications/progress", "{progress}");
        assert_eq!(progress["params"]["progress"], json!(step));
    }
    assert_eq!(text(&client.message().await.unwrap()), "all steps");
}

#[tokio::test]
async fn the_client_is_asked_while_the_call_waits() {
    let mut client = Client::begin().await;
    client.send(&call(1, "asks")).await;
    let question = client.message().await.unwrap();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    // Another call is not held up by it.
    assert_eq!(text(&client.ask(&call(2, "add")).await), "added");
    let accepted = json!({ "action": "accept", "content": {} });
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": accepted })).await;
    assert_eq!(text(&client.message().await.unwrap()), "accepted");
}

#[tokio::test]
async fn a_cancelled_call_is_stopped_and_not_answered() {
    let mut client = Client::begin().await;
    client.send(&call(1, "slow")).await;
    client.send(&notification("notifications/cancelled", json!({ "requestId": 1 }))).await;
    client.until_stopped(1).await;
    let pong = client.ask(&request(2, "ping", json!({}))).await;
    assert_eq!(pong["result"], json!({}));
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_the_next_one_is_served() {
    let mut client = Client::begin().await;
    let garbage = [
        Message::text("{"),
        Message::text(""),
        Message::binary(vec![0xff, 0xfe]),
        Message::text("1"),
    ];
    for frame in garbage {
        client.send_frame(frame).await;
        let refused = client.message().await.unwrap();
        let code = refused["error"]["code"].as_i64().unwrap();
        assert!([-32700, -32600].contains(&code), "{refused}");
    }
    client.send_frame(Message::binary(call(1, "add").to_string().into_bytes())).await;
    assert_eq!(text(&client.message().await.unwrap()), "added");
}
