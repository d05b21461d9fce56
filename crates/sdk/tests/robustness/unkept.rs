//! An event log that does not take what it is given.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use proofmark_sdk::{
    BoxFuture,
    store::{
        EventId, EventLog, MemoryEventLog, Principal, Replay, SessionId, StoreError, StreamKey,
        StreamKind,
    },
    transport::http::{HttpSettings, Unkept},
};
use serde_json::{Value, json};

use crate::common::{HttpTest, NEWEST_LEGACY, code, followed, http, quick, request, text, until};

const STEPS: usize = 3;

#[tokio::test]
async fn a_call_whose_events_cannot_be_kept_fails_and_says_so() {
    // The log refuses one event after the other, the answer itself among them, until it refuses none.
    for refused in 0..=STEPS {
        let test = serve([refused], Unkept::Fails).await;
        let client = test.client.begin(NEWEST_LEGACY).await;
        let mut stream = client.stream(&steps()).await;
        let messages = stream.messages().await;
        assert_eq!(messages.len(), refused + 1, "{messages:?}");
        assert_eq!(progress(&messages), (1..=refused).collect::<Vec<_>>());
        let error = messages.last().unwrap();
        assert_eq!((code(error), &error["id"]), (-32603, &json!("a")), "{refused}");
        // A client that was told of an event finds it, and the failure after it.
        let again = client.listen(stream.last_id.as_deref()).await.messages().await;
        assert_eq!(again, [] as [Value; 0]);
        until(|| test.probe.ended() == 1).await;
        assert_eq!(text(&client.post(&steps_without_a_word()).await.json()), "all steps");
        test.stop().await;
    }
}

#[tokio::test]
async fn a_client_that_was_away_when_its_call_failed_is_told_so_when_it_is_back() {
    let test = serve([1], Unkept::Fails).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut stream = client.stream(&steps()).await;
    let primer = stream.next().await.unwrap().id;
    drop(stream);
    let messages = client.listen(primer.as_deref()).await.messages().await;
    assert_eq!(progress(&messages), [1]);
    assert_eq!((messages.len(), code(&messages[1])), (2, -32603), "{messages:?}");
    until(|| test.service.detached() == 0).await;
    test.stop().await;
}

#[tokio::test]
async fn a_log_that_takes_nothing_any_more_leaves_no_call_open() {
    let test = serve(0..1000, Unkept::Fails).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut stream = client.stream(&steps()).await;
    let messages = stream.messages().await;
    assert_eq!((messages.len(), code(&messages[0])), (1, -32603), "{messages:?}");
    // In the log there is nothing but the end.
    let rest = client.listen(stream.last_id.as_deref()).await.messages().await;
    assert_eq!(rest, [] as [Value; 0]);
    test.stop().await;
}

#[tokio::test]
async fn what_cannot_be_kept_is_sent_all_the_same_where_that_is_wanted() {
    let test = serve([1], Unkept::IsSent).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let messages = client.stream(&steps()).await.messages().await;
    assert_eq!(progress(&messages), (1..=STEPS).collect::<Vec<_>>());
    assert_eq!(text(&messages[STEPS]), "all steps");
    test.stop().await;
}

#[tokio::test]
async fn a_change_that_cannot_be_kept_waits_for_the_next_stream() {
    let test = serve([0], Unkept::Fails).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let uri = "test://one";
    let watch = request(1, "resources/subscribe", json!({ "uri": uri }));
    assert_eq!(client.post(&watch).await.status, 200);
    let mut stream = client.listen(None).await;
    let primer = stream.next().await.unwrap().id;
    test.server.resource_updated(uri);
    assert_eq!(stream.message().await, None, "the stream ends");
    let told = client.listen(primer.as_deref()).await.message().await.unwrap();
    assert_eq!(told["params"]["uri"], uri);
    test.stop().await;
}

/// A server whose log refuses the events with these numbers.
async fn serve(refused: impl IntoIterator<Item = usize>, unkept: Unkept) -> HttpTest {
    let event_log = Some(Arc::new(Refusing::new(refused)) as _);
    http(HttpSettings { event_log, unkept, ..quick() }).await
}

fn steps() -> Value {
    followed("a", "a", "steps", json!({ "count": STEPS, "pause_ms": 1 }))
}

fn steps_without_a_word() -> Value {
    crate::common::call("b", "steps", json!({ "count": 0 }))
}

fn progress(messages: &[Value]) -> Vec<usize> {
    let told = messages.iter().filter_map(|message| message["params"]["progress"].as_u64());
    told.map(|step| usize::try_from(step).unwrap()).collect()
}

/// Takes all events but some.
struct Refusing {
    log: MemoryEventLog,
    refused: BTreeSet<usize>,
    appended: AtomicUsize,
}

impl Refusing {
    fn new(refused: impl IntoIterator<Item = usize>) -> Self {
        let refused = refused.into_iter().collect();
        Self { log: MemoryEventLog::default(), refused, appended: AtomicUsize::new(0) }
    }
}

type Outcome<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

impl EventLog for Refusing {
    fn open<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        kind: StreamKind,
    ) -> Outcome<'a, StreamKey> {
        self.log.open(session, owner, kind)
    }

    fn append<'a>(&'a self, stream: &'a StreamKey, event: Bytes) -> Outcome<'a, EventId> {
        let number = self.appended.fetch_add(1, Ordering::SeqCst);
        if self.refused.contains(&number) {
            let away = std::io::Error::other("the disk is full");
            return Box::pin(async { Err(StoreError::Unavailable(Arc::new(away))) });
        }
        self.log.append(stream, event)
    }

    fn finish<'a>(&'a self, stream: &'a StreamKey) -> Outcome<'a, ()> {
        self.log.finish(stream)
    }

    fn replay<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> Outcome<'a, Replay> {
        self.log.replay(session, principal, last)
    }

    fn grown<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> Outcome<'a, ()> {
        self.log.grown(session, principal, last)
    }

    fn forget<'a>(&'a self, session: &'a SessionId) -> Outcome<'a, ()> {
        self.log.forget(session)
    }
}
