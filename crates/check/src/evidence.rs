//! What happened in a run, with nothing left out: the only thing that judges look at.

mod asked;
mod requests;
mod rounds;

use std::time::Duration;

pub(crate) use asked::header;
pub use asked::{Answer, Asked, HttpExchange};
use proofmark_core::revision::{Era, Revision};
pub use requests::PeerRequest;
pub(crate) use requests::is_modern;
pub use rounds::Round;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    catalogue::Side,
    scenario::{Scenario, Topic, dress::CAPABILITIES},
    wire::Transport,
};

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

/// One connection or session from its beginning to its end.
#[derive(Clone, Debug)]
pub struct Conversation {
    pub scenario: Scenario,
    pub events: Vec<Event>,
}

#[derive(Clone, Debug)]
pub struct Event {
    /// Since the run began.
    pub at: Duration,
    pub what: What,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A process was started or a stream opened.
    Connected(String),
    /// One message by the checker, or bytes that pretend to be one.
    Sent {
        topic: Topic,
        exchange: u32,
        frame: Frame,
    },
    /// One line, one event of a stream, or one body.
    Received {
        exchange: u32,
        frame: Frame,
    },
    /// The head of an HTTP request, by the checker if the peer is a server and by the peer if that is a client.
    Requested {
        topic: Topic,
        exchange: u32,
        line: String,
        headers: Headers,
    },
    /// The head of an HTTP response, by the other one.
    Responded {
        exchange: u32,
        status: u16,
        headers: Headers,
    },
    /// The response's body, or the peer's output, is over.
    Ended {
        exchange: u32,
    },
    /// The client closed the connection of an exchange before it had everything.
    Left {
        exchange: u32,
    },
    /// The way to the peer broke: a refused connection, a reset, bytes that are no HTTP.
    Broken {
        exchange: u32,
        why: String,
    },
    /// Nothing came for this long.
    Silence(#[serde(with = "millis")] Duration),
    /// More than is kept came; the rest was thrown away and the connection closed.
    Flooded {
        limit: usize,
    },
    Stderr(String),
    Exited(String),
}

/// Header names in lower case, in the order in which they came.
pub type Headers = Vec<(String, String)>;

/// The bytes between two borders of the transport.
#[derive(Clone, Debug)]
pub struct Frame {
    pub bytes: Vec<u8>,
    /// What they say, or why they are no JSON.
    pub json: Result<Value, String>,
    pub border: Border,
}

/// What ended the frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Border {
    /// A newline.
    Line,
    /// The end of the output, in the middle of a line.
    Cut,
    /// The end of an HTTP body.
    Body,
    /// A blank line of an event stream.
    Event {
        name: String,
        id: Option<String>,
        #[serde(with = "millis_or_none")]
        retry: Option<Duration>,
    },
}

impl Frame {
    pub fn new(bytes: impl Into<Vec<u8>>, border: Border) -> Self {
        let mut bytes: Vec<u8> = bytes.into();
        bytes.shrink_to_fit();
        let json = if weight(&bytes) > MOST_PARSED {
            Err("it has more values than the checker takes in".to_owned())
        } else {
            serde_json::from_slice(&bytes).map_err(|error| error.to_string())
        };
        Self { bytes, json, border }
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn weight(&self) -> usize {
        let parsed = if self.json.is_ok() { weight(&self.bytes) } else { 0 };
        size_of::<Event>() + self.bytes.len() + parsed
    }

    /// The messages inside: one, or those of a batch.
    pub fn messages(&self) -> &[Value] {
        match &self.json {
            Ok(Value::Array(batch)) => batch,
            Ok(message) => std::slice::from_ref(message),
            Err(_) => &[],
        }
    }
}

/// Where in a run something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub conversation: usize,
    pub event: usize,
}

/// A message by the peer.
#[derive(Clone, Copy, Debug)]
pub struct Heard<'e> {
    pub place: Place,
    pub message: &'e Value,
}

