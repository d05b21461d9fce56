//! What a requirement is, and what it takes to judge it.

use std::panic::Location;

use proofmark_core::revision::Revision;
use proofmark_record::{
    evidence::Evidence, scenario::ScenarioName, side::Side, transport::Transport,
};

pub use crate::level::Level;
use crate::{mutant::Mutant, outcome::Outcome};

/// Requirements whose home is one page of the specification.
#[derive(Debug)]
pub struct Page {
    /// The page's path under a revision, without its ending.
    pub name: &'static str,
    /// Why its rules matter: what goes wrong for people where they are broken.
    pub why: &'static str,
    /// In the order in which reports show them.
    pub requirements: &'static [&'static Requirement],
}

#[derive(Debug)]
pub struct Requirement {
    /// A stable name: never renumbered, never reused.
    pub id: &'static str,
    /// A few words for people, which may change.
    pub name: &'static str,
    pub level: Level,
    pub party: Party,
    pub transports: Transports,
    pub span: Span,
    /// In our own words.
    pub text: &'static str,
    /// Where the specification says it, with `{first..last}` for a page that has it in several revisions.
    pub section: &'static str,
    pub observed: Observed,
}

/// Whom a requirement binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    AuthorizationServer,
    Both,
    Client,
    Server,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transports {
    Any,
    Http,
    Sse,
    Stdio,
}

/// The revisions in which a requirement is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub first: Revision,
    /// `None`: still in force in the newest.
    pub last: Option<Revision>,
}

/// Whether and how the checker looks at a requirement.
#[derive(Clone, Copy, Debug)]
pub enum Observed {
    By(&'static Check),
    /// For what binds both.
    Each {
        server: &'static Self,
        client: &'static Self,
    },
    NotYet,
    /// There is nothing to see, for this reason.
    Unobservable(&'static str),
}

impl Requirement {
    /// Whether and how it is looked at in this side; never [`Observed::Each`].
    pub fn observed_of(&self, side: Side) -> Observed {
        if !self.party.includes(side) {
            return Observed::NotYet;
        }
        match (self.observed, side) {
            (Observed::Each { server, .. }, Side::Server) => *server,
            (Observed::Each { client, .. }, Side::Client) => *client,
            (observed, _) => observed,
        }
    }

    pub fn check(&self, side: Side) -> Option<&'static Check> {
        match self.observed_of(side) {
            Observed::By(check) => Some(check),
            Observed::Each { .. } | Observed::NotYet | Observed::Unobservable(_) => None,
        }
    }

    /// Whether it is looked at in any side.
    pub fn is_observed(&self) -> bool {
        Side::ALL.iter().any(|side| self.check(*side).is_some())
    }

    /// Whether a peer of this side that speaks this revision over this transport is bound by it.
    pub fn binds(&self, side: Side, revision: Revision, transport: Transport) -> bool {
        self.party.includes(side)
            && self.span.contains(revision)
            && self.transports.include(transport)
    }
}

impl Span {
    pub fn contains(self, revision: Revision) -> bool {
        self.first <= revision && self.last.is_none_or(|last| revision <= last)
    }
}

impl Transports {
    pub fn include(self, transport: Transport) -> bool {
        match self {
            Self::Any => true,
            Self::Http => transport == Transport::Http,
            Self::Sse => transport == Transport::Sse,
            Self::Stdio => transport == Transport::Stdio,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Http => "http",
            Self::Sse => "sse",
            Self::Stdio => "stdio",
        }
    }
}

impl Party {
    pub fn includes(self, side: Side) -> bool {
        match self {
            Self::AuthorizationServer => side == Side::Authorization,
            Self::Both => side != Side::Authorization,
            Self::Client => side == Side::Client,
            Self::Server => side == Side::Server,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::AuthorizationServer => "authorization server",
            Self::Both => "both",
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

pub(crate) const fn since(first: Revision) -> Span {
    Span { first, last: None }
}

pub(crate) const fn between(first: Revision, last: Revision) -> Span {
    Span { first, last: Some(last) }
}

pub(crate) const fn only(revision: Revision) -> Span {
    Span { first: revision, last: Some(revision) }
}

/// How a requirement is looked at.
#[derive(Debug)]
pub struct Check {
    /// What the checker does to see it, in a sentence.
    pub how: &'static str,
    /// The conversations in which a breach shows.
    pub seen: Seen,
    /// What to change in a peer that breaks it.
    pub fix: &'static str,
    pub judge: fn(&Evidence) -> Outcome,
    /// Peers that break it, and nothing else that they do not declare.
    pub mutants: &'static [Mutant],
}

/// Where a breach of a requirement shows, and where its judge is written.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Scenarios by their names in transcripts; empty: every conversation, because every message is looked at.
    pub scenarios: &'static [&'static str],
    /// Whether a breach may be one of the moment, so that it has to show once more before it is reported.
    pub momentary: bool,
    source: &'static Location<'static>,
}

impl Seen {
    /// The file of the judge, as a path in the repository.
    pub fn file(self) -> String {
        let file = self.source.file().replace('\\', "/");
        let file = file.rsplit_once("src/").map_or(&*file, |(_, file)| file);
        format!("crates/judge/src/{file}")
    }

    /// Of that file.
    pub fn line(self) -> u32 {
        self.source.line()
    }

    /// A breach hangs on time, or on state that other conversations may have changed.
    #[must_use]
    pub(crate) const fn momentary(self) -> Self {
        Self { momentary: true, ..self }
    }

    pub fn includes(self, scenario: &ScenarioName) -> bool {
        let first = scenario.first();
        let name = first.as_ref().unwrap_or(scenario).as_str();
        self.scenarios.is_empty() || self.scenarios.contains(&name)
    }

    /// The conversations, for a sentence.
    pub fn conversations(self) -> String {
        match self.scenarios {
            [] => "every conversation".to_owned(),
            names => names.join(", "),
        }
    }
}

/// In every conversation.
#[track_caller]
pub(crate) const fn seen_everywhere() -> Seen {
    seen_in(&[])
}

/// In these scenarios, by their names in transcripts.
#[track_caller]
pub(crate) const fn seen_in(scenarios: &'static [&'static str]) -> Seen {
    Seen { scenarios, momentary: false, source: Location::caller() }
}
