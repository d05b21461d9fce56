//! Three servers with a way between them: a client may come to any of them with anything.

use std::{sync::Arc, time::Duration};

use proofmark_sdk::{
    store::{BusSettings, MemoryBus, MemoryEventLog, MemorySessionStore},
    transport::http::{HttpSettings, SharedStores},
};
use serde_json::{Value, json};

use crate::common::{
    Client, HttpTest, LEGACY, NEWEST_LEGACY, call, cancel, followed, http, initialize, modern,
    notification, quick, request, text, until,
};

/// Servers that share all they can.
struct Servers([HttpTest; 3]);

impl Servers {
    async fn begin() -> Self {
        let settings = HttpSettings { keep_alive: Duration::from_millis(500), ..quick() };
        let (sessions, events) =
            (Arc::new(MemorySessionStore::default()), Arc::new(MemoryEventLog::default()));
        let bus = MemoryBus::new(BusSettings::default());
        let ends = [bus.join(), bus.join(), bus];
        let [one, two, three] = ends.map(|bus| {
            let (sessions, events) = (Arc::clone(&sessions) as _, Arc::clone(&events) as _);
            settings.clone().shared(SharedStores { sessions, events, bus: Arc::new(bus) })
        });
        let (one, two, three) = tokio::join!(http(one), http(two), http(three));
        Self([one, two, three])
    }

    /// The same client at another server.
    fn at(&self, server: usize, client: &Client) -> Client {
        Client { address: self.0[server].client.address, ..client.clone() }
    }

    async fn begin_session(&self, version: &str) -> Client {
        self.0[0].client.begin(version).await
    }

    async fn stop(self) {
        let [one, two, three] = self.0;
        tokio::join!(one.stop(), two.stop(), three.stop());
    }
}

fn accepted(question: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": {} } })
}

#[tokio::test]
async fn an_answer_finds_the_handler_that_asked_wherever_it_comes() {
    let servers = Servers::begin().await;
    for version in &LEGACY[2..] {
        let client = servers.begin_session(version).await;
        for (asking, answering) in [(0, 1), (1, 2), (2, 0), (1, 1)] {
            let mut call = servers.at(asking, &client).stream(&call(7, "asks", json!({}))).await;
            let question = call.message().await.unwrap();
            assert_eq!(question["method"], "elicitation/create");
            let answer = servers.at(answering, &client).post(&accepted(&question)).await;
            assert_eq!(answer.status, 202);
            assert_eq!(text(&call.message().await.unwrap()), "accepted");
        }
    }
    servers.stop().await;
}

#[tokio::test]
async fn two_servers_ask_one_client_at_once_and_each_gets_its_own_answer() {
    let servers = Servers::begin().await;
    let client = servers.begin_session(NEWEST_LEGACY).await;
    let (here, there) = (servers.at(0, &client), servers.at(1, &client));
    let mut first = here.stream(&call(1, "asks", json!({}))).await;
    let mut second = there.stream(&call(2, "asks", json!({}))).await;
    let (one, two) = (first.message().await.unwrap(), second.message().await.unwrap());
    assert_ne!(one["id"], two["id"]);
    let declined = json!({ "jsonrpc": "2.0", "id": two["id"], "result": { "action": "decline" } });
    let elsewhere = servers.at(2, &client);
    assert_eq!(elsewhere.post(&declined).await.status, 202);
    assert_eq!(elsewhere.post(&accepted(&one)).await.status, 202);
    assert_eq!(text(&first.message().await.unwrap()), "accepted");
    assert_eq!(text(&second.message().await.unwrap()), "declined");
    servers.stop().await;
}

