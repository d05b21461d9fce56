//! Two servers with one store: whatever was agreed with a client at one holds at the other.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use proofmark_sdk::{
    BoxFuture,
    store::{
        MemoryEventLog, MemorySessionStore, Principal, Session, SessionId, SessionRecord,
        SessionSettings, SessionStore, StoreError, Timestamp,
    },
    transport::http::HttpSettings,
};
use serde_json::json;

use crate::common::{
    Client, HttpTest, LEGACY, NEWEST_LEGACY, call, followed, http, initialize, modern,
    notification, quick, request, text, until,
};

/// Two servers that share what they know of sessions.
struct Pair {
    one: HttpTest,
    other: HttpTest,
    store: Arc<Failing>,
    log: Arc<MemoryEventLog>,
}

impl Pair {
    async fn begin(settings: HttpSettings) -> Self {
        let (store, log) = (Arc::new(Failing::default()), Arc::new(MemoryEventLog::default()));
        let settings = HttpSettings {
            session_store: Some(Arc::clone(&store) as _),
            event_log: Some(Arc::clone(&log) as _),
            ..settings
        };
        let (one, other) = tokio::join!(http(settings.clone()), http(settings));
        Self { one, other, store, log }
    }

    /// The same client at the other server.
    fn move_over(&self, client: &Client) -> Client {
        Client { address: self.other.client.address, ..client.clone() }
    }

    async fn stop(self) {
        tokio::join!(self.one.stop(), self.other.stop());
    }
}

/// A store that can be away.
#[derive(Default)]
struct Failing {
    store: MemorySessionStore,
    away: AtomicBool,
}

impl Failing {
    fn reach(&self) -> Result<&MemorySessionStore, StoreError> {
        if self.away.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable(Arc::new(io::Error::other("away"))));
        }
        Ok(&self.store)
    }
}

impl SessionStore for Failing {
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        record: SessionRecord,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.reach()?.create(id, record).await })
    }

    fn load<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Session, StoreError>> {
        Box::pin(async move { self.reach()?.load(id, principal, now).await })
    }

    fn save<'a>(
        &'a self,
        id: &'a SessionId,
        version: u64,
        record: SessionRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(async move { self.reach()?.save(id, version, record, now).await })
    }

    fn touch<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.reach()?.touch(id, principal, now).await })
    }

    fn remove<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.reach()?.remove(id, principal).await })
    }
}

#[tokio::test]
async fn a_session_that_began_at_one_server_goes_on_at_the_other() {
    let pair = Pair::begin(quick()).await;
    for version in LEGACY {
        let client = pair.one.client.begin(version).await;
        let there = pair.move_over(&client);
        let answer = there.post(&call(1, "echo", json!({ "text": version }))).await;
        assert_eq!((answer.status, text(&answer.json())), (200, version));
        assert_eq!(client.post(&request(2, "ping", json!({}))).await.status, 200);
    }
    pair.stop().await;
}

#[tokio::test]
async fn a_handshake_may_begin_at_one_server_and_end_at_the_other() {
    let pair = Pair::begin(quick()).await;
    let response = pair.one.client.post(&initialize(NEWEST_LEGACY)).await;
    let session = response.header("mcp-session-id").map(str::to_owned);
    let client = Client { session, version: Some(NEWEST_LEGACY.into()), ..pair.one.client.clone() };
    let there = pair.move_over(&client);
    assert_eq!(there.post(&notification("notifications/initialized", json!({}))).await.status, 202);
    // Whether the client can be asked is what the first server was told, and whether it may be what the second was.
    let mut asked = client.stream(&call(1, "asks", json!({}))).await;
    let question = asked.message().await.unwrap();
    assert_eq!(question["method"], "elicitation/create");
    let answer =
        json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    assert_eq!(client.post(&answer).await.status, 202);
    assert_eq!(text(&asked.message().await.unwrap()), "declined");
    pair.stop().await;
}

#[tokio::test]
async fn the_log_level_that_was_set_at_one_server_holds_at_the_other() {
    let pair = Pair::begin(quick()).await;
    let client = pair.one.client.begin(NEWEST_LEGACY).await;
    let there = pair.move_over(&client);
    for (level, logs) in [("error", 0), ("debug", 2), ("warning", 0)] {
        let set = request("level", "logging/setLevel", json!({ "level": level }));
        assert_eq!(client.post(&set).await.status, 200);
        let mut chatty = there.stream(&followed(1, "p", "chatty", json!({ "count": 2 }))).await;
        let told = chatty.messages().await;
        let logged = told.iter().filter(|it| it["method"] == "notifications/message").count();
        assert_eq!(logged, logs, "{level}");
    }
    pair.stop().await;
}

