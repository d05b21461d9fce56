//! What is left of sessions, streams and tasks when they are over.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::poll;
use http_body_util::{BodyExt, Full};
use proofmark_sdk::{
    core::types::TaskSupport,
    server::{Context, NoArguments, Server, tool},
    store::{MemoryEventLog, MemorySessionStore},
    transport::http::HttpSettings,
};
use serde_json::json;
use tower_service::Service;

use crate::common::{
    Client, NEWEST_LEGACY, Probe, SlowLog, builder, call, followed, http, http_with, initialize,
    quick, request, soon, text, until,
};

#[tokio::test]
async fn the_events_of_a_session_that_was_not_ended_are_forgotten_with_it() {
    let log = Arc::new(MemoryEventLog::default());
    let idle = Duration::from_secs(3);
    let event_log = Some(Arc::clone(&log) as _);
    let test = http(HttpSettings { session_idle: idle, event_log, ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut standalone = client.listen(None).await;
    standalone.next().await.unwrap();
    let mut steps = client.stream(&followed(1, "p", "steps", json!({ "count": 3 }))).await;
    assert_eq!(text(steps.messages().await.last().unwrap()), "all steps");
    assert!(log.total_bytes() > 0);
    drop(standalone);
    until(|| test.service.sessions() == 0 && log.total_bytes() == 0).await;
    assert_eq!(client.post(&request(2, "ping", json!({}))).await.status, 404);
    test.stop().await;
}

#[tokio::test]
async fn a_standalone_stream_that_is_wanted_as_its_session_ends_leaves_nothing() {
    let log = Arc::new(MemoryEventLog::default());
    let test = http(HttpSettings { event_log: Some(Arc::clone(&log) as _), ..quick() }).await;
    for _ in 0..50 {
        let client = test.client.begin(NEWEST_LEGACY).await;
        let get = client.head("GET") + "\r\n";
        let (stream, deleted) =
            tokio::join!(client.raw(get.as_bytes()), client.bodiless("DELETE", ""));
        assert_eq!(deleted.status, 204);
        drop(stream);
    }
    until(|| test.service.sessions() == 0 && log.total_bytes() == 0).await;
    test.stop().await;
}

#[tokio::test]
async fn the_tasks_of_a_session_end_with_it() {
    let probe = Probe::default();
    let test = http_with(with_forever(&probe), probe.clone(), "127.0.0.1:0", quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let params = json!({ "name": "forever", "arguments": {}, "task": {} });
    let created = client.post(&request(1, "tools/call", params)).await.json();
    assert!(created["result"]["task"].is_object(), "{created}");
    until(|| probe.started() == 1).await;
    assert_eq!(client.bodiless("DELETE", "").await.status, 204);
    until(|| probe.ended() == 1).await;
    test.stop().await;
}

#[tokio::test]
async fn tasks_are_cancelled_when_the_server_goes_down_and_who_waits_for_them_hears_it() {
    let probe = Probe::default();
    let server = with_forever(&probe);
    let test = http_with(server, probe.clone(), "127.0.0.1:0", quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let params = json!({ "name": "forever", "arguments": {}, "task": {} });
    let created = client.post(&request(1, "tools/call", params)).await.json();
    let task = created["result"]["task"]["taskId"].as_str().unwrap().to_owned();
    until(|| probe.started() == 1).await;
    let waits = request(2, "tasks/result", json!({ "taskId": task })).to_string();
    let mut waiting = test.service.clone().call(to_service(&client, "POST", waits));
    assert!(poll!(&mut waiting).is_pending());
    let told = async {
        let response = waiting.await.unwrap();
        response.into_body().collect().await.unwrap().to_bytes()
    };
    let ((), told) = tokio::join!(test.stop(), told);
    assert_eq!((probe.started(), probe.ended()), (1, 1));
    let told = String::from_utf8_lossy(&told).into_owned();
    assert!(
        told.contains(r#""id":2,"error":"#) && told.contains("the task was cancelled"),
        "{told}"
    );
}

#[tokio::test]
async fn a_server_may_be_shut_down_by_several_tasks_and_more_than_once() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut standalone = client.listen(None).await;
    standalone.next().await.unwrap();
    let slow = call(1, "slow", json!({})).to_string();
    let _running = client.raw(&client.post_bytes("", slow.as_bytes())).await;
    until(|| test.probe.started() == 1).await;
    let service = test.service.clone();
    let tasks = [0; 3].map(|_| {
        let service = service.clone();
        tokio::spawn(async move { service.shut_down().await })
    });
    for task in tasks {
        soon(task).await.unwrap();
    }
    soon(service.shut_down()).await;
    assert!(standalone.messages().await.is_empty());
    assert_eq!((service.sessions(), service.detached(), test.probe.ended()), (0, 0, 1));
    test.stop().await;
}

/// The bytes of a request to a service, without a connection.
fn to_service(client: &Client, method: &str, body: String) -> ::http::Request<Full<Bytes>> {
    let mut request = ::http::Request::builder().method(method).uri("/mcp");
    for (name, value) in [
        ("host", Some("127.0.0.1")),
        ("accept", Some("application/json, text/event-stream")),
        ("content-type", Some("application/json")),
        ("mcp-session-id", client.session.as_deref()),
        ("mcp-protocol-version", client.version.as_deref()),
    ] {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    request.body(Full::new(Bytes::from(body))).unwrap()
}

#[tokio::test]
async fn a_request_may_be_dropped_at_every_step_and_leaves_nothing() {
    let log = Arc::new(MemoryEventLog::default());
    let event_log = Some(Arc::new(SlowLog(Arc::clone(&log))) as _);
    let idle = Duration::from_millis(300);
    let settings = HttpSettings {
        event_log,
        session_store: Some(Arc::new(MemorySessionStore::default())),
        session_idle: idle,
        handshake_timeout: idle,
        ..quick()
    };
    let test = http(settings).await;
    for steps in 1..25 {
        let client = test.client.begin(NEWEST_LEGACY).await;
        let stepping = followed(1, "p", "steps", json!({ "count": 3, "pause_ms": 1 })).to_string();
        let echo = call(2, "echo", json!({ "text": "a", "delay_ms": 3 })).to_string();
        for (method, body) in [
            ("POST", stepping),
            ("POST", echo),
            ("POST", initialize(NEWEST_LEGACY).to_string()),
            ("GET", String::new()),
            ("DELETE", String::new()),
        ] {
            let request = to_service(&client, method, body);
            let mut service = test.service.clone();
            let mut answered = Box::pin(async move {
                let body = service.call(request).await.unwrap().into_body();
                body.collect().await.map(drop)
            });
            for _ in 0..steps {
                if poll!(&mut answered).is_ready() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    }
    until(|| {
        let running = test.probe.started() - test.probe.ended();
        (test.service.sessions(), test.service.detached(), running) == (0, 0, 0)
    })
    .await;
    test.client.begin(NEWEST_LEGACY).await;
    test.stop().await;
}

/// A server with a tool that never ends by itself, also as a task.
fn with_forever(probe: &Probe) -> Server {
    let watched = probe.clone();
    let forever = tool("forever").task_support(TaskSupport::Optional).handler(
        move |_: Context, _: NoArguments| {
            let watched = watched.watch();
            async move {
                let _watched = watched;
                std::future::pending::<()>().await;
                "never"
            }
        },
    );
    builder(probe).add_tool(forever).build().unwrap()
}
