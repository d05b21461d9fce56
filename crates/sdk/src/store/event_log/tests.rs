use std::{collections::HashMap, sync::Arc};

use proptest::prelude::*;
use tokio::time::Instant;

use super::*;

#[test]
fn the_buffer_that_an_event_was_written_into_is_let_go() {
    block_on(async {
        let (log, stream) = opened(EventLogSettings::default()).await;
        let buffer = Arc::new([b'x'; 1000]);
        let event = Bytes::from_owner(Buffer(Arc::clone(&buffer))).slice(..10);
        log.append(&stream, event).await.unwrap();
        assert_eq!(Arc::strong_count(&buffer), 1);
        let rest = log.replay(&stream.session, &OWNER, stream.beginning()).await.unwrap();
        assert_eq!(rest.events[0].data, "x".repeat(10));
    });
}

/// More room than what is written into it needs.
struct Buffer(Arc<[u8; 1000]>);

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &*self.0
    }
}

#[test]
fn places_of_events_that_are_gone_are_given_back() {
    block_on(async {
        let (log, stream) = opened(EventLogSettings::default()).await;
        let empty = log.total_bytes();
        for _ in 0..1000 {
            log.append(&stream, Bytes::new()).await.unwrap();
        }
        assert!(log.total_bytes() >= empty + 1000 * size_of::<(Instant, Bytes)>());
        tokio::time::advance(Duration::from_secs(601)).await;
        log.append(&stream, Bytes::new()).await.unwrap();
        assert!(log.total_bytes() < empty + 1000, "{}", log.total_bytes());
    });
}

#[test]
fn a_store_without_streams_costs_nothing() {
    block_on(async {
        let (log, stream) = opened(EventLogSettings::default()).await;
        log.append(&stream, Bytes::from_static(b"event")).await.unwrap();
        assert!(log.total_bytes() > 5);
        log.forget(&stream.session).await.unwrap();
        assert_eq!(log.total_bytes(), 0);
    });
}

#[test]
fn streams_do_not_open_beyond_the_limit_of_the_store() {
    block_on(async {
        let settings = EventLogSettings { total_bytes: 2000, ..EventLogSettings::default() };
        let (log, stream) = opened(settings).await;
        let mut open = vec![stream];
        let error = loop {
            match log.open(&SessionId::random().unwrap(), &OWNER, StreamKind::Request).await {
                Ok(stream) => open.push(stream),
                Err(error) => break error,
            }
        };
        assert!(error.is_full(), "{error}");
        assert!(open.len() > 1 && log.total_bytes() <= 2000);
        log.finish(&open[0]).await.unwrap();
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(log.open(&SessionId::random().unwrap(), &OWNER, StreamKind::Request).await.is_ok());
    });
}

#[derive(Clone, Debug)]
enum Step {
    Append { stream: usize, size: usize },
    Finish { stream: usize },
    Open,
    Pass { millis: u64 },
    Resume { stream: usize, sequence: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..6usize, 0..40usize).prop_map(|(stream, size)| Step::Append { stream, size }),
        1 => (0..6usize).prop_map(|stream| Step::Finish { stream }),
        1 => Just(Step::Open),
        1 => (0..700u64).prop_map(|millis| Step::Pass { millis }),
        4 => (0..6usize, 0..12u64).prop_map(|(stream, sequence)| Step::Resume { stream, sequence }),
    ]
}

proptest! {
    #[test]
    fn a_replay_is_complete_or_refused_and_the_store_stays_in_bounds(steps in prop::collection::vec(step(), 1..80)) {
        block_on(async {
            let settings = EventLogSettings {
                events: 5,
                bytes: 100,
                age: Duration::from_secs(1),
                streams: 3,
                total_bytes: 2000,
            };
            let (log, first) = opened(settings.clone()).await;
            let session = first.session.clone();
            let mut streams = vec![first];
            let mut sent: HashMap<EventId, Bytes> = HashMap::new();
            let mut number = 0u8;
            for step in steps {
                match step {
                    Step::Append { stream, size } => {
                        let stream = &streams[stream % streams.len()];
                        number = number.wrapping_add(1);
                        let event = Bytes::from(vec![number; size]);
                        if let Ok(id) = log.append(stream, event.clone()).await {
                            prop_assert!(sent.insert(id, event).is_none(), "an id was used twice");
                        }
                    }
                    Step::Finish { stream } => drop(log.finish(&streams[stream % streams.len()]).await),
                    Step::Open => streams.extend(log.open(&session, &OWNER, StreamKind::Request).await.ok()),
                    Step::Pass { millis } => tokio::time::advance(Duration::from_millis(millis)).await,
                    Step::Resume { stream, sequence } => {
                        let stream = &streams[stream % streams.len()];
                        let last = stream.id(sequence);
                        if let Ok(rest) = log.replay(&session, &OWNER, last).await {
                            let expected: Vec<_> = (sequence + 1..)
                                .map(|sequence| stream.id(sequence))
                                .map_while(|id| Some(Event { id, data: sent.get(&id)?.clone() }))
                                .collect();
                            prop_assert!(sequence == 0 || sent.contains_key(&last));
                            prop_assert!(rest.events.len() <= settings.events);
                            prop_assert_eq!(rest.events, expected);
                        }
                    }
                }
                prop_assert!(log.total_bytes() <= settings.total_bytes);
            }
            log.forget(&session).await.unwrap();
            prop_assert_eq!(log.total_bytes(), 0);
            Ok(())
        })?;
    }
}

async fn opened(settings: EventLogSettings) -> (MemoryEventLog, StreamKey) {
    let log = MemoryEventLog::new(settings);
    let stream =
        log.open(&SessionId::random().unwrap(), &OWNER, StreamKind::Request).await.unwrap();
    (log, stream)
}

/// Runs with a clock that stands still unless it is moved.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true).build().unwrap().block_on(future)
}

const OWNER: Principal = Principal::Local;
