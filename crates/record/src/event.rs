//! What happened on a wire, with the time.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::scenario::ScenarioName;
use crate::topic::Topic;

/// One connection or session from its beginning to its end.
#[derive(Clone, Debug)]
pub struct Conversation {
    pub scenario: ScenarioName,
    pub events: Vec<Event>,
}

#[derive(Clone, Debug)]
pub struct Event {
    /// Since the run began.
    pub at: Duration,
    pub kind: EventKind,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
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
    /// A newline, after a message that has newlines inside.
    Lines,
    /// As many bytes as a `Content-Length` in front of it said.
    Length,
    /// Nothing: the next message began, or nothing more came for a while.
    Unended,
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

impl Border {
    /// Whether it is one of those between the messages on a pipe.
    pub fn is_of_pipe(&self) -> bool {
        match self {
            Self::Line | Self::Lines | Self::Length | Self::Unended | Self::Cut => true,
            Self::Body | Self::Event { .. } => false,
        }
    }
}

impl Frame {
    pub fn new(bytes: impl Into<Vec<u8>>, border: Border) -> Self {
        let mut bytes: Vec<u8> = bytes.into();
        bytes.shrink_to_fit();
        let json = if has_too_many_values(&bytes) {
            Err("it has more values than the checker takes in".to_owned())
        } else {
            let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
            let json = serde_json::from_slice(text).map_err(|error| error.to_string());
            json.or_else(|error| read_as_latin_1(text).ok_or(error))
        };
        Self { bytes, json, border }
    }

    /// Whether it begins with a byte order mark, which JSON must not have. What it says is read all the same.
    pub fn has_byte_order_mark(&self) -> bool {
        self.bytes.starts_with(BYTE_ORDER_MARK)
    }

    /// Whether it is text as JSON demands it. Where every byte is a character of Latin-1 instead, what it says is read all the same.
    pub fn is_utf_8(&self) -> bool {
        std::str::from_utf8(&self.bytes).is_ok()
    }

    /// About how many bytes of memory it takes.
    pub fn weight(&self) -> usize {
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

/// Whether a text would take so much memory when it is parsed that it is not.
pub(crate) fn has_too_many_values(text: &[u8]) -> bool {
    weight(text) > MOST_PARSED
}

/// What bytes say that are no UTF-8, if it is JSON in the encoding in which every byte is a character.
fn read_as_latin_1(bytes: &[u8]) -> Option<Value> {
    if std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let text: String = bytes.iter().copied().map(char::from).collect();
    serde_json::from_str(&text).ok()
}

/// The first header of this name, which is given in lower case.
pub fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
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

pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// What is heavier stays bytes.
const MOST_PARSED: usize = 24 * 1024 * 1024;
