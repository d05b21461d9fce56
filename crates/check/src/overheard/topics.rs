//! Why a client said something, as far as what it said shows it.

use serde_json::Value;

use crate::{
    evidence::{Conversation, Event, Headers, What, header},
    scenario::Topic,
};

/// Judges look for topics; a stranger's messages get those that are certain.
pub(super) fn with_topics(mut conversation: Conversation) -> Conversation {
    let posted: Vec<(u32, Topic)> = conversation
        .events
        .iter()
        .filter_map(|event| match &event.what {
            What::Sent { exchange, frame, .. } => Some((*exchange, posted(frame.messages()))),
            _ => None,
        })
        .collect();
    for Event { what, .. } in &mut conversation.events {
        match what {
            What::Sent { topic, frame, .. } => *topic = said(frame.messages()),
            What::Requested { topic, exchange, line, headers } => {
                let about = posted.iter().find(|(it, _)| it == exchange).map(|(_, topic)| *topic);
                *topic = about.unwrap_or_else(|| bare(line, headers));
            }
            _ => {}
        }
    }
    conversation
}

fn said(messages: &[Value]) -> Topic {
    let [message] = messages else { return Topic::Overheard };
    let Some(method) = message.get("method").and_then(Value::as_str) else { return Topic::Reply };
    match method {
        "completion/complete" => Topic::Complete,
        "initialize" => Topic::Initialize,
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
        "tools/call" => Topic::Call,
        _ => Topic::Overheard,
    }
}

/// Of an HTTP request with a body.
fn posted(messages: &[Value]) -> Topic {
    let all = |wanted: fn(&Value) -> bool| !messages.is_empty() && messages.iter().all(wanted);
    if all(|message| message.get("method").is_none()) {
        return Topic::PostResponse;
    }
    if all(|message| message.get("id").is_none()) {
        return Topic::PostNotification;
    }
    said(messages)
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
