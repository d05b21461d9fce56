//! Why a client said something, as far as what it said shows it.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use proofmark_record::{
    event::{Conversation, Event, EventKind, Headers, header},
    topic::Topic,
};

/// Judges look for topics; a stranger's messages get those that are certain.
pub(super) fn with_topics(mut conversation: Conversation) -> Conversation {
    let cancelled = cancelled(&conversation.events);
    let refused = refused(&conversation.events);
    let about = |exchange: &u32, topic: Topic| match topic {
        _ if refused.contains(exchange) => Topic::Overheard,
        topic => topic,
    };
    let posted: HashMap<u32, Topic> = conversation
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Sent { exchange, frame, .. } => {
                Some((*exchange, posted(frame.messages(), &cancelled)))
            }
            _ => None,
        })
        .collect();
    for Event { kind: what, .. } in &mut conversation.events {
        match what {
            EventKind::Sent { topic, exchange, frame } => {
                *topic = about(exchange, said(frame.messages(), &cancelled));
            }
            EventKind::Requested { topic, exchange, line, headers } => {
                let found = posted.get(exchange).copied();
                *topic = about(exchange, found.unwrap_or_else(|| bare(line, headers)));
            }
            _ => {}
        }
    }
    conversation
}

/// The ids of requests that the client took back before they were answered.
fn cancelled(events: &[Event]) -> Vec<Value> {
    let mut answered = Vec::new();
    let mut cancelled = Vec::new();
    for event in events {
        match &event.kind {
            EventKind::Received { frame, .. } => {
                let responses = frame.messages().iter().filter(|it| it.get("method").is_none());
                answered.extend(responses.filter_map(|it| it.get("id")));
            }
            EventKind::Sent { frame, .. } => {
                let of = |it: &Value| it.get("method").and_then(Value::as_str) == Some(CANCELLED);
                let ids = frame.messages().iter().filter(|it| of(it));
                let ids = ids.filter_map(|it| it.pointer("/params/requestId"));
                cancelled.extend(ids.filter(|id| !answered.contains(id)).cloned());
            }
            _ => {}
        }
    }
    cancelled
}

/// HTTP requests that the server did not take: their session was over, for example.
fn refused(events: &[Event]) -> HashSet<u32> {
    let status = events.iter().filter_map(|event| match &event.kind {
        EventKind::Responded { exchange, status: 400.., .. } => Some(*exchange),
        _ => None,
    });
    status.collect()
}

fn said(messages: &[Value], cancelled: &[Value]) -> Topic {
    let [message] = messages else { return Topic::Overheard };
    let Some(method) = message.get("method").and_then(Value::as_str) else { return Topic::Reply };
    let id = message.get("id");
    // Under such an id nothing can be answered, whatever it asks for.
    if id.is_some_and(|id| !id.is_string() && !id.is_number()) {
        return Topic::NullId;
    }
    if id.is_some_and(|id| cancelled.contains(id)) {
        return Topic::Slow;
    }
    match method {
        CANCELLED
            if cancelled.iter().any(|id| message.pointer("/params/requestId") == Some(id)) =>
        {
            Topic::Cancel
        }
        "completion/complete" => Topic::Complete,
        "initialize" | "server/discover" => Topic::Initialize,
        "logging/setLevel" => Topic::SetLevel,
        "notifications/initialized" => Topic::Initialized,
        "ping" => Topic::Ping,
        "prompts/get" => Topic::GetPrompt,
        "prompts/list" | "resources/list" | "resources/templates/list" | "tools/list" => {
            Topic::List
        }
        "resources/read" => Topic::Read,
        "resources/subscribe" => Topic::Subscribe,
        "resources/unsubscribe" => Topic::Unsubscribe,
        "subscriptions/listen" => Topic::Listen,
        "tools/call" => Topic::Call,
        _ => Topic::Overheard,
    }
}

/// Of an HTTP request with a body.
fn posted(messages: &[Value], cancelled: &[Value]) -> Topic {
    let all = |wanted: fn(&Value) -> bool| !messages.is_empty() && messages.iter().all(wanted);
    if all(|message| message.get("method").is_none()) {
        return Topic::PostResponse;
    }
    if all(|message| message.get("id").is_none()) {
        return Topic::PostNotification;
    }
    said(messages, cancelled)
}

/// Of an HTTP request without one.
fn bare(line: &str, headers: &Headers) -> Topic {
    match line.split(' ').next() {
        Some("GET") if header(headers, "last-event-id").is_some() => Topic::Resume,
        Some("GET") => Topic::OpenStream,
        Some("DELETE") => Topic::EndSession,
        _ => Topic::Overheard,
    }
}

const CANCELLED: &str = "notifications/cancelled";
