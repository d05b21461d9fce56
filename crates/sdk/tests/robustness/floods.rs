//! Much of everything at once.

use std::time::Duration;

use proofmark_sdk::transport::http::HttpSettings;
use serde_json::{Value, json};

use crate::common::{
    Client, History, LineClient, NEWEST_LEGACY, call, cancel, followed, http, initialize, modern,
    notification, quick, request, server, text, until,
};

/// Small and seeded, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_with_the_same_ids_never_see_each_others_answers() {
    let test = http(quick()).await;
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..50_u64 {
        let client = test.client.clone();
        clients.spawn(async move {
            let client = client.begin(NEWEST_LEGACY).await;
            let mut dice = Dice(number);
            let mut history = History::default();
            let mut connections = [
                client.raw(b"").await,
                client.raw(b"").await,
                client.raw(b"").await,
                client.raw(b"").await,
            ];
            for round in 0..50_u64 {
                for (lane, connection) in connections.iter_mut().enumerate() {
                    let id = json!(round * 4 + lane as u64);
                    let secret = format!("{number}/{id}");
                    let delay = if dice.roll(4) == 0 { dice.roll(4) } else { 0 };
                    history.asked(&id, &secret);
                    let echo = call(id, "echo", json!({ "text": secret, "delay_ms": delay }));
                    connection.send(&client.post_bytes("", echo.to_string().as_bytes())).await;
                }
                for connection in &mut connections {
                    history.answered(&connection.response().await.unwrap().json());
                }
            }
            history.check();
        });
    }
    while let Some(done) = clients.join_next().await {
        done.unwrap();
    }
    assert_eq!((test.probe.started(), test.probe.ended()), (10_000, 10_000));
    assert_eq!(test.service.detached(), 0);
    test.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_request_on_a_pipe_is_resolved_exactly_once() {
    for seed in 0..4 {
        let (server, probe) = server();
        let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
        let mut dice = Dice(seed);
        let mut history = History::default();
        for number in 0..1000_u64 {
            let id = json!(number);
            let said = format!("{seed}/{number}");
            let delay = if dice.roll(2) == 0 { 0 } else { dice.roll(5) };
            history.asked(&id, &said);
            line.send(&call(id.clone(), "echo", json!({ "text": said, "delay_ms": delay }))).await;
            if dice.roll(5) == 0 {
                line.send(&cancel(id.clone())).await;
                history.cancelled(&id);
            }
            while history.open() > 60 {
                history.answered(&line.message().await);
            }
        }
        line.end_input().await;
        while let Some(message) = line.try_message().await {
            history.answered(&message);
        }
        history.check();
        assert_eq!(probe.started(), probe.ended(), "seed {seed}");
    }
}

#[tokio::test]
async fn a_flood_of_progress_and_logs_does_not_hold_up_answers() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let flood = followed(1, "t", "chatty", json!({ "count": 50_000 }));
    let mut stream = client.stream(&flood).await;
    let messages = stream.messages().await;
    let queue = HttpSettings::default().queue_messages;
    assert!(messages.len() <= queue + 1, "{} messages", messages.len());
    assert_eq!(text(messages.last().unwrap()), "that was all");

    let mut line = LineClient::begin(&test.server, NEWEST_LEGACY).await;
    line.send(&flood).await;
    line.send(&request(2, "ping", json!({}))).await;
    let mut last = 0.0;
    let mut answers = Vec::new();
    while answers.len() < 2 {
        let message = line.message().await;
        match message["method"].as_str() {
            Some("notifications/progress") => {
                let now = message["params"]["progress"].as_f64().unwrap();
                assert!(now > last);
                last = now;
            }
            Some(_) => {}
            None => answers.push(message["id"].clone()),
        }
    }
    assert_eq!(answers, [json!(1), json!(2)]);
    test.stop().await;
}

