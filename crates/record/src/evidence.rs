//! What happened in a run, with nothing left out: the only thing that judges look at.

mod answers;
mod asked;
mod requests;
mod rounds;

use std::time::Duration;

pub use answers::{IdMatch, find_answer, is_alike};
pub use asked::{Answer, CheckerRequest, HttpExchange};
use proofmark_core::revision::{Era, Revision};
pub use requests::PeerRequest;
pub use requests::is_modern;
pub use rounds::Round;
use serde_json::Value;

use crate::event::{Border, Conversation, Event, EventKind, Frame, header};
use crate::{meta::CAPABILITIES, side::Side, topic::Topic, transport::Transport};

/// Everything that was said and heard in one run.
#[derive(Debug)]
pub struct Evidence {
    /// What the peer is: the checker is the other.
    pub side: Side,
    /// The revision that the peer is held to.
    pub revision: Revision,
    pub transport: Transport,
    pub conversations: Vec<Conversation>,
}

/// Where in a run something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub conversation: usize,
    pub event: usize,
}

/// A message by the peer.
#[derive(Clone, Copy, Debug)]
pub struct PeerMessage<'e> {
    pub place: Place,
    pub message: &'e Value,
}

/// One after the other. Boxed, because hundreds of judges go through the same few sequences: what they share is compiled once.
pub type Items<'e, T> = Box<dyn Iterator<Item = T> + 'e>;

