//! Streams that break off, and how clients come back for them.

use std::time::{Duration, Instant};

use crate::script::{Asked, Script, answer, write};

const STREAM: &str =
    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n";
const PONG: &str = "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n";

#[tokio::test]
async fn a_stream_is_resumed_after_the_last_event_that_had_an_id() {
    let script = Script::start(|asked: Asked, stream| async move {
        let text = match (asked.verb(), asked.header("last-event-id")) {
            ("POST", _) => format!("{STREAM}id: 1\nretry: 50\ndata:\n\n"),
            // It breaks off again, before there is another id.
            ("GET", Some("1")) if asked.count < 3 => STREAM.to_owned(),
            ("GET", Some("1")) => format!("{STREAM}id: 2\n{PONG}"),
            _ => answer("405 Method Not Allowed", "", ""),
        };
        write(stream, &text).await;
    })
    .await;
    let client =
        script.connect_with(|settings| settings.http.give_up = Duration::from_secs(5)).await;
    let started = Instant::now();
    client.ping().await.unwrap();
    assert!(started.elapsed() >= Duration::from_millis(50), "the server wanted a pause");
}

#[tokio::test]
async fn a_stream_that_brings_nothing_is_given_up_however_often_it_opens() {
    let script = Script::start(|asked: Asked, stream| async move {
        let text = match (asked.verb(), asked.header("last-event-id")) {
            ("POST", _) => format!("{STREAM}id: 1\ndata:\n\n"),
            ("GET", Some("1")) => STREAM.to_owned(),
            _ => answer("405 Method Not Allowed", "", ""),
        };
        write(stream, &text).await;
    })
    .await;
    let client = script.connect().await;
    let error = client.ping().await.unwrap_err();
    assert!(error.to_string().contains("could not be resumed"), "{error}");
    let resumed = script.asked.lock().unwrap().iter().filter(|it| it.verb() == "GET").count();
    assert!(resumed < 15, "{resumed} times");
}

#[tokio::test]
async fn a_standing_stream_that_is_not_offered_is_asked_for_once() {
    let script = Script::start(|asked: Asked, stream| async move {
        let text = match asked.verb() {
            "POST" => format!("{STREAM}{PONG}"),
            _ => answer("405 Method Not Allowed", "", ""),
        };
        write(stream, &text).await;
    })
    .await;
    let client = script.connect().await;
    client.ping().await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let asked = script.asked.lock().unwrap().iter().filter(|it| it.verb() == "GET").count();
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn a_standing_stream_that_closes_at_once_is_not_asked_for_without_end() {
    let script = Script::start(|asked: Asked, stream| async move {
        let text = match asked.verb() {
            "POST" => format!("{STREAM}{PONG}"),
            _ => STREAM.to_owned(),
        };
        write(stream, &text).await;
    })
    .await;
    let client = script.connect().await;
    client.ping().await.unwrap();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let asked = script.asked.lock().unwrap().iter().filter(|it| it.verb() == "GET").count();
    assert!(asked <= 10, "{asked} times");
}

#[tokio::test]
async fn a_stream_cut_anywhere_ends_in_an_answer_or_an_error_and_never_hangs() {
    let whole = format!("{STREAM}id: 7\nevent: message\n{PONG}");
    for end in 0..whole.len() {
        let cut = whole[..end].to_owned();
        let rest = whole.clone();
        let script = Script::start(move |asked: Asked, stream| {
            let (cut, rest) = (cut.clone(), rest.clone());
            async move {
                let text = match (asked.verb(), asked.header("last-event-id")) {
                    ("POST", _) => cut,
                    ("GET", Some("7")) => rest,
                    _ => answer("405 Method Not Allowed", "", ""),
                };
                write(stream, &text).await;
            }
        })
        .await;
        let client = script.connect().await;
        let outcome = tokio::time::timeout(Duration::from_secs(3), client.ping().into_future());
        let outcome = outcome.await.unwrap_or_else(|_| panic!("cut at {end}, it hangs"));
        if let Err(error) = outcome {
            assert!(!error.is_timeout(), "cut at {end}: {error}");
        }
    }
}
