//! Conversations with a peer. A scenario talks; it asserts nothing.
//!
//! Scenarios adapt to what the peer declares, and one conversation serves many requirements. What each request was for is its [`Topic`],
//! by which judges find it again.

mod authorization;
mod bare;
mod cancelling;
mod garbage;
mod headers;
mod manner;
mod probe;
mod streams;
mod tour;
mod unanswered;
mod versions;

pub use authorization::authorization;
pub use bare::bare;
pub use cancelling::{LEAST_DURATION, SlowCall, cancelling};
pub use garbage::garbage;
pub use headers::headers;
pub use manner::Manner;
pub use probe::{Expect, HttpWay, Probe, ProbeSettings, Trouble};
use proofmark_core::revision::Revision;
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use streams::streams;
pub use tour::{Policy, tour};
pub use unanswered::unanswered;
pub use versions::versions;

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
    /// A client without any capability.
    Bare,
    /// A client that leaves a question open.
    Unanswered,
    /// Two streams of one session.
    Streams,
    /// Who may talk to the server at all.
    Authorization,
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
            Self::Bare => "a client that has nothing to offer",
            Self::Unanswered => "a question that is not answered",
            Self::Streams => "two streams of one session",
            Self::Authorization => "requests without a token and with a wrong one",
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
            Self::Bare => "bare",
            Self::Unanswered => "unanswered",
            Self::Streams => "streams",
            Self::Authorization => "authorization",
            Self::Overheard => "overheard",
        };
        name.to_owned()
    }

    pub fn named(name: &str) -> Option<Self> {
        if let Some(version) = name.strip_prefix(VERSION_PREFIX) {
            let mut known = Revision::ALL.iter().map(|it| it.as_str()).chain([NONSENSE_VERSION]);
            return known.find(|known| *known == version).map(Self::Version);
        }
        let plain = [
            Self::Tour,
            Self::Garbage,
            Self::Cancelling,
            Self::Headers,
            Self::Bare,
            Self::Unanswered,
            Self::Streams,
            Self::Authorization,
            Self::Overheard,
        ];
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
    /// The same list after everything else.
    ListAgain,
    BogusCursor,
    /// A method whose capability was not declared.
    Undeclared,
    Call,
    /// A call by a client that has no capabilities.
    BareCall,
    /// A call that is known to cause a message on the stream of GET.
    Announcing,
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
    /// A request that asks the client something, which does not answer.
    Unanswered,
    LateAnswer,
    Cancel,
    /// A ping right after a cancellation: what comes after its answer came in spite of it.
    AfterCancel,
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
    WithoutToken,
    WrongToken,
    ResourceMetadata,
    IssuerMetadata,
}

/// Whether a tool says of itself that calling it changes nothing.
fn is_read_only(tool: &Value) -> bool {
    tool.pointer("/annotations/readOnlyHint") == Some(&Value::Bool(true))
}

const VERSION_PREFIX: &str = "version ";
const CLIENT_NAME: &str = "proofmark";
/// A version that no revision ever had.
pub const NONSENSE_VERSION: &str = "1999-01-01";