#[tokio::test]
async fn a_resource_that_is_watched_at_one_server_is_told_of_at_the_other() {
    let pair = Pair::begin(quick()).await;
    let client = pair.one.client.begin(NEWEST_LEGACY).await;
    let there = pair.move_over(&client);
    let uri = json!({ "uri": "test://one" });
    assert_eq!(client.post(&request(1, "resources/subscribe", uri.clone())).await.status, 200);
    let mut standalone = there.listen(None).await;
    standalone.next().await.unwrap();
    pair.other.server.resource_updated("test://one");
    let told = standalone.message().await.unwrap();
    assert_eq!(
        (&told["method"], &told["params"]),
        (&json!("notifications/resources/updated"), &uri)
    );
    pair.stop().await;
}

#[tokio::test]
async fn a_session_that_was_ended_at_one_server_is_unknown_at_the_other() {
    let pair = Pair::begin(quick()).await;
    let client = pair.one.client.begin(NEWEST_LEGACY).await;
    let there = pair.move_over(&client);
    assert_eq!(there.post(&request(1, "ping", json!({}))).await.status, 200);
    assert_eq!(there.bodiless("DELETE", "").await.status, 204);
    assert_eq!(client.post(&request(2, "ping", json!({}))).await.status, 404);
    assert_eq!((pair.one.service.sessions(), pair.other.service.sessions()), (0, 0));
    assert_eq!(pair.store.store.len(), 0);
    pair.stop().await;
}

#[tokio::test]
async fn a_stream_that_is_open_where_its_session_was_not_ended_is_closed() {
    let pair = Pair::begin(HttpSettings { keep_alive: Duration::from_millis(50), ..quick() }).await;
    let client = pair.one.client.begin(NEWEST_LEGACY).await;
    let mut standalone = client.listen(None).await;
    standalone.next().await.unwrap();
    assert_eq!(pair.move_over(&client).bodiless("DELETE", "").await.status, 204);
    assert!(standalone.messages().await.is_empty());
    pair.stop().await;
}

#[tokio::test]
async fn the_stream_of_a_request_that_broke_at_one_server_is_resumed_at_the_other() {
    let pair = Pair::begin(quick()).await;
    let client = pair.one.client.begin(NEWEST_LEGACY).await;
    let steps = followed(1, "p", "steps", json!({ "count": 5, "pause_ms": 20 }));
    let mut stream = client.stream(&steps).await;
    let first = stream.message().await.unwrap();
    let last = stream.last_id.clone().unwrap();
    drop(stream);
    let rest = pair.move_over(&client).listen(Some(&last)).await.messages().await;
    let mut progress = vec![first["params"]["progress"].clone()];
    progress.extend(rest.iter().filter_map(|it| it["params"].get("progress").cloned()));
    assert_eq!(progress, [1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(text(rest.last().unwrap()), "all steps");
    pair.stop().await;
}

#[tokio::test]
async fn a_standalone_stream_that_broke_at_one_server_goes_on_at_the_other() {
    let pair = Pair::begin(quick()).await;
    let client = pair.one.client.begin(NEWEST_LEGACY).await;
    let mut stream = client.listen(None).await;
    stream.next().await.unwrap();
    let primer = stream.last_id.clone().unwrap();
    assert!(pair.one.server.remove_prompt("a"));
    let told = "notifications/prompts/list_changed";
    assert_eq!(stream.message().await.unwrap()["method"], told);
    drop(stream);
    // As if the message had been lost on the way.
    let mut resumed = pair.move_over(&client).listen(Some(&primer)).await;
    assert_eq!(resumed.message().await.unwrap()["method"], told);
    assert!(pair.other.server.remove_tool("echo"));
    let next = resumed.message().await.unwrap();
    assert_eq!(next["method"], "notifications/tools/list_changed");
    pair.stop().await;
}

#[tokio::test]
async fn a_server_that_goes_down_leaves_its_sessions_to_the_other() {
    let pair = Pair::begin(quick()).await;
    let client = pair.one.client.begin(NEWEST_LEGACY).await;
    let mut steps = client.stream(&followed(1, "p", "steps", json!({ "count": 2 }))).await;
    steps.next().await.unwrap();
    let primer = steps.last_id.clone().unwrap();
    assert_eq!(text(steps.messages().await.last().unwrap()), "all steps");
    let there = pair.move_over(&client);
    pair.one.stop().await;
    assert_eq!(there.post(&request(2, "ping", json!({}))).await.status, 200);
    let again = there.listen(Some(&primer)).await.messages().await;
    assert_eq!(text(again.last().unwrap()), "all steps");
    pair.other.stop().await;
}

#[tokio::test]
async fn a_session_that_rests_here_is_not_over_and_is_taken_up_again() {
    let idle = Duration::from_millis(100);
    let pair = Pair::begin(HttpSettings { session_idle: idle, ..quick() }).await;
    let client = pair.one.client.begin(NEWEST_LEGACY).await;
    until(|| pair.one.service.sessions() == 0).await;
    assert_eq!(client.post(&request(1, "ping", json!({}))).await.status, 200);
    assert_eq!(pair.store.store.len(), 1);
    assert_eq!(client.bodiless("DELETE", "").await.status, 204);
    assert_eq!((pair.store.store.len(), pair.log.total_bytes()), (0, 0));
    pair.stop().await;
}

#[tokio::test]
async fn without_its_store_a_server_begins_no_session_and_goes_on_with_those_it_knows() {
    let pair = Pair::begin(quick()).await;
    let client = pair.one.client.begin(NEWEST_LEGACY).await;
    pair.store.away.store(true, Ordering::SeqCst);
    let refused = pair.one.client.post(&initialize(NEWEST_LEGACY)).await;
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true));
    let elsewhere = pair.move_over(&client).post(&request(1, "ping", json!({}))).await;
    assert_eq!(elsewhere.status, 503);
    assert_eq!(client.post(&call(2, "echo", json!({ "text": "a" }))).await.status, 200);
    // What was agreed but could not be kept is not promised.
    let set = request(3, "logging/setLevel", json!({ "level": "error" }));
    assert_eq!(client.post(&set).await.status, 503);
    assert_eq!(client.bodiless("DELETE", "").await.status, 503);
    let asked = modern(4, "tools/call", json!({ "name": "echo", "arguments": { "text": "b" } }));
    assert_eq!(text(&pair.one.client.ask(&asked).await.json()), "b");
    pair.store.away.store(false, Ordering::SeqCst);
    assert_eq!(pair.move_over(&client).post(&request(5, "ping", json!({}))).await.status, 200);
    pair.stop().await;
}

