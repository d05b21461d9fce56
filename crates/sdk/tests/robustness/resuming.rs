//! Streams that broke, and clients that come back for the rest.

use std::{sync::Arc, time::Duration};

use proofmark_sdk::{core::session::server::Change, transport::http::HttpSettings};
use serde_json::json;

use crate::common::{
    Client, Events, NEWEST_LEGACY, SlowLog, call, cancel, followed, http, quick, request, text,
    until,
};

const STEPS: usize = 40;

fn steps(id: &str) -> serde_json::Value {
    followed(id, id, "steps", json!({ "count": STEPS, "pause_ms": 2 }))
}

/// Reads at most this many messages.
async fn take(stream: &mut Events, count: usize, into: &mut Vec<serde_json::Value>) {
    for _ in 0..count {
        match stream.message().await {
            Some(message) => into.push(message),
            None => return,
        }
    }
}

#[track_caller]
fn assert_complete(messages: &[serde_json::Value]) {
    assert_eq!(messages.len(), STEPS + 1, "{messages:?}");
    for (step, message) in messages[..STEPS].iter().enumerate() {
        let expected = f64::from(u32::try_from(step + 1).unwrap());
        assert_eq!(message["params"]["progress"].as_f64(), Some(expected));
    }
    assert_eq!(text(&messages[STEPS]), "all steps");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_comes_exactly_once_and_in_order_however_often_the_stream_breaks() {
    for version in ["2025-03-26", "2025-06-18", NEWEST_LEGACY] {
        let test = http(quick()).await;
        let client = test.client.begin(version).await;
        for cut in [1, 2, 3, 5, 8, 13, 39] {
            let mut messages = Vec::new();
            let mut stream = client.stream(&steps(&format!("cut {cut}"))).await;
            take(&mut stream, cut, &mut messages).await;
            let mut last_id = stream.last_id.take().expect("an id");
            drop(stream);
            while messages.len() <= STEPS {
                let mut rest = client.listen(Some(&last_id)).await;
                assert_eq!(rest.status, 200);
                take(&mut rest, cut, &mut messages).await;
                last_id = rest.last_id.take().unwrap_or(last_id);
            }
            assert_complete(&messages);
        }
        until(|| test.service.detached() == 0).await;
        test.stop().await;
    }
}

#[tokio::test]
async fn a_stream_that_broke_before_its_first_message_is_resumed_from_its_primer() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut stream = client.stream(&steps("p")).await;
    let primer = stream.next().await.unwrap();
    assert_eq!(primer.data.as_deref(), Some(""));
    assert!(primer.retry.is_some());
    drop(stream);
    let messages = client.listen(primer.id.as_deref()).await.messages().await;
    assert_complete(&messages);
    test.stop().await;
}

#[tokio::test]
async fn the_log_is_kept_after_the_answer() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut stream = client.stream(&steps("k")).await;
    let first = stream.next().await.unwrap().id.unwrap();
    stream.messages().await;
    for _ in 0..3 {
        assert_complete(&client.listen(Some(&first)).await.messages().await);
    }
    // From the very last event there is nothing left but the end.
    let last = stream.last_id.unwrap();
    assert!(client.listen(Some(&last)).await.messages().await.is_empty());
    test.stop().await;
}

#[tokio::test]
async fn a_request_that_pauses_its_stream_is_answered_to_who_comes_back() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut stream = client.stream(&followed(1, "t", "pauses", json!({}))).await;
    let before = stream.messages().await;
    assert!(before.iter().all(|message| message.get("id").is_none()), "{before:?}");
    let rest = client.listen(stream.last_id.as_deref()).await.messages().await;
    assert_eq!(before.len() + rest.len(), 3);
    assert_eq!(text(rest.last().unwrap()), "after the pause");
    test.stop().await;
}

