//! News, and who hears of it.

use std::time::Duration;

use proofmark_sdk::{
    server::{Context, NoArguments, prompt, resource, tool},
    transport::{LineSettings, http::HttpSettings},
};
use serde_json::{Value, json};

use crate::common::{
    LineClient, NEWEST_LEGACY, http, initialize, modern, notification, quick, request,
};

#[tokio::test]
async fn changed_lists_are_told_to_every_client_that_can_hear_it() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut standalone = client.listen(None).await;
    standalone.next().await.unwrap();
    let (mut sse, path) = test.client.open_sse().await;
    test.client.post_to(&path, &initialize("2024-11-05")).await;
    sse.message().await.unwrap();
    test.client.post_to(&path, &notification("notifications/initialized", json!({}))).await;
    let mut line = LineClient::begin(&test.server, NEWEST_LEGACY).await;
    line.assert_alive().await;
    let wanted = json!({ "toolsListChanged": true });
    let listen = modern("l", "subscriptions/listen", json!({ "notifications": wanted }));
    let mut listening = test.client.raw(&test.client.modern_bytes(&listen)).await.events().await;
    listening.message().await.unwrap();

    let added = tool("new").handler(async |_: Context, _: NoArguments| "new");
    test.server.add_tool(added).unwrap();
    test.server.add_prompt(prompt("f").handler(|_, _| async { Ok(String::new()) })).unwrap();
    test.server.add_resource(resource("test://two", "two").text("2")).unwrap();
    assert!(test.server.remove_tool("new"));
    assert!(!test.server.remove_tool("new"));

    let kinds = ["tools", "prompts", "resources", "tools"];
    for kind in kinds {
        let expected = Value::from(format!("notifications/{kind}/list_changed"));
        assert_eq!(standalone.message().await.unwrap()["method"], expected);
        assert_eq!(sse.message().await.unwrap()["method"], expected);
        assert_eq!(line.message().await["method"], expected);
    }
    for _ in 0..2 {
        let told = listening.message().await.unwrap();
        assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    }
    // And nothing twice.
    line.assert_alive().await;
    test.stop().await;
    assert_eq!(standalone.message().await, None);
    assert_eq!(sse.message().await, None);
    assert_eq!(listening.messages().await.len(), 1);
}

#[tokio::test]
async fn changes_are_not_told_before_the_handshake_is_complete() {
    let test = http(quick()).await;
    let mut line = LineClient::connect(&test.server, LineSettings::default());
    line.ask(&initialize(NEWEST_LEGACY)).await;
    test.server.remove_tool("slow");
    line.send(&notification("notifications/initialized", json!({}))).await;
    line.assert_alive_next().await;
    test.server.remove_tool("asks");
    assert_eq!(line.message().await["method"], "notifications/tools/list_changed");
    test.stop().await;
}

impl LineClient {
    /// The very next message is the answer to a ping.
    async fn assert_alive_next(&mut self) {
        self.send(&request("next", "ping", json!({}))).await;
        assert_eq!(self.message().await["id"], "next");
    }
}

#[tokio::test]
async fn a_watched_resource_is_told_of_until_it_is_not_watched_any_more() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut standalone = client.listen(None).await;
    standalone.next().await.unwrap();
    let mut line = LineClient::begin(&test.server, NEWEST_LEGACY).await;
    let uri = |uri: &str| json!({ "uri": uri });
    let subscribe = request(1, "resources/subscribe", uri("test://one"));
    assert_eq!(client.post(&subscribe).await.json()["result"], json!({}));
    assert_eq!(line.ask(&subscribe).await["result"], json!({}));
    assert_eq!(line.ask(&subscribe).await["result"], json!({}), "twice is once");
    test.server.resource_updated("test://other/x");
    test.server.resource_updated("test://one");
    for message in [standalone.message().await.unwrap(), line.message().await] {
        assert_eq!(message["method"], "notifications/resources/updated");
        assert_eq!(message["params"]["uri"], "test://one");
    }
    let unsubscribe = request(2, "resources/unsubscribe", uri("test://one"));
    assert_eq!(client.post(&unsubscribe).await.json()["result"], json!({}));
    assert_eq!(line.ask(&unsubscribe).await["result"], json!({}));
    test.server.resource_updated("test://one");
    line.assert_alive_next().await;
    test.server.remove_tool("slow");
    let next = standalone.message().await.unwrap();
    assert_eq!(next["method"], "notifications/tools/list_changed");
    test.stop().await;
}

#[tokio::test]
async fn a_quiet_stream_shows_signs_of_life() {
    let test = http(HttpSettings { keep_alive: Duration::from_millis(20), ..quick() }).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut standalone = client.listen(None).await;
    let (mut sse, _) = client.open_sse().await;
    let slow = crate::common::followed(1, "t", "steps", json!({ "count": 3, "pause_ms": 80 }));
    let mut answering = client.stream(&slow).await;
    for stream in [&mut standalone, &mut sse, &mut answering] {
        let mut comments = 0;
        while comments < 2 {
            let event = stream.next().await.expect("the stream is open");
            comments += usize::from(event.is_comment);
        }
    }
    assert_eq!(crate::common::text(answering.messages().await.last().unwrap()), "all steps");
    test.stop().await;
}

#[tokio::test]
async fn a_client_that_asks_for_the_standalone_stream_again_takes_it_over() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut first = client.listen(None).await;
    first.next().await.unwrap();
    for _ in 0..10 {
        let mut second = client.listen(None).await;
        assert_eq!(second.status, 200);
        second.next().await.unwrap();
        assert_eq!(first.next().await, None, "the first ends cleanly");
        test.server.announce(&proofmark_sdk::core::session::server::Change::Tools);
        let news = second.message().await.unwrap();
        assert_eq!(news["method"], "notifications/tools/list_changed");
        first = second;
    }
    test.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_goes_to_exactly_one_standalone_stream_however_often_it_is_taken_over() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let subscribe =
        |n: usize| request(1, "resources/subscribe", json!({ "uri": format!("test://{n}/x") }));
    for n in 0..200 {
        assert_eq!(client.post(&subscribe(n)).await.json()["result"], json!({}));
    }
    let server = test.server.clone();
    let telling = tokio::spawn(async move {
        for n in 0..200 {
            server.resource_updated(format!("test://{n}/x"));
            tokio::time::sleep(Duration::from_micros(500)).await;
        }
    });
    let mut seen = Vec::new();
    let mut last_id = None;
    while seen.len() < 200 {
        let mut stream = client.listen(last_id.as_deref()).await;
        assert_eq!(stream.status, 200);
        for _ in 0..7 {
            let event = stream.next().await.expect("the newest stream is open");
            last_id = stream.last_id.clone();
            if let Some(message) = event.message() {
                seen.push(message["params"]["uri"].as_str().unwrap().to_owned());
            }
            if seen.len() == 200 {
                break;
            }
        }
    }
    telling.await.unwrap();
    let expected: Vec<_> = (0..200).map(|n| format!("test://{n}/x")).collect();
    assert_eq!(seen, expected);
    test.stop().await;
}
