//! The contract of the way between servers.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use super::{alice, others, suite};
use crate::store::{
    Addressee, Bus, BusSettings, Event, EventId, Listening, NewsMark, SessionId, StoreError,
};

suite! { [Arc<dyn Bus>], BusSettings:
    every_server_has_a_number_of_its_own_that_fits_into_ids
    a_letter_comes_to_its_addressee_alone
    a_letter_to_the_others_comes_to_all_but_its_sender
    letters_come_in_the_order_in_which_they_were_sent
    what_was_said_at_any_server_is_heard_at_any_other_in_order
    what_was_taken_does_not_come_again
    a_listener_that_comes_back_gets_what_it_has_not_seen
    a_later_listener_takes_over
    no_two_listeners_are_given_the_same_ids
    news_that_all_servers_tell_is_heard_once
    another_principal_hears_and_says_nothing
    what_was_never_said_cannot_be_come_back_to
    too_many_messages_push_out_the_oldest
    a_listener_that_waits_is_told
    nothing_is_left_of_a_session_that_has_ended
}

async fn every_server_has_a_number_of_its_own_that_fits_into_ids(fixture: Fixture<'_, '_>) {
    let servers = servers(fixture).await;
    let mut numbers: Vec<_> = servers.iter().map(|server| server.server().0).collect();
    assert!(numbers.iter().all(|number| (1..1 << 21).contains(number)), "{numbers:?}");
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 3);
}

async fn a_letter_comes_to_its_addressee_alone(fixture: Fixture<'_, '_>) {
    let servers = servers(fixture).await;
    let to = Addressee::One(servers[1].server());
    servers[0].send(to, Bytes::from_static(b"for one")).await.unwrap();
    servers[0].send(Addressee::Others, Bytes::from_static(b"for all")).await.unwrap();
    let mut came = read(&*servers[1], 2).await;
    came.sort_unstable();
    assert_eq!(came, ["for all", "for one"]);
    assert_eq!(read(&*servers[2], 1).await, ["for all"]);
}

async fn a_letter_to_the_others_comes_to_all_but_its_sender(fixture: Fixture<'_, '_>) {
    let servers = servers(fixture).await;
    servers[0].send(Addressee::Others, Bytes::from_static(b"a")).await.unwrap();
    servers[1].send(Addressee::Others, Bytes::from_static(b"b")).await.unwrap();
    assert_eq!(read(&*servers[0], 1).await, ["b"]);
    assert_eq!(read(&*servers[1], 1).await, ["a"]);
    assert_eq!(read(&*servers[2], 2).await, ["a", "b"]);
}

async fn letters_come_in_the_order_in_which_they_were_sent(fixture: Fixture<'_, '_>) {
    let servers = servers(fixture).await;
    let expected: Vec<_> = (0..50).map(|number| number.to_string()).collect();
    let to = Addressee::One(servers[1].server());
    for letter in &expected {
        servers[0].send(to, Bytes::from(letter.clone())).await.unwrap();
    }
    assert_eq!(read(&*servers[1], 50).await, expected);
}

async fn what_was_said_at_any_server_is_heard_at_any_other_in_order(fixture: Fixture<'_, '_>) {
    let (servers, session) = (servers(fixture).await, session());
    say(&*servers[0], &session, "a").await;
    let listening = servers[2].listen(&session, &alice(), None).await.unwrap();
    say(&*servers[1], &session, "b").await;
    assert_eq!(texts(&servers[2].take(&listening).await.unwrap()), ["a", "b"]);
}

async fn what_was_taken_does_not_come_again(fixture: Fixture<'_, '_>) {
    let (servers, session) = (servers(fixture).await, session());
    let first = servers[0].listen(&session, &alice(), None).await.unwrap();
    say(&*servers[1], &session, "a").await;
    assert_eq!(texts(&servers[0].take(&first).await.unwrap()), ["a"]);
    assert_eq!(servers[0].take(&first).await.unwrap(), []);
    say(&*servers[1], &session, "b").await;
    let second = servers[2].listen(&session, &alice(), None).await.unwrap();
    assert_eq!(texts(&servers[2].take(&second).await.unwrap()), ["b"]);
}

async fn a_listener_that_comes_back_gets_what_it_has_not_seen(fixture: Fixture<'_, '_>) {
    let (servers, session) = (servers(fixture).await, session());
    let first = servers[0].listen(&session, &alice(), None).await.unwrap();
    for text in ["a", "b"] {
        say(&*servers[1], &session, text).await;
    }
    let taken = servers[0].take(&first).await.unwrap();
    for (after, rest) in [(first.after, vec!["a", "b"]), (taken[0].id, vec!["b"])] {
        let again = servers[2].listen(&session, &alice(), Some(after)).await.unwrap();
        assert_eq!(again.after, after);
        assert_eq!(texts(&servers[2].take(&again).await.unwrap()), rest);
    }
}

async fn a_later_listener_takes_over(fixture: Fixture<'_, '_>) {
    let (servers, session) = (servers(fixture).await, session());
    let first = servers[0].listen(&session, &alice(), None).await.unwrap();
    let waits = servers[0].spoken(&first);
    let owner = alice();
    let (waited, second) = tokio::join!(waits, servers[1].listen(&session, &owner, None));
    assert!(waited.unwrap_err().is_unknown());
    say(&*servers[0], &session, "a").await;
    assert!(servers[0].take(&first).await.unwrap_err().is_unknown());
    assert_eq!(texts(&servers[1].take(&second.unwrap()).await.unwrap()), ["a"]);
}

