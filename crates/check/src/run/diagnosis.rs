//! Why a peer could not be checked at all, so that nobody has to guess.

use std::fmt;

use super::Peer;
use crate::{
    evidence::{Event, What},
    sanitise::{excerpt, plain},
};

/// The peer could not be started or reached, or did not stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreachable {
    pub peer: String,
    pub why: String,
    /// What the peer said and did, line by line, fit for a terminal.
    pub traces: Vec<String>,
}

impl Unreachable {
    pub(super) fn new(peer: &Peer, why: &str, events: &[Event]) -> Self {
        let traces = events.iter().filter_map(|event| trace(&event.what)).collect::<Vec<_>>();
        let from = traces.len().saturating_sub(MOST_TRACES);
        Self { peer: plain(&peer.to_string()), why: plain(why), traces: traces[from..].to_vec() }
    }
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be checked: {}", self.peer, self.why)?;
        self.traces.iter().try_for_each(|trace| write!(f, "\n  {trace}"))
    }
}

impl std::error::Error for Unreachable {}

fn trace(what: &What) -> Option<String> {
    Some(match what {
        What::Received { frame, .. } => format!("it said: {}", excerpt(&frame.bytes)),
        What::Responded { status, .. } => format!("it answered with status {status}"),
        What::Ended { .. } => "it ended its output".to_owned(),
        What::Broken { why, .. } => format!("the way to it broke: {}", plain(why)),
        What::Silence(time) => format!("it was silent for {} ms", time.as_millis()),
        What::Flooded { limit } => format!("it sent more than {limit} bytes"),
        What::Stderr(line) => format!("on standard error: {}", plain(line)),
        What::Exited(how) => format!("its process ended: {}", plain(how)),
        What::Connected(how) => plain(how),
        What::Sent { .. } | What::Requested { .. } => return None,
    })
}

const MOST_TRACES: usize = 20;
