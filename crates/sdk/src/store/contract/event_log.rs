//! The contract of an event log.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use super::{alice, others, suite};
use crate::store::{
    Cap, EventId, EventLog, EventLogSettings, Replay, SessionId, StoreError, StreamEnd, StreamKey,
    StreamKind, What,
};

suite! { dyn EventLog, EventLogSettings:
    a_replay_is_the_rest_of_its_stream_in_order
    the_whole_stream_comes_after_its_beginning
    a_replay_says_what_its_stream_is_for
    a_replay_has_nothing_of_other_streams_and_sessions
    an_event_of_another_session_is_unknown
    an_event_of_another_principal_is_unknown
    an_event_that_was_never_sent_is_unknown
    what_is_no_id_is_unknown
    nothing_is_appended_to_a_stream_that_has_ended
    a_stream_ends_with_its_last_event
    a_stream_can_be_resumed_for_a_while_after_its_end
    old_events_are_forgotten_and_the_gap_is_told
    too_many_events_push_out_the_oldest
    too_many_bytes_push_out_the_oldest
    an_event_that_fits_nowhere_is_sent_but_not_kept
    a_stream_that_has_ended_makes_room_for_a_new_one
    a_session_has_only_so_many_open_streams
    a_full_store_drops_what_has_ended_first
    a_session_that_has_ended_is_forgotten
    a_reader_that_follows_a_stream_sees_all_of_it
    a_reader_that_waits_is_told_when_the_session_ends
}

async fn a_replay_is_the_rest_of_its_stream_in_order(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    let ids = append(&*log, &stream, &["a", "b", "c"]).await;
    assert_eq!(texts(&replay(&*log, &stream, ids[0]).await.unwrap()), ["b", "c"]);
    let rest = replay(&*log, &stream, ids[1]).await.unwrap();
    assert_eq!(rest.events[0].id, ids[2]);
    assert_eq!(rest.stream, stream);
    assert_eq!(texts(&replay(&*log, &stream, ids[2]).await.unwrap()), [""; 0]);
}

async fn a_stream_ends_with_its_last_event(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    append(&*log, &stream, &["a"]).await;
    let last = log.append_last(&stream, Bytes::from_static(b"b")).await.unwrap();
    let rest = replay(&*log, &stream, stream.beginning()).await.unwrap();
    assert_eq!(texts(&rest), ["a", "b"]);
    assert_eq!(rest.end, StreamEnd::Ended);
    assert_eq!(rest.events[1].id, last);
    let late = log.append(&stream, Bytes::from_static(b"late")).await;
    assert!(late.unwrap_err().is_unknown());
}

async fn the_whole_stream_comes_after_its_beginning(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    assert_eq!(texts(&replay(&*log, &stream, stream.beginning()).await.unwrap()), [""; 0]);
    append(&*log, &stream, &["a", "b"]).await;
    assert_eq!(texts(&replay(&*log, &stream, stream.beginning()).await.unwrap()), ["a", "b"]);
}

async fn a_replay_says_what_its_stream_is_for(fixture: Fixture<'_, '_>) {
    let (log, _) = open(fixture, EventLogSettings::default()).await;
    for kind in [StreamKind::Request, StreamKind::Standalone] {
        let stream = log.open(&session(), &alice(), kind).await.unwrap();
        assert_eq!(replay(&*log, &stream, stream.beginning()).await.unwrap().kind, kind);
    }
}

async fn a_replay_has_nothing_of_other_streams_and_sessions(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    let sibling = log.open(&stream.session, &alice(), StreamKind::Request).await.unwrap();
    let stranger = log.open(&session(), &alice(), StreamKind::Request).await.unwrap();
    for (key, text) in [(&sibling, "1"), (&stream, "a"), (&stranger, "x"), (&sibling, "2")] {
        append(&*log, key, &[text]).await;
    }
    assert_eq!(texts(&replay(&*log, &stream, stream.beginning()).await.unwrap()), ["a"]);
    assert_eq!(texts(&replay(&*log, &sibling, sibling.beginning()).await.unwrap()), ["1", "2"]);
}

async fn an_event_of_another_session_is_unknown(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    let theirs = log.open(&session(), &alice(), StreamKind::Request).await.unwrap();
    let ids = append(&*log, &theirs, &["secret", "more"]).await;
    assert_unknown(replay(&*log, &stream, ids[0]).await);
    let nowhere = StreamKey { session: session(), ..stream };
    assert_unknown(replay(&*log, &nowhere, ids[0]).await);
}

async fn an_event_of_another_principal_is_unknown(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    let ids = append(&*log, &stream, &["secret", "more"]).await;
    for other in others() {
        assert_unknown(log.replay(&stream.session, &other, ids[0]).await);
        assert_unknown(log.grown(&stream.session, &other, ids[0]).await);
        let error = log.open(&stream.session, &other, StreamKind::Request).await.unwrap_err();
        assert!(matches!(error, StoreError::Unknown(What::Session)), "{error}");
    }
}