#[tokio::test]
async fn an_event_that_was_not_sent_to_this_session_is_unknown() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let other = test.client.begin(NEWEST_LEGACY).await;
    let mut own = client.stream(&steps("own")).await;
    let own_id = own.next().await.unwrap().id.unwrap();
    let mut foreign = other.stream(&steps("foreign")).await;
    let foreign_id = foreign.next().await.unwrap().id.unwrap();
    own.messages().await;
    foreign.messages().await;
    assert_eq!(client.listen(Some(&foreign_id)).await.status, 400);
    assert_eq!(other.listen(Some(&own_id)).await.status, 400);
    for forged in [
        "0",
        "-1",
        "a",
        "0-0",
        "18446744073709551616",
        "*",
        "%00",
        &"9".repeat(250),
        &"9".repeat(20_000),
    ] {
        assert_eq!(client.listen(Some(forged)).await.status, 400, "{forged}");
    }
    let ahead = format!("{}999", own.last_id.as_deref().unwrap());
    assert_eq!(client.listen(Some(&ahead)).await.status, 400);
    for cut in 1..own_id.len() {
        let status = client.listen(Some(&own_id[..cut])).await.status;
        assert_eq!(status, 400, "{}", &own_id[..cut]);
    }
    let unknown = Client { session: Some("0".repeat(32)), ..client.clone() };
    assert_eq!(unknown.listen(Some(&own_id)).await.status, 404);
    test.stop().await;
}

#[tokio::test]
async fn each_stream_is_resumed_with_its_own_events_only() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut standalone = client.listen(None).await;
    let standalone_id = standalone.next().await.unwrap().id.unwrap();
    let mut first = client.stream(&steps("first")).await;
    let mut second = client.stream(&steps("second")).await;
    test.server.announce(&Change::Tools);
    let first_id = first.next().await.unwrap().id.unwrap();
    let second_id = second.next().await.unwrap().id.unwrap();
    drop((standalone, first, second));
    for (id, token) in [(first_id, "first"), (second_id, "second")] {
        let messages = client.listen(Some(&id)).await.messages().await;
        assert_complete(&messages);
        assert!(messages[..STEPS].iter().all(|it| it["params"]["progressToken"] == token));
        assert_eq!(messages[STEPS]["id"], token);
    }
    let mut standalone = client.listen(Some(&standalone_id)).await;
    let news = standalone.message().await.unwrap();
    assert_eq!(news["method"], "notifications/tools/list_changed");
    test.stop().await;
    assert_eq!(standalone.message().await, None);
}

#[tokio::test]
async fn a_standalone_stream_that_was_resumed_still_carries_news() {
    let test = http(quick()).await;
    for version in ["2025-03-26", NEWEST_LEGACY] {
        let client = test.client.begin(version).await;
        let mut standalone = client.listen(None).await;
        test.server.announce(&Change::Tools);
        standalone.message().await.unwrap();
        for _ in 0..5 {
            let last = standalone.last_id.clone().unwrap();
            drop(standalone);
            test.server.announce(&Change::Prompts);
            standalone = client.listen(Some(&last)).await;
            test.server.announce(&Change::Resources);
            for kind in ["prompts", "resources"] {
                let news = standalone.message().await.unwrap();
                assert_eq!(news["method"], format!("notifications/{kind}/list_changed"));
            }
        }
    }
    test.stop().await;
}

#[tokio::test]
async fn the_stream_of_a_cancelled_request_ends_for_who_comes_back() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let endless = followed(1, "t", "steps", json!({ "count": 100_000, "pause_ms": 1 }));
    let mut stream = client.stream(&endless).await;
    let id = stream.next().await.unwrap().id;
    drop(stream);
    let mut rest = client.listen(id.as_deref()).await;
    rest.message().await.unwrap();
    assert_eq!(client.post(&cancel(1)).await.status, 202);
    let messages = rest.messages().await;
    assert!(messages.iter().all(|message| message["method"] == "notifications/progress"));
    until(|| test.service.detached() == 0).await;
    test.stop().await;
}

#[tokio::test]
async fn streams_can_be_kept_however_many_there_were_before() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    // More than a session may have in the log at once, of each kind that ends without an answer.
    for id in 0..40 {
        let mut standalone = client.listen(None).await;
        assert!(standalone.next().await.unwrap().id.is_some(), "standalone stream {id}");
        let endless = followed(id, "t", "steps", json!({ "count": 100_000, "pause_ms": 1 }));
        let mut stream = client.stream(&endless).await;
        assert!(stream.next().await.unwrap().id.is_some(), "stream {id}");
        client.post(&cancel(id)).await;
        stream.messages().await;
    }
    test.stop().await;
}

