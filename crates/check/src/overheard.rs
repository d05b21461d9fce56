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
        let conversation = without_probe(conversation, revision);
        let mut seen = vec![(Side::Client, turned(&conversation))];
        if revision.era() == Era::Legacy || conversation.events.iter().any(is_result) {
            seen.insert(0, (Side::Server, with_topics(conversation)));
        }
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

/// A client that speaks both eras asks in the modern one first. Where the two agreed on a handshake after that, the question and its
/// answer belong to no revision that is spoken.
fn without_probe(conversation: &Conversation, revision: Revision) -> Conversation {
    let mut conversation = conversation.clone();
    if revision.era() == Era::Modern {
        return conversation;
    }
    let is_modern = |message: &Value| message.pointer(MODERN_VERSION).is_some();
    let asked: Vec<Value> = conversation
        .events
        .iter()
        .flat_map(said)
        .filter(|message| is_modern(message))
        .filter_map(|message| message.get("id").cloned())
        .collect();
    conversation.events.retain(|event| match &event.kind {
        EventKind::Sent { frame, .. } => !frame.messages().iter().any(is_modern),
        EventKind::Received { frame, .. } => !frame.messages().iter().any(|message| {
            message.get("method").is_none()
                && message.get("id").is_some_and(|id| asked.contains(id))
        }),
        _ => true,
    });
    conversation
}

/// A server that answers in an era with nothing but errors does not speak it.
fn is_result(event: &Event) -> bool {
    matches!(&event.kind, EventKind::Received { frame, .. }
        if frame.messages().iter().any(|message| message.get("result").is_some()))
}

fn said(event: &Event) -> Vec<Value> {
    match &event.kind {
        EventKind::Sent { frame, .. } => frame.messages().to_vec(),
        _ => Vec::new(),
    }
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

/// The revision that the two agreed on in a handshake, else the one that the client named in a request of the modern era. One that begins
/// without a word about it is held to the newest with a handshake, which it left out.
fn spoken(conversation: &Conversation) -> Option<Revision> {
    let messages = |event: &Event| match &event.kind {
        EventKind::Sent { frame, .. } | EventKind::Received { frame, .. } => {
            frame.messages().to_vec()
        }
        _ => Vec::new(),
    };
    let (mut handshake, mut modern) = (None, None);
    for event in &conversation.events {
        for message in messages(event) {
            if message.get("method").and_then(Value::as_str) == Some("initialize") {
                handshake = message.get("id").cloned();
            }
            let named = message.pointer(MODERN_VERSION).and_then(Value::as_str).and_then(known);
            modern = modern.or(named);
            let answers = handshake.is_some() && message.get("id") == handshake.as_ref();
            let agreed = message.pointer("/result/protocolVersion").filter(|_| answers);
            if let Some(agreed) = agreed {
                return known(agreed.as_str()?);
            }
        }
        // A tap that begins in the middle of a session finds the version in its headers.
        if let EventKind::Requested { headers, .. } = &event.kind
            && let Some(revision) = header(headers, "mcp-protocol-version").and_then(known)
            && revision.era() == Era::Legacy
        {
            return Some(revision);
        }
    }
    let says = |message: &Value| message.get("method").is_some_and(Value::is_string);
    let begins = conversation.events.iter().any(|event| match &event.kind {
        EventKind::Sent { frame, .. } => frame.messages().iter().any(says),
        _ => false,
    });
    modern.or_else(|| (begins && handshake.is_none()).then(|| Revision::newest(Era::Legacy)))
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
