//! Conversations with a server, and with an authorization server. A scenario talks; it asserts nothing.
//!
//! Scenarios adapt to what the peer declares, and one conversation serves many requirements. What each request was for is its
//! [`Topic`](proofmark_record::topic::Topic), by which judges find it again. A new scenario is a file with its constant and its code, and a line in
//! [`Scenario::ALL`].

mod answers;
mod authorization;
mod bare;
mod cancelling;
mod claims;
mod client_kind;
mod envelopes;
mod garbage;
mod headers;
mod issuer;
mod known_calls;
mod leaving;
mod levels;
mod listening;
mod lists;
mod mirroring;
mod modern;
mod older;
mod probe;
pub mod request_metadata;
mod rounds;
mod single;
mod streams;
mod task_extension;
mod tasks;
mod tokens;
mod tour;
mod unanswered;
mod users;
mod versions;

use futures_util::future::BoxFuture;
use proofmark_core::revision::{Era, Revision};
use serde_json::Value;
use tokio::sync::Mutex;

pub use authorization::parameter;
pub use cancelling::{LEAST_DURATION, SlowCall};
pub use client_kind::{ClientKind, FormHandling, MISFITS, TASK_PAUSE};
pub use issuer::{
    AuthorizationScenario, AuthorizationTalk, FOREIGN_REDIRECT, WRONG as WRONG_VERIFIER,
};
pub use known_calls::KnownCalls;
pub use probe::{Expect, Framing, HttpSession, Interruption, Pace, Probe, ProbeSettings, Users};
pub use request_metadata::MarkedArgument;
pub use tasks::Candidate;
pub use tokens::{TokenAccess, obtain_token};
pub use tour::Policy;

pub use crate::well_known::{NONSENSE_VERSION, OWN_TASK};
use proofmark_record::{
    event::{Conversation, Event, EventKind},
    evidence::{Evidence, Place},
    scenario::ScenarioName,
    transport::Transport,
};

/// One kind of conversation with a server. Each is a constant beside the code that talks, and in [`Scenario::ALL`].
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// As transcripts have it.
    pub name: &'static str,
    pub title: &'static str,
    /// Whether there is anything to be seen of it.
    pub applies: fn(&Circumstances<'_>) -> bool,
    /// What kind of client the checker is.
    pub client: ClientKind,
    pub turn: Turn,
    /// Whether it goes by what the tour found.
    pub needs_tour: bool,
    /// Whether it calls what is known to announce changes.
    pub announces: fn(&Circumstances<'_>) -> bool,
    pub repeats: Repeats,
    /// What another client does while the one of this scenario is still connected.
    pub alongside: Option<&'static Self>,
    pub talk: for<'t> fn(&'t mut Talk<'_>) -> BoxFuture<'t, ()>,
}

/// What is known of the server when scenarios are chosen.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'c> {
    pub revision: Revision,
    pub transport: Transport,
    pub users: Users,
    pub calls: &'c KnownCalls,
}

/// When in a run a scenario is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Before all others, which depend on what it finds.
    First,
    /// As soon as the first one was refused for want of a token.
    WhenRefused,
    /// Beside the others, and begun before them because it takes long.
    Early,
    /// Beside the others.
    Beside,
    /// Beside others, but not beside those that cause changes: they would be announced to it, too.
    Undisturbed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourLength {
    /// The handshake, for what goes by nothing else.
    Handshake,
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    Once,
    /// Once for every version that a client could offer, under a name with that version.
    ForEachVersion,
}

/// One scenario under way: whom it talks to, and what it has to go on with.
pub struct Talk<'t> {
    pub probe: Probe,
    pub calls: &'t KnownCalls,
    pub policy: &'t Policy,
    /// How much of the tour is wanted.
    pub tour: TourLength,
    /// The tokens for a server that demands some, if the checker could get any.
    pub tokens: &'t Mutex<Option<TokenAccess>>,
    /// What is offered in the handshake, where that is not the revision of the run.
    pub version: &'static str,
    /// What the first handshake was answered with.
    pub handshake: Option<Value>,
}