async fn an_event_that_was_never_sent_is_unknown(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    let ids = append(&*log, &stream, &["a"]).await;
    let mut guess = ids[0];
    guess.stream.0 ^= 1;
    assert_unknown(replay(&*log, &stream, guess).await);
    for ahead in [2, u64::MAX] {
        let guess = EventId { sequence: ahead, ..ids[0] };
        assert_unknown(replay(&*log, &stream, guess).await);
        assert_unknown(log.grown(&stream.session, &alice(), guess).await);
    }
}

async fn what_is_no_id_is_unknown(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    let id = append(&*log, &stream, &["a"]).await[0].to_string();
    for text in ["", "0", "*", &id[1..], &id[..31], &"0".repeat(64 * 1024)] {
        let resumed = async {
            let last = EventId::from_ascii(text.as_bytes())?;
            log.replay(&stream.session, &alice(), last).await
        };
        assert_unknown(resumed.await);
    }
}

async fn nothing_is_appended_to_a_stream_that_has_ended(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    log.finish(&stream).await.unwrap();
    let error = log.append(&stream, Bytes::from_static(b"late")).await.unwrap_err();
    assert!(matches!(error, StoreError::Unknown(What::Stream)), "{error}");
}

async fn a_stream_can_be_resumed_for_a_while_after_its_end(fixture: Fixture<'_, '_>) {
    let settings = EventLogSettings { age: SECOND, ..EventLogSettings::default() };
    let (log, stream) = open(fixture, settings).await;
    let ids = append(&*log, &stream, &["a", "b"]).await;
    assert_eq!(replay(&*log, &stream, ids[0]).await.unwrap().end, StreamEnd::Open);
    log.finish(&stream).await.unwrap();
    fixture.pass(SECOND / 2).await;
    let rest = replay(&*log, &stream, ids[0]).await.unwrap();
    assert_eq!((texts(&rest), rest.end), (vec!["b".to_owned()], StreamEnd::Ended));
    fixture.pass(SECOND / 2).await;
    assert_unknown(replay(&*log, &stream, ids[0]).await);
}

async fn old_events_are_forgotten_and_the_gap_is_told(fixture: Fixture<'_, '_>) {
    let settings = EventLogSettings { age: SECOND, ..EventLogSettings::default() };
    let (log, stream) = open(fixture, settings).await;
    let ids = append(&*log, &stream, &["a", "b"]).await;
    fixture.pass(SECOND).await;
    assert_forgotten(replay(&*log, &stream, ids[0]).await);
    append(&*log, &stream, &["c"]).await;
    assert_forgotten(replay(&*log, &stream, ids[0]).await);
    assert_eq!(texts(&replay(&*log, &stream, ids[1]).await.unwrap()), ["c"]);
}

async fn too_many_events_push_out_the_oldest(fixture: Fixture<'_, '_>) {
    let settings = EventLogSettings { events: 2, ..EventLogSettings::default() };
    let (log, stream) = open(fixture, settings).await;
    let ids = append(&*log, &stream, &["a", "b"]).await;
    assert_eq!(texts(&replay(&*log, &stream, stream.beginning()).await.unwrap()), ["a", "b"]);
    append(&*log, &stream, &["c"]).await;
    assert_forgotten(replay(&*log, &stream, stream.beginning()).await);
    assert_eq!(texts(&replay(&*log, &stream, ids[0]).await.unwrap()), ["b", "c"]);
}

async fn too_many_bytes_push_out_the_oldest(fixture: Fixture<'_, '_>) {
    let settings = EventLogSettings { bytes: 8, ..EventLogSettings::default() };
    let (log, stream) = open(fixture, settings).await;
    let ids = append(&*log, &stream, &["aaaa", "bbbb"]).await;
    assert_eq!(replay(&*log, &stream, stream.beginning()).await.unwrap().events.len(), 2);
    append(&*log, &stream, &["c"]).await;
    assert_forgotten(replay(&*log, &stream, stream.beginning()).await);
    assert_eq!(texts(&replay(&*log, &stream, ids[0]).await.unwrap()), ["bbbb", "c"]);
}

async fn an_event_that_fits_nowhere_is_sent_but_not_kept(fixture: Fixture<'_, '_>) {
    let settings = EventLogSettings { bytes: 8, ..EventLogSettings::default() };
    let (log, stream) = open(fixture, settings).await;
    let ids = append(&*log, &stream, &["a", "too large!", "b"]).await;
    assert_forgotten(replay(&*log, &stream, ids[0]).await);
    assert_eq!(texts(&replay(&*log, &stream, ids[1]).await.unwrap()), ["b"]);
}

