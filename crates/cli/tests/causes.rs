//! One cause is one finding, and what the checker says of itself is true.

use std::{sync::Arc, time::Duration};

use proofmark_check::{
    Options, check, converse::peer::Peer, judge::outcome::Status, record::wire::lines::LineWire,
};
use proofmark_core::revision::{Era, Revision};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};

#[tokio::test(start_paused = true)]
async fn a_server_without_ping_has_one_finding_for_that() {
    let peer = server(|message| match message["method"].as_str() {
        Some("initialize") => Some(json!({ "result": greeting() })),
        _ => Some(json!({ "error": { "code": -32601, "message": "no such method" } })),
    });
    let report = check(&peer, &options()).await.unwrap();
    let status = |id: &str| {
        let entry = report.entries.iter().find(|entry| entry.requirement.id == id).unwrap();
        (entry.status, entry.outcome.reason().unwrap_or_default().contains("M079"))
    };
    assert_eq!(status("M079"), (Status::Fail, false));
    assert_eq!(status("M237"), (Status::Untestable, true));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_takes_too_long_keeps_what_was_seen() {
    let peer = server(|message| match message["method"].as_str() {
        Some("initialize") => Some(json!({ "result": greeting() })),
        Some("ping") => Some(json!({ "result": { "wrong": [] }, "error": { "code": 1 } })),
        _ => None,
    });
    let options = Options { run_timeout: Duration::from_secs(2), ..options() };
    let report = check(&peer, &options).await.unwrap();
    let broken_off = report.broken_off.as_ref().unwrap();
    assert_eq!(broken_off.why, "time ran out: the run took longer than 2 s");
    assert_eq!(report.score(), None);
    let entry = |id: &str| report.entries.iter().find(|it| it.requirement.id == id).unwrap();
    assert_eq!(entry("M007").status, Status::Fail);
    assert_eq!(entry("M042").status, Status::Pass);
    // What was not answered in time might still have been.
    assert_eq!(entry("M110").status, Status::Untestable);
    assert_eq!(entry("M110").outcome.reason(), Some(broken_off.why.as_str()));
    let silent = |trace: &String| {
        let time = trace.strip_prefix("it was silent for ")?.strip_suffix(" ms")?;
        time.parse::<u64>().ok()
    };
    let silences: Vec<u64> = broken_off.traces.iter().filter_map(silent).collect();
    assert!(!silences.is_empty() && silences.iter().all(|time| *time <= 2_000), "{silences:?}");
}

fn options() -> Options {
    Options { revision: Some(Revision::newest(Era::Legacy)), ..Options::default() }
}

fn greeting() -> Value {
    let version = Revision::newest(Era::Legacy).as_str();
    json!({ "protocolVersion": version, "capabilities": {},
        "serverInfo": { "name": "odd", "version": "1" } })
}

/// Answers requests with what the function makes of them, and nothing else.
fn server(answer: fn(&Value) -> Option<Value>) -> Peer {
    Peer::Memory(Arc::new(move || {
        let (near, far) = duplex(1024);
        let (reader, writer) = split(near);
        let serving = async move {
            let (from, mut to) = split(far);
            let mut lines = BufReader::new(from).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
                let Some(id) = message.get("id") else { continue };
                let Some(mut answer) = answer(&message) else { continue };
                answer["jsonrpc"] = json!("2.0");
                answer["id"] = id.clone();
                let _ = to.write_all(format!("{answer}\n").as_bytes()).await;
            }
        };
        (LineWire::new(reader, writer), Box::pin(serving))
    }))
}