#[tokio::test]
async fn a_server_goes_down_although_a_resumed_stream_is_open() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let endless = followed(1, "t", "steps", json!({ "count": 100_000, "pause_ms": 1 }));
    let mut stream = client.stream(&endless).await;
    let id = stream.next().await.unwrap().id;
    drop(stream);
    let mut rest = client.listen(id.as_deref()).await;
    rest.message().await.unwrap();
    let began = std::time::Instant::now();
    test.stop().await;
    assert!(began.elapsed() < Duration::from_secs(3));
    while rest.next().await.is_some() {}
}

#[tokio::test]
async fn without_a_log_nothing_has_an_id_and_everything_else_works() {
    let test = http(HttpSettings { event_log: None, ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut stream = client.stream(&steps("plain")).await;
    let messages = stream.messages().await;
    assert_complete(&messages);
    assert_eq!(stream.last_id, None);
    let mut paused = client.stream(&followed(1, "t", "pauses", json!({}))).await;
    assert_eq!(text(paused.messages().await.last().unwrap()), "after the pause");
    assert_eq!(text(&client.post(&call(2, "echo", json!({ "text": "a" }))).await.json()), "a");
    test.stop().await;
}

#[tokio::test]
async fn every_change_comes_exactly_once_however_often_the_standalone_stream_breaks() {
    changes_come_exactly_once(quick()).await;
}

#[tokio::test]
async fn every_change_comes_exactly_once_however_slow_the_log_is() {
    let event_log = Some(Arc::new(SlowLog::default()) as _);
    changes_come_exactly_once(HttpSettings { event_log, ..quick() }).await;
}

#[tokio::test]
async fn every_event_of_a_request_comes_exactly_once_however_slow_the_log_is() {
    let event_log = Some(Arc::new(SlowLog::default()) as _);
    let test = http(HttpSettings { event_log, ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    for id in 0..20 {
        let steps = followed(id, "p", "steps", json!({ "count": 10, "pause_ms": 1 }));
        let mut stream = client.stream(&steps).await;
        stream.next().await.unwrap();
        let mut messages = Vec::new();
        for _ in 0..id % 5 {
            messages.push(stream.message().await.unwrap());
        }
        // While the log is at work, as likely as not.
        let last = stream.last_id.clone();
        drop(stream);
        messages.extend(client.listen(last.as_deref()).await.messages().await);
        let progress = messages.iter().filter_map(|it| it["params"]["progress"].as_u64());
        assert_eq!(progress.collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>(), "{id}");
        assert_eq!((messages.len(), text(&messages[10])), (11, "all steps"), "{id}");
    }
    test.stop().await;
}

async fn changes_come_exactly_once(settings: HttpSettings) {
    let test = http(settings).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let uri = |number: usize| format!("test://{number}/x");
    for number in 0..60 {
        let watch = request(number, "resources/subscribe", json!({ "uri": uri(number) }));
        assert_eq!(client.post(&watch).await.status, 200);
    }
    let mut stream = client.listen(None).await;
    stream.next().await.unwrap();
    let mut seen = Vec::new();
    let mut last = stream.last_id.clone();
    for number in 0..60 {
        test.server.resource_updated(uri(number));
        // Some are read before the stream breaks, some are on their way then, and some have not been sent.
        if number % 7 == 3 {
            let told = stream.message().await.unwrap();
            seen.push(told["params"]["uri"].as_str().unwrap().to_owned());
            last = stream.last_id.clone();
        }
        if number % 5 == 4 {
            drop(stream);
            stream = client.listen(last.as_deref()).await;
        }
    }
    while seen.len() < 60 {
        let told = stream.message().await.unwrap();
        seen.push(told["params"]["uri"].as_str().unwrap().to_owned());
    }
    assert_eq!(seen, (0..60).map(uri).collect::<Vec<_>>());
    test.stop().await;
}
