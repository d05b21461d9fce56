//! Everything a client can make larger, at the limit and one beyond.

use std::time::{Duration, Instant};

use proofmark_sdk::{
    core::{json::Raw, jsonrpc::Limits, session::server::SessionLimits},
    server::{Context, NoArguments, Server, tool},
    transport::{LineSettings, http::HttpSettings},
};
use serde_json::{Value, json};

use crate::common::{
    Client, Connection, LineClient, NEWEST_LEGACY, Probe, builder, call, code, http, http_with,
    initialize, quick, request, server, until,
};

fn padded_ping(length: usize) -> Vec<u8> {
    let mut body = request(1, "ping", json!({})).to_string().into_bytes();
    assert!(body.len() <= length);
    body.resize(length, b' ');
    body
}

async fn small_bodies() -> (crate::common::HttpTest, Client) {
    let limits = Limits { bytes: LIMIT, ..Limits::default() };
    let test = http(HttpSettings { limits, ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    (test, client)
}

#[tokio::test]
async fn a_body_may_have_the_longest_length_and_not_one_byte_more() {
    let (test, client) = small_bodies().await;
    assert_eq!(client.post_text(&padded_ping(LIMIT)).await.status, 200);
    assert_eq!(client.post_text(&padded_ping(LIMIT + 1)).await.status, 413);
    test.stop().await;
}

#[tokio::test]
async fn a_body_of_unknown_length_is_stopped_at_the_limit() {
    let (test, client) = small_bodies().await;
    let chunked = |length: usize| {
        let mut bytes = format!(
            "{}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
            client.head("POST")
        )
        .into_bytes();
        for piece in padded_ping(length).chunks(100) {
            bytes.extend(format!("{:x}\r\n", piece.len()).into_bytes());
            bytes.extend_from_slice(piece);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"0\r\n\r\n");
        bytes
    };
    assert_eq!(client.answer(&chunked(LIMIT)).await.status, 200);
    assert_eq!(client.answer(&chunked(LIMIT + 1)).await.status, 413);
    test.stop().await;
}

#[tokio::test]
async fn a_length_that_lies_gains_nothing() {
    let (test, client) = small_bodies().await;
    let lying = |length: &str| {
        format!(
            "{}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
            client.head("POST")
        )
    };
    for huge in ["8589934592", "18446744073709551615"] {
        let response = client.answer(lying(huge).as_bytes()).await;
        assert!([413, 431].contains(&response.status), "{huge}: {response:?}");
    }
    for nonsense in ["-1", "1e3", "99999999999999999999999999"] {
        let response = client.raw(lying(nonsense).as_bytes()).await.response().await;
        assert!(response.is_none_or(|it| [400, 413].contains(&it.status)), "{nonsense}");
    }
    // What follows a body that was declared too short is another request, and none that is understood.
    let body = request(1, "ping", json!({})).to_string();
    let short = format!("{}{body}", lying("10"));
    let mut connection = client.raw(short.as_bytes()).await;
    let first = connection.response().await.unwrap();
    assert_eq!((first.status, code(&first.json())), (400, -32700));
    assert!(connection.response().await.is_none_or(|it| it.status == 400));
    test.stop().await;
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let settings = HttpSettings { body_timeout: Duration::from_millis(50), ..quick() };
    let test = http(settings).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut bytes = client.post_bytes("", &padded_ping(200));
    bytes.pop();
    assert_eq!(client.answer(&bytes).await.status, 408);
    test.stop().await;
}

#[tokio::test]
async fn headers_that_do_not_come_are_not_waited_for() {
    let settings = HttpSettings { header_timeout: Duration::from_millis(50), ..quick() };
    let test = http(settings).await;
    let mut connection = test.client.raw(b"POST /mcp HTTP/1.1\r\nHost: loc").await;
    assert!(connection.response().await.is_none_or(|it| it.status == 408));
    test.stop().await;
}

#[tokio::test]
async fn headers_are_bounded_in_bytes_and_number() {
    let test = http(HttpSettings { max_headers: 16 * 1024, ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let with = |extra: String| client.post_bytes(&extra, &padded_ping(200));
    assert_eq!(client.answer(&with(format!("X: {}\r\n", "x".repeat(12 * 1024)))).await.status, 200);
    let large =
        client.raw(&with(format!("X: {}\r\n", "x".repeat(64 * 1024)))).await.response().await;
    assert!(large.is_none_or(|it| it.status == 431));
    assert_eq!(client.answer(&with("X: x\r\n".repeat(80))).await.status, 200);
    let many = client.raw(&with("X: x\r\n".repeat(200))).await.response().await;
    assert!(many.is_none_or(|it| it.status == 431));
    assert_eq!(client.post_text(&padded_ping(200)).await.status, 200);
    test.stop().await;
}

#[tokio::test]
async fn one_connection_too_many_is_hung_up_on() {
    let test = http(HttpSettings { max_connections: 2, ..quick() }).await;
    let first = Connection::open(test.client.address).await;
    let mut second = test.client.raw(b"").await;
    let mut third = Connection::open(test.client.address).await;
    assert!(third.is_closed().await);
    drop(first);
    second
        .send(&test.client.post_bytes("", initialize(NEWEST_LEGACY).to_string().as_bytes()))
        .await;
    assert_eq!(second.response().await.unwrap().status, 200);
    drop(second);
    let client = test.client.clone();
    loop {
        let bytes = client.post_bytes("", initialize(NEWEST_LEGACY).to_string().as_bytes());
        if let Some(response) = client.raw(&bytes).await.response().await {
            assert_eq!(response.status, 200);
            break;
        }
    }
    test.stop().await;
}

#[tokio::test]
async fn a_flood_of_sessions_is_stopped_and_forgotten() {
    let settings = HttpSettings {
        max_sessions: 5,
        handshake_timeout: Duration::from_millis(700),
        session_idle: Duration::from_secs(2),
        ..quick()
    };
    let test = http(settings).await;
    let kept = test.client.begin(NEWEST_LEGACY).await;
    // Sessions whose handshake was never finished give way to new ones.
    for _ in 0..20 {
        assert_eq!(test.client.post(&initialize(NEWEST_LEGACY)).await.status, 200);
        assert!(test.service.sessions() <= 5);
    }
    assert_eq!(kept.post(&request(1, "ping", json!({}))).await.status, 200);
    // Those in use do not.
    let mut streams = Vec::new();
    for _ in 0..4 {
        streams.push(test.client.open_sse().await);
    }
    let mut listening = kept.listen(None).await;
    listening.next().await.unwrap();
    let refused = test.client.post(&initialize(NEWEST_LEGACY)).await;
    assert_eq!(refused.status, 503);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(refused.header("mcp-session-id"), None);
    let sse = format!("GET /sse HTTP/1.1\r\nHost: {}\r\n\r\n", test.client.address);
    assert_eq!(test.client.answer(sse.as_bytes()).await.status, 503);
    assert_eq!(test.service.sessions(), 5);
    drop((streams, listening));
    until(|| test.service.sessions() <= 1).await;
    assert_eq!(kept.post(&request(1, "ping", json!({}))).await.status, 200);
    assert_eq!(test.client.post(&initialize(NEWEST_LEGACY)).await.status, 200);
    until(|| test.service.sessions() == 0).await;
    assert_eq!(kept.post(&request(1, "ping", json!({}))).await.status, 404);
    test.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_do_not_get_past_the_limit_of_sessions() {
    let test = http(HttpSettings { max_sessions: 7, ..quick() }).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let client = test.client.clone();
        tasks.spawn(async move { client.post(&initialize(NEWEST_LEGACY)).await.status });
    }
    let statuses = tasks.join_all().await;
    assert!(statuses.iter().all(|status| matches!(status, 200 | 503)), "{statuses:?}");
    assert_eq!(test.service.sessions(), 7);
    test.stop().await;
}

#[tokio::test]
async fn a_session_in_use_outlives_its_idle_time() {
    // Longer than a busy machine takes from one request to the next.
    let settings = HttpSettings { session_idle: Duration::from_secs(3), ..quick() };
    let test = http(settings).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let late = client.post(&call(1, "echo", json!({ "text": "late", "delay_ms": 4000 }))).await;
    assert_eq!(late.json()["result"]["content"][0]["text"], "late");
    let mut standalone = client.listen(None).await;
    standalone.next().await.unwrap();
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(test.service.sessions(), 1);
    drop(standalone);
    until(|| test.service.sessions() == 0).await;
    test.stop().await;
}

fn nested(depth: usize, within: &str) -> String {
    let (open, close) = ("[".repeat(depth), "]".repeat(depth));
    within.replace("DEEP", &format!("{open}{close}"))
}

/// Places for a deep value, and how deep it is there already.
const DEEP: [(&str, usize); 4] = [
    (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":DEEP}}"#, 2),
    (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":DEEP}}}"#, 3),
    (r#"{"jsonrpc":"2.0","id":1,"method":"ping","a":DEEP}"#, 1),
    (
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","b":DEEP}}}"#,
        3,
    ),
];

#[tokio::test]
async fn json_may_be_as_deep_as_the_limit_and_no_deeper() {
    let limit = Limits::default().depth;
    let test = http(quick()).await;
    let http = test.client.begin(NEWEST_LEGACY).await;
    let (server, _) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    for (within, around) in DEEP {
        let fits = nested(limit - around, within);
        assert!(http.post_text(fits.as_bytes()).await.json().get("result").is_some(), "{within}");
        line.send_line(fits.as_bytes()).await;
        assert!(line.message().await.get("result").is_some());
        for depth in [limit - around + 1, 1_000_000] {
            let deep = nested(depth, within);
            let response = http.post_text(deep.as_bytes()).await;
            assert_eq!((response.status, code(&response.json())), (400, -32600), "{within}");
            line.send_line(deep.as_bytes()).await;
            assert_eq!(code(&line.message().await), -32600);
        }
    }
    for body in ["[".repeat(1_000_000), r#"{"a":"#.repeat(200_000)] {
        assert_eq!(http.post_text(body.as_bytes()).await.status, 400);
        line.send_line(body.as_bytes()).await;
        assert!(line.message().await.get("error").is_some());
    }
    line.assert_alive().await;
    test.stop().await;
}

#[tokio::test]
async fn members_that_occur_twice_are_refused_and_lookalikes_mean_nothing() {
    let test = http(quick()).await;
    let http = test.client.begin(NEWEST_LEGACY).await;
    let (server, probe) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    for (body, id) in [
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, Value::Null),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","\u006dethod":"tools/list"}"#, json!(1)),
        (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}"#, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}"#, json!(1)),
    ] {
        let response = http.post_text(body.as_bytes()).await;
        assert_eq!((response.status, code(&response.json())), (400, -32600), "{body}");
        assert_eq!(response.json()["id"], id, "{body}");
        line.send_line(body.as_bytes()).await;
        let answer = line.message().await;
        assert_eq!((code(&answer), &answer["id"]), (-32600, &id), "{body}");
    }
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","Id":2,"ID":3}"#,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"param\u{17f}\":{}}",
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method\u0000":"tools/list"}"#,
        r#"{"\u006asonrpc":"2.0","\u0069d":1,"\u006dethod":"p\u0069ng"}"#,
    ] {
        assert_eq!(http.post_text(body.as_bytes()).await.json()["result"], json!({}), "{body}");
        line.send_line(body.as_bytes()).await;
        assert_eq!(line.message().await["result"], json!({}), "{body}");
    }
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"slow","arguments":{"text":"a"}}}"#;
    assert_eq!(code(&http.post_text(twice.as_bytes()).await.json()), -32602);
    line.send_line(twice.as_bytes()).await;
    assert_eq!(code(&line.message().await), -32602);
    assert_eq!((probe.started(), test.probe.started()), (0, 0));
    test.stop().await;
}

#[tokio::test]
async fn a_batch_may_have_as_many_members_as_the_limit_and_not_one_more() {
    let limit = Limits::default().batch;
    let test = http(quick()).await;
    let http = test.client.begin("2025-03-26").await;
    let (server, probe) = server();
    let mut line = LineClient::begin(&server, "2025-03-26").await;
    let batch = |length: usize| {
        (0..length).map(|id| call(id, "echo", json!({ "text": "a" }))).collect::<Value>()
    };
    let answers = http.post(&batch(limit)).await.json();
    assert_eq!(answers.as_array().map(Vec::len), Some(limit));
    line.send(&batch(limit)).await;
    assert_eq!(line.message().await.as_array().map(Vec::len), Some(limit));
    assert_eq!((probe.started(), test.probe.started()), (limit, limit));
    let refused = http.post(&batch(limit + 1)).await;
    assert_eq!((refused.status, code(&refused.json())), (400, -32600));
    line.send(&batch(limit + 1)).await;
    assert_eq!(code(&line.message().await), -32600);
    assert_eq!((probe.started(), test.probe.started()), (limit, limit));
    assert_eq!(http.post(&json!([])).await.status, 400);
    test.stop().await;
}

#[tokio::test]
async fn requests_at_once_are_counted() {
    let probe = Probe::default();
    let limits = SessionLimits { in_flight: 3, ..SessionLimits::default() };
    let server = builder(&probe).limits(limits).build().unwrap();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    for id in 0..4 {
        line.send(&call(id, "slow", json!({}))).await;
    }
    let refused = line.message().await;
    assert_eq!((&refused["id"], code(&refused)), (&json!(3), -32603));
    line.assert_alive_when_full().await;
    line.send(&crate::common::cancel(0)).await;
    line.send(&call(4, "echo", json!({ "text": "room" }))).await;
    assert_eq!(crate::common::text(&line.answer(4).await), "room");

    let test = http_with(server, probe.clone(), "127.0.0.1:0", quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let before = probe.started();
    let mut open = Vec::new();
    for id in 0..3 {
        let bytes = client.post_bytes("", call(id, "slow", json!({})).to_string().as_bytes());
        open.push(client.raw(&bytes).await);
    }
    until(|| probe.started() == before + 3).await;
    assert_eq!(code(&client.post(&call(3, "slow", json!({}))).await.json()), -32603);
    test.stop().await;
}

impl LineClient {
    /// With as many requests running as may run, even a ping is one too many.
    async fn assert_alive_when_full(&mut self) {
        let answer = self.ask(&request("full", "ping", json!({}))).await;
        assert!(answer.get("error").is_some() || answer.get("result").is_some());
    }
}

#[tokio::test]
async fn a_line_may_have_the_longest_length_and_not_one_byte_more() {
    let limits = Limits { bytes: LIMIT, ..Limits::default() };
    let (server, _) = server();
    let settings = LineSettings { limits, ..LineSettings::default() };
    let mut line = LineClient::connect(&server, settings);
    line.send_line(&padded_ping(LIMIT)).await;
    assert_eq!(line.message().await["result"], json!({}));
    line.send_line(&padded_ping(LIMIT + 1)).await;
    assert_eq!(code(&line.message().await), -32600);
    line.assert_alive().await;
}

#[tokio::test]
async fn an_endless_line_is_one_error_and_then_forgotten() {
    let limits = Limits { bytes: LIMIT, ..Limits::default() };
    let (server, _) = server();
    let settings = LineSettings { limits, ..LineSettings::default() };
    let mut line = LineClient::connect(&server, settings);
    let piece = vec![b'x'; 64 * 1024];
    // Much more than any buffer on the way: if the server kept it or stopped to read, this would not end.
    for _ in 0..256 {
        line.send_bytes(&piece).await;
    }
    assert_eq!(code(&line.message().await), -32600);
    line.send_bytes(b"\n").await;
    let answer = line.ask(&request(1, "ping", json!({}))).await;
    assert_eq!(answer["result"], json!({}));
}

#[tokio::test]
async fn a_hostile_schema_is_refused_when_it_is_registered() {
    let doubling = (0..40).fold(
        json!({ "type": "string" }),
        |inner, _| json!({ "anyOf": [inner, { "not": {} }, {}] }),
    );
    let mut defs = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        defs.insert(format!("d{level}"), json!({ "anyOf": [next, next] }));
    }
    defs.insert("d40".into(), json!({}));
    let deep = (0..300).fold(json!({}), |inner, _| json!({ "not": inner }));
    let object = |schema: Value| json!({ "type": "object", "properties": { "a": schema } });
    let (server, _) = server();
    for schema in [
        object(json!({ "$ref": "http://127.0.0.1:1/schema.json" })),
        object(json!({ "$ref": "https://example.com/schema.json" })),
        object(json!({ "$ref": "file:///etc/passwd" })),
        object(json!({ "$ref": "//example.com/schema.json" })),
        object(json!({ "$ref": "#/$defs/nowhere" })),
        json!({ "type": "object", "$schema": "http://127.0.0.1:1/dialect" }),
        object(json!({ "pattern": "(a+)+(?=b)" })),
        object(json!({ "type": "string", "pattern": "(" })),
        object(json!({ "type": "string", "pattern": "(a{1000}){1000}" })),
        json!({ "type": "object", "$defs": defs, "$ref": "#/$defs/d0" }),
        object(deep),
        object(doubling),
        json!({ "type": "object", "description": "x".repeat(300 * 1024) }),
        json!({ "type": "string" }),
        json!(1),
    ] {
        let shown: String = schema.to_string().chars().take(100).collect();
        let began = Instant::now();
        let entry = tool("hostile")
            .input_schema(Raw::new(&schema).unwrap())
            .handler(async |_: Context, _: NoArguments| "ran");
        assert!(server.add_tool(entry.clone()).is_err(), "{shown}");
        let built = Server::builder("a", "1").add_tool(entry).build();
        assert!(built.is_err(), "{shown}");
        assert!(began.elapsed() < Duration::from_secs(5), "{shown}");
    }
}

const LIMIT: usize = 2048;
