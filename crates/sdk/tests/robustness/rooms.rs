//! What all clients share, at the limit and one beyond, and the limits that hold when nothing is set.

use std::time::Duration;

use proofmark_sdk::{
    core::{jsonrpc::Limits, session::server::SessionLimits},
    schema::SchemaLimits,
    store::{EventLogSettings, SessionSettings, TaskSettings},
    transport::{LineSettings, http::HttpSettings},
};
use serde_json::json;

use crate::common::{
    Client, Connection, HttpTest, NEWEST_LEGACY, Response, call, http, modern, quick, request,
    text, until,
};

#[tokio::test]
async fn as_many_requests_run_at_once_as_the_limit_says_and_not_one_more() {
    let test = http(HttpSettings { max_requests: 2, ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let slow = call(1, "slow", json!({})).to_string();
    let first = client.raw(&client.post_bytes("", slow.as_bytes())).await;
    let asked = modern(1, "tools/call", json!({ "name": "slow", "arguments": {} }));
    let second = test.client.raw(&test.client.modern_bytes(&asked)).await;
    until(|| test.probe.started() == 2).await;
    let echo = json!({ "name": "echo", "arguments": { "text": "room" } });
    let refused = test.client.ask(&modern(2, "tools/call", echo.clone())).await;
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true));
    assert_eq!(client.post(&request(2, "ping", json!({}))).await.status, 503);
    let (_events, path) = test.client.open_sse().await;
    let posted = test.client.post_to(&path, &request(3, "ping", json!({}))).await;
    assert_eq!((posted.status, test.probe.started()), (503, 2));
    // The modern one is cancelled by that, and there is room for another.
    drop(second);
    until(|| test.probe.ended() == 1).await;
    let answer = loop {
        let answer = test.client.ask(&modern(4, "tools/call", echo.clone())).await;
        if answer.status != 503 {
            break answer;
        }
    };
    assert_eq!(text(&answer.json()), "room");
    drop(first);
    test.stop().await;
}

/// Somebody who has sent this many bytes of a body that does not end.
async fn half_a_body(test: &HttpTest, bytes: usize) -> Connection {
    let client = &test.client;
    let mut half = client.post_bytes("", &vec![b' '; bytes + 1]);
    half.pop();
    client.raw(&half).await
}

async fn padded(client: &Client, bytes: usize) -> Response {
    let mut body = request(1, "ping", json!({})).to_string().into_bytes();
    body.resize(bytes, b' ');
    client.post_text(&body).await
}

#[tokio::test]
async fn as_many_bytes_are_read_at_once_as_the_limit_says_and_not_one_more() {
    let test = http(HttpSettings { body_bytes: 1000, ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    assert_eq!(padded(&client, 1000).await.status, 200);
    assert_eq!(padded(&client, 1001).await.status, 503);
    let half = half_a_body(&test, 700).await;
    // Until the server has got all of the half.
    let refused = loop {
        let answer = padded(&client, 301).await;
        if answer.status != 200 {
            break answer;
        }
    };
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true));
    assert_eq!(padded(&client, 300).await.status, 200);
    drop(half);
    while padded(&client, 1000).await.status != 200 {}
    test.stop().await;
}

#[tokio::test]
async fn what_a_running_handler_was_sent_takes_no_room_from_others() {
    let test = http(HttpSettings { body_bytes: 1000, ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut slow = call(1, "slow", json!({})).to_string().into_bytes();
    slow.resize(1000, b' ');
    let running = client.raw(&client.post_bytes("", &slow)).await;
    until(|| test.probe.started() == 1).await;
    assert_eq!(padded(&client, 1000).await.status, 200);
    drop(running);
    test.stop().await;
}

#[test]
fn without_settings_there_is_a_limit_to_everything() {
    const MIB: usize = 1024 * 1024;
    let minutes = |count: u64| Duration::from_secs(count * 60);
    let http = HttpSettings::default();
    assert_eq!(http.limits, Limits { bytes: 4 * MIB, depth: 64, batch: 32 });
    assert_eq!((http.max_headers, http.body_bytes), (32 * 1024, 64 * MIB));
    assert_eq!((http.max_requests, http.max_connections), (10_000, 20_000));
    assert_eq!((http.max_sessions, http.max_sessions_per_principal), (10_000, 100));
    assert_eq!((http.session_idle, http.handshake_timeout), (minutes(30), minutes(1) / 2));
    assert_eq!((http.queue_messages, http.queue_bytes), (256, 256 * 1024));
    assert_eq!((http.header_timeout, http.body_timeout), (minutes(1) / 6, minutes(1) / 2));
    assert_eq!((http.write_stall, http.keep_alive), (minutes(1) / 2, minutes(1) / 4));
    assert_eq!(http.drain, minutes(1) / 6);
    assert_eq!(LineSettings::default().limits.bytes, 16 * MIB);
    let log = EventLogSettings::default();
    assert_eq!((log.events, log.bytes, log.age), (1000, MIB, minutes(10)));
    let tasks = TaskSettings::default();
    assert_eq!((tasks.per_principal, tasks.ttl), (1000, minutes(24 * 60)));
    let stored = SessionSettings::default();
    assert_eq!((stored.sessions, stored.per_principal), (10_000, 100));
    assert_eq!((stored.idle, stored.idle_initializing), (minutes(30), minutes(1) / 2));
    let session = SessionLimits::default();
    assert_eq!((session.in_flight, session.subscriptions), (128, 1024));
    assert_eq!((session.idle, session.longest), (minutes(1), minutes(10)));
    let schema = SchemaLimits::default();
    assert_eq!((schema.bytes, schema.depth), (256 * 1024, 64));
    assert_eq!((schema.subschemas, schema.branches), (5000, 100_000));
}
