//! The end of the input, of a session and of the server.

use std::time::{Duration, Instant};

use proofmark_sdk::transport::{LineSettings, http::HttpSettings};
use serde_json::json;

use crate::common::{
    LineClient, MODERN, NEWEST_LEGACY, call, followed, http, initialize, modern, quick, request,
    server, soon, text, until,
};

#[tokio::test]
async fn what_was_asked_before_the_input_ended_is_answered() {
    let (server, _) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    for id in 0..20 {
        let delay = if id % 2 == 0 { 0 } else { 50 };
        line.send(&call(id, "echo", json!({ "text": id.to_string(), "delay_ms": delay }))).await;
    }
    line.end_input().await;
    let mut seen = Vec::new();
    while let Some(message) = line.try_message().await {
        assert_eq!(text(&message), message["id"].to_string());
        seen.push(message["id"].as_u64().unwrap());
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..20).collect::<Vec<_>>());
    soon(&mut line.serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_handler_that_does_not_end_does_not_hold_the_process() {
    let (server, probe) = server();
    let settings = LineSettings { drain: Duration::from_millis(200), ..LineSettings::default() };
    let mut line = LineClient::connect(&server, settings);
    line.send(&initialize(NEWEST_LEGACY)).await;
    line.send(&call(1, "slow", json!({}))).await;
    line.send(&call(2, "steps", json!({ "count": 100_000, "pause_ms": 1 }))).await;
    until(|| probe.started() == 2).await;
    let began = Instant::now();
    line.end_input().await;
    soon(&mut line.serving).await.unwrap().unwrap();
    assert!(began.elapsed() >= Duration::from_millis(200));
    assert!(began.elapsed() < Duration::from_secs(2));
    assert_eq!(probe.ended(), 2);
}

#[tokio::test]
async fn an_idle_server_ends_with_its_input_at_once() {
    let (server, _) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    line.assert_alive().await;
    let began = Instant::now();
    line.end_input().await;
    soon(&mut line.serving).await.unwrap().unwrap();
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_of_sessions_that_ended() {
    let settings = HttpSettings { session_idle: Duration::from_secs(3), ..quick() };
    let test = http(settings).await;
    for round in 0..60 {
        let client = test.client.begin(NEWEST_LEGACY).await;
        let followed = followed(1, "t", "steps", json!({ "count": 2 }));
        match round % 4 {
            0 => drop(client.listen(None).await),
            1 => drop(client.stream(&followed).await),
            2 => assert_eq!(client.post(&followed).await.status, 200),
            _ => drop(client.raw(&client.post_bytes("", followed.to_string().as_bytes())).await),
        }
        if round % 2 == 0 {
            assert_eq!(client.bodiless("DELETE", "").await.status, 204);
        }
        drop(test.client.open_sse().await);
    }
    until(|| test.service.sessions() == 0 && test.service.detached() == 0).await;
    assert_eq!(test.probe.started(), test.probe.ended());
    test.stop().await;
}

#[tokio::test]
async fn a_server_goes_down_although_streams_are_open() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut standalone = client.listen(None).await;
    standalone.next().await.unwrap();
    let (mut sse, _) = client.open_sse().await;
    let listen = modern(
        "l",
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true } }),
    );
    let mut listening = client.raw(&test.client.modern_bytes(&listen)).await.events().await;
    assert_eq!(listening.status, 200, "{MODERN}");
    listening.message().await.unwrap();
    let idle = client.raw(b"").await;
    let began = Instant::now();
    test.stop().await;
    assert!(began.elapsed() < Duration::from_secs(3));
    assert_eq!(standalone.next().await, None);
    assert_eq!(sse.next().await, None);
    let goodbye = listening.messages().await;
    assert_eq!(goodbye.last().map(|last| last["id"].clone()), Some(json!("l")), "{goodbye:?}");
    drop(idle);
}

#[tokio::test]
async fn running_calls_are_answered_while_the_server_goes_down() {
    let test = http(HttpSettings { drain: Duration::from_secs(5), ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let late = |id: &str| call(id, "echo", json!({ "text": id, "delay_ms": 300 }));
    let (mut sse, path) = test.client.open_sse().await;
    test.client.post_to(&path, &initialize("2024-11-05")).await;
    sse.message().await.unwrap();
    assert_eq!(test.client.post_to(&path, &late("sse")).await.status, 202);
    let mut plain = client.raw(&client.post_bytes("", late("plain").to_string().as_bytes())).await;
    let mut steps = client
        .stream(&followed("steps", "t", "steps", json!({ "count": 30, "pause_ms": 10 })))
        .await;
    let echo = json!({ "name": "echo", "arguments": { "text": "modern", "delay_ms": 300 } });
    let bytes = test.client.modern_bytes(&modern("modern", "tools/call", echo));
    let mut modern = test.client.raw(&bytes).await;
    until(|| test.probe.started() == 4).await;
    let began = Instant::now();
    let address = client.address;
    let down = test.begin_stop();
    assert_eq!(text(&plain.response().await.unwrap().json()), "plain");
    assert_eq!(text(&modern.response().await.unwrap().json()), "modern");
    assert_eq!(text(&sse.message().await.unwrap()), "sse");
    assert_eq!(text(steps.messages().await.last().unwrap()), "all steps");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    soon(down).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(4));
}

#[tokio::test]
async fn a_call_that_does_not_end_is_stopped_when_the_time_to_finish_is_over() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let slow = call(1, "slow", json!({})).to_string();
    let mut legacy = client.raw(&client.post_bytes("", slow.as_bytes())).await;
    let lost =
        client.raw(&client.post_bytes("", call(2, "slow", json!({})).to_string().as_bytes())).await;
    let bytes = modern(3, "tools/call", json!({ "name": "slow", "arguments": {} }));
    let mut modern = test.client.raw(&test.client.modern_bytes(&bytes)).await;
    until(|| test.probe.started() == 3).await;
    drop(lost);
    until(|| test.service.detached() == 1).await;
    let (probe, service) = (test.probe.clone(), test.service.clone());
    let began = Instant::now();
    test.stop().await;
    assert!(began.elapsed() < Duration::from_secs(3));
    assert_eq!(probe.ended(), 3);
    assert_eq!((service.sessions(), service.detached()), (0, 0));
    for connection in [&mut legacy, &mut modern] {
        let response = connection.response().await;
        assert!(response.is_none_or(|it| it.status == 503 || it.body.is_empty()));
    }
}

#[tokio::test]
async fn requests_leave_nothing_behind() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut connection = client.raw(b"").await;
    for id in 0..500 {
        let echo = call(id, "echo", json!({ "text": "a" })).to_string();
        connection.send(&client.post_bytes("", echo.as_bytes())).await;
        assert_eq!(connection.response().await.unwrap().status, 200);
        let bytes =
            modern(id, "tools/call", json!({ "name": "echo", "arguments": { "text": "a" } }));
        connection.send(&test.client.modern_bytes(&bytes)).await;
        assert_eq!(connection.response().await.unwrap().status, 200);
    }
    assert_eq!((test.service.sessions(), test.service.detached()), (1, 0));
    assert_eq!((test.probe.started(), test.probe.ended()), (1000, 1000));
    assert_eq!(client.post(&request(1, "ping", json!({}))).await.status, 200);
    test.stop().await;
}
