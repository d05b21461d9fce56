//! Connections that break at any moment.

use std::time::Duration;

use proofmark_sdk::transport::{LineSettings, serve_lines};
use serde_json::json;
use tokio::io::{AsyncWriteExt, duplex, split};

use crate::common::{
    LineClient, NEWEST_LEGACY, call, followed, http, initialize, quick, request, server, soon,
    until,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_may_break_off_at_every_byte() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let steps = followed(1, "t", "steps", json!({ "count": 2 })).to_string();
    let bytes = client.post_bytes("", steps.as_bytes());
    for cut in 0..bytes.len() {
        let mut connection = client.raw(&bytes[..cut]).await;
        if cut % 2 == 0 {
            connection.finish_sending().await;
        }
    }
    assert_eq!(test.probe.started(), 0);
    let response = client.post(&request(1, "ping", json!({}))).await;
    assert_eq!(response.status, 200);
    assert_eq!(test.service.detached(), 0);
    test.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_may_go_unread_at_every_byte() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    for count in 0..60 {
        let steps = followed(count, "t", "steps", json!({ "count": 5 })).to_string();
        let bytes = client.post_bytes("Connection: close\r\n", steps.as_bytes());
        client.raw(&bytes).await.skip(count * 25).await;
    }
    // Of those that hung up at once, some were never heard.
    until(|| test.probe.started() == test.probe.ended() && test.service.detached() == 0).await;
    assert!(test.probe.started() > 30);
    assert_eq!(client.post(&request(1, "ping", json!({}))).await.status, 200);
    test.stop().await;
}

#[tokio::test]
async fn an_event_stream_may_break_off_in_its_handshake() {
    let test = http(quick()).await;
    let get = format!("GET /sse HTTP/1.1\r\nHost: {}\r\n\r\n", test.client.address);
    for cut in 0..get.len() {
        drop(test.client.raw(&get.as_bytes()[..cut]).await);
    }
    for _ in 0..5 {
        drop(test.client.open_sse().await);
    }
    until(|| test.service.sessions() == 0).await;
    test.stop().await;
}

#[tokio::test]
async fn the_input_may_end_at_every_byte_of_a_line() {
    let (server, probe) = server();
    let line = format!("{}\n", call(1, "echo", json!({ "text": "é" })));
    let handshake = format!("{}\n", initialize(NEWEST_LEGACY));
    for cut in 0..=line.len() {
        let mut client = LineClient::connect(&server, LineSettings::default());
        client.send_bytes(handshake.as_bytes()).await;
        client.send_bytes(&line.as_bytes()[..cut]).await;
        client.end_input().await;
        assert_eq!(client.message().await["id"], "init");
        let answer = client.try_message().await;
        assert_eq!(answer.is_some(), cut == line.len(), "{cut}");
        soon(&mut client.serving).await.unwrap().unwrap();
    }
    assert_eq!(probe.started(), 1);
}

#[tokio::test]
async fn a_pipe_that_is_not_read_any_more_ends_the_server() {
    let (server, probe) = server();
    let (client, far) = duplex(1024);
    let (_unread, mut input) = split(client);
    let (near_out, out) = duplex(1024);
    let serving = tokio::spawn(async move {
        let (reader, _) = split(far);
        serve_lines(&server, reader, out, LineSettings::default()).await
    });
    let handshake = format!("{}\n{}\n", initialize(NEWEST_LEGACY), call(1, "slow", json!({})));
    input.write_all(handshake.as_bytes()).await.unwrap();
    until(|| probe.started() == 1).await;
    drop(near_out);
    input.write_all(format!("{}\n", request(2, "ping", json!({}))).as_bytes()).await.unwrap();
    let error = soon(serving).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    assert_eq!(probe.ended(), 1);
}

#[tokio::test]
async fn a_client_that_never_reads_its_stream_loses_that_stream_and_no_other_client_does() {
    let settings = proofmark_sdk::transport::http::HttpSettings {
        write_stall: Duration::from_millis(200),
        ..quick()
    };
    let test = http(settings).await;
    let deaf = test.client.begin(NEWEST_LEGACY).await;
    let arguments = json!({ "count": 100_000, "bytes": 100_000, "pause_ms": 1 });
    let bytes = deaf.post_bytes("", followed(1, "t", "chatty", arguments).to_string().as_bytes());
    let _never_read = deaf.raw(&bytes).await;
    // The kernel's buffers fill up, then nothing moves, then the connection is given up and the request goes on alone.
    until(|| test.service.detached() == 1).await;
    let other = test.client.begin(NEWEST_LEGACY).await;
    for id in 0..20 {
        let answer = other.post(&call(id, "echo", json!({ "text": "heard" }))).await;
        assert_eq!(answer.status, 200);
    }
    assert_eq!(deaf.post(&request(2, "ping", json!({}))).await.status, 200);
    assert_eq!(deaf.post(&crate::common::cancel(1)).await.status, 202);
    until(|| test.service.detached() == 0).await;
    test.stop().await;
}

#[tokio::test]
async fn a_panic_is_the_error_of_its_own_call_only_over_http() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    for tool in ["panics", "panics_early"] {
        let mut connection = client
            .raw(&client.post_bytes("", call(1, tool, json!({})).to_string().as_bytes()))
            .await;
        let response = connection.response().await.expect("an answer on the same connection");
        assert_eq!(crate::common::code(&response.json()), -32603, "{tool}");
        connection
            .send(&client.post_bytes("", request(1, "ping", json!({})).to_string().as_bytes()))
            .await;
        assert_eq!(connection.response().await.unwrap().status, 200, "{tool}");
        let (mut events, path) = test.client.open_sse().await;
        test.client.post_to(&path, &initialize("2024-11-05")).await;
        events.message().await.unwrap();
        assert_eq!(test.client.post_to(&path, &call(1, tool, json!({}))).await.status, 202);
        assert_eq!(crate::common::code(&events.message().await.unwrap()), -32603, "{tool}");
    }
    test.stop().await;
}
