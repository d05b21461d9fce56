//! What an operator decides about an endpoint.

use std::borrow::Cow;

use super::{Hosts, Origins};
use crate::revision::{Era, Revision};

/// What an endpoint serves, and to whom.
///
/// The default serves every revision on a loopback address, to programs and pages of the same machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    pub hosts: Hosts,
    pub origins: Origins,
    /// The revisions served, in the order in which refusals list them.
    pub revisions: Cow<'static, [Revision]>,
    pub sessions: Sessions,
    /// Bytes of a body. What declares more is refused unread; what declares nothing is for the reader of the body to stop.
    pub body_limit: u64,
    /// Methods of extensions, beyond those that the revisions themselves have.
    pub methods: Cow<'static, [Cow<'static, str>]>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            hosts: Hosts::default(),
            origins: Origins::default(),
            revisions: Cow::Borrowed(Revision::ALL),
            sessions: Sessions::Required,
            body_limit: 4 * 1024 * 1024,
            methods: Cow::Borrowed(&[]),
        }
    }
}

/// Whether legacy conversations have sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sessions {
    /// None are handed out, and a session that a client mentions is ignored.
    Off,
    /// They are handed out, but a message without one is served on its own.
    Optional,
    /// A legacy message other than `initialize` belongs to a session or is refused.
    Required,
}

impl Policy {
    pub fn serves(&self, revision: Revision) -> bool {
        self.revisions.contains(&revision)
    }

    pub fn serves_era(&self, era: Era) -> bool {
        self.revisions.iter().any(|revision| revision.era() == era)
    }

    /// Whether GET and DELETE have a meaning here.
    pub fn has_sessions(&self) -> bool {
        self.sessions != Sessions::Off
            && self.revisions.iter().any(|revision| revision.rules().http.sessions)
    }

    /// The newest revision served: it decides how a request is refused whose own revision is not known.
    pub(super) fn newest(&self) -> Revision {
        self.revisions.iter().copied().max().unwrap_or_else(|| Revision::newest(Era::Modern))
    }
}
