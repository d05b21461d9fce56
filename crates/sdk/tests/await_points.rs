//! Calls that are dropped at every point at which they can be.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    collections::HashMap,
    future::{Future, IntoFuture},
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use proofmark_sdk::{
    client::{Client, ClientBuilder, Target},
    core::{
        revision::{Era, Revision},
        session::client::Preference,
    },
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split},
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::timeout,
};

#[test]
fn a_call_that_is_dropped_at_any_point_is_answered_or_cancelled_once_and_leaves_nothing() {
    turn_by_turn(call_that_is_dropped());
}

async fn call_that_is_dropped() {
    // So narrow that a message takes many turns.
    let (client, mut heard) = connect_through(16).await;
    let mut dropped = 0;
    loop {
        // A poll at a time, with room for the other tasks in between.
        let finished = {
            let mut call = pin!(client.call_tool("add", json!({"n": dropped})).into_future());
            let mut polls = 0;
            loop {
                match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(outcome) => {
                        outcome.unwrap();
                        break true;
                    }
                    Poll::Pending if polls == dropped => break false,
                    Poll::Pending => polls += 1,
                }
                tokio::task::yield_now().await;
            }
        };
        // The connection is as good as before.
        timeout(Duration::from_secs(10), client.ping().into_future()).await.unwrap().unwrap();
        if finished {
            break;
        }
        dropped += 1;
    }
    assert!(dropped > 3, "there were only {dropped} points");
    client.close().await;

    let mut calls: HashMap<String, (usize, usize)> = HashMap::new();
    while let Some(message) = heard.recv().await {
        if message["method"] == "tools/call" {
            calls.entry(message["id"].to_string()).or_default().0 += 1;
        }
        if message["method"] == "notifications/cancelled" {
            calls.entry(message["params"]["requestId"].to_string()).or_default().1 += 1;
        }
    }
    for (id, (sent, cancelled)) in &calls {
        assert_eq!(*sent, 1, "{id} was sent {sent} times");
        assert!(*cancelled <= 1, "{id} was cancelled {cancelled} times");
    }
    assert!(calls.values().any(|(_, cancelled)| *cancelled == 1), "none was cancelled");
}

#[test]
fn a_connection_that_is_dropped_while_it_is_made_is_made_no_further() {
    turn_by_turn(connection_that_is_dropped());
}

async fn connection_that_is_dropped() {
    for stop in 0.. {
        let (near, far) = duplex(16);
        let (reader, writer) = split(near);
        let (tell, mut heard) = unbounded_channel();
        tokio::spawn(serve(far, tell));
        let finished = {
            let mut connecting = pin!(builder().connect(Target::streams(reader, writer)));
            let mut polls = 0;
            loop {
                match connecting.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(client) => {
                        client.unwrap().close().await;
                        break true;
                    }
                    Poll::Pending if polls == stop => break false,
                    Poll::Pending => polls += 1,
                }
                tokio::task::yield_now().await;
            }
        };
        // The other end sees that the connection is gone.
        let end = async { while heard.recv().await.is_some() {} };
        timeout(Duration::from_secs(10), end).await.unwrap();
        if finished {
            assert!(stop > 3, "there were only {stop} points");
            return;
        }
    }
}

/// Runs one task at a time and then looks at the test again, so that the test sees every step of the others.
fn turn_by_turn(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().event_interval(1).build().unwrap().block_on(test);
}

#[tokio::test]
async fn a_client_may_be_closed_by_several_at_once_while_calls_are_open() {
    let (client, _heard) = connect().await;
    let call = client.call_tool("never", ()).into_future();
    let closing = async {
        let (one, two) = (client.clone(), client.clone());
        let first = tokio::spawn(async move { one.close().await });
        let second = tokio::spawn(async move { two.close().await });
        client.close().await;
        first.await.unwrap();
        second.await.unwrap();
    };
    let both = async { tokio::join!(call, closing) };
    let (outcome, ()) = timeout(Duration::from_secs(10), both).await.unwrap();
    assert_eq!(outcome.unwrap_err().to_string(), "the client was closed");
}

#[tokio::test]
async fn a_call_that_gets_no_answer_in_time_is_cancelled_on_the_wire() {
    let (client, mut heard) = connect().await;
    let error = client.call_tool("never", ()).patience(Duration::from_millis(50)).await;
    assert!(error.unwrap_err().is_timeout());
    let mut sent = None;
    loop {
        let message = timeout(Duration::from_secs(10), heard.recv()).await.unwrap().unwrap();
        if message["method"] == "tools/call" {
            sent = Some(message["id"].clone());
        }
        if message["method"] == "notifications/cancelled" {
            assert_eq!(Some(&message["params"]["requestId"]), sent.as_ref());
            return;
        }
    }
}

#[tokio::test]
async fn answers_that_come_a_byte_at_a_time_are_whole() {
    let (near, far) = duplex(1);
    let (reader, writer) = split(near);
    let (tell, _heard) = unbounded_channel();
    tokio::spawn(serve(far, tell));
    let client = builder().connect(Target::streams(reader, writer)).await.unwrap();
    for _ in 0..3 {
        let (one, two) = tokio::join!(
            client.call_tool("add", ()).into_future(),
            client.call_tool("add", ()).into_future(),
        );
        one.unwrap();
        two.unwrap();
    }
}

fn builder() -> ClientBuilder {
    let preference = Preference::Legacy(Revision::newest(Era::Legacy));
    Client::builder("test", "1").preference(preference)
}

async fn connect() -> (Client, UnboundedReceiver<Value>) {
    connect_through(64 * 1024).await
}

/// Through a pipe that holds so many bytes.
async fn connect_through(capacity: usize) -> (Client, UnboundedReceiver<Value>) {
    let (near, far) = duplex(capacity);
    let (reader, writer) = split(near);
    let (tell, heard) = unbounded_channel();
    tokio::spawn(serve(far, tell));
    (builder().connect(Target::streams(reader, writer)).await.unwrap(), heard)
}

/// Answers everything but the tool `never`, and tells what it hears until the other end is gone.
async fn serve(far: tokio::io::DuplexStream, tell: tokio::sync::mpsc::UnboundedSender<Value>) {
    let (reader, mut writer) = split(far);
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).unwrap();
        let _unheard = tell.send(message.clone());
        let Some(id) = message.get("id") else { continue };
        let result = match message["method"].as_str().unwrap() {
            "initialize" => json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "script", "version": "1"},
            }),
            "tools/call" if message["params"]["name"] == "never" => continue,
            "tools/call" => json!({"content": []}),
            _ => json!({}),
        };
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
        if writer.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}
