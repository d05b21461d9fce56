//! Requests that are called off.

use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{
    LineClient, NEWEST_LEGACY, call, cancel, followed, http, modern, quick, request, server, soon,
    text, until,
};

#[tokio::test]
async fn a_cancelled_call_is_stopped_and_not_answered() {
    let (server, probe) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    line.send(&call(1, "slow", json!({}))).await;
    line.send(&cancel(1)).await;
    until(|| probe.ended() == 1).await;
    assert_eq!(line.ask(&request(2, "ping", json!({}))).await["id"], 2);
    line.end_input().await;
    assert_eq!(line.try_message().await, None);
}

#[tokio::test]
async fn a_cancelled_call_is_stopped_and_not_answered_over_http() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let bytes = client.post_bytes("", call(1, "slow", json!({})).to_string().as_bytes());
    let mut quiet = client.raw(&bytes).await;
    let mut talking =
        client.stream(&followed(2, "t", "steps", json!({ "count": 100_000, "pause_ms": 1 }))).await;
    assert_eq!(talking.message().await.unwrap()["method"], "notifications/progress");
    until(|| test.probe.started() == 2).await;
    for id in [1, 2] {
        assert_eq!(client.post(&cancel(id)).await.status, 202);
    }
    let response = quiet.response().await.unwrap();
    assert_eq!((response.status, response.body.len()), (200, 0));
    let rest = talking.messages().await;
    assert!(rest.iter().all(|message| message["method"] == "notifications/progress"), "{rest:?}");
    until(|| test.probe.ended() == 2).await;
    assert_eq!(test.service.detached(), 0);
    test.stop().await;
}

#[tokio::test]
async fn an_id_can_be_used_again_right_after_its_request_was_cancelled() {
    let (server, probe) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    // All in one write, so that the first handler is still there when the second begins.
    let burst = [
        call(1, "slow", json!({})),
        cancel(1),
        call(1, "slow", json!({})),
        cancel(1),
        call(1, "echo", json!({ "text": "third", "delay_ms": 30 })),
    ];
    let burst = burst.map(|message| format!("{message}\n")).concat();
    line.send_bytes(burst.as_bytes()).await;
    assert_eq!(text(&line.message().await), "third");
    until(|| probe.ended() == 3).await;
    line.assert_alive().await;
}

#[tokio::test]
async fn a_cancelled_handler_does_not_answer_for_its_successor() {
    let (server, probe) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    for round in 0..50_u64 {
        let first = call(1, "echo", json!({ "text": "first", "delay_ms": 3 }));
        line.send(&first).await;
        // Somewhere around the moment when the first is done.
        tokio::time::sleep(Duration::from_micros(2000 + 60 * round)).await;
        let second = call(2, "echo", json!({ "text": "marker" }));
        let third = call(1, "echo", json!({ "text": "third", "delay_ms": 6 }));
        line.send_bytes(format!("{}\n{third}\n{second}\n", cancel(1)).as_bytes()).await;
        let mut seen = Vec::new();
        loop {
            let message = line.message().await;
            seen.push((message["id"].clone(), text(&message).to_owned()));
            if seen.iter().any(|(id, said)| *id == json!(1) && said == "third") {
                break;
            }
        }
        let firsts = seen.iter().filter(|(_, said)| said == "first").count();
        assert!(firsts <= 1, "{seen:?}");
        assert_eq!(seen.len() - firsts, 2, "{seen:?}");
    }
    until(|| probe.ended() == 150).await;
}

#[tokio::test]
async fn what_cannot_be_cancelled_is_ignored() {
    let (server, probe) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    line.send(&call(1, "echo", json!({ "text": "mine", "delay_ms": 50 }))).await;
    for id in [json!(2), json!("1"), json!(1.0), json!("init"), Value::Null, json!([1])] {
        line.send(&cancel(id)).await;
    }
    let odd = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}"#;
    line.send_line(odd.as_bytes()).await;
    assert_eq!(text(&line.answer(1).await), "mine");
    line.send(&cancel(1)).await;
    line.assert_alive().await;
    assert_eq!(probe.ended(), 1);
}

