//! What the hosted server is like in one run of the client.

use std::fmt;

use proofmark_core::revision::{Era, Revision};
use serde_json::{Value, json};

use super::fixtures;
use crate::gate::Gate;
use crate::scenario::NONSENSE_VERSION;
use proofmark_record::transport::Transport;

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
    /// Makes tasks of calls, and has the client make some.
    Tasks,
    /// Counters the client's version with this one, whatever it was. In the era without handshakes: supports no other.
    Version(&'static str),
    /// Demands a token.
    Guarded(Gate),
    /// Knows nothing of the era without handshakes, and refuses what it does not know in this way.
    Older(Refusal),
    /// Asks the client for what it did not declare.
    Uninvited,
    /// Marks arguments of tools, to be repeated in headers.
    Marks,
    /// Has tools whose marks are wrong.
    Unfit,
    /// Lists tools in a result of a kind that does not exist.
    Unknown,
    /// Does not say of what kind its results are.
    Untyped,
    /// Refuses a cursor that it gave, once.
    Expire,
    /// Tells of changes to whoever listens.
    Listen,
    /// Knows HTTP+SSE and nothing newer.
    Ancient,
    /// Refuses the first call, because the marks of its tool have changed since it was listed.
    Stale,
    /// Says what is no message.
    Babble,
    /// Dies as soon as somebody listens, and is there again for a client that starts it once more.
    Restart,
}

/// How a server of the handshake era takes a message that it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// With an error of this code.
    Code(i64),
    /// Over HTTP with this status, and no body.
    Status(u16),
    /// Not at all.
    Silence,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "code {code}"),
            Self::Status(status) => write!(f, "status {status}"),
            Self::Silence => f.write_str("silence"),
        }
    }
}

/// How a request is answered over HTTP, if nothing is said before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// One body.
    Json,
    Events,
}

impl Act {
    /// What no result is.
    pub const UNKNOWN_KIND: &'static str = "proofmark_unknown";

