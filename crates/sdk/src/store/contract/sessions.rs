//! The contract of a session store.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use proofmark_core::{
    revision::Revision,
    types::{ClientCapabilities, Implementation, LoggingLevel},
};

use super::{alice, others, suite};
use crate::store::{
    Cap, Phase, Principal, SessionId, SessionRecord, SessionSettings, SessionStore, StoreError,
    Timestamp, What,
};

suite! { dyn SessionStore, SessionSettings:
    one_server_goes_on_with_the_session_that_another_began
    a_saved_change_is_seen_by_the_next_reader
    of_two_changes_to_the_same_version_one_is_refused
    another_principal_gets_the_answer_of_an_unknown_id
    a_session_does_not_change_hands
    a_session_that_was_ended_does_not_come_back
    an_id_is_given_once
    a_session_that_is_not_used_expires
    every_use_keeps_a_session_alive
    a_session_that_is_never_ready_expires_sooner
    a_full_store_refuses_and_recovers
    no_principal_takes_more_than_its_share
    an_ended_session_gives_its_share_back
    anonymous_clients_share_only_the_whole
    a_client_that_says_too_much_about_itself_is_refused
}

async fn one_server_goes_on_with_the_session_that_another_began(fixture: Fixture<'_, '_>) {
    let one = store(fixture, SessionSettings::default()).await;
    let two = Arc::clone(&one);
    let id = create(&*one, &alice()).await.unwrap();
    let session = two.load(&id, &alice(), Timestamp(7)).await.unwrap();
    assert_eq!(*session.record, record(&alice()));
    assert_eq!((session.version, session.last_used), (1, Timestamp(5)));
    assert_eq!(one.load(&id, &alice(), Timestamp(9)).await.unwrap().last_used, Timestamp(7));
}

async fn a_saved_change_is_seen_by_the_next_reader(fixture: Fixture<'_, '_>) {
    let store = store(fixture, SessionSettings::default()).await;
    let id = create(&*store, &alice()).await.unwrap();
    let changed = SessionRecord {
        log_level: Some(LoggingLevel::Debug),
        watched: BTreeSet::from(["test://a".to_owned()]),
        ..record(&alice())
    };
    assert_eq!(store.save(&id, 1, changed.clone(), Timestamp(6)).await.unwrap(), 2);
    let session = store.load(&id, &alice(), Timestamp(7)).await.unwrap();
    assert_eq!((&*session.record, session.version), (&changed, 2));
    assert_eq!(session.last_used, Timestamp(6));
}

async fn of_two_changes_to_the_same_version_one_is_refused(fixture: Fixture<'_, '_>) {
    let store = store(fixture, SessionSettings::default()).await;
    let id = create(&*store, &alice()).await.unwrap();
    store.save(&id, 1, record(&alice()), Timestamp(6)).await.unwrap();
    let error = store.save(&id, 1, record(&alice()), Timestamp(6)).await.unwrap_err();
    assert!(error.is_conflict(), "{error}");
}

async fn another_principal_gets_the_answer_of_an_unknown_id(fixture: Fixture<'_, '_>) {
    let store = store(fixture, SessionSettings::default()).await;
    let id = create(&*store, &alice()).await.unwrap();
    let nothing = SessionId::random().unwrap();
    for other in others() {
        for id in [&id, &nothing] {
            assert_unknown(store.load(id, &other, Timestamp(6)).await);
            assert_unknown(store.touch(id, &other, Timestamp(6)).await);
            assert_unknown(store.remove(id, &other).await);
        }
    }
    assert_eq!(store.load(&id, &alice(), Timestamp(6)).await.unwrap().last_used, Timestamp(5));
}

async fn a_session_does_not_change_hands(fixture: Fixture<'_, '_>) {
    let store = store(fixture, SessionSettings::default()).await;
    let id = create(&*store, &alice()).await.unwrap();
    for other in others() {
        assert_unknown(store.save(&id, 1, record(&other), Timestamp(6)).await);
    }
}

async fn a_session_that_was_ended_does_not_come_back(fixture: Fixture<'_, '_>) {
    let store = store(fixture, SessionSettings::default()).await;
    let id = create(&*store, &alice()).await.unwrap();
    store.remove(&id, &alice()).await.unwrap();
    assert_unknown(store.save(&id, 1, record(&alice()), Timestamp(6)).await);
    assert_unknown(store.load(&id, &alice(), Timestamp(6)).await);
    assert_unknown(store.remove(&id, &alice()).await);
}

async fn an_id_is_given_once(fixture: Fixture<'_, '_>) {
    let store = store(fixture, SessionSettings::default()).await;
    let id = create(&*store, &alice()).await.unwrap();
    assert!(store.create(&id, record(&Principal::Local)).await.unwrap_err().is_conflict());
    assert!(store.load(&id, &alice(), Timestamp(6)).await.is_ok());
}

async fn a_session_that_is_not_used_expires(fixture: Fixture<'_, '_>) {
    let store = store(fixture, short()).await;
    let id = create(&*store, &alice()).await.unwrap();
    fixture.pass(2 * SECOND).await;
    assert_unknown(store.load(&id, &alice(), Timestamp(6)).await);
    assert_unknown(store.save(&id, 1, record(&alice()), Timestamp(6)).await);
}