#[tokio::test]
async fn the_sessions_of_all_servers_together_are_bounded_by_their_store() {
    let settings = SessionSettings { sessions: 2, ..SessionSettings::default() };
    let store = Arc::new(MemorySessionStore::new(settings));
    let settings = HttpSettings { session_store: Some(store as _), ..quick() };
    let (one, other) = tokio::join!(http(settings.clone()), http(settings));
    let client = one.client.begin(NEWEST_LEGACY).await;
    other.client.begin(NEWEST_LEGACY).await;
    for full in [&one, &other] {
        let refused = full.client.post(&initialize(NEWEST_LEGACY)).await;
        assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true));
    }
    assert_eq!(client.bodiless("DELETE", "").await.status, 204);
    other.client.begin(NEWEST_LEGACY).await;
    tokio::join!(one.stop(), other.stop());
}

#[tokio::test]
async fn changes_at_both_servers_at_once_are_all_kept() {
    let pair = Pair::begin(quick()).await;
    let client = pair.one.client.begin(NEWEST_LEGACY).await;
    let there = pair.move_over(&client);
    for round in 0..10 {
        let (first, second) = (format!("test://{round}/x"), format!("test://{round}y/x"));
        let watch = |uri: &str| request(uri, "resources/subscribe", json!({ "uri": uri }));
        let (first, second) = (watch(&first), watch(&second));
        let (one, other) = tokio::join!(client.post(&first), there.post(&second));
        assert_eq!((one.status, other.status), (200, 200));
    }
    let id = SessionId::parse(client.session.as_deref().unwrap()).unwrap();
    let now = Timestamp::from(std::time::SystemTime::now());
    let kept = pair.store.store.load(&id, &Principal::Anonymous, now).await.unwrap();
    assert_eq!(kept.record.watched.len(), 20);
    pair.stop().await;
}

#[tokio::test]
async fn a_modern_request_never_asks_the_store() {
    let pair = Pair::begin(quick()).await;
    pair.store.away.store(true, Ordering::SeqCst);
    let client = Client { session: Some("anything".into()), ..pair.one.client.clone() };
    for client in [&pair.one.client, &client] {
        let asked =
            modern(1, "tools/call", json!({ "name": "echo", "arguments": { "text": "b" } }));
        assert_eq!(text(&client.ask(&asked).await.json()), "b");
    }
    pair.stop().await;
}
