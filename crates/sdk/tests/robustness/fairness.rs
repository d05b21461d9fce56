//! What one client may take, and what is left to the others.

use std::{
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use proofmark_sdk::{
    server::{Context, tool},
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

/// An argument whose decoding waits until another request was answered.
struct Patient;

impl<'de> Deserialize<'de> for Patient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?;
        let (answered, waits) = &ANSWERED;
        DECODING.fetch_add(1, Ordering::Relaxed);
        let limit = Duration::from_secs(20);
        let guard = answered.lock().unwrap();
        let waited = waits.wait_timeout_while(guard, limit, |answered| !*answered).unwrap();
        if waited.1.timed_out() {
            return Err(serde::de::Error::custom("nothing else was answered"));
        }
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

static ANSWERED: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());
static DECODING: AtomicUsize = AtomicUsize::new(0);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_messages_do_not_wait_for_large_ones() {
    let probe = Probe::default();
    let large = tool("large").handler(async |_: Context, _: Large| "done");
    let server = builder(&probe).add_tool(large).build().unwrap();
    let test = http_with(server, probe, "127.0.0.1:0", quick()).await;
    let client = Arc::new(test.client.begin(NEWEST_LEGACY).await);
    let mut sent = tokio::task::JoinSet::new();
    for id in 1..=4 {
        let sender = Arc::clone(&client);
        sent.spawn(async move {
            sender.post(&call(id, "large", json!({ "text": "x".repeat(1 << 20) }))).await
        });
    }
    until(|| DECODING.load(Ordering::Relaxed) > 0).await;
    assert_eq!(client.post(&request(5, "ping", json!({}))).await.status, 200);
    assert_eq!(DECODING.load(Ordering::Relaxed), 1);
    *ANSWERED.0.lock().unwrap() = true;
    ANSWERED.1.notify_all();
    while let Some(answer) = sent.join_next().await {
        assert_eq!(text(&answer.unwrap().json()), "done");
    }
    test.stop().await;
}