impl Evidence {
    pub fn events(&self) -> impl Iterator<Item = (Place, &Event)> {
        self.conversations.iter().enumerate().flat_map(|(conversation, it)| {
            let place = move |event| Place { conversation, event };
            it.events.iter().enumerate().map(move |(event, it)| (place(event), it))
        })
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
    pub fn frames(&self) -> impl Iterator<Item = (Place, &Frame)> {
        self.events().filter_map(|(place, event)| {
            let What::Received { exchange, frame } = &event.what else { return None };
            let counts = match &frame.border {
                Border::Line | Border::Cut => true,
                Border::Event { name, .. } => !frame.bytes.is_empty() && name != "endpoint",
                Border::Body if self.side == Side::Client => self.is_let_in(place, *exchange),
                Border::Body => {
                    let claims = |json: &Value| json.get("jsonrpc").is_some();
                    let says =
                        self.is_json(place, *exchange) && !self.is_document(place, *exchange);
                    says || frame.json.as_ref().is_ok_and(claims)
                }
            };
            counts.then_some((place, frame))
        })
    }

    /// Whether what a client posted got as far as to the server: it was sent there, and not refused for want of a token.
    fn is_let_in(&self, place: Place, exchange: u32) -> bool {
        let (before, after) = self.conversations[place.conversation].events.split_at(place.event);
        let asked = before.iter().rev().find_map(|event| match &event.what {
            What::Requested { topic, exchange: it, .. } if *it == exchange => Some(*topic),
            _ => None,
        });
        let status = after.iter().find_map(|event| match &event.what {
            What::Responded { exchange: it, status, .. } if *it == exchange => Some(*status),
            _ => None,
        });
        !asked.is_some_and(Topic::is_about_tokens) && !matches!(status, Some(401 | 403))
    }

    /// Whether the HTTP response that a frame belongs to has a status of 2xx and calls itself JSON.
    fn is_json(&self, place: Place, exchange: u32) -> bool {
        let before = &self.conversations[place.conversation].events[..place.event];
        before.iter().rev().any(|event| match &event.what {
            What::Responded { exchange: it, status: 200..=299, headers } if *it == exchange => {
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
            matches!(&event.what, What::Responded { exchange: it, status: 200..=299, .. } if *it == exchange)
        })
    }

    /// Whether this answers a request for metadata or tokens, and is no message.
    fn is_document(&self, place: Place, exchange: u32) -> bool {
        let before = &self.conversations[place.conversation].events[..place.event];
        before.iter().rev().any(|event| match &event.what {
            What::Requested { topic, exchange: it, .. } => {
                *it == exchange && topic.is_about_tokens()
            }
            _ => false,
        })
    }

    /// Every message of the peer, those inside batches one by one.
    pub fn heard(&self) -> impl Iterator<Item = Heard<'_>> {
        self.frames().flat_map(|(place, frame)| {
            frame.messages().iter().map(move |message| Heard { place, message })
        })
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
        events.iter().find_map(|event| match &event.what {
            What::Sent { frame, .. } => {
                let message = frame.json.as_ref().ok()?;
                let modern = || message.pointer("/params/_meta")?.get(CAPABILITIES);
                message.pointer("/params/capabilities").or_else(modern)
            }
            _ => None,
        })
    }

    /// Items of every list that the peer gave for this method.
    pub fn listed(&self, method: &str) -> impl Iterator<Item = Heard<'_>> {
        let key = list_key(method).unwrap_or_default();
        self.asked_by_method(method)
            .filter_map(move |asked| {
                let answer = asked.answer?;
                let items = answer.result()?.get(key)?.as_array()?;
                Some(items.iter().map(move |message| Heard { place: answer.place, message }))
            })
            .flatten()
    }

    /// Notifications and requests of the peer.
    pub fn heard_methods(&self) -> impl Iterator<Item = (Heard<'_>, &str)> {
        self.heard().filter_map(|heard| {
            let method = heard.message.get("method")?.as_str()?;
            Some((heard, method))
        })
    }
}

/// The member of a list result that has the items.
pub(crate) fn list_key(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/list" => "tools",
        "resources/list" => "resources",
        "resources/templates/list" => "resourceTemplates",
        "prompts/list" => "prompts",
        _ => return None,
    })
}

/// Durations as whole milliseconds.
mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}

mod millis_or_none {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::millis::serialize(time, to),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(from)?.map(Duration::from_millis))
    }
}

/// About how many bytes of memory some JSON takes once it is parsed: a few bytes of text can be many values.
fn weight(json: &[u8]) -> usize {
    let (mut weight, mut in_string, mut escaped) = (json.len(), false, false);
    for byte in json {
        if in_string {
            in_string = escaped || *byte != b'"';
            escaped = *byte == b'\\' && !escaped;
            continue;
        }
        weight += match byte {
            b'"' => {
                in_string = true;
                32
            }
            b',' | b'[' => 64,
            b'{' => 650,
            _ => 0,
        };
    }
    weight
}

/// What is heavier stays bytes.
const MOST_PARSED: usize = 24 * 1024 * 1024;

#[cfg(test)]
mod tests;
