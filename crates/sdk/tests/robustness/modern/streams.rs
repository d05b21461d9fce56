//! The event stream of one modern request.

use std::time::Duration;

use proofmark_sdk::transport::http::HttpSettings;
use serde_json::json;

use crate::common::{http, modern, quick, text, until};

#[tokio::test]
async fn progress_travels_on_the_stream_of_its_own_request() {
    let test = http(quick()).await;
    let steps = |id: &str, count: u32| {
        let arguments = json!({"count": count, "pause_ms": 5});
        modern(id, "tools/call", json!({"name": "steps", "arguments": arguments}))
    };
    let (first, second) = (steps("one", 3), steps("other", 2));
    let (mut one, mut other) =
        tokio::join!(test.client.ask_stream(&first), test.client.ask_stream(&second));
    for (stream, id, count) in [(&mut one, "one", 3), (&mut other, "other", 2)] {
        let messages = stream.messages().await;
        let (answer, notes) = messages.split_last().unwrap();
        assert_eq!((&answer["id"], text(answer)), (&json!(id), "all steps"));
        let progress = notes.iter().map(|note| note["params"]["progress"].as_f64().unwrap());
        assert!(progress.eq((1..=count).map(f64::from)), "{notes:?}");
        assert!(notes.iter().all(|note| note["params"]["total"] == f64::from(count)));
    }
    test.stop().await;
}

#[tokio::test]
async fn a_stream_is_not_buffered_shows_signs_of_life_and_cannot_be_resumed() {
    let test = http(HttpSettings { keep_alive: Duration::from_millis(20), ..quick() }).await;
    let arguments = json!({"count": 3, "pause_ms": 80});
    let steps = modern(1, "tools/call", json!({"name": "steps", "arguments": arguments}));
    let mut stream = test.client.ask_stream(&steps).await;
    let header = |name: &str| {
        stream.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    };
    assert_eq!(header("content-type"), Some("text/event-stream"));
    assert_eq!(header("x-accel-buffering"), Some("no"));
    assert_eq!(header("mcp-session-id"), None);
    let mut comments = 0;
    while let Some(event) = stream.next().await {
        comments += usize::from(event.is_comment);
        assert_eq!((event.id, event.retry), (None, None));
    }
    assert!(comments > 1, "{comments}");
    test.stop().await;
}

#[tokio::test]
async fn who_closes_the_stream_cancels_the_handler() {
    let test = http(quick()).await;
    let arguments = json!({"count": 10_000, "pause_ms": 5});
    let steps = modern(1, "tools/call", json!({"name": "steps", "arguments": arguments}));
    let mut stream = test.client.ask_stream(&steps).await;
    stream.message().await.unwrap();
    assert_eq!((test.probe.started(), test.probe.ended()), (1, 0));
    drop(stream);
    until(|| test.probe.ended() == 1).await;
    assert_eq!(test.service.detached(), 0);
    test.stop().await;
}

#[tokio::test]
async fn nothing_is_logged_for_who_did_not_ask() {
    let test = http(quick()).await;
    let chatty = |level: Option<&str>| {
        let arguments = json!({"count": 2, "pause_ms": 1});
        let mut call = modern(1, "tools/call", json!({"name": "chatty", "arguments": arguments}));
        if let Some(level) = level {
            call["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!(level);
        }
        call
    };
    for (level, expected) in [(None, 0), (Some("error"), 0), (Some("info"), 2)] {
        let messages = test.client.ask_stream(&chatty(level)).await.messages().await;
        let logged = messages.iter().filter(|it| it["method"] == "notifications/message").count();
        assert_eq!(logged, expected, "{level:?}");
    }
    test.stop().await;
}
