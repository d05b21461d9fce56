//! Servers that are gone, and what they leave behind.

use std::time::Duration;

use bytes::Bytes;
use proofmark_redis::{RedisSettings, RedisStores};
use proofmark_sdk::{
    core::types::TaskStatus,
    store::{
        Bus, EventLog, Principal, SessionId, StreamEnd, StreamKind, TaskId, TaskRecord, TaskStore,
        Timestamp,
    },
};

use crate::common::Store;

/// Two servers on one store, of which the first has shown that it is alive, for a moment.
async fn pair(store: &Store) -> [RedisStores; 2] {
    let lease = Duration::from_millis(200);
    let first = store.stores(RedisSettings { lease, ..RedisSettings::default() }).await;
    let second = store.join(&first).await;
    let brief = Duration::from_millis(50);
    let _ = tokio::time::timeout(brief, first.bus.receive()).await;
    [first, second]
}

#[tokio::test]
async fn a_stream_whose_server_is_gone_ends_with_its_last_words() {
    for store in Store::all() {
        let [gone, other] = pair(&store).await;
        let (session, owner) = (SessionId::random().unwrap(), Principal::Anonymous);
        let stream = gone.events.open(&session, &owner, StreamKind::Request).await.unwrap();
        gone.events.leave_last_words(&stream, Bytes::from_static(b"gone")).await.unwrap();
        gone.events.append(&stream, Bytes::from_static(b"a")).await.unwrap();
        let mut last = stream.beginning();
        let mut seen = Vec::new();
        loop {
            other.events.grown(&session, &owner, last).await.unwrap();
            let replay = other.events.replay(&session, &owner, last).await.unwrap();
            seen.extend(replay.events.iter().map(|event| event.data.to_vec()));
            last = replay.events.last().map_or(last, |event| event.id);
            if replay.end == StreamEnd::Ended {
                break;
            }
        }
        assert_eq!(seen, [b"a".to_vec(), b"gone".to_vec()]);
        // It was only away: what it has to say comes too late.
        let late = gone.events.append(&stream, Bytes::from_static(b"late")).await;
        assert!(late.unwrap_err().is_unknown());
    }
}

#[tokio::test]
async fn a_task_whose_server_is_gone_has_failed() {
    for store in Store::all() {
        let [gone, other] = pair(&store).await;
        let owner = Principal::Local;
        let task = || {
            let id = TaskId::random().unwrap();
            TaskRecord::new(id, owner.clone(), "tools/call", Timestamp(5))
        };
        let lost = gone.tasks.create(task()).await.unwrap();
        // A server that never showed signs of life is not missed.
        let kept = other.tasks.create(task()).await.unwrap();
        let ended = other.tasks.changed(&lost.id, &owner, lost.version).await.unwrap();
        assert_eq!(ended.status, TaskStatus::Failed);
        assert!(ended.outcome.is_some());
        let late = TaskRecord { status: TaskStatus::Completed, ..(*lost).clone() };
        assert!(gone.tasks.update(late).await.unwrap_err().is_bad_transition());
        let kept = other.tasks.get(&kept.id, &owner).await.unwrap();
        assert_eq!(kept.status, TaskStatus::Working);
    }
}

#[tokio::test]
async fn nothing_is_kept_for_ever() {
    for store in Store::all() {
        let [one, other] = pair(&store).await;
        let (session, owner) = (SessionId::random().unwrap(), Principal::Local);
        let stream = one.events.open(&session, &owner, StreamKind::Request).await.unwrap();
        one.events.append(&stream, Bytes::from_static(b"a")).await.unwrap();
        one.events.finish(&stream).await.unwrap();
        let id = TaskId::random().unwrap();
        let task = TaskRecord::new(id, owner.clone(), "tools/call", Timestamp(5));
        one.tasks.create(task).await.unwrap();
        one.bus.say(&session, &owner, Bytes::from_static(b"b"), None).await.unwrap();
        one.bus.listen(&session, &owner, None).await.unwrap();
        let to = proofmark_sdk::store::Addressee::One(other.bus.server());
        one.bus.send(to, Bytes::from_static(b"c")).await.unwrap();
        let keys = store.keys();
        assert!(keys.len() > 8, "{keys:?}");
        let lasting: Vec<_> = keys.iter().filter(|(_, left)| *left == FOR_EVER).collect();
        assert!(lasting.is_empty(), "{lasting:?}");
    }
}

#[tokio::test]
async fn a_store_that_is_gone_is_told_within_the_limit_and_found_again() {
    for mut store in Store::all() {
        let limit = Duration::from_millis(300);
        let settings = RedisSettings {
            prefix: "gone".into(),
            timeout: limit,
            connect_timeout: limit,
            pause: Duration::from_millis(100),
            failures: 2,
            ..RedisSettings::default()
        };
        let stores = RedisStores::connect(&store.address(), settings).await.unwrap();
        stores.check().await.unwrap();
        store.kill();
        for _ in 0..4 {
            assert!(stores.check().await.unwrap_err().is_unavailable());
        }
        assert!(!stores.is_well());
        store.start_again();
        let mut tries = 0;
        while stores.check().await.is_err() {
            tries += 1;
            assert!(tries < 500, "the store is not found again");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(stores.is_well());
    }
}

/// What the store says of a key without a time to live.
const FOR_EVER: i64 = -1;