async fn every_use_keeps_a_session_alive(fixture: Fixture<'_, '_>) {
    let store = store(fixture, short()).await;
    let id = create(&*store, &alice()).await.unwrap();
    fixture.pass(SECOND * 3 / 2).await;
    store.load(&id, &alice(), Timestamp(6)).await.unwrap();
    fixture.pass(SECOND * 3 / 2).await;
    store.touch(&id, &alice(), Timestamp(6)).await.unwrap();
    fixture.pass(SECOND * 3 / 2).await;
    store.save(&id, 1, record(&alice()), Timestamp(6)).await.unwrap();
    fixture.pass(SECOND * 3 / 2).await;
    assert!(store.load(&id, &alice(), Timestamp(6)).await.is_ok());
}

async fn a_session_that_is_never_ready_expires_sooner(fixture: Fixture<'_, '_>) {
    let store = store(fixture, short()).await;
    let early = SessionRecord { phase: Phase::Initializing, ..record(&alice()) };
    let [never, ready] = [SessionId::random().unwrap(), SessionId::random().unwrap()];
    store.create(&never, early.clone()).await.unwrap();
    store.create(&ready, early).await.unwrap();
    store.save(&ready, 1, record(&alice()), Timestamp(6)).await.unwrap();
    fixture.pass(SECOND).await;
    assert_unknown(store.load(&never, &alice(), Timestamp(6)).await);
    assert!(store.load(&ready, &alice(), Timestamp(6)).await.is_ok());
}

async fn a_full_store_refuses_and_recovers(fixture: Fixture<'_, '_>) {
    let store = store(fixture, SessionSettings { sessions: 2, ..short() }).await;
    let old = create(&*store, &alice()).await.unwrap();
    fixture.pass(SECOND).await;
    create(&*store, &Principal::Local).await.unwrap();
    let error = create(&*store, &alice()).await.unwrap_err();
    assert!(matches!(error, StoreError::Full { cap: Cap::Sessions, limit: 2 }), "{error}");
    fixture.pass(SECOND).await;
    assert!(create(&*store, &alice()).await.is_ok());
    assert!(create(&*store, &alice()).await.unwrap_err().is_full());
    assert_unknown(store.load(&old, &alice(), Timestamp(6)).await);
}

async fn no_principal_takes_more_than_its_share(fixture: Fixture<'_, '_>) {
    let store = store(fixture, SessionSettings { per_principal: 2, ..short() }).await;
    for _ in 0..2 {
        create(&*store, &alice()).await.unwrap();
    }
    let error = create(&*store, &alice()).await.unwrap_err();
    let cap = Cap::SessionsPerPrincipal;
    assert!(matches!(error, StoreError::Full { cap: c, limit: 2 } if c == cap), "{error}");
    for other in others() {
        assert!(create(&*store, &other).await.is_ok());
    }
    fixture.pass(2 * SECOND).await;
    assert!(create(&*store, &alice()).await.is_ok());
}

async fn an_ended_session_gives_its_share_back(fixture: Fixture<'_, '_>) {
    let store = store(fixture, SessionSettings { per_principal: 1, ..short() }).await;
    let id = create(&*store, &alice()).await.unwrap();
    store.remove(&id, &alice()).await.unwrap();
    assert!(create(&*store, &alice()).await.is_ok());
    assert!(create(&*store, &alice()).await.unwrap_err().is_full());
}

async fn anonymous_clients_share_only_the_whole(fixture: Fixture<'_, '_>) {
    let settings = SessionSettings { sessions: 3, per_principal: 1, ..short() };
    let store = store(fixture, settings).await;
    for _ in 0..3 {
        create(&*store, &Principal::Anonymous).await.unwrap();
    }
    assert!(create(&*store, &Principal::Anonymous).await.unwrap_err().is_full());
}

async fn a_client_that_says_too_much_about_itself_is_refused(fixture: Fixture<'_, '_>) {
    let settings = SessionSettings { record_bytes: 1024, ..short() };
    let store = store(fixture, settings).await;
    let client = Implementation::new("x".repeat(1024), "1");
    let large = SessionRecord { client, ..record(&alice()) };
    let id = SessionId::random().unwrap();
    assert!(store.create(&id, large.clone()).await.unwrap_err().is_too_large());
    store.create(&id, record(&alice())).await.unwrap();
    assert!(store.save(&id, 1, large, Timestamp(6)).await.unwrap_err().is_too_large());
}

async fn store(fixture: Fixture<'_, '_>, settings: SessionSettings) -> Arc<dyn SessionStore> {
    fixture.store(settings).await
}

async fn create(store: &dyn SessionStore, owner: &Principal) -> Result<SessionId, StoreError> {
    let id = SessionId::random()?;
    store.create(&id, record(owner)).await?;
    Ok(id)
}

fn record(owner: &Principal) -> SessionRecord {
    SessionRecord {
        owner: owner.clone(),
        revision: Revision::ALL[2],
        client: Implementation::new("client", "1.0"),
        capabilities: ClientCapabilities::default(),
        phase: Phase::Ready,
        log_level: None,
        watched: BTreeSet::new(),
        created: Timestamp(5),
    }
}

fn short() -> SessionSettings {
    SessionSettings { idle: 2 * SECOND, idle_initializing: SECOND, ..SessionSettings::default() }
}

#[track_caller]
fn assert_unknown<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    let error = result.unwrap_err();
    assert!(matches!(error, StoreError::Unknown(What::Session)), "{error}");
}

const SECOND: Duration = Duration::from_secs(1);
