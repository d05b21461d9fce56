//! Servers and clients whose handshake is wrong: each is read all the same, and has one finding for what is wrong with it.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

#[path = "handshakes/clients.rs"]
mod clients;
#[path = "handshakes/http.rs"]
mod http;

use std::{sync::Arc, time::Duration};

use proofmark_check::{
    Options, check, converse::peer::Peer, judge::outcome::Status, record::wire::lines::LineWire,
    report::Report,
};
use proofmark_core::revision::{Era, Revision};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};

#[tokio::test(start_paused = true)]
async fn what_is_wrong_with_every_message_is_one_finding() {
    for (what, write, expected) in [
        ("right", line as Write, [].as_slice()),
        ("an id as a string", |it| line(&with_id(it, |id| json!(text(id)))), &["M006"]),
        ("an id as a fraction", |it| line(&with_id(it, |id| json!(id.as_f64()))), &["M006"]),
        ("an id of its own", |it| line(&with_id(it, |_| json!(4711))), &["M006"]),
        ("no id", |it| line(&with_id(it, |_| Value::Null)), &["M006"]),
        ("indented", |it| format!("{it:#}\n").into_bytes(), &["M015"]),
        ("behind a length", |it| framed(&it.to_string()), &["M016"]),
        ("behind a mark", |it| format!("\u{feff}{it}\n").into_bytes(), &["M016"]),
        ("without an end", |it| it.to_string().into_bytes(), &["M014"]),
        ("with carriage returns", |it| format!("{it}\r").into_bytes(), &["M014"]),
        ("with carriage returns, too", |it| format!("{it}\r\n").into_bytes(), &[]),
        ("without a version", |it| line(&without(it, "jsonrpc")), &["M001"]),
        // Not every id can be said in it.
        ("in Latin-1", |it| latin_1(it), &["M006", "M154"]),
    ] {
        let report = check(&server(write, |_| None, Input::Lines), &options()).await.unwrap();
        assert_eq!(failed(&report), expected, "{what}");
        assert!(report.broken_off.is_none(), "{what}");
        // The rest was looked at.
        let observed = report.entries.iter().find(|it| it.requirement.id == "M079").unwrap();
        assert_eq!(observed.status, Status::Pass, "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_with_the_handshake_is_found() {
    for (what, change, expected) in [
        ("no version", (|it| drop_member(it, "protocolVersion")) as Change, ["M042"].as_slice()),
        ("no name", |it| drop_member(it, "serverInfo"), &["M042"]),
        ("a list", |it| it["result"]["capabilities"] = json!(["tools"]), &["M042", "M047"]),
        ("a number", |it| it["result"]["protocolVersion"] = json!(1), &["M042"]),
        ("no such version", |it| it["result"]["protocolVersion"] = json!("1.0"), &["M046"]),
        ("null", |it| it["result"] = Value::Null, &["M042", "M047"]),
        ("both", |it| it["error"] = json!({ "code": 1, "message": "a" }), &["M007"]),
    ] {
        let report =
            check(&server(line, change_of(change), Input::Lines), &options()).await.unwrap();
        assert_eq!(failed(&report), expected, "{what}");
        assert!(report.broken_off.is_none(), "{what}");
    }
    for (what, change, expected) in [
        ("refused", (|it| refuse(it)) as Change, ["M042"].as_slice()),
        ("neither", |it| *it = without(it, "result"), &["M007", "M094"]),
    ] {
        let report =
            check(&server(line, change_of(change), Input::Lines), &options()).await.unwrap();
        assert_eq!(failed(&report), expected, "{what}");
        assert!(report.broken_off.is_some(), "{what}");
        assert_eq!(report.score(), None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_lengths_only_is_spoken_to_in_them() {
    let peer = server(|it| framed(&it.to_string()), |_| None, Input::Lengths);
    let report = check(&peer, &Options { revision: None, ..options() }).await.unwrap();
    assert_eq!(failed(&report), ["M013", "M016"]);
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_refused_is_followed_by_older_ones() {
    let peer = server(
        line,
        |message| {
            let version = message["params"]["protocolVersion"].as_str()?;
            (version != "2024-11-05").then(|| {
                let mut answer = json!({ "jsonrpc": "2.0", "id": message["id"] });
                refuse(&mut answer);
                answer
            })
        },
        Input::Lines,
    );
    let report = check(&peer, &Options { revision: None, ..options() }).await.unwrap();
    assert_eq!(report.revision.as_str(), "2024-11-05");
    assert!(report.broken_off.is_none());
}

#[tokio::test(start_paused = true)]
async fn what_is_no_mcp_is_quoted_and_not_judged() {
    let peer = server(|_| b"usage: server [--port]\n".to_vec(), |_| None, Input::Lines);
    let unreachable = check(&peer, &options()).await.unwrap_err();
    assert!(unreachable.to_string().contains("usage: server"), "{unreachable}");
}

type Write = fn(&Value) -> Vec<u8>;
type Change = fn(&mut Value);

/// How a server takes messages apart.
#[derive(Clone, Copy)]
enum Input {
    Lines,
    Lengths,
}

fn options() -> Options {
    Options {
        revision: Some(Revision::newest(Era::Legacy)),
        timeout: Duration::from_secs(5),
        ..Options::default()
    }
}

/// The ids of what must be and is not, in the order of the catalogue.
fn failed(report: &Report) -> Vec<&'static str> {
    let mut failed: Vec<_> = report
        .entries
        .iter()
        .filter(|entry| entry.status == Status::Fail)
        .map(|entry| entry.requirement.id)
        .collect();
    failed.sort_unstable();
    failed
}

/// A server with one tool. `instead` is asked first.
fn server(
    write: Write,
    instead: impl Fn(&Value) -> Option<Value> + Clone + Send + Sync + 'static,
    input: Input,
) -> Peer {
    Peer::Memory(Arc::new(move || {
        let (near, far) = duplex(64 * 1024);
        let (reader, writer) = split(near);
        let instead = instead.clone();
        let serving = async move {
            let (mut from, mut to) = split(far);
            let mut buffer = Vec::new();
            loop {
                while let Some(text) = take(&mut buffer, input) {
                    let Ok(message) = serde_json::from_slice::<Value>(&text) else { continue };
                    if let Some(answer) = instead(&message).or_else(|| answer(&message)) {
                        let _ = to.write_all(&write(&answer)).await;
                    }
                }
                if !matches!(from.read_buf(&mut buffer).await, Ok(1..)) {
                    return;
                }
            }
        };
        (LineWire::new(reader, writer), Box::pin(serving))
    }))
}

/// The next message of a buffer.
fn take(buffer: &mut Vec<u8>, input: Input) -> Option<Vec<u8>> {
    match input {
        Input::Lines => {
            let end = buffer.iter().position(|byte| *byte == b'\n')?;
            Some(buffer.drain(..=end).collect())
        }
        Input::Lengths => {
            let text = String::from_utf8_lossy(buffer).into_owned();
            let (before, rest) = text.split_once("Content-Length: ")?;
            let (length, body) = rest.split_once("\r\n\r\n")?;
            let length: usize = length.parse().ok()?;
            let taken = body.as_bytes().get(..length)?.to_vec();
            let header = text.len() - body.len() - before.len();
            buffer.drain(..before.len() + header + length);
            Some(taken)
        }
    }
}

/// What a right server answers.
fn answer(message: &Value) -> Option<Value> {
    let (id, method) = (message.get("id")?, message["method"].as_str()?);
    let outcome = match method {
        "initialize" => {
            let asked = message["params"]["protocolVersion"].as_str().unwrap_or_default();
            let known = asked.parse().is_ok_and(|it: Revision| it.era() == Era::Legacy);
            let version = if known { asked } else { Revision::newest(Era::Legacy).as_str() };
            json!({ "result": { "protocolVersion": version, "capabilities": { "tools": {} },
                "serverInfo": { "name": "odd", "version": "1" } } })
        }
        "ping" => json!({ "result": {} }),
        "tools/list" if message["params"].get("cursor").is_none() => json!({ "result": { "tools": [
            { "name": "a", "description": "é", "inputSchema": { "type": "object" } }] } }),
        "tools/list" | "tools/call" => json!({ "error": { "code": -32602, "message": "no" } }),
        _ => json!({ "error": { "code": -32601, "message": "no such method" } }),
    };
    let mut answer = outcome;
    answer["jsonrpc"] = json!("2.0");
    answer["id"] = id.clone();
    Some(answer)
}

/// The answer to `initialize`, changed.
fn change_of(change: Change) -> impl Fn(&Value) -> Option<Value> + Clone {
    move |message| {
        (message["method"] == "initialize").then_some(())?;
        let mut answer = answer(message)?;
        change(&mut answer);
        Some(answer)
    }
}

fn refuse(answer: &mut Value) {
    *answer = without(answer, "result");
    answer["error"] = json!({ "code": -32602, "message": "unsupported" });
}

fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

fn framed(text: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

fn latin_1(message: &Value) -> Vec<u8> {
    let text = format!("{message}\n");
    text.chars().map(|char| u8::try_from(u32::from(char)).unwrap_or(b'?')).collect()
}

fn with_id(message: &Value, change: fn(&Value) -> Value) -> Value {
    let mut message = message.clone();
    if message["id"].is_number() || change(&json!(1)) == change(&json!(2)) {
        message["id"] = change(&message["id"]);
    }
    message
}

fn text(id: &Value) -> String {
    id.to_string()
}

fn without(message: &Value, name: &str) -> Value {
    let mut message = message.clone();
    message.as_object_mut().unwrap().remove(name);
    message
}

fn drop_member(message: &mut Value, name: &str) {
    message["result"].as_object_mut().unwrap().remove(name);
}
