//! Real pipes and sockets, with the client at the other ends.

mod equivalence;

use std::{
    future::pending,
    os::{fd::OwnedFd, unix::net::UnixStream as StdUnixStream},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixStream, unix::pipe},
    task::JoinHandle,
};

use super::*;
use crate::server::{Context, NoArguments};

fn server() -> Server {
    Server::builder("s", "1")
        .tool("quick", "", async |_: Context, NoArguments {}| "quick")
        .tool("slow", "", async |_: Context, NoArguments {}| {
            tokio::time::sleep(Duration::from_millis(20)).await;
            "slow"
        })
        .tool("spawns", "", async |_: Context, NoArguments {}| {
            tokio::spawn(async { "spawned" }).await.unwrap_or("lost")
        })
        .tool("waits", "", async |_: Context, NoArguments {}| {
            std::future::pending::<()>().await;
            "never"
        })
        .tool("long", "", async |_: Context, NoArguments {}| "a".repeat(LONG))
        .build()
        .unwrap()
}

fn settings() -> LineSettings {
    LineSettings { backlog: 2 * LONG, drain: Duration::from_mins(1), ..LineSettings::default() }
}

struct Client {
    to_server: pipe::Sender,
    from_server: BufReader<pipe::Receiver>,
    serving: JoinHandle<io::Result<()>>,
}

impl Client {
    async fn begin(settings: LineSettings) -> Self {
        let (input, to_server) = io::pipe().unwrap();
        let (from_server, output) = io::pipe().unwrap();
        let mut client = Self {
            to_server: pipe::Sender::from_owned_fd(to_server.into()).unwrap(),
            from_server: BufReader::new(pipe::Receiver::from_owned_fd(from_server.into()).unwrap()),
            serving: serving(input.into(), output.into(), settings),
        };
        client.send(&initialize()).await;
        assert_eq!(client.message().await["id"], 0);
        client
    }

    async fn send(&mut self, message: &Value) {
        self.to_server.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn call(&mut self, id: usize, tool: &str) {
        self.send(&call(id, tool)).await;
    }

    async fn message(&mut self) -> Value {
        let mut line = String::new();
        self.from_server.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn serving(input: OwnedFd, output: OwnedFd, settings: LineSettings) -> JoinHandle<io::Result<()>> {
    let (input, output) = (PipeReader::new(input), PipeWriter::new(output).unwrap());
    tokio::spawn(async move { serve(&server(), input, output, settings, pending()).await })
}

fn initialize() -> Value {
    let client = json!({ "name": "c", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

fn call(id: usize, tool: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool } })
}

fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn a_call_that_waits_does_not_hold_up_another() {
    let mut client = Client::begin(settings()).await;
    for (id, tool) in [(1, "waits"), (2, "slow"), (3, "quick")] {
        client.call(id, tool).await;
    }
    assert_eq!(client.message().await["id"], 3);
    assert_eq!(text(&client.message().await), "slow");
}

#[tokio::test]
async fn a_handler_begins_within_the_runtime() {
    let mut client = Client::begin(settings()).await;
    client.call(1, "spawns").await;
    assert_eq!(text(&client.message().await), "spawned");
}

#[tokio::test]
async fn a_cancelled_request_is_not_waited_for_at_the_end() {
    let mut client = Client::begin(settings()).await;
    client.call(1, "waits").await;
    client
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }))
        .await;
    drop(client.to_server);
    client.serving.await.unwrap().unwrap();
    let mut rest = String::new();
    client.from_server.read_to_string(&mut rest).await.unwrap();
    assert_eq!(rest, "");
}

#[tokio::test]
async fn what_was_asked_before_the_input_ended_is_answered() {
    let mut client = Client::begin(settings()).await;
    client.call(1, "slow").await;
    drop(client.to_server);
    client.serving.await.unwrap().unwrap();
    let mut rest = String::new();
    client.from_server.read_to_string(&mut rest).await.unwrap();
    assert_eq!(text(&serde_json::from_str(&rest).unwrap()), "slow");
}

#[tokio::test]
async fn a_client_that_reads_late_gets_everything_in_order() {
    let mut client = Client::begin(settings()).await;
    let calls = 100;
    let asking = async {
        let mut to_server = client.to_server;
        for id in 0..calls {
            // Long answers to short questions: the server has to stop reading before these are written.
            let padded = format!("{:4096}\n", call(id, "long").to_string());
            to_server.write_all(padded.as_bytes()).await.unwrap();
        }
        to_server
    };
    let mut asking = std::pin::pin!(asking);
    // Nothing is read until the server lets nothing more be written.
    let stuck = tokio::time::timeout(Duration::from_millis(200), asking.as_mut()).await;
    assert!(stuck.is_err(), "the backlog has no bound");
    let reading = async {
        for id in 0..calls {
            let mut line = String::new();
            client.from_server.read_line(&mut line).await.unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            assert_eq!((&message["id"], text(&message).len()), (&json!(id), LONG));
        }
    };
    let (to_server, ()) = tokio::join!(asking, reading);
    drop(to_server);
    client.serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_that_reads_no_more_ends_the_conversation() {
    let mut client = Client::begin(settings()).await;
    drop(client.from_server);
    client.to_server.write_all(format!("{}\n", call(1, "quick")).as_bytes()).await.unwrap();
    let ended = client.serving.await.unwrap();
    assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn one_socket_may_be_both_input_and_output() {
    let (ours, theirs) = StdUnixStream::pair().unwrap();
    let serving = serving(theirs.try_clone().unwrap().into(), theirs.into(), settings());
    ours.set_nonblocking(true).unwrap();
    let mut ours = BufReader::new(UnixStream::from_std(ours).unwrap());
    for message in [initialize(), call(1, "long")] {
        ours.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        let mut line = String::new();
        ours.read_line(&mut line).await.unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], message["id"]);
    }
    ours.shutdown().await.unwrap();
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn nothing_is_left_of_a_conversation_that_is_dropped() {
    let mut client = Client::begin(settings()).await;
    client.call(1, "waits").await;
    client.serving.abort();
    assert!(client.serving.await.unwrap_err().is_cancelled());
    let mut rest = String::new();
    client.from_server.read_to_string(&mut rest).await.unwrap();
    assert_eq!(rest, "");
    // The thread finds out when something comes, and reads no more.
    while client.to_server.write_all(b"\n").await.is_ok() {}
}

/// Bytes of a long answer: more than a pipe holds by itself.
const LONG: usize = 100_000;
