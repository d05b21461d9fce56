use std::time::Duration;

use proofmark_record::{event::Frame, scenario::ScenarioName, transcript::Header};
use serde_json::json;

use super::*;

#[test]
fn a_client_that_begins_without_a_handshake_is_judged_and_blamed_for_it() {
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let refused = json!({ "jsonrpc": "2.0", "id": 1,
        "error": { "code": -32600, "message": "initialize first" } });
    let broken = broken(vec![said(&list), heard(&refused)]);
    assert_eq!(broken, [(Side::Client, "M039")]);
    // What says nothing is no conversation.
    assert_eq!(reports(&recording(Vec::new()), &Options::default()).len(), 0);
}

#[test]
fn a_null_id_is_the_fault_of_the_client_that_sends_it() {
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "a", "version": "1" } });
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let agreed = json!({ "jsonrpc": "2.0", "id": 1, "result": { "protocolVersion": "2025-06-18",
        "capabilities": {}, "serverInfo": { "name": "b", "version": "1" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let null = json!({ "jsonrpc": "2.0", "id": null, "method": "ping" });
    let refused = json!({ "jsonrpc": "2.0",
        "error": { "code": -32600, "message": "the id is null" } });
    let events = vec![said(&begin), heard(&agreed), said(&ready), said(&null), heard(&refused)];
    assert_eq!(broken(events), [(Side::Client, "M003")]);
}

#[test]
fn a_client_that_asks_for_the_modern_era_first_gets_the_server_into_no_trouble() {
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "a", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {} });
    let probe = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover",
        "params": { "_meta": meta } });
    let refused = json!({ "jsonrpc": "2.0", "id": 1,
        "error": { "code": -32601, "message": "there is no such method" } });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "a", "version": "1" } });
    let begin = json!({ "jsonrpc": "2.0", "id": 2, "method": "initialize", "params": params });
    let agreed = json!({ "jsonrpc": "2.0", "id": 2, "result": { "protocolVersion": "2025-06-18",
        "capabilities": { "tools": {} }, "serverInfo": { "name": "b", "version": "1" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let wish = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list" });
    let listed = json!({ "jsonrpc": "2.0", "id": 3, "result": { "tools": [] } });
    let events = vec![
        said(&probe),
        heard(&refused),
        said(&begin),
        heard(&agreed),
        said(&ready),
        said(&wish),
        heard(&listed),
    ];
    assert_eq!(broken(events.clone()), []);
    let judged = reports(&recording(events.clone()), &Options::default());
    assert!(judged.iter().all(|report| report.revision.as_str() == "2025-06-18"));
    // A server that refuses and is asked nothing else speaks another era, or none.
    let judged = reports(&recording(events[..2].to_vec()), &Options::default());
    assert_eq!(judged.iter().map(|report| report.side).collect::<Vec<_>>(), [Side::Client]);
}

/// Who was found to break what.
fn broken(events: Vec<Event>) -> Vec<(Side, &'static str)> {
    let reports = reports(&recording(events), &Options::default());
    let of = |report: &Report| {
        let side = report.side;
        report.findings().map(|(entry, _)| (side, entry.requirement.id)).collect::<Vec<_>>()
    };
    reports.iter().flat_map(of).collect()
}

fn recording(events: Vec<Event>) -> Recording {
    let header = Header::new(TranscriptKind::Tap, "a server", Transport::Stdio);
    let conversation = Conversation { scenario: ScenarioName::OVERHEARD, events };
    Recording { header, conversations: vec![conversation] }
}

fn said(message: &Value) -> Event {
    let frame = Frame::new(message.to_string(), Border::Line);
    event(EventKind::Sent { topic: Topic::Overheard, exchange: 0, frame })
}

fn heard(message: &Value) -> Event {
    let frame = Frame::new(message.to_string(), Border::Line);
    event(EventKind::Received { exchange: 0, frame })
}

fn event(kind: EventKind) -> Event {
    Event { at: Duration::ZERO, kind }
}
