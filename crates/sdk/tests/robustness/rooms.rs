//! What all clients share, at the limit and one beyond, and the limits that hold when nothing is set.

use std::time::Duration;

use proofmark_sdk::{
    core::{
        jsonrpc::{Limits, parse},
        session::server::SessionLimits,
    },
    schema::SchemaLimits,
    store::{EventLogSettings, SessionSettings, TaskSettings},
    transport::{LineSettings, http::HttpSettings},
};
use serde_json::json;

use crate::common::{
    Client, Connection, HttpTest, NEWEST_LEGACY, Probe, Response, builder, call, code, http,
    http_with, modern, quick, request, text, until,
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

/// A client that has sent this many bytes of a body that does not end.
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

#[tokio::test]
async fn each_member_of_a_batch_counts_as_a_request() {
    let probe = Probe::default();
    let limits = SessionLimits { in_flight: 2, ..SessionLimits::default() };
    let server = builder(&probe).limits(limits).build().unwrap();
    let test = http_with(server, probe, "127.0.0.1:0", quick()).await;
    let client = test.client.begin("2025-03-26").await;
    let waits = |id| call(id, "echo", json!({ "text": "a", "delay_ms": 1 }));
    let answers = client.post(&json!([waits(1), waits(2), waits(3)])).await.json();
    let answers = answers.as_array().unwrap();
    let refused: Vec<_> = answers.iter().filter(|it| it.get("error").is_some()).collect();
    assert_eq!((answers.len(), test.probe.started()), (3, 2));
    assert_eq!((refused.len(), &refused[0]["id"], code(refused[0])), (1, &json!(3), -32603));
    test.stop().await;
}

#[test]
fn deep_and_wide_json_fits_on_a_small_stack() {
    let parsing = || {
        let deep = |around: &str, depth: usize| {
            let nested = ["[".repeat(depth), "]".repeat(depth)].concat();
            around.replace("DEEP", &nested)
        };
        for around in [
            r#"{"jsonrpc":"2.0","id":DEEP,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":DEEP}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":DEEP}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":DEEP}}}"#,
            "DEEP",
        ] {
            assert!(parse(deep(around, 1_000_000).as_bytes(), &Limits::default()).is_err());
        }
        let wide = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"a":[{}1]}}}}"#,
            "1,".repeat(1_000_000)
        );
        assert!(parse(wide.as_bytes(), &Limits::default()).is_ok());
    };
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(parsing).unwrap();
    thread.join().unwrap();
}

#[test]
fn without_settings_there_is_a_limit_to_everything() {
    const MIB: usize = 1024 * 1024;
    let minutes = |count: u64| Duration::from_secs(count * 60);
    let http = HttpSettings::default();
    assert_eq!(http.limits, Limits { bytes: 4 * MIB, depth: 64, batch: 32 });
    assert_eq!((http.max_headers, http.body_bytes), (32 * 1024, 64 * MIB));
    assert_eq!(
        (http.waiting_bytes, http.answer_bytes, http.unread_bytes),
        (64 * MIB, 64 * MIB, 8 * MIB)
    );
    assert_eq!((http.max_requests, http.max_connections), (10_000, 20_000));
    assert_eq!(http.max_requests_per_client, 2_500);
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
    assert_eq!((session.uri_bytes, session.subscription_bytes), (8 * 1024, 256 * 1024));
    assert_eq!(session.client_bytes, 16 * 1024);
    assert_eq!((session.idle, session.longest), (minutes(1), minutes(10)));
    let schema = SchemaLimits::default();
    assert_eq!((schema.bytes, schema.depth), (256 * 1024, 64));
    assert_eq!((schema.subschemas, schema.branches), (5000, 100_000));
}
