//! The first rule: every request is resolved exactly once, within its time, with a result or an error that says what was wrong.

use std::{collections::HashMap, time::Duration};

use futures_util::future::join_all;
use proofmark_sdk::{core::session::server::SessionLimits, server::Server};
use serde_json::{Value, json};

use crate::common::{
    HttpTest, LEGACY, LineClient, NEWEST_LEGACY, Probe, builder, call, followed, http_with,
    initialize, modern, notification, quick, request, until,
};

/// Requests that go every way there is, and what comes of each: a result, or the code of an error.
fn requests() -> Vec<(Value, Result<(), i64>)> {
    let mut all = Vec::new();
    for round in 0..5 {
        let id = |name: &str| format!("{name}-{round}");
        all.extend([
            (call(id("answers"), "echo", json!({ "text": "a" })), Ok(())),
            (call(id("waits"), "echo", json!({ "text": "a", "delay_ms": 20 })), Ok(())),
            (
                followed(id("speaks"), &id("p"), "steps", json!({ "count": 3, "pause_ms": 5 })),
                Ok(()),
            ),
            (call(id("floods"), "chatty", json!({ "count": 50, "bytes": 10 })), Ok(())),
            (call(id("panics"), "panics", json!({})), Err(-32603)),
            (call(id("panics early"), "panics_early", json!({})), Err(-32603)),
            (call(id("never ends"), "slow", json!({})), Err(-32603)),
            (call(id("is not there"), "no such tool", json!({})), Err(-32602)),
            (request(id("is no method"), "no/such", json!({})), Err(-32601)),
            (request(id("has no name"), "tools/call", json!({})), Err(-32602)),
            (request(id("lists"), "tools/list", json!({})), Ok(())),
            (request(id("reads"), "resources/read", json!({ "uri": "test://one" })), Ok(())),
        ]);
    }
    all
}

/// A server whose requests have little time, yet more than a busy machine takes for those that end.
fn server() -> (Server, Probe) {
    let probe = Probe::default();
    let limits = SessionLimits { idle: Duration::from_secs(6), ..SessionLimits::default() };
    (builder(&probe).limits(limits).build().unwrap(), probe)
}

async fn test() -> HttpTest {
    let (server, probe) = server();
    http_with(server, probe, "127.0.0.1:0", quick()).await
}

#[derive(Default)]
struct Resolved(HashMap<String, Vec<Value>>);

impl Resolved {
    fn of(answers: Vec<Vec<Value>>) -> Self {
        let mut resolved = Self::default();
        answers.into_iter().flatten().for_each(|answer| resolved.add(answer));
        resolved
    }

    fn add(&mut self, message: Value) {
        if message.get("method").is_none() {
            let id = message["id"].as_str().unwrap_or_else(|| panic!("{message}")).to_owned();
            self.0.entry(id).or_default().push(message);
        }
    }

    fn is_complete(&self) -> bool {
        self.0.len() >= requests().len()
    }

    #[track_caller]
    fn check(mut self, how: &str) {
        for (request, expected) in requests() {
            let id = request["id"].as_str().unwrap();
            let answers = self.0.remove(id).unwrap_or_default();
            let [answer] = &answers[..] else { panic!("{how}: {id} has {answers:?}") };
            let outcome = match answer.get("error") {
                Some(error) => Err(error["code"].as_i64().unwrap()),
                None => answer.get("result").map(drop).ok_or(0),
            };
            assert_eq!(outcome, expected, "{how}: {id}: {answer}");
        }
        assert!(self.0.is_empty(), "{how}: not asked for: {:?}", self.0.keys());
    }
}

#[tokio::test(start_paused = true)]
async fn every_request_on_a_pipe_is_resolved_once_and_in_time() {
    for version in LEGACY {
        let (server, probe) = server();
        let mut line = LineClient::begin(&server, version).await;
        for (request, _) in requests() {
            line.send(&request).await;
        }
        let mut resolved = Resolved::default();
        while !resolved.is_complete() {
            resolved.add(line.message().await);
        }
        // Nothing comes after this that should have come before.
        line.assert_alive().await;
        resolved.check(version);
        until(|| probe.started() == probe.ended()).await;
    }
}

#[tokio::test]
async fn every_request_over_http_is_resolved_once_and_in_time() {
    let test = test().await;
    let sessions = LEGACY.map(|version| {
        let client = test.client.clone();
        async move {
            let client = client.begin(version).await;
            let asked = requests().into_iter().map(|(request, _)| {
                let client = client.clone();
                async move { messages(&client.post(&request).await.body) }
            });
            Resolved::of(join_all(asked).await).check(version);
        }
    });
    join_all(sessions).await;
    until(|| test.probe.started() == test.probe.ended() && test.service.detached() == 0).await;
    test.stop().await;
}

#[tokio::test]
async fn every_modern_request_is_resolved_once_and_in_time() {
    let test = test().await;
    let asked = requests().into_iter().map(|(request, _)| {
        let client = test.client.clone();
        let method = request["method"].as_str().unwrap().to_owned();
        let message = modern(request["id"].clone(), &method, request["params"].clone());
        async move { messages(&client.ask(&message).await.body) }
    });
    Resolved::of(join_all(asked).await).check("modern");
    until(|| test.probe.started() == test.probe.ended() && test.service.detached() == 0).await;
    test.stop().await;
}

#[tokio::test]
async fn every_request_over_http_sse_is_resolved_once_and_in_time() {
    let test = test().await;
    let (mut events, path) = test.client.open_sse().await;
    assert_eq!(test.client.post_to(&path, &initialize(NEWEST_LEGACY)).await.status, 202);
    assert_eq!(events.message().await.unwrap()["id"], "init");
    let initialized = notification("notifications/initialized", json!({}));
    assert_eq!(test.client.post_to(&path, &initialized).await.status, 202);
    let mut resolved = Resolved::default();
    let all = requests();
    let post = async {
        for (request, _) in &all {
            assert_eq!(test.client.post_to(&path, request).await.status, 202);
        }
    };
    let read = async {
        while !resolved.is_complete() {
            resolved.add(events.message().await.unwrap());
        }
    };
    tokio::join!(post, read);
    resolved.check("HTTP+SSE");
    until(|| test.probe.started() == test.probe.ended() && test.service.detached() == 0).await;
    test.stop().await;
}

/// The messages of a body, which is one message or a stream of events.
fn messages(body: &[u8]) -> Vec<Value> {
    let body = std::str::from_utf8(body).unwrap();
    if let Ok(message) = serde_json::from_str(body) {
        return vec![message];
    }
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| !data.is_empty()).map(|data| serde_json::from_str(data).unwrap()).collect()
}
