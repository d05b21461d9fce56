//! What the hosted server is like in one run of the client.

use proofmark_core::revision::{Era, Revision};
use serde_json::{Value, json};

use crate::scenario::NONSENSE_VERSION;

/// One way to be a server. Each is a fresh run of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Whole bodies, no standing stream, everything declared.
    Behave,
    /// Asks the client for everything that a server can ask, declared or not, and tells it all kinds of news.
    Ask,
    /// Declares tools and nothing else, and has no sessions.
    Few,
    /// Lists come in pages.
    Pages,
    /// Event streams with every quirk that their format allows.
    Streams,
    /// The stream of a call breaks off, and goes on for a client that comes back.
    Resume,
    /// The session is forgotten after the first call.
    Forget,
    /// Refuses calls and lists with errors.
    Refuse,
    /// Takes so long that the client has something to cancel or to give up.
    Slow,
    /// Two requests in one array.
    Batch,
    /// Cancels what it asked the client for.
    Cancel,
    /// Asks for roots now and later.
    Roots,
    /// Counters the client's version with this one, whatever it was.
    Version(&'static str),
}

/// How a request is answered over HTTP, if nothing is said before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// One body.
    Json,
    Events,
}

impl Act {
    /// What the client finds in `PROOFMARK_SCENARIO`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Batch => "batch",
            Self::Behave => "behave",
            Self::Cancel => "cancel",
            Self::Few => "few",
            Self::Forget => "forget",
            Self::Pages => "pages",
            Self::Refuse => "refuse",
            Self::Resume => "resume",
            Self::Roots => "roots",
            Self::Slow => "slow",
            Self::Streams => "streams",
            Self::Version(_) => "version",
        }
    }

    /// The name, with the version if there is one.
    pub fn full_name(self) -> String {
        match self {
            Self::Version(version) => format!("version {version}"),
            other => other.name().to_owned(),
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|act| act.full_name() == name)
    }

    /// Every act, with every version that a server could counter with.
    pub fn all() -> impl Iterator<Item = Self> {
        let versions = Revision::of(Era::Legacy).map(Revision::as_str).chain([NONSENSE_VERSION]);
        PLAIN.into_iter().chain(versions.map(Self::Version))
    }

    /// The scenario of the official suite that makes a client do what is needed.
    pub fn official(self) -> &'static str {
        match self {
            Self::Resume => "sse-retry",
            Self::Version(_) => "initialize",
            _ => "tools_call",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Ask => "a server that asks for everything",
            Self::Batch => "a server that sends batches",
            Self::Behave => "a server that behaves",
            Self::Cancel => "a server that changes its mind",
            Self::Few => "a server that has nothing but tools",
            Self::Forget => "a server that forgets the session",
            Self::Pages => "a server whose lists have pages",
            Self::Refuse => "a server that refuses",
            Self::Resume => "a server whose streams break off",
            Self::Roots => "a server that asks for roots twice",
            Self::Slow => "a server that is slow",
            Self::Streams => "a server whose streams are odd",
            Self::Version(_) => "a server of another version",
        }
    }

    pub(super) fn has_sessions(self) -> bool {
        !matches!(self, Self::Few | Self::Version(_))
    }

    /// Whether GET opens a stream for what belongs to no request.
    pub(super) fn has_standing_stream(self) -> bool {
        matches!(self, Self::Ask | Self::Batch | Self::Cancel | Self::Roots | Self::Streams)
    }

    /// Whether answers come as event streams even if nothing is said before.
    pub(super) fn streams(self) -> bool {
        matches!(self, Self::Streams | Self::Resume | Self::Pages)
    }

    pub(super) fn capabilities(self) -> Value {
        match self {
            Self::Few => json!({ "tools": {} }),
            _ => json!({
                "tools": { "listChanged": true },
                "resources": { "listChanged": true, "subscribe": true },
                "prompts": { "listChanged": true },
                "logging": {},
                "completions": {},
            }),
        }
    }
}

const PLAIN: [Act; 12] = [
    Act::Behave,
    Act::Ask,
    Act::Few,
    Act::Pages,
    Act::Streams,
    Act::Resume,
    Act::Forget,
    Act::Refuse,
    Act::Slow,
    Act::Batch,
    Act::Cancel,
    Act::Roots,
];
