//! A handler that is told of changed roots.

use std::sync::{Arc, Mutex};

use proofmark_sdk::{
    server::{Context, NoArguments, Server},
    transport::LineSettings,
};
use serde_json::{Value, json};

use crate::common::{
    LineClient, NEWEST_LEGACY, Probe, call, http_with, modern, notification, quick, request, text,
    until,
};

/// What handlers found, in order.
type Found = Arc<Mutex<Vec<String>>>;

fn server(found: &Found, probe: &Probe) -> Server {
    let (found, probe) = (Arc::clone(found), probe.clone());
    Server::builder("roots", "1")
        .tool("quick", "", async |_: Context, NoArguments {}| "quick")
        .roots_changed(move |context| {
            let (found, watched) = (Arc::clone(&found), probe.watch());
            async move {
                let _watched = watched;
                assert!(context.request_id().is_none());
                let roots = match context.roots().await {
                    Ok(found) => found.roots.into_iter().map(|root| root.uri).collect(),
                    Err(error) => format!("{error:?}"),
                };
                found.lock().unwrap().push(roots);
            }
        })
        .build()
        .unwrap()
}

fn initialize() -> Value {
    let capabilities = json!({ "roots": { "listChanged": true } });
    let info = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": NEWEST_LEGACY, "capabilities": capabilities, "clientInfo": info });
    request("init", "initialize", params)
}

fn changed() -> Value {
    notification("notifications/roots/list_changed", json!({}))
}

fn roots(question: &Value, uri: &str) -> Value {
    assert_eq!(question["method"], "roots/list", "{question}");
    json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": [{ "uri": uri }] } })
}

async fn line(server: &Server) -> LineClient {
    let mut line = LineClient::connect(server, LineSettings::default());
    line.ask(&initialize()).await;
    line.send(&notification("notifications/initialized", json!({}))).await;
    line
}

#[tokio::test]
async fn on_a_pipe_the_handler_asks_and_is_answered() {
    let (found, probe) = (Found::default(), Probe::default());
    let mut line = line(&server(&found, &probe)).await;
    line.send(&changed()).await;
    let question = line.message().await;
    // A call is not held up by it.
    assert_eq!(text(&line.ask(&call(1, "quick", json!({}))).await), "quick");
    line.send(&roots(&question, "file:///new")).await;
    until(|| *found.lock().unwrap() == ["file:///new"]).await;
    line.assert_alive().await;
}

#[tokio::test]
async fn over_http_the_question_comes_on_the_stream_of_the_session() {
    let (found, probe) = (Found::default(), Probe::default());
    let test = http_with(server(&found, &probe), probe, "127.0.0.1:0", quick()).await;
    let client = test.client.begin_with(&initialize()).await;
    let mut standalone = client.listen(None).await;
    standalone.next().await.unwrap();
    assert_eq!(client.post(&changed()).await.status, 202);
    let question = standalone.message().await.unwrap();
    client.post(&roots(&question, "file:///new")).await;
    until(|| *found.lock().unwrap() == ["file:///new"]).await;
    test.stop().await;
}

#[tokio::test]
async fn over_http_sse_the_question_comes_on_the_stream_of_the_session() {
    let (found, probe) = (Found::default(), Probe::default());
    let test = http_with(server(&found, &probe), probe, "127.0.0.1:0", quick()).await;
    let (mut sse, path) = test.client.open_sse().await;
    test.client.post_to(&path, &initialize()).await;
    sse.message().await.unwrap();
    test.client.post_to(&path, &notification("notifications/initialized", json!({}))).await;
    test.client.post_to(&path, &changed()).await;
    let question = sse.message().await.unwrap();
    test.client.post_to(&path, &roots(&question, "file:///new")).await;
    until(|| *found.lock().unwrap() == ["file:///new"]).await;
    test.stop().await;
}

#[tokio::test]
async fn the_handler_ends_with_the_conversation() {
    let (found, probe) = (Found::default(), Probe::default());
    let mut line = line(&server(&found, &probe)).await;
    line.send(&changed()).await;
    line.message().await;
    line.end_input().await;
    until(|| probe.ended() == 1).await;
    let test = http_with(server(&found, &probe), probe.clone(), "127.0.0.1:0", quick()).await;
    let client = test.client.begin_with(&initialize()).await;
    client.post(&changed()).await;
    until(|| probe.started() == 2).await;
    client.bodiless("DELETE", "").await;
    until(|| probe.ended() == 2).await;
    test.stop().await;
}

#[tokio::test]
async fn a_client_that_has_not_shaken_hands_begins_no_handler() {
    let (found, probe) = (Found::default(), Probe::default());
    let mut line = LineClient::connect(&server(&found, &probe), LineSettings::default());
    line.send(&changed()).await;
    let call = modern(1, "tools/call", json!({ "name": "quick", "arguments": {} }));
    assert_eq!(text(&line.ask(&call).await), "quick");
    assert_eq!(probe.started(), 0);
}

#[tokio::test]
async fn a_client_that_has_no_roots_is_not_asked() {
    let (found, probe) = (Found::default(), Probe::default());
    let mut line = LineClient::begin(&server(&found, &probe), NEWEST_LEGACY).await;
    line.send(&changed()).await;
    until(|| probe.ended() == 1).await;
    assert!(found.lock().unwrap()[0].contains("roots"), "{found:?}");
    line.assert_alive().await;
}

#[tokio::test]
async fn news_that_come_while_the_handler_runs_make_it_run_once_more() {
    let (found, probe) = (Found::default(), Probe::default());
    let mut line = line(&server(&found, &probe)).await;
    for _ in 0..50 {
        line.send(&changed()).await;
    }
    for uri in ["file:///a", "file:///b"] {
        let question = line.message().await;
        line.send(&roots(&question, uri)).await;
    }
    until(|| *found.lock().unwrap() == ["file:///a", "file:///b"]).await;
    line.assert_alive().await;
    assert_eq!((probe.started(), probe.ended()), (2, 2));
    // And it can be told again.
    line.send(&changed()).await;
    let question = line.message().await;
    line.send(&roots(&question, "file:///c")).await;
    until(|| found.lock().unwrap().len() == 3).await;
}

#[tokio::test]
async fn a_handler_that_panics_is_told_again() {
    let probe = Probe::default();
    let watched = probe.clone();
    let server = Server::builder("roots", "1").roots_changed(move |_| {
        let _watched = watched.watch();
        async { panic!("a handler panics on purpose") }
    });
    let mut line = line(&server.build().unwrap()).await;
    for count in 1..=2 {
        line.send(&changed()).await;
        line.assert_alive().await;
        assert_eq!(probe.started(), count);
    }
}