#[tokio::test]
async fn a_flood_of_notifications_does_not_hold_up_answers() {
    let (server, _) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    let kinds: [Value; 5] = [
        cancel(7),
        cancel("unknown"),
        notification("notifications/progress", json!({ "progressToken": 1, "progress": 1 })),
        notification("notifications/roots/list_changed", json!({})),
        notification("notifications/made/up", json!({})),
    ];
    let burst = kinds.map(|kind| format!("{kind}\n")).concat().repeat(2000);
    line.send(&call(1, "echo", json!({ "text": "through", "delay_ms": 10 }))).await;
    for _ in 0..5 {
        line.send_bytes(burst.as_bytes()).await;
    }
    assert_eq!(text(&line.answer(1).await), "through");
    line.assert_alive().await;
}

#[tokio::test]
async fn a_client_of_http_sse_that_posts_and_never_listens_is_stopped() {
    let test = http(HttpSettings { queue_messages: 20, ..quick() }).await;
    let (events, path) = test.client.open_sse().await;
    assert_eq!(test.client.post_to(&path, &initialize("2024-11-05")).await.status, 202);
    let large = "x".repeat(200_000);
    let echo = |id: usize| call(id, "echo", json!({ "text": large }));
    let mut refused = None;
    for id in 0..200 {
        let response = test.client.post_to(&path, &echo(id)).await;
        if response.status != 202 {
            refused = Some(response);
            break;
        }
    }
    let refused = refused.expect("answers cannot wait without end");
    assert_eq!(refused.status, 503);
    // It hurts no other client, and one that listens again may ask again.
    let other = test.client.begin(NEWEST_LEGACY).await;
    assert_eq!(other.post(&request(1, "ping", json!({}))).await.status, 200);
    let mut events = events;
    events.message().await.unwrap();
    let reading = tokio::spawn(async move { while events.message().await.is_some() {} });
    loop {
        let response = test.client.post_to(&path, &request("again", "ping", json!({}))).await;
        if response.status == 202 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    test.stop().await;
    reading.await.unwrap();
}

#[tokio::test]
async fn changes_without_a_listener_do_not_pile_up_or_break_the_stream() {
    let test = http(HttpSettings { queue_messages: 8, ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    for _ in 0..100 {
        test.server.announce(&proofmark_sdk::core::session::server::Change::Tools);
    }
    let mut first = client.listen(None).await;
    let waited = first.messages().await;
    assert_eq!(waited.len(), 8);
    let mut second = client.listen(None).await;
    second.next().await.unwrap();
    test.server.announce(&proofmark_sdk::core::session::server::Change::Tools);
    let news = second.message().await.unwrap();
    assert_eq!(news["method"], "notifications/tools/list_changed");
    test.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancellations_race_with_answers_over_http() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut tasks = tokio::task::JoinSet::new();
    for id in 0..200_u64 {
        let caller: Client = client.clone();
        tasks.spawn(async move {
            let echo = call(id, "echo", json!({ "text": id.to_string(), "delay_ms": id % 4 }));
            let response = caller.post(&echo).await;
            assert_eq!(response.status, 200);
            if !response.body.is_empty() {
                assert_eq!(text(&response.json()), id.to_string());
            }
        });
        let canceller = client.clone();
        tasks.spawn(async move {
            tokio::time::sleep(Duration::from_micros(id * 20)).await;
            assert_eq!(canceller.post(&cancel(id)).await.status, 202);
        });
        if id % 20 == 19 {
            while let Some(done) = tasks.join_next().await {
                done.unwrap();
            }
        }
    }
    until(|| test.probe.started() == test.probe.ended()).await;
    // Every id is free again.
    for id in 0..200_u64 {
        let answer = client.post(&request(id, "ping", json!({}))).await.json();
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
    test.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn modern_requests_with_one_id_run_side_by_side() {
    let test = http(quick()).await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..100_u64 {
        let client = test.client.clone();
        tasks.spawn(async move {
            let arguments = json!({ "text": number.to_string(), "delay_ms": number % 7 });
            let echo = modern(1, "tools/call", json!({ "name": "echo", "arguments": arguments }));
            let response = client.answer(&client.modern_bytes(&echo)).await;
            assert_eq!(text(&response.json()), number.to_string());
        });
    }
    tasks.join_all().await;
    assert_eq!((test.service.sessions(), test.service.detached()), (0, 0));
    test.stop().await;
}