impl Evidence {
    pub fn events(&self) -> Items<'_, (Place, &Event)> {
        Box::new(self.conversations.iter().enumerate().flat_map(|(conversation, it)| {
            let place = move |event| Place { conversation, event };
            it.events.iter().enumerate().map(move |(event, it)| (place(event), it))
        }))
    }

    /// When it was, since the run began.
    pub fn at(&self, place: Place) -> Option<Duration> {
        Some(self.conversations.get(place.conversation)?.events.get(place.event)?.at)
    }

    /// Where a place is when all conversations are put one after the other.
    pub fn number(&self, place: Place) -> usize {
        let before = &self.conversations[..place.conversation];
        before.iter().map(|conversation| conversation.events.len()).sum::<usize>() + place.event
    }

    /// Every frame of the peer that should be a message. Events without data are none, nor is the event that says where to post to, nor
    /// the body of an HTTP error or of another type than JSON unless it says that it is, nor what a client sends to an authorization
    /// server, or to a server that does not let it in.
    pub fn frames(&self) -> Items<'_, (Place, &Frame)> {
        Box::new(self.events().filter_map(|(place, event)| {
            let EventKind::Received { exchange, frame } = &event.kind else { return None };
            let counts = match &frame.border {
                border if border.is_of_pipe() => true,
                Border::Event { name, .. } => !frame.bytes.is_empty() && name != "endpoint",
                Border::Body if self.side == Side::Client => self.is_let_in(place, *exchange),
                _ => {
                    let claims = |json: &Value| json.get("jsonrpc").is_some();
                    let says =
                        self.is_json(place, *exchange) && !self.is_document(place, *exchange);
                    says || frame.json.as_ref().is_ok_and(claims)
                }
            };
            counts.then_some((place, frame))
        }))
    }

    /// Whether what a client posted got as far as to the server: it was sent there, and not refused for want of a token.
    fn is_let_in(&self, place: Place, exchange: u32) -> bool {
        let (before, after) = self.conversations[place.conversation].events.split_at(place.event);
        let asked = before.iter().rev().find_map(|event| match &event.kind {
            EventKind::Requested { topic, exchange: it, .. } if *it == exchange => Some(*topic),
            _ => None,
        });
        let status = after.iter().find_map(|event| match &event.kind {
            EventKind::Responded { exchange: it, status, .. } if *it == exchange => Some(*status),
            _ => None,
        });
        !asked.is_some_and(Topic::is_about_tokens) && !matches!(status, Some(401 | 403))
    }

    /// Whether the HTTP response that a frame belongs to has a status of 2xx and calls itself JSON.
    fn is_json(&self, place: Place, exchange: u32) -> bool {
        let before = &self.conversations[place.conversation].events[..place.event];
        before.iter().rev().any(|event| match &event.kind {
            EventKind::Responded { exchange: it, status: 200..=299, headers }
                if *it == exchange =>
            {
                header(headers, "content-type").is_some_and(|kind| {
                    kind.trim_start().to_ascii_lowercase().starts_with("application/json")
                })
            }
            _ => false,
        })
    }

    /// Whether the HTTP response that a frame belongs to has a status of 2xx.
    pub fn is_success(&self, place: Place, exchange: u32) -> bool {
        let before = &self.conversations[place.conversation].events[..place.event];
        before.iter().rev().any(|event| {
            matches!(&event.kind, EventKind::Responded { exchange: it, status: 200..=299, .. } if *it == exchange)
        })
    }

    /// Whether this answers a request for metadata or tokens, and is no message.
    fn is_document(&self, place: Place, exchange: u32) -> bool {
        let before = &self.conversations[place.conversation].events[..place.event];
        before.iter().rev().any(|event| match &event.kind {
            EventKind::Requested { topic, exchange: it, .. } => {
                *it == exchange && topic.is_about_tokens()
            }
            _ => false,
        })
    }

    /// Every message of the peer, those inside batches one by one.
    pub fn heard(&self) -> Items<'_, PeerMessage<'_>> {
        Box::new(self.frames().flat_map(|(place, frame)| {
            frame.messages().iter().map(move |message| PeerMessage { place, message })
        }))
    }

    /// What the peer declared when the main conversation began.
    pub fn declared(&self) -> Option<&Value> {
        if self.side == Side::Client {
            let handshake = self.requests().find(|request| request.method == "initialize")?;
            return handshake.params;
        }
        self.asked(Topic::Initialize).find_map(|handshake| handshake.answer?.result())
    }

    /// A capability of the peer by its path, for example `/resources/subscribe`. A `false` is none.
    pub fn capability(&self, path: &str) -> bool {
        self.capabilities()
            .and_then(|capabilities| capabilities.pointer(path))
            .is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
    }

    /// All that the peer declared. Clients without a handshake say it with each request.
    pub fn capabilities(&self) -> Option<&Value> {
        if self.side == Side::Client && self.revision.era() == Era::Modern {
            let first = self.requests().find(PeerRequest::is_modern)?;
            return first.params?.get("_meta")?.get(CAPABILITIES);
        }
        self.declared()?.get("capabilities")
    }

    /// What the checker declared of itself in the conversation of this place.
    pub fn declared_to_peer(&self, place: Place) -> Option<&Value> {
        let events = &self.conversations[place.conversation].events;
        events.iter().find_map(|event| match &event.kind {
            EventKind::Sent { frame, .. } => {
                let message = frame.json.as_ref().ok()?;
                let modern = || message.pointer("/params/_meta")?.get(CAPABILITIES);
                message.pointer("/params/capabilities").or_else(modern)
            }
            _ => None,
        })
    }

    /// Items of every list that the peer gave for this method.
    pub fn listed(&self, method: &str) -> Items<'_, PeerMessage<'_>> {
        let key = list_key(method).unwrap_or_default();
        Box::new(
            self.asked_by_method(method)
                .filter_map(move |asked| {
                    let answer = asked.answer?;
                    let items = answer.result()?.get(key)?.as_array()?;
                    Some(
                        items
                            .iter()
                            .map(move |message| PeerMessage { place: answer.place, message }),
                    )
                })
                .flatten(),
        )
    }

    /// Notifications and requests of the peer.
    pub fn heard_methods(&self) -> Items<'_, (PeerMessage<'_>, &str)> {
        Box::new(self.heard().filter_map(|heard| {
            let method = heard.message.get("method")?.as_str()?;
            Some((heard, method))
        }))
    }
}

/// The member of a list result that has the items.
pub fn list_key(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/list" => "tools",
        "resources/list" => "resources",
        "resources/templates/list" => "resourceTemplates",
        "prompts/list" => "prompts",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
