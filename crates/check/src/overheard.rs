//! Recorded conversations, judged: those of the checker again, and those of two strangers, each held to what binds it.

mod topics;

use proofmark_core::revision::{Era, Revision};
use serde_json::Value;
use topics::with_topics;

use crate::{
    options::{Options, Target},
    report::Report,
};
use proofmark_record::{
    event::{Border, Conversation, Event, EventKind, header},
    evidence::Evidence,
    side::Side,
    topic::Topic,
    transcript::{Recording, TranscriptKind},
    transport::Transport,
};

/// One report for each side, revision and transport that was spoken.
pub fn reports(recording: &Recording, options: &Options) -> Vec<Report> {
    evidence(recording)
        .into_iter()
        .map(|evidence| {
            let target = Target { description: recording.header.target.clone() };
            Report::new(target, evidence, options)
        })
        .collect()
}

fn evidence(recording: &Recording) -> Vec<Evidence> {
    let header = &recording.header;
    let side = match header.kind {
        TranscriptKind::CheckAuthorization => Side::Authorization,
        TranscriptKind::CheckClient => Side::Client,
        TranscriptKind::CheckServer => Side::Server,
        TranscriptKind::Tap => return strangers(recording),
    };
    let known = header.revision.as_deref().and_then(known);
    let revision = known.unwrap_or_else(|| Revision::newest(Era::Legacy));
    vec![Evidence {
        side,
        revision,
        transport: header.transport,
        conversations: recording.conversations.clone(),
    }]
}

fn strangers(recording: &Recording) -> Vec<Evidence> {
    let mut all: Vec<Evidence> = Vec::new();
    for conversation in &recording.conversations {
        let Some(revision) = spoken(conversation) else { continue };
        let transport = transport(conversation, recording.header.transport);
        let seen = [
            (Side::Server, with_topics(conversation.clone())),
            (Side::Client, turned(conversation)),
        ];
        for (side, seen) in seen {
            let same = |it: &&mut Evidence| {
                (it.side, it.revision, it.transport) == (side, revision, transport)
            };
            match all.iter_mut().find(same) {
                Some(evidence) => evidence.conversations.push(seen),
                None => {
                    all.push(Evidence { side, revision, transport, conversations: vec![seen] });
                }
            }
        }
    }
    all
}

/// What the client heard is what was sent to it.
fn turned(conversation: &Conversation) -> Conversation {
    let turn = |what: &EventKind| match what.clone() {
        EventKind::Sent { exchange, frame, .. } => EventKind::Received { exchange, frame },
        EventKind::Received { exchange, frame } => {
            EventKind::Sent { topic: Topic::Overheard, exchange, frame }
        }
        other => other,
    };
    let events =
        conversation.events.iter().map(|event| Event { at: event.at, kind: turn(&event.kind) });
    Conversation { scenario: conversation.scenario.clone(), events: events.collect() }
}

/// The revision that the two agreed on, or that the client named in a request of the modern era. One that begins without a word about it is
/// held to the newest with a handshake, which it left out.
fn spoken(conversation: &Conversation) -> Option<Revision> {
    let messages = |event: &Event| match &event.kind {
        EventKind::Sent { frame, .. } | EventKind::Received { frame, .. } => {
            frame.messages().to_vec()
        }
        _ => Vec::new(),
    };
    let mut handshake = None;
    for event in &conversation.events {
        for message in messages(event) {
            if message.get("method").and_then(Value::as_str) == Some("initialize") {
                handshake = message.get("id").cloned();
            }
            let named = message.pointer(MODERN_VERSION).and_then(Value::as_str).and_then(known);
            if named.is_some() {
                return named;
            }
            let answers = handshake.is_some() && message.get("id") == handshake.as_ref();
            let agreed = message.pointer("/result/protocolVersion").filter(|_| answers);
            if let Some(agreed) = agreed {
                return known(agreed.as_str()?);
            }
        }
        // A tap that begins in the middle of a session finds the version in its headers.
        if let EventKind::Requested { headers, .. } = &event.kind
            && let Some(revision) = header(headers, "mcp-protocol-version").and_then(known)
        {
            return Some(revision);
        }
    }
    let says = |message: &Value| message.get("method").is_some_and(Value::is_string);
    let begins = conversation.events.iter().any(|event| match &event.kind {
        EventKind::Sent { frame, .. } => frame.messages().iter().any(says),
        _ => false,
    });
    (begins && handshake.is_none()).then(|| Revision::newest(Era::Legacy))
}

/// The older transport is told by its first event.
fn transport(conversation: &Conversation, recorded: Transport) -> Transport {
    let is_endpoint = |event: &Event| match &event.kind {
        EventKind::Received { frame, .. } => {
            matches!(&frame.border, Border::Event { name, .. } if name == "endpoint")
        }
        _ => false,
    };
    if conversation.events.iter().any(is_endpoint) { Transport::Sse } else { recorded }
}

fn known(version: &str) -> Option<Revision> {
    Revision::ALL.iter().copied().find(|revision| revision.as_str() == version)
}

const MODERN_VERSION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";

#[cfg(test)]
mod tests;
