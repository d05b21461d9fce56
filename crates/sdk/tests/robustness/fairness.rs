//! What one client may take, and what is left to the others.

use std::{
    sync::{Arc, mpsc},
    time::Duration,
};

use proofmark_sdk::{
    core::types::TaskSupport,
    server::{Context, NoArguments, tool},
    transport::http::HttpSettings,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::json;

use crate::common::{
    NEWEST_LEGACY, Probe, builder, call, http, http_with, modern, quick, request, text, until,
};

#[tokio::test]
async fn a_client_with_many_slow_calls_leaves_room_for_others() {
    let settings = HttpSettings { max_requests: 40, max_requests_per_client: 10, ..quick() };
    let test = http(settings).await;
    let (greedy, other) =
        (test.client.begin(NEWEST_LEGACY).await, test.client.begin(NEWEST_LEGACY).await);
    let mut running = Vec::new();
    for id in 0..10 {
        let slow = call(id, "slow", json!({})).to_string();
        running.push(greedy.raw(&greedy.post_bytes("", slow.as_bytes())).await);
    }
    until(|| test.probe.started() == 10).await;
    let refused = greedy.post(&request(50, "ping", json!({}))).await;
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true));
    let echo = call(1, "echo", json!({ "text": "room", "delay_ms": 1 }));
    assert_eq!(text(&other.post(&echo).await.json()), "room");
    // The same address, with no session to tell its clients apart by, has had its share.
    assert_eq!(test.client.ask(&modern(1, "server/discover", json!({}))).await.status, 503);
    drop(running);
    test.stop().await;
}

#[tokio::test]
async fn the_tasks_of_a_session_end_with_it() {
    let probe = Probe::default();
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
    let server = builder(&probe).add_tool(forever).build().unwrap();
    let test = http_with(server, probe.clone(), "127.0.0.1:0", quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let params = json!({ "name": "forever", "arguments": {}, "task": {} });
    let created = client.post(&request(1, "tools/call", params)).await.json();
    assert!(created["result"]["task"].is_object(), "{created}");
    until(|| probe.started() == 1).await;
    assert_eq!(client.bodiless("DELETE", "").await.status, 204);
    until(|| probe.ended() == 1).await;
    test.stop().await;
}

/// An argument whose decoding waits until another request was answered.
struct Patient;

impl<'de> Deserialize<'de> for Patient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?;
        let answered = ANSWERED.lock().unwrap().take().unwrap();
        answered.recv_timeout(Duration::from_secs(20)).map_err(serde::de::Error::custom)?;
        Ok(Self)
    }
}

impl JsonSchema for Patient {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Patient".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

#[derive(Deserialize, JsonSchema)]
struct Large {
    #[expect(dead_code, reason = "its decoding is what counts")]
    text: Patient,
}

static ANSWERED: std::sync::Mutex<Option<mpsc::Receiver<()>>> = std::sync::Mutex::new(None);

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_small_message_does_not_wait_for_a_large_one() {
    let (answered, waits) = mpsc::channel();
    *ANSWERED.lock().unwrap() = Some(waits);
    let probe = Probe::default();
    let large = tool("large").handler(async |_: Context, _: Large| "done");
    let server = builder(&probe).add_tool(large).build().unwrap();
    let test = http_with(server, probe, "127.0.0.1:0", quick()).await;
    let client = Arc::new(test.client.begin(NEWEST_LEGACY).await);
    let sender = Arc::clone(&client);
    let sent = tokio::spawn(async move {
        sender.post(&call(1, "large", json!({ "text": "x".repeat(1 << 20) }))).await
    });
    until(|| ANSWERED.lock().unwrap().is_none()).await;
    assert_eq!(client.post(&request(2, "ping", json!({}))).await.status, 200);
    answered.send(()).unwrap();
    assert_eq!(text(&sent.await.unwrap().json()), "done");
    test.stop().await;
}
