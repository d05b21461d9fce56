//! What a client is and can do, the same for every server it talks to.

use std::time::Duration;

use crate::{
    fit::Fit,
    json::Raw,
    revision::{Era, Revision, Rules},
    session::{Declared, server::Link},
    types::{ClientCapabilities, Implementation, LoggingLevel, meta_key},
};

/// How a client presents itself and what it is willing to do.
#[derive(Clone, Debug)]
pub struct Profile {
    pub info: Implementation,
    /// In the words of the newest revision; each server is told what its own revision knows of it.
    pub capabilities: ClientCapabilities,
    /// Oldest first; never empty.
    revisions: Vec<Revision>,
    pub preference: Preference,
    pub gating: Gating,
    pub link: Link,
    pub limits: ClientLimits,
    /// What modern servers may log while they answer; `None` for nothing. Legacy servers are told with `logging/setLevel`.
    pub log_level: Option<LoggingLevel>,
}

/// Which era to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// The modern one with servers that know it, the legacy one with others.
    #[default]
    Auto,
    /// Offer this revision with `initialize`, without asking for the modern era first.
    Legacy(Revision),
    /// The modern one or none.
    Modern,
}

/// What becomes of a call that the server did not declare to serve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gating {
    /// It is refused here and never sent.
    #[default]
    Enforced,
    /// It is sent, and the server is left to refuse it.
    Trusting,
}

/// How much one conversation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientLimits {
    /// Calls at once, open subscriptions included.
    pub calls: usize,
    /// Questions of the server that wait for our handlers at once.
    pub asks: usize,
    /// How often one call may be answered with questions.
    pub rounds: u32,
    /// Resources watched at once in the legacy era.
    pub subscriptions: usize,
    /// How long to wait for the answer to `server/discover` before the server is taken to be a legacy one.
    pub probe: Duration,
    /// How long a call waits without a sign of life, unless it says otherwise.
    pub patience: Duration,
    /// How long a call waits in all, however much progress it reports. A call's own patience may be longer.
    pub longest: Duration,
    /// How long the handlers have to answer what a modern server wants to know.
    pub longest_ask: Duration,
    /// How long to wait before the first retry of a call whose result only says "try again"; it doubles with each round.
    pub retry_pause: Duration,
}

impl Default for ClientLimits {
    fn default() -> Self {
        Self {
            calls: 128,
            asks: 64,
            rounds: 10,
            subscriptions: 1024,
            probe: Duration::from_secs(5),
            patience: Duration::from_secs(60),
            longest: Duration::from_secs(600),
            longest_ask: Duration::from_secs(600),
            retry_pause: Duration::from_millis(250),
        }
    }
}

impl Profile {
    /// A client that speaks every revision.
    pub fn new(info: Implementation, capabilities: ClientCapabilities) -> Self {
        Self {
            info,
            capabilities,
            revisions: Revision::ALL.to_vec(),
            preference: Preference::default(),
            gating: Gating::default(),
            link: Link::default(),
            limits: ClientLimits::default(),
            log_level: None,
        }
    }

    /// Speaks only these revisions; an empty choice means all.
    pub fn with_revisions(self, mut revisions: Vec<Revision>) -> Self {
        revisions.sort_unstable();
        revisions.dedup();
        if revisions.is_empty() {
            revisions = Revision::ALL.to_vec();
        }
        Self { revisions, ..self }
    }

    pub fn revisions(&self) -> &[Revision] {
        &self.revisions
    }

    /// The revision to ask `server/discover` in; `None` if the modern era is not wanted.
    pub(super) fn probe_revision(&self) -> Option<Revision> {
        match self.preference {
            Preference::Legacy(_) => None,
            Preference::Auto | Preference::Modern => self.of(Era::Modern).next_back(),
        }
    }

    /// The revision to offer with `initialize`; `None` if the legacy era is not wanted.
    pub(super) fn offered_revision(&self) -> Option<Revision> {
        match self.preference {
            Preference::Legacy(revision) if revision.era() == Era::Legacy => Some(revision),
            Preference::Legacy(_) | Preference::Auto => self.of(Era::Legacy).next_back(),
            Preference::Modern => None,
        }
    }

    /// The newest revision of an era among those that the server names.
    pub(super) fn newest_mutual(&self, era: Era, supported: &[String]) -> Option<Revision> {
        let unwanted = match era {
            Era::Legacy => self.preference == Preference::Modern,
            Era::Modern => matches!(self.preference, Preference::Legacy(_)),
        };
        if unwanted {
            return None;
        }
        self.of(era).rev().find(|ours| supported.iter().any(|theirs| theirs == ours.as_str()))
    }

    /// Whether a legacy server may choose this version.
    pub(super) fn accepts(&self, version: &str) -> Option<Revision> {
        let revision: Revision = version.parse().ok()?;
        let asked = self.preference == Preference::Legacy(revision);
        let ours = asked || self.revisions.contains(&revision);
        (ours && revision.era() == Era::Legacy).then_some(revision)
    }

    fn of(&self, era: Era) -> impl DoubleEndedIterator<Item = Revision> {
        self.revisions.iter().copied().filter(move |revision| revision.era() == era)
    }
}

/// What a server is told about us, in the words of its revision.
#[derive(Clone, Debug)]
pub(super) struct Introduction {
    pub(super) info: Implementation,
    pub(super) capabilities: ClientCapabilities,
    pub(super) declared: Declared,
    pub(super) info_json: Raw,
    pub(super) capabilities_json: Raw,
    /// Both as members of a `_meta`, the last one with a comma behind it.
    pub(super) meta_json: String,
}

impl Introduction {
    pub(super) fn new(profile: &Profile, rules: &Rules) -> Self {
        let mut info = profile.info.clone();
        info.fit(rules);
        let mut capabilities = profile.capabilities.clone();
        capabilities.fit(rules);
        let info_json = Raw::new(&info).expect("strings and lists of strings always encode");
        let capabilities_json = Raw::new(&capabilities).expect("objects of raw JSON always encode");
        Self {
            meta_json: format!(
                r#""{}":{},"{}":{},"#,
                meta_key::CLIENT_CAPABILITIES,
                capabilities_json.as_str(),
                meta_key::CLIENT_INFO,
                info_json.as_str(),
            ),
            info_json,
            capabilities_json,
            declared: Declared::from(&capabilities),
            info,
            capabilities,
        }
    }
}