#[tokio::test]
async fn a_cancellation_finds_the_call_wherever_it_comes() {
    let servers = Servers::begin().await;
    let client = servers.begin_session(NEWEST_LEGACY).await;
    let other = servers.begin_session(NEWEST_LEGACY).await;
    let running = servers.at(1, &client);
    // The same id in another session is another call.
    let spared = servers.at(1, &other);
    let calls = [running.clone(), spared]
        .map(|client| tokio::spawn(async move { client.post(&call(5, "slow", json!({}))).await }));
    until(|| servers.0[1].probe.started() == 2).await;
    assert_eq!(servers.at(2, &client).post(&cancel(5)).await.status, 202);
    until(|| servers.0[1].probe.ended() == 1).await;
    let ping = running.post(&request(6, "ping", json!({}))).await;
    assert_eq!((ping.status, servers.0[1].probe.ended()), (200, 1));
    for call in calls {
        call.abort();
    }
    servers.stop().await;
}

#[tokio::test]
async fn what_changes_at_one_server_is_told_once_on_the_stream_at_another() {
    let servers = Servers::begin().await;
    let client = servers.begin_session(NEWEST_LEGACY).await;
    // All servers hold the session.
    for server in 0..3 {
        let ping = servers.at(server, &client).post(&request(1, "ping", json!({}))).await;
        assert_eq!(ping.status, 200);
    }
    let mut stream = servers.at(1, &client).listen(None).await;
    stream.next().await.unwrap();
    assert!(servers.0[0].server.remove_prompt("a"));
    assert!(servers.0[2].server.remove_tool("chatty"));
    assert!(servers.0[1].server.remove_prompt("b"));
    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(stream.message().await.unwrap()["method"].as_str().unwrap().to_owned());
    }
    told.sort();
    let (prompts, tools) =
        ("notifications/prompts/list_changed", "notifications/tools/list_changed");
    assert_eq!(told, [prompts, prompts, tools]);
    // What would come twice would come before this.
    let uri = json!({ "uri": "test://one" });
    let watch = request(2, "resources/subscribe", uri);
    assert_eq!(servers.at(2, &client).post(&watch).await.status, 200);
    servers.0[2].server.resource_updated("test://one");
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/resources/updated");
    servers.stop().await;
}

#[tokio::test]
async fn what_is_no_longer_watched_is_not_told_by_any_server() {
    let servers = Servers::begin().await;
    let client = servers.begin_session(NEWEST_LEGACY).await;
    let uri = || json!({ "uri": "test://one" });
    assert_eq!(client.post(&request(1, "resources/subscribe", uri())).await.status, 200);
    // All servers know that it is watched.
    for server in 0..3 {
        let ping = servers.at(server, &client).post(&request(2, "ping", json!({}))).await;
        assert_eq!(ping.status, 200);
    }
    let mut stream = servers.at(1, &client).listen(None).await;
    stream.next().await.unwrap();
    let unsubscribe = request(3, "resources/unsubscribe", uri());
    assert_eq!(servers.at(2, &client).post(&unsubscribe).await.status, 200);
    // The letter about it comes before that about the change.
    servers.0[2].server.resource_updated("test://one");
    assert!(servers.0[2].server.remove_prompt("a"));
    let told = stream.message().await.unwrap();
    assert_eq!(told["method"], "notifications/prompts/list_changed");
    servers.stop().await;
}

#[tokio::test]
async fn a_standalone_stream_goes_on_at_any_server_without_loss_or_repetition() {
    let servers = Servers::begin().await;
    let client = servers.begin_session(NEWEST_LEGACY).await;
    let names = ["a", "b", "c", "d", "e"];
    let (mut last, mut seen) = (None, 0);
    for (round, name) in names.into_iter().enumerate() {
        let mut stream = servers.at(round % 3, &client).listen(last.as_deref()).await;
        if last.is_none() {
            stream.next().await.unwrap();
        }
        assert!(servers.0[(round + 1) % 3].server.remove_prompt(name));
        let told = stream.message().await.unwrap();
        assert_eq!(told["method"], "notifications/prompts/list_changed");
        seen += 1;
        last.clone_from(&stream.last_id);
    }
    assert_eq!(seen, names.len());
    // Nothing is left that was not told.
    let mut stream = servers.at(0, &client).listen(last.as_deref()).await;
    assert!(servers.0[1].server.remove_tool("echo"));
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/tools/list_changed");
    servers.stop().await;
}

