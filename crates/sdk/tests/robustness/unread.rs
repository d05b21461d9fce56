//! Clients that do not read, and handlers that wait with much: how much is held for them.

use proofmark_sdk::transport::http::HttpSettings;
use serde_json::{Value, json};

use crate::common::{NEWEST_LEGACY, call, http, initialize, quick, request, until};

const KIB: usize = 1024;

fn echo(id: usize, bytes: usize, delay: u64) -> Value {
    call(id, "echo", json!({ "text": "x".repeat(bytes), "delay_ms": delay }))
}

#[tokio::test]
async fn a_session_of_the_older_transport_that_does_not_read_is_given_up() {
    let settings = HttpSettings { unread_bytes: 512 * KIB, ..quick() };
    let test = http(settings).await;
    let (mut events, path) = test.client.open_sse().await;
    test.client.post_to(&path, &initialize("2024-11-05")).await;
    events.message().await.unwrap();
    // Most of them are let in before the first is answered.
    for id in 0..64 {
        if test.client.post_to(&path, &echo(id, 256 * KIB, 1000)).await.status != 202 {
            break;
        }
    }
    until(|| test.probe.started() > 0 && test.probe.ended() == test.probe.started()).await;
    // It is gone, or will be as soon as its connection is.
    let refused = test.client.post_to(&path, &request(1, "ping", json!({}))).await.status;
    assert!(matches!(refused, 404 | 503), "{refused}");
    let read = events.messages().await;
    // What sockets and buffers on the way had taken, and nothing of what waited.
    assert!(read.len() < 40, "{}", read.len());
    until(|| test.service.sessions() == 0).await;
    test.stop().await;
}

#[tokio::test]
async fn a_session_of_the_older_transport_that_reads_gets_large_answers() {
    let settings = HttpSettings { unread_bytes: 512 * KIB, ..quick() };
    let test = http(settings).await;
    let (mut events, path) = test.client.open_sse().await;
    test.client.post_to(&path, &initialize("2024-11-05")).await;
    events.message().await.unwrap();
    for id in 0..8 {
        test.client.post_to(&path, &echo(id, 600 * KIB, 0)).await;
        assert_eq!(events.message().await.unwrap()["id"], id);
    }
    test.stop().await;
}

#[tokio::test]
async fn handlers_wait_with_as_many_bytes_as_the_limit_says_and_not_one_more() {
    let body = |bytes: usize| {
        let mut body = call(1, "slow", json!({})).to_string().into_bytes();
        body.resize(bytes, b' ');
        body
    };
    let test = http(HttpSettings { waiting_bytes: 30 * KIB, ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let first = client.raw(&client.post_bytes("", &body(20 * KIB))).await;
    until(|| test.probe.started() == 1).await;
    let other = test.client.begin(NEWEST_LEGACY).await;
    assert_eq!(other.post_text(&body(10 * KIB + 1)).await.status, 503);
    // Little is always let in, and so is what fits.
    let small = other.post(&call(2, "echo", json!({ "text": "a", "delay_ms": 1 }))).await;
    assert_eq!(small.status, 200);
    let second = other.raw(&other.post_bytes("", &body(10 * KIB))).await;
    until(|| test.probe.started() == 3).await;
    client.post(&crate::common::cancel(1)).await;
    until(|| test.probe.ended() == 2).await;
    drop((first, second));
    test.stop().await;
}
