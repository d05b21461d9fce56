//! What is asked of a run.

use std::{collections::BTreeSet, time::Duration};

use proofmark_converse::scenario::Policy;
use proofmark_core::revision::Revision;
use proofmark_record::{event::Headers, transport::Transport};

use crate::progress::Progress;

/// How a report names the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub description: String,
}

#[derive(Clone, Debug)]
pub struct Options {
    /// `None`: the newest that the peer speaks, in either era.
    pub revision: Option<Revision>,
    pub transport: Transport,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How long a server may take to answer `initialize` after it was started.
    pub start_timeout: Duration,
    /// How long to wait for what must not come.
    pub quiet: Duration,
    /// How long the whole run may take.
    pub run_timeout: Duration,
    /// Told what is going on.
    pub progress: Progress,
    /// Sent with every HTTP request.
    pub headers: Headers,
    /// What another user sends as `Authorization`, to see what the server keeps apart.
    pub other_user: Option<String>,
    pub policy: Policy,
    pub profile: Profile,
    /// Ids, names or pages, also as patterns with `*`; empty means all.
    pub only: Vec<String>,
    /// If there, nothing but these ids.
    pub within: Option<BTreeSet<String>>,
    pub skip: Vec<String>,
}

/// What the peer is expected to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Whatever it declares.
    #[default]
    Any,
    /// The fixtures of the Everything Server.
    Everything,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            revision: None,
            transport: Transport::Stdio,
            timeout: Duration::from_secs(5),
            start_timeout: Duration::from_secs(30),
            quiet: Duration::from_millis(250),
            run_timeout: Duration::from_secs(600),
            progress: Progress::default(),
            headers: Vec::new(),
            other_user: None,
            policy: Policy::default(),
            profile: Profile::Any,
            only: Vec::new(),
            within: None,
            skip: Vec::new(),
        }
    }
}