#[tokio::test]
async fn a_stream_that_is_opened_at_another_server_ends_the_one_before() {
    let servers = Servers::begin().await;
    let client = servers.begin_session(NEWEST_LEGACY).await;
    let mut first = client.listen(None).await;
    first.next().await.unwrap();
    let mut second = servers.at(1, &client).listen(None).await;
    second.next().await.unwrap();
    assert!(first.messages().await.is_empty());
    assert!(servers.0[2].server.remove_prompt("a"));
    assert!(second.message().await.is_some());
    servers.stop().await;
}

#[tokio::test]
async fn a_session_that_is_ended_at_one_server_ends_its_calls_and_streams_at_the_others() {
    let servers = Servers::begin().await;
    let client = servers.begin_session(NEWEST_LEGACY).await;
    let there = servers.at(1, &client);
    let mut stream = servers.at(2, &client).listen(None).await;
    stream.next().await.unwrap();
    let running = tokio::spawn(async move { there.post(&call(5, "slow", json!({}))).await });
    until(|| servers.0[1].probe.started() == 1).await;
    assert_eq!(client.bodiless("DELETE", "").await.status, 204);
    until(|| servers.0[1].probe.ended() == 1).await;
    assert!(stream.messages().await.is_empty());
    until(|| servers.0.iter().all(|server| server.service.sessions() == 0)).await;
    running.abort();
    servers.stop().await;
}

#[tokio::test]
async fn a_level_that_is_set_at_one_server_holds_for_a_call_that_runs_at_another() {
    let servers = Servers::begin().await;
    let client = servers.begin_session(NEWEST_LEGACY).await;
    let there = servers.at(1, &client);
    let chatty = followed(1, "p", "chatty", json!({ "count": 2000, "pause_ms": 5 }));
    let mut stream = there.stream(&chatty).await;
    let is_log = |message: &Value| message["method"] == "notifications/message";
    while !is_log(&stream.message().await.unwrap()) {}
    let set = request(2, "logging/setLevel", json!({ "level": "error" }));
    assert_eq!(client.post(&set).await.status, 200);
    // From some moment on there is progress alone.
    let mut quiet = 0;
    while quiet < 20 {
        quiet = if is_log(&stream.message().await.unwrap()) { 0 } else { quiet + 1 };
    }
    assert_eq!(servers.at(2, &client).post(&cancel(1)).await.status, 202);
    servers.stop().await;
}

#[tokio::test]
async fn a_subscription_of_the_modern_era_hears_of_changes_at_other_servers() {
    let servers = Servers::begin().await;
    let wish = json!({ "notifications": { "promptsListChanged": true } });
    let listen = modern("sub", "subscriptions/listen", wish);
    let mut stream = servers.0[0].client.ask_stream(&listen).await;
    let acknowledged = stream.message().await.unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert!(servers.0[1].server.remove_prompt("a"));
    let told = stream.message().await.unwrap();
    assert_eq!(told["method"], "notifications/prompts/list_changed");
    servers.stop().await;
}

#[tokio::test]
async fn every_step_of_a_conversation_may_go_to_another_server() {
    let servers = Servers::begin().await;
    for version in LEGACY {
        let response = servers.0[0].client.post(&initialize(version)).await;
        let session = response.header("mcp-session-id").map(str::to_owned);
        let client =
            Client { session, version: Some(version.into()), ..servers.0[0].client.clone() };
        let ready = notification("notifications/initialized", json!({}));
        assert_eq!(servers.at(1, &client).post(&ready).await.status, 202);
        for number in 0..9 {
            let said = format!("{version} {number}");
            let client = servers.at(number % 3, &client);
            let answer = client.post(&call(number, "echo", json!({ "text": said }))).await;
            assert_eq!(text(&answer.json()), said);
        }
        let deleted = servers.at(2, &client).bodiless("DELETE", "").await.status;
        assert!((200..300).contains(&deleted), "{deleted}");
    }
    servers.stop().await;
}