impl Scenario {
    /// In the order in which reports have them.
    pub const ALL: &'static [Self] = &[
        Self::TOUR,
        Self::VERSION,
        Self::GARBAGE,
        Self::ENVELOPES,
        Self::CLAIMS,
        Self::BARE,
        Self::ONLY_ROOTS,
        Self::ONLY_SAMPLING,
        Self::ONLY_ELICITATION,
        Self::LEVELS,
        Self::CANCELLING,
        Self::UNANSWERED,
        Self::ROUNDS,
        Self::EXTENSION_TASKS,
        Self::LISTENING,
        Self::MIRRORING,
        Self::HEADERS,
        Self::AUTHORIZATION,
        Self::USERS,
        Self::OLDER,
        Self::ANSWERS,
        Self::TASKS,
        Self::STREAMS,
        Self::LEAVING,
        Self::TOKENS,
    ];

    /// What most of them have in common.
    const USUAL: Self = Self {
        name: "",
        title: "",
        applies: |_| true,
        client: ClientKind::Able,
        turn: Turn::Beside,
        needs_tour: false,
        announces: |here| here.calls.is_any_announcing(),
        repeats: Repeats::Once,
        alongside: None,
        talk: |_| Box::pin(async {}),
    };

    pub fn label(&self) -> ScenarioName {
        ScenarioName::new(self.name)
    }

    /// The name of a conversation that offers this version.
    pub fn label_for(&self, version: &str) -> ScenarioName {
        match self.repeats {
            Repeats::Once => self.label(),
            Repeats::ForEachVersion => ScenarioName::new(format!("{} {version}", self.name)),
        }
    }

    /// The versions that are offered, each in a conversation of its own.
    pub fn versions(&self, revision: Revision) -> Vec<&'static str> {
        match self.repeats {
            Repeats::Once => vec![revision.as_str()],
            Repeats::ForEachVersion => offered_versions().collect(),
        }
    }

    /// `None` for a conversation that no scenario with servers held.
    pub fn of(conversation: &Conversation) -> Option<Self> {
        Self::named(&conversation.scenario)
    }

    /// Of the conversation of this place.
    pub fn at(evidence: &Evidence, place: Place) -> Option<Self> {
        Self::of(&evidence.conversations[place.conversation])
    }

    pub fn named(name: &ScenarioName) -> Option<Self> {
        let all = Self::ALL.iter().flat_map(|it| [Some(it), it.alongside]).flatten();
        let mut all = all.copied();
        all.find(|it| match it.repeats {
            Repeats::Once => it.name == name.as_str(),
            Repeats::ForEachVersion => {
                offered_versions().any(|version| it.label_for(version) == *name)
            }
        })
    }

    /// The version that a conversation about versions offered.
    pub fn version_offered_at(evidence: &Evidence, place: Place) -> Option<&'static str> {
        let name = &evidence.conversations[place.conversation].scenario;
        offered_versions().find(|version| Self::VERSION.label_for(version) == *name)
    }
}

impl PartialEq for Scenario {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Scenario {}

impl Circumstances<'_> {
    pub fn is_modern(&self) -> bool {
        self.revision.era() == Era::Modern
    }

    /// Over Streamable HTTP.
    pub fn is_over_http(&self) -> bool {
        self.transport == Transport::Http
    }
}

/// Those of the handshake era, and one that does not exist.
fn offered_versions() -> impl Iterator<Item = &'static str> {
    Revision::of(Era::Legacy).map(Revision::as_str).chain([NONSENSE_VERSION])
}

/// The resources that were listed so far.
fn listed_uris(events: &[Event]) -> Vec<Value> {
    let lists = events.iter().filter_map(|event| match &event.kind {
        EventKind::Received { frame, .. } => frame.json.as_ref().ok(),
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

const MOST_URIS: usize = 8;
const CLIENT_NAME: &str = "proofmark";
