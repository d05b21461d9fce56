//! Conversations with a peer. A scenario talks; it asserts nothing.
//!
//! Scenarios adapt to what the peer declares, and one conversation serves many requirements. What each request was for is its [`Topic`],
//! by which judges find it again.

mod answers;
mod authorization;
mod bare;
mod cancelling;
mod claims;
pub mod dress;
mod garbage;
mod headers;
mod issuer;
mod leaving;
mod listening;
mod manner;
mod mirroring;
mod modern;
mod older;
mod probe;
mod rounds;
mod streams;
mod task_extension;
mod tasks;
mod tokens;
mod tour;
mod unanswered;
mod versions;

pub use answers::{Asking, answers};
pub use authorization::{authorization, parameter};
pub use bare::bare;
pub use cancelling::{LEAST_DURATION, SlowCall, cancelling};
pub use claims::claims;
pub use dress::Marked;
pub use garbage::garbage;
pub use headers::headers;
pub use issuer::{FOREIGN_REDIRECT, Issued, WRONG as WRONG_VERIFIER, documents, issuer};
pub use leaving::leaving;
pub use listening::listening;
pub use manner::TASK_PAUSE;
pub use manner::{MISFITS, Manner, Obstinacy};
pub use mirroring::{Callable, mirroring};
pub use modern::modern_tour;
pub use older::older;
pub use probe::{Expect, HttpWay, Probe, ProbeSettings, Trouble};
use proofmark_core::revision::Revision;
pub use rounds::rounds;
use serde_json::Value;
pub use streams::streams;
pub use task_extension::extension_tasks;
pub use tasks::OWN_ID as OWN_TASK;
pub use tasks::{Candidate, tasks, tasks_of_others};
pub use tokens::{Entry, enter};
pub use tour::{Policy, tour};
pub use unanswered::unanswered;
pub use versions::versions;

use crate::hosted::Act;
use proofmark_record::{
    event::{Conversation, Event, What},
    evidence::{Evidence, Place},
    scenario::ScenarioName,
};

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
    /// A client whose users are no help.
    Answers,
    /// A client without any capability.
    Bare,
    /// A client that leaves a question open.
    Unanswered,
    /// Two streams of one session.
    Streams,
    /// Who may talk to the server at all.
    Authorization,
    /// Getting tokens for a server that demands them.
    Tokens,
    /// Asking an authorization server for tokens.
    Issuer,
    /// Clients that an authorization server knows by a document.
    Documents,
    /// Requests that say too little about themselves.
    Claims,
    /// Headers that contradict the body.
    Mirroring,
    /// Requests of several rounds.
    Rounds,
    /// A subscription to some changes.
    Listening,
    /// A client that goes away while its request runs.
    Leaving,
    /// What clients of earlier revisions say.
    Older,
    /// Requests that go on as tasks.
    Tasks,
    /// Another client, which began no task.
    TasksOfOthers,
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
            Self::Answers => "users who are no help",
            Self::Bare => "a client that has nothing to offer",
            Self::Unanswered => "a question that is not answered",
            Self::Streams => "two streams of one session",
            Self::Authorization => "requests without a token and with a wrong one",
            Self::Tokens => "getting tokens for the server",
            Self::Issuer => "asking for tokens, rightly and wrongly",
            Self::Documents => "clients that are known by a document",
            Self::Claims => "requests that say too little about themselves",
            Self::Mirroring => "headers that contradict the body",
            Self::Rounds => "requests of several rounds",
            Self::Listening => "a subscription to some changes",
            Self::Leaving => "a connection that is closed while a request runs",
            Self::Older => "what clients of earlier revisions say",
            Self::Tasks => "requests that go on as tasks",
            Self::TasksOfOthers => "a client that began no task",
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
            Self::Answers => "answers",
            Self::Bare => "bare",
            Self::Unanswered => "unanswered",
            Self::Streams => "streams",
            Self::Authorization => "authorization",
            Self::Tokens => "tokens",
            Self::Issuer => "issuer",
            Self::Documents => "documents",
            Self::Claims => "claims",
            Self::Mirroring => "mirroring",
            Self::Rounds => "rounds",
            Self::Listening => "listening",
            Self::Leaving => "leaving",
            Self::Older => "older",
            Self::Tasks => "tasks",
            Self::TasksOfOthers => "tasks-of-others",
            Self::Hosted(act) => return format!("{HOSTED_PREFIX}{}", act.full_name()),
            Self::Overheard => "overheard",
        };
        name.to_owned()
    }

    pub fn label(self) -> ScenarioName {
        ScenarioName::new(self.name())
    }

    /// `None` for a conversation that no scenario of this program held.
    pub fn of(conversation: &Conversation) -> Option<Self> {
        Self::named(conversation.scenario.as_str())
    }

    /// Of the conversation of this place.
    pub fn at(evidence: &Evidence, place: Place) -> Option<Self> {
        Self::of(&evidence.conversations[place.conversation])
    }

    pub fn named(name: &str) -> Option<Self> {
        if let Some(version) = name.strip_prefix(VERSION_PREFIX) {
            let mut known = Revision::ALL.iter().map(|it| it.as_str()).chain([NONSENSE_VERSION]);
            return known.find(|known| *known == version).map(Self::Version);
        }
        if let Some(act) = name.strip_prefix(HOSTED_PREFIX) {
            return Act::named(act).map(Self::Hosted);
        }
        let plain = [
            Self::Tour,
            Self::Garbage,
            Self::Cancelling,
            Self::Headers,
            Self::Answers,
            Self::Bare,
            Self::Unanswered,
            Self::Streams,
            Self::Authorization,
            Self::Tokens,
            Self::Issuer,
            Self::Documents,
            Self::Claims,
            Self::Mirroring,
            Self::Rounds,
            Self::Listening,
            Self::Leaving,
            Self::Older,
            Self::Tasks,
            Self::TasksOfOthers,
            Self::Overheard,
        ];
        plain.into_iter().find(|scenario| scenario.name() == name)
    }
}

/// The resources that were listed so far.
fn listed_uris(events: &[Event]) -> Vec<Value> {
    let lists = events.iter().filter_map(|event| match &event.what {
        What::Received { frame, .. } => frame.json.as_ref().ok(),
        _ => None,
    });
    let resources = lists.filter_map(|message| message.pointer("/result/resources")?.as_array());
    resources
        .flatten()
        .filter_map(|resource| resource.get("uri").cloned())
        .take(MOST_URIS)
        .collect()
}

/// Whether a tool says of itself that calling it changes nothing.
fn is_read_only(tool: &Value) -> bool {
    tool.pointer("/annotations/readOnlyHint") == Some(&Value::Bool(true))
}

const VERSION_PREFIX: &str = "version ";
const MOST_URIS: usize = 8;
const HOSTED_PREFIX: &str = "hosted ";
const CLIENT_NAME: &str = "proofmark";
/// A version that no revision ever had.
pub const NONSENSE_VERSION: &str = "1999-01-01";
