//! Clients on a pipe.

use std::{sync::Arc, time::Duration};

use proofmark_check::{
    Options, check_client,
    converse::hosted::{ClientPeer, ServerAddress},
    judge::outcome::Status,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, split};

use super::{framed, line, without};

#[tokio::test(start_paused = true)]
async fn what_is_wrong_with_the_handshake_of_a_client_is_found() {
    for (what, write, expected) in [
        ("indented", (|it| format!("{it:#}\n").into_bytes()) as fn(&Value) -> Vec<u8>, "M015"),
        ("behind a length", |it| framed(&it.to_string()), "M017"),
        ("behind a mark", |it| format!("\u{feff}{it}\n").into_bytes(), "M017"),
        ("without an end", |it| it.to_string().into_bytes(), "M014"),
        ("without an id", |it| line(&without(it, "id")), "M002"),
        ("without a version", |it| line(&without(it, "jsonrpc")), "M001"),
        ("an id of null", |it| line(&with_id(it, Value::Null)), "M003"),
        ("an id that is an object", |it| line(&with_id(it, json!({ "a": 1 }))), "M002"),
        ("no params", |it| line(&without(it, "params")), "M040"),
        (
            "no handshake",
            |it| if it["method"] == "initialize" { Vec::new() } else { line(it) },
            "M039",
        ),
    ] {
        let peer = client(write);
        let report = check_client(&peer, &options()).await.unwrap();
        let entry = report.entries.iter().find(|it| it.requirement.id == expected).unwrap();
        assert_eq!(entry.status, Status::Fail, "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_nothing_like_mcp_is_quoted() {
    let peer = client(|_| b"hello?\n".to_vec());
    let unreachable = check_client(&peer, &options()).await.unwrap_err();
    assert!(unreachable.to_string().contains("hello?"), "{unreachable}");
}

#[tokio::test(start_paused = true)]
async fn a_check_of_a_client_that_takes_too_long_keeps_what_was_seen() {
    let peer = client(|it| format!("{it:#}\n").into_bytes());
    let options = Options { run_timeout: Duration::from_millis(1), ..options() };
    let report = check_client(&peer, &options).await.unwrap();
    assert!(report.broken_off.is_some());
    let status =
        |id: &str| report.entries.iter().find(|it| it.requirement.id == id).unwrap().status;
    assert_eq!(status("M015"), Status::Fail);
    assert_eq!(status("M079"), Status::Untestable);
}

fn options() -> Options {
    Options { timeout: Duration::from_secs(1), ..Options::default() }
}

/// Says what a client says first, without listening.
fn client(write: fn(&Value) -> Vec<u8>) -> ClientPeer {
    let run = move |address, _| -> proofmark_check::converse::peer::Serving {
        Box::pin(async move {
            let ServerAddress::Pipe(pipes) = address else { return };
            let (mut from, mut to) = split(pipes.start());
            for message in [
                json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                    "protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": { "name": "odd", "version": "1" } } }),
                json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
                json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
            ] {
                let _ = to.write_all(&write(&message)).await;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            let listening = async { while matches!(from.read(&mut [0; 1024]).await, Ok(1..)) {} };
            let _ = tokio::time::timeout(Duration::from_secs(4), listening).await;
        })
    };
    ClientPeer::Memory { run: Arc::new(run), document: Value::Null }
}

fn with_id(message: &Value, id: Value) -> Value {
    let mut message = message.clone();
    if message.get("id").is_some() {
        message["id"] = id;
    }
    message
}