async fn a_stream_that_has_ended_makes_room_for_a_new_one(fixture: Fixture<'_, '_>) {
    let settings = EventLogSettings { streams: 2, ..EventLogSettings::default() };
    let (log, first) = open(fixture, settings).await;
    let second = log.open(&first.session, &alice(), StreamKind::Request).await.unwrap();
    log.finish(&first).await.unwrap();
    log.open(&first.session, &alice(), StreamKind::Request).await.unwrap();
    assert_unknown(replay(&*log, &first, first.beginning()).await);
    assert!(replay(&*log, &second, second.beginning()).await.is_ok());
}

async fn a_session_has_only_so_many_open_streams(fixture: Fixture<'_, '_>) {
    let settings = EventLogSettings { streams: 2, ..EventLogSettings::default() };
    let (log, stream) = open(fixture, settings).await;
    log.open(&stream.session, &alice(), StreamKind::Request).await.unwrap();
    let error = log.open(&stream.session, &alice(), StreamKind::Request).await.unwrap_err();
    assert!(matches!(error, StoreError::Full { cap: Cap::Streams, limit: 2 }), "{error}");
    assert!(log.open(&session(), &alice(), StreamKind::Request).await.is_ok());
}

async fn a_full_store_drops_what_has_ended_first(fixture: Fixture<'_, '_>) {
    let settings = EventLogSettings { total_bytes: 16 * 1024, ..EventLogSettings::default() };
    let (log, old) = open(fixture, settings).await;
    let large = "x".repeat(6 * 1024);
    append(&*log, &old, &[&large]).await;
    log.finish(&old).await.unwrap();
    let new = log.open(&session(), &alice(), StreamKind::Request).await.unwrap();
    let ids = append(&*log, &new, &[&large, &large]).await;
    assert_unknown(replay(&*log, &old, old.beginning()).await);
    assert_eq!(replay(&*log, &new, new.beginning()).await.unwrap().events.len(), 2);
    append(&*log, &new, &[&large]).await;
    assert_forgotten(replay(&*log, &new, new.beginning()).await);
    assert_eq!(replay(&*log, &new, ids[0]).await.unwrap().events.len(), 2);
}

async fn a_session_that_has_ended_is_forgotten(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    let ids = append(&*log, &stream, &["a", "b"]).await;
    log.forget(&stream.session).await.unwrap();
    log.forget(&session()).await.unwrap();
    assert_unknown(replay(&*log, &stream, ids[0]).await);
    assert!(log.append(&stream, Bytes::new()).await.unwrap_err().is_unknown());
}

async fn a_reader_that_follows_a_stream_sees_all_of_it(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    let follow = async {
        let (mut seen, mut last) = (Vec::new(), stream.beginning());
        loop {
            log.grown(&stream.session, &alice(), last).await.unwrap();
            let rest = replay(&*log, &stream, last).await.unwrap();
            last = rest.events.last().map_or(last, |event| event.id);
            seen.extend(texts(&rest));
            if rest.end == StreamEnd::Ended {
                return seen;
            }
        }
    };
    let write = async {
        for text in ["a", "b", "c"] {
            append(&*log, &stream, &[text]).await;
            tokio::task::yield_now().await;
        }
        log.finish(&stream).await.unwrap();
    };
    assert_eq!(tokio::join!(follow, write).0, ["a", "b", "c"]);
}

async fn a_reader_that_waits_is_told_when_the_session_ends(fixture: Fixture<'_, '_>) {
    let (log, stream) = open(fixture, EventLogSettings::default()).await;
    let owner = alice();
    let wait = log.grown(&stream.session, &owner, stream.beginning());
    let (waited, forgotten) = tokio::join!(wait, log.forget(&stream.session));
    forgotten.unwrap();
    assert_unknown(waited);
}

async fn open(
    fixture: Fixture<'_, '_>,
    settings: EventLogSettings,
) -> (Arc<dyn EventLog>, StreamKey) {
    let log = fixture.store(settings).await;
    let stream = log.open(&session(), &alice(), StreamKind::Request).await.unwrap();
    (log, stream)
}

async fn append(log: &dyn EventLog, stream: &StreamKey, events: &[&str]) -> Vec<EventId> {
    let mut ids = Vec::new();
    for event in events {
        ids.push(log.append(stream, Bytes::copy_from_slice(event.as_bytes())).await.unwrap());
    }
    ids
}

async fn replay(
    log: &dyn EventLog,
    stream: &StreamKey,
    last: EventId,
) -> Result<Replay, StoreError> {
    log.replay(&stream.session, &alice(), last).await
}

fn texts(replay: &Replay) -> Vec<String> {
    replay.events.iter().map(|event| String::from_utf8(event.data.to_vec()).unwrap()).collect()
}

fn session() -> SessionId {
    SessionId::random().unwrap()
}

#[track_caller]
fn assert_unknown<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    let error = result.unwrap_err();
    assert!(matches!(error, StoreError::Unknown(What::Event)), "{error}");
}

#[track_caller]
fn assert_forgotten(result: Result<Replay, StoreError>) {
    let error = result.unwrap_err();
    assert!(error.is_forgotten(), "{error}");
}

const SECOND: Duration = Duration::from_secs(1);
