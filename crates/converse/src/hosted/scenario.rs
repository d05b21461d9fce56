//! What the hosted server is like in one run of the client.

use std::{borrow::Cow, fmt};

use proofmark_core::revision::{Era, Revision};
use serde_json::{Value, json};

use super::{behaviour::Behaviour, steps::Step};
use crate::{authorization_variant::AuthorizationVariant, well_known::NONSENSE_VERSION};
use proofmark_record::{
    event::Conversation,
    evidence::{Evidence, Place},
    scenario::ScenarioName,
    transport::Transport,
};

/// One way to be a server, and a fresh run of the client. Each is a constant in `scenarios`, with what it does otherwise than
/// [`HostedScenario::BEHAVE`].
#[derive(Clone, Copy, Debug)]
pub struct HostedScenario {
    /// What the client finds in `PROOFMARK_SCENARIO`.
    pub name: &'static str,
    pub title: &'static str,
    /// The scenario of the official suite that makes a client do what is needed.
    pub official: &'static str,
    /// What the official suite would tell the client beside the scenario.
    pub(super) context: fn() -> Option<Value>,
    /// Whether there is anything to be seen of it in this revision and over this transport.
    pub(super) applies: fn(&Self, Revision, Transport) -> bool,
    /// Where there are several scenarios of one name: which of them it is.
    pub variation: Variation,
    /// How tokens are demanded, if they are.
    pub authorization: Option<&'static AuthorizationVariant>,
    /// Whether the client is left to find out what the server speaks.
    pub hides_revision: bool,
    pub(super) declares: Declares,
    pub(super) has_sessions: bool,
    /// Whether the session is forgotten after the first call.
    pub(super) forgets_session: bool,
    /// Whether GET opens a stream for what belongs to no request.
    pub(super) has_standing_stream: bool,
    /// How requests are answered if nothing is said before.
    pub(super) stream: Stream,
    /// Whether events are written in every way that their format allows.
    pub(super) has_odd_events: bool,
    /// Whether names of headers are in upper and lower case.
    pub(super) has_odd_headers: bool,
    /// Whether it knows HTTP+SSE and nothing newer.
    pub(super) is_sse_only: bool,
    pub(super) pages: Pages,
    /// What can be called.
    pub(super) tools: fn(&Behaviour) -> Vec<Value>,
    pub(super) calls: Calls,
    /// Whether some calls become tasks.
    pub(super) has_tasks: bool,
    /// What is asked of a client that began with a handshake, once.
    pub(super) questions: fn(&Behaviour) -> Vec<Step>,
    /// What is asked for before a request of the modern era is answered.
    pub(super) input: Option<InputRequests>,
    pub(super) result_type: ResultType,
    /// Whether the server dies as soon as a client listens, and is there again for a client that starts it once more.
    pub(super) dies: bool,
    /// Whether results say how often they were given, and for how long they may be kept.
    pub(super) counts_results: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variation {
    Only,
    /// Counters the client's version with this one, whatever it was. In the era without handshakes: supports no other.
    Version(&'static str),
    /// Knows nothing of the era without handshakes, and refuses what it does not know in this way.
    Refusal(Refusal),
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

/// How a request is answered over HTTP, if nothing is said before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// One body.
    Json,
    Events,
}

/// The capabilities of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declares {
    Everything,
    Tools,
}

/// How lists are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pages {
    No,
    /// One item a page.
    OfOne,
    /// The same, and the first cursor that a client comes back with is refused.
    Expiring,
}

/// What becomes of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Calls {
    Answered,
    /// With questions about roots before the answer, also when they were put before.
    AskingForRoots,
    /// The stream breaks off. With sessions it goes on for a client that comes back, without them the second call is answered.
    BrokenOff,
    /// Refused like lists of tools.
    Refused,
    /// So slow that the client has something to cancel or to give up.
    Slow,
    /// The first is refused, because the marks of its tool have changed since it was listed.
    StaleAtFirst,
}

/// What a client is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputRequests {
    Declared,
    Undeclared,
}

/// Of what kind results say that they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultType {
    True,
    /// Lists of tools are of a kind that does not exist.
    Unknown,
    /// Lists of tools and results of calls do not say it.
    Absent,
}

impl HostedScenario {
    /// What no result is.
    pub const UNKNOWN_KIND: &'static str = "proofmark_unknown";

    /// One that counters with this version.
    pub const fn version(version: &'static str) -> Self {
        Self { variation: Variation::Version(version), ..Self::VERSION }
    }

    /// One that demands tokens in this way.
    pub const fn demanding(variant: &'static AuthorizationVariant) -> Self {
        Self {
            name: variant.name,
            title: variant.title,
            official: variant.official,
            applies: |own, revision, transport| {
                let rules = revision.rules().authorization.as_ref();
                let suits = own.authorization.map(|variant| variant.suits);
                let suits = rules.zip(suits).is_some_and(|(rules, suits)| suits(rules));
                transport == Transport::Http && suits
            },
            authorization: Some(variant),
            ..Self::BEHAVE
        }
    }

    /// Every one, with every version that a server could counter with.
    pub fn all() -> impl Iterator<Item = Self> {
        let versions = Revision::of(Era::Legacy).map(Revision::as_str).chain([NONSENSE_VERSION]);
        let older = Self::OLDER_SERVERS.iter().copied();
        let demanding = AuthorizationVariant::ALL.iter().map(|variant| Self::demanding(variant));
        Self::PLAIN.iter().copied().chain(versions.map(Self::version)).chain(older).chain(demanding)
    }

    /// Whether there is anything to be seen of it in this revision and over this transport.
    pub fn suits(&self, revision: Revision, transport: Transport) -> bool {
        (self.applies)(self, revision, transport)
    }

    pub fn label(&self) -> ScenarioName {
        ScenarioName::new(format!("{PREFIX}{}", self.full_name()))
    }

    /// The name, with the version or the refusal if there is one.
    fn full_name(&self) -> Cow<'static, str> {
        match self.variation {
            Variation::Only => self.name.into(),
            Variation::Version(version) => format!("version {version}").into(),
            Variation::Refusal(refusal) => format!("older {refusal}").into(),
        }
    }

    pub fn named(name: &ScenarioName) -> Option<Self> {
        let name = name.as_str().strip_prefix(PREFIX)?;
        Self::all().find(|it| it.full_name() == name)
    }

    /// `None` for a conversation that was not with a hosted server.
    pub fn of(conversation: &Conversation) -> Option<Self> {
        Self::named(&conversation.scenario)
    }

    /// Of the conversation of this place.
    pub fn at(evidence: &Evidence, place: Place) -> Option<Self> {
        Self::of(&evidence.conversations[place.conversation])
    }

    /// The version that the server counters the client's with, whatever that was.
    pub fn countered_version(&self) -> Option<&'static str> {
        match self.variation {
            Variation::Version(version) => Some(version),
            Variation::Only | Variation::Refusal(_) => None,
        }
    }

    pub(super) fn capabilities(&self) -> Value {
        match self.declares {
            Declares::Tools => json!({ "tools": {} }),
            Declares::Everything => json!({
                "tools": { "listChanged": true },
                "resources": { "listChanged": true, "subscribe": true },
                "prompts": { "listChanged": true },
                "logging": {},
                "completions": {},
            }),
        }
    }
}

impl PartialEq for HostedScenario {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.variation == other.variation
    }
}

impl Eq for HostedScenario {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "code {code}"),
            Self::Status(status) => write!(f, "status {status}"),
            Self::Silence => f.write_str("silence"),
        }
    }
}

/// What names in transcripts begin with.
const PREFIX: &str = "hosted ";
