//! Conversations with a peer. A scenario talks; it asserts nothing.
//!
//! Scenarios adapt to what the peer declares, and one conversation serves many requirements. What each request was for is its [`Topic`],
//! by which judges find it again.

mod cancelling;
mod garbage;
mod headers;
mod probe;
mod tour;
mod versions;

pub use cancelling::{LEAST_DURATION, SlowCall, cancelling};
pub use garbage::garbage;
pub use headers::headers;
pub use probe::{Expect, HttpWay, Probe, ProbeSettings, Trouble};
use proofmark_core::revision::Revision;
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use tour::{Policy, tour};
pub use versions::versions;

use crate::hosted::Act;

/// What a conversation was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// Everything that a well-behaved client could ask.
    Tour,
    /// A handshake with this protocol version.
    Version(&'static str),
    /// What is not JSON, not a message, or not a request.
    Garbage,
    /// A request that is cancelled while it runs.
    Cancelling,
    /// Sessions, methods and headers of HTTP.
    Headers,
    /// Between two strangers.
    Overheard,
    /// A client at a hosted server.
    Hosted(Act),
}

impl Scenario {
    pub fn title(self) -> &'static str {
        match self {
            Self::Tour => "a tour of everything declared",
            Self::Version(_) => "a handshake with another version",
            Self::Garbage => "messages that are none",
            Self::Cancelling => "a request that is cancelled",
            Self::Headers => "sessions, methods and headers of HTTP",
            Self::Overheard => "between two strangers",
            Self::Hosted(act) => act.title(),
        }
    }

    /// As transcripts have it.
    pub fn name(self) -> String {
        let name = match self {
            Self::Tour => "tour",
            Self::Version(version) => return format!("{VERSION_PREFIX}{version}"),
            Self::Garbage => "garbage",
            Self::Cancelling => "cancelling",
            Self::Headers => "headers",
            Self::Hosted(act) => return format!("{HOSTED_PREFIX}{}", act.full_name()),
            Self::Overheard => "overheard",
        };
        name.to_owned()
    }

    pub fn named(name: &str) -> Option<Self> {
        if let Some(version) = name.strip_prefix(VERSION_PREFIX) {
            let mut known = Revision::ALL.iter().map(|it| it.as_str()).chain([NONSENSE_VERSION]);
            return known.find(|known| *known == version).map(Self::Version);
        }
        if let Some(act) = name.strip_prefix(HOSTED_PREFIX) {
            return Act::named(act).map(Self::Hosted);
        }
        let plain = [Self::Tour, Self::Garbage, Self::Cancelling, Self::Headers, Self::Overheard];
        plain.into_iter().find(|scenario| scenario.name() == name)
    }
}

/// Why the checker sent something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// Said by a stranger, for reasons of its own.
    Overheard,
    /// The handshake of the tour.
    Initialize,
    /// The handshake of any other conversation.
    Handshake,
    /// A version of 1999.
    UnknownVersion,
    /// A version that exists.
    KnownVersion,
    Initialized,
    Ping,
    /// With a string as its id.
    PingByString,
    /// A page of a list that the peer declared.
    List,
    BogusCursor,
    /// A method whose capability was not declared.
    Undeclared,
    Call,
    UnknownTool,
    Read,
    UnknownResource,
    Subscribe,
    Unsubscribe,
    GetPrompt,
    UnknownPrompt,
    MissingArgument,
    Complete,
    CompleteUnknown,
    SetLevel,
    UnknownLevel,
    UnknownMethod,
    UnknownNotification,
    CancelUnknown,
    /// A ping to see whether the peer still lives after something odd.
    StillThere,
    NotJson,
    NotARequest,
    NullId,
    WrongParams,
    Batch,
    BatchOfNotifications,
    /// A request that is to be cancelled.
    Slow,
    Cancel,
    /// An answer to a request of the peer.
    Reply,
    OpenStream,
    Resume,
    PostNotification,
    PostResponse,
    WithoutSession,
    EndedSession,
    EndSession,
    UnknownVersionHeader,
    ForeignOrigin,
    /// A request of a client at the endpoint of the hosted server.
    Endpoint,
    /// A request of a client anywhere else.
    Elsewhere,
    /// A notification that a server may send at any time.
    News,
    AskRoots,
    AskSampling,
    AskElicitation,
}

/// Whether a tool says of itself that calling it changes nothing.
fn is_read_only(tool: &Value) -> bool {
    tool.pointer("/annotations/readOnlyHint") == Some(&Value::Bool(true))
}

const VERSION_PREFIX: &str = "version ";
const HOSTED_PREFIX: &str = "hosted ";
const CLIENT_NAME: &str = "proofmark";
/// A version that no revision ever had.
pub const NONSENSE_VERSION: &str = "1999-01-01";