#[tokio::test]
async fn the_question_of_a_cancelled_request_is_withdrawn() {
    let (server, _) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    line.send(&call(1, "asks", json!({}))).await;
    let question = line.message().await;
    assert_eq!(question["method"], "elicitation/create");
    line.send(&cancel(1)).await;
    let withdrawn = line.message().await;
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    line.assert_alive().await;
}

#[tokio::test]
async fn a_lost_connection_cancels_a_modern_request() {
    let test = http(quick()).await;
    let slow = modern(1, "tools/call", json!({ "name": "slow", "arguments": {} }));
    let connection = test.client.raw(&test.client.modern_bytes(&slow)).await;
    until(|| test.probe.started() == 1).await;
    drop(connection);
    until(|| test.probe.ended() == 1).await;
    let arguments = json!({ "count": 100_000, "pause_ms": 1 });
    let steps = modern(2, "tools/call", json!({ "name": "steps", "arguments": arguments }));
    let mut stream = test.client.raw(&test.client.modern_bytes(&steps)).await.events().await;
    stream.message().await.unwrap();
    drop(stream);
    until(|| test.probe.ended() == 2).await;
    assert_eq!(test.service.detached(), 0);
    test.stop().await;
}

#[tokio::test]
async fn a_lost_connection_cancels_no_legacy_request() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let echo = call(1, "echo", json!({ "text": "on", "delay_ms": 100 }));
    let connection = client.raw(&client.post_bytes("", echo.to_string().as_bytes())).await;
    until(|| test.probe.started() == 1).await;
    drop(connection);
    until(|| test.service.detached() == 1).await;
    assert_eq!(test.probe.ended(), 0);
    until(|| test.service.detached() == 0).await;
    assert_eq!(test.probe.ended(), 1);
    // Its id is free again.
    assert_eq!(
        text(&client.post(&call(1, "echo", json!({ "text": "again" }))).await.json()),
        "again"
    );
    test.stop().await;
}

#[tokio::test]
async fn a_request_that_lost_its_connection_can_still_be_cancelled() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let connection =
        client.raw(&client.post_bytes("", call(1, "slow", json!({})).to_string().as_bytes())).await;
    until(|| test.probe.started() == 1).await;
    drop(connection);
    until(|| test.service.detached() == 1).await;
    assert_eq!(client.post(&cancel(1)).await.status, 202);
    until(|| test.service.detached() == 0 && test.probe.ended() == 1).await;
    test.stop().await;
}

#[tokio::test]
async fn the_end_of_a_session_stops_what_runs_in_it() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let bytes = client.post_bytes("", call(1, "slow", json!({})).to_string().as_bytes());
    let mut connected = client.raw(&bytes).await;
    let bytes = client.post_bytes("", call(2, "slow", json!({})).to_string().as_bytes());
    let lost = client.raw(&bytes).await;
    until(|| test.probe.started() == 2).await;
    drop(lost);
    let mut standalone = client.listen(None).await;
    standalone.next().await.unwrap();
    until(|| test.service.detached() == 1).await;
    assert_eq!(client.bodiless("DELETE", "").await.status, 204);
    assert!(connected.response().await.unwrap().body.is_empty());
    assert_eq!(standalone.next().await, None);
    until(|| test.probe.ended() == 2 && test.service.detached() == 0).await;
    assert_eq!(test.service.sessions(), 0);
    test.stop().await;
}

#[tokio::test]
async fn a_batch_is_answered_without_the_member_that_was_cancelled() {
    let test = http(quick()).await;
    let client = test.client.begin("2025-03-26").await;
    let mut standalone = client.listen(None).await;
    let batch = json!([
        call(1, "echo", json!({ "text": "one", "delay_ms": 20 })),
        call(2, "slow", json!({})),
    ]);
    let posting = client.clone();
    let posted = tokio::spawn(async move { posting.post(&batch).await });
    until(|| test.probe.ended() == 1).await;
    assert_eq!(client.post(&cancel(2)).await.status, 202);
    let answers = soon(posted).await.unwrap();
    assert_eq!(answers.json().as_array().map(Vec::len), Some(1), "{answers:?}");
    assert_eq!(text(&answers.json()[0]), "one");
    test.server.remove_tool("slow");
    let first = standalone.message().await.unwrap();
    assert_eq!(first["method"], "notifications/tools/list_changed");
    test.stop().await;
}
