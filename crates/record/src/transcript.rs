#![doc = include_str!("transcript/format.md")]

mod frame;
mod read;
pub mod redact;
#[cfg(test)]
mod tests;
mod write;

use std::time::Duration;

pub use read::{Damage, Reader, Recording};
use serde::{Deserialize, Serialize};
pub use write::Writer;

use crate::{event::EventKind, transport::Transport};

/// The first line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Of the format. A reader refuses what it does not know.
    pub version: u32,
    /// The program that wrote it.
    pub by: String,
    pub kind: TranscriptKind,
    /// Who was checked or listened to, as a report names it.
    pub target: String,
    pub transport: Transport,
    /// `None` if the traffic says it.
    pub revision: Option<String>,
}

/// Whose conversation it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TranscriptKind {
    /// Between the checker and an authorization server.
    CheckAuthorization,
    /// Between a client and the checker.
    CheckClient,
    /// Between the checker and a server.
    CheckServer,
    /// Between a client and a server that are both strangers: `sent` is by the client.
    Tap,
}

impl Header {
    pub fn new(kind: TranscriptKind, target: impl Into<String>, transport: Transport) -> Self {
        Self {
            version: VERSION,
            by: format!("proofmark {}", env!("CARGO_PKG_VERSION")),
            kind,
            target: target.into(),
            transport,
            revision: None,
        }
    }
}

/// One line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Transcript(Header),
    Conversation {
        number: usize,
        scenario: String,
    },
    Event {
        conversation: usize,
        /// Since the run began.
        #[serde(with = "micros")]
        at: Duration,
        what: EventKind,
    },
}

/// Durations as whole microseconds.
mod micros {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_micros)
    }
}

const VERSION: u32 = 1;