async fn no_two_listeners_are_given_the_same_ids(fixture: Fixture<'_, '_>) {
    let (servers, session) = (servers(fixture).await, session());
    let first = servers[0].listen(&session, &alice(), None).await.unwrap();
    let second = servers[1].listen(&session, &alice(), None).await.unwrap();
    assert_ne!(first.after, second.after);
    // Where the first one was can be come back to all the same.
    say(&*servers[2], &session, "a").await;
    let again = servers[2].listen(&session, &alice(), Some(first.after)).await.unwrap();
    assert_eq!(again.after, first.after);
    let taken = servers[2].take(&again).await.unwrap();
    assert_eq!((taken[0].id.stream, texts(&taken)), (first.stream.number, vec!["a"]));
}

async fn news_that_all_servers_tell_is_heard_once(fixture: Fixture<'_, '_>) {
    let (servers, session) = (servers(fixture).await, session());
    let mark = |number| Some(NewsMark { server: servers[0].server(), number });
    let other = Some(NewsMark { server: servers[1].server(), number: 1 });
    for (text, mark) in [
        ("1", mark(1)),
        ("1", mark(1)),
        ("3", mark(3)),
        ("2", mark(2)),
        ("3", mark(3)),
        ("1", mark(1)),
        ("x", other),
        ("y", None),
    ] {
        let message = Bytes::from_static(text.as_bytes());
        servers[2].say(&session, &alice(), message, mark).await.unwrap();
    }
    let listening = servers[2].listen(&session, &alice(), None).await.unwrap();
    assert_eq!(texts(&servers[2].take(&listening).await.unwrap()), ["1", "3", "2", "x", "y"]);
}

async fn another_principal_hears_and_says_nothing(fixture: Fixture<'_, '_>) {
    let (servers, session) = (servers(fixture).await, session());
    say(&*servers[0], &session, "secret").await;
    for other in others() {
        let said = servers[1].say(&session, &other, Bytes::new(), None).await;
        assert!(said.unwrap_err().is_unknown());
        assert_unknown(servers[1].listen(&session, &other, None).await);
    }
}

async fn what_was_never_said_cannot_be_come_back_to(fixture: Fixture<'_, '_>) {
    let (servers, session) = (servers(fixture).await, session());
    let listening = servers[0].listen(&session, &alice(), None).await.unwrap();
    let mut guess = listening.after;
    guess.stream.0 ^= 1;
    let ahead = EventId { sequence: 1, ..listening.after };
    let far = EventId { sequence: u64::MAX, ..listening.after };
    for after in [guess, ahead, far] {
        assert_unknown(servers[0].listen(&session, &alice(), Some(after)).await);
    }
    let nowhere = SessionId::random().unwrap();
    assert_unknown(servers[0].listen(&nowhere, &alice(), Some(guess)).await);
}

async fn too_many_messages_push_out_the_oldest(fixture: Fixture<'_, '_>) {
    let settings = BusSettings { messages: 2, ..BusSettings::default() };
    let (servers, session) = (fixture.store(settings).await, session());
    let first = servers[0].listen(&session, &alice(), None).await.unwrap();
    for text in ["a", "b", "c"] {
        say(&*servers[1], &session, text).await;
    }
    let gone = servers[0].listen(&session, &alice(), Some(first.after)).await;
    assert!(gone.unwrap_err().is_forgotten());
    let again = servers[0].listen(&session, &alice(), None).await.unwrap();
    assert_eq!(texts(&servers[0].take(&again).await.unwrap()), ["b", "c"]);
}

async fn a_listener_that_waits_is_told(fixture: Fixture<'_, '_>) {
    let (servers, session) = (servers(fixture).await, session());
    let listening = servers[0].listen(&session, &alice(), None).await.unwrap();
    let (told, ()) = tokio::join!(servers[0].spoken(&listening), say(&*servers[1], &session, "a"));
    told.unwrap();
    assert_eq!(texts(&servers[0].take(&listening).await.unwrap()), ["a"]);
}

async fn nothing_is_left_of_a_session_that_has_ended(fixture: Fixture<'_, '_>) {
    let (servers, session) = (servers(fixture).await, session());
    say(&*servers[0], &session, "a").await;
    let listening = servers[0].listen(&session, &alice(), None).await.unwrap();
    let (waited, forgotten) = tokio::join!(
        async {
            servers[0].take(&listening).await.unwrap();
            servers[0].spoken(&listening).await
        },
        async {
            fixture.pass(Duration::ZERO).await;
            servers[1].forget(&session).await
        }
    );
    forgotten.unwrap();
    assert!(waited.unwrap_err().is_unknown());
    assert!(servers[0].take(&listening).await.unwrap_err().is_unknown());
    assert_unknown(servers[0].listen(&session, &alice(), Some(listening.after)).await);
}

async fn servers(fixture: Fixture<'_, '_>) -> Arc<[Arc<dyn Bus>]> {
    fixture.store(BusSettings::default()).await
}

async fn say(bus: &dyn Bus, session: &SessionId, text: &'static str) {
    bus.say(session, &alice(), Bytes::from_static(text.as_bytes()), None).await.unwrap();
}

/// The next so many letters.
async fn read(bus: &dyn Bus, count: usize) -> Vec<String> {
    let mut read = Vec::new();
    while read.len() < count {
        let letters = bus.receive().await.unwrap().letters;
        read.extend(letters.iter().map(|letter| String::from_utf8(letter.to_vec()).unwrap()));
    }
    read
}

fn texts(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| std::str::from_utf8(&event.data).unwrap()).collect()
}

fn session() -> SessionId {
    SessionId::random().unwrap()
}

#[track_caller]
fn assert_unknown(result: Result<Listening, StoreError>) {
    let error = result.unwrap_err();
    assert!(error.is_unknown(), "{error}");
}