    /// What the client finds in `PROOFMARK_SCENARIO`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ancient => "ancient",
            Self::Ask => "ask",
            Self::Babble => "babble",
            Self::Batch => "batch",
            Self::Behave => "behave",
            Self::Cancel => "cancel",
            Self::Expire => "expire",
            Self::Few => "few",
            Self::Forget => "forget",
            Self::Guarded(gate) => gate.name(),
            Self::Listen => "listen",
            Self::Marks => "marks",
            Self::Older(Refusal::Silence) => "silent",
            Self::Older(_) => "older",
            Self::Pages => "pages",
            Self::Refuse => "refuse",
            Self::Restart => "restart",
            Self::Resume => "resume",
            Self::Roots => "roots",
            Self::Slow => "slow",
            Self::Stale => "stale",
            Self::Streams => "streams",
            Self::Tasks => "tasks",
            Self::Unfit => "unfit",
            Self::Uninvited => "uninvited",
            Self::Unknown => "unknown",
            Self::Untyped => "untyped",
            Self::Version(_) => "version",
        }
    }

    /// The name, with the version or the refusal if there is one.
    pub fn full_name(self) -> String {
        match self {
            Self::Version(version) => format!("version {version}"),
            Self::Older(refusal) => format!("older {refusal}"),
            other => other.name().to_owned(),
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|act| act.full_name() == name)
    }

    /// Every act, with every version that a server could counter with.
    pub fn all() -> impl Iterator<Item = Self> {
        let versions = Revision::of(Era::Legacy).map(Revision::as_str).chain([NONSENSE_VERSION]);
        let refusals = REFUSALS.into_iter().map(Self::Older);
        let gates = Gate::ALL.into_iter().map(Self::Guarded);
        PLAIN.into_iter().chain(versions.map(Self::Version)).chain(refusals).chain(gates)
    }

    /// Whether there is anything to be seen of it in this revision and over this transport.
    pub fn suits(self, revision: Revision, transport: Transport) -> bool {
        let (modern, piped) = (revision.era() == Era::Modern, transport == Transport::Stdio);
        let newer = transport == Transport::Http;
        match self {
            Self::Babble | Self::Cancel | Self::Roots => !modern,
            Self::Batch => revision.rules().batches.accepted(),
            Self::Expire
            | Self::Listen
            | Self::Older(Refusal::Code(_))
            | Self::Uninvited
            | Self::Unknown
            | Self::Untyped => modern,
            Self::Marks | Self::Older(Refusal::Status(_)) | Self::Stale | Self::Unfit => {
                modern && !piped
            }
            Self::Forget => !modern && newer,
            Self::Guarded(gate) => {
                let rules = revision.rules().authorization.as_ref();
                transport == Transport::Http && rules.is_some_and(|rules| gate.suits(rules))
            }
            Self::Older(Refusal::Silence) | Self::Restart => modern && piped,
            Self::Ancient | Self::Resume | Self::Streams => newer,
            Self::Tasks => revision.rules().tasks.is_some(),
            // One that a client may know, and one that nobody knows.
            Self::Version(version) if modern => {
                version == NONSENSE_VERSION || version == Revision::newest(Era::Legacy).as_str()
            }
            _ => true,
        }
    }

    /// Whether the client is left to find out what the server speaks.
    pub fn is_puzzle(self) -> bool {
        matches!(self, Self::Ancient | Self::Older(_) | Self::Version(_))
    }

    /// What the official suite would tell the client beside the scenario.
    pub(super) fn context(self) -> Option<Value> {
        (self == Self::Marks).then(|| json!({ "toolCalls": fixtures::marked_calls() }))
    }

    /// The scenario of the official suite that makes a client do what is needed.
    pub fn official(self) -> &'static str {
        match self {
            Self::Guarded(gate) => gate.official(),
            Self::Marks => "http-custom-headers",
            Self::Unfit => "http-invalid-tool-headers",
            Self::Resume => "sse-retry",
            Self::Ancient | Self::Older(_) | Self::Version(_) => "initialize",
            _ => "tools_call",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Ancient => "a server of the older transport",
            Self::Ask => "a server that asks for everything",
            Self::Babble => "a server that babbles",
            Self::Batch => "a server that sends batches",
            Self::Behave => "a server that behaves",
            Self::Cancel => "a server that changes its mind",
            Self::Expire => "a server whose cursors expire",
            Self::Few => "a server that has nothing but tools",
            Self::Forget => "a server that forgets the session",
            Self::Guarded(gate) => gate.title(),
            Self::Listen => "a server that tells of changes",
            Self::Marks => "a server that marks arguments for headers",
            Self::Older(_) => "a server that knows nothing newer than handshakes",
            Self::Pages => "a server whose lists have pages",
            Self::Refuse => "a server that refuses",
            Self::Restart => "a server that dies",
            Self::Resume => "a server whose streams break off",
            Self::Roots => "a server that asks for roots twice",
            Self::Slow => "a server that is slow",
            Self::Stale => "a server whose marks change",
            Self::Streams => "a server whose streams are odd",
            Self::Tasks => "a server that makes tasks of calls",
            Self::Unfit => "a server whose marks are wrong",
            Self::Uninvited => "a server that asks for what was not declared",
            Self::Unknown => "a server with a kind of result of its own",
            Self::Untyped => "a server that does not say what kind its results are",
            Self::Version(_) => "a server of another version",
        }
    }

    pub(super) fn has_sessions(self) -> bool {
        !matches!(self, Self::Ancient | Self::Few | Self::Older(_) | Self::Version(_))
    }

    /// Whether GET opens a stream for what belongs to no request.
    pub(super) fn has_standing_stream(self) -> bool {
        matches!(
            self,
            Self::Ask
                | Self::Babble
                | Self::Batch
                | Self::Cancel
                | Self::Roots
                | Self::Streams
                | Self::Tasks
        )
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

const PLAIN: [Act; 24] = [
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
    Act::Uninvited,
    Act::Marks,
    Act::Unfit,
    Act::Unknown,
    Act::Untyped,
    Act::Expire,
    Act::Listen,
    Act::Ancient,
    Act::Tasks,
    Act::Stale,
    Act::Babble,
    Act::Restart,
];
const REFUSALS: [Refusal; 7] = [
    Refusal::Code(-32601),
    Refusal::Code(-32602),
    Refusal::Code(-32000),
    Refusal::Silence,
    Refusal::Status(400),
    Refusal::Status(404),
    Refusal::Status(405),
];
