//! Why a peer could not be checked at all, so that the user need not guess.

use std::fmt;

use proofmark_converse::peer::Peer;
use proofmark_record::{
    event::{Event, EventKind},
    text::{excerpt, plain},
};

/// The peer could not be started or reached, or did not stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreachable {
    pub peer: String,
    pub why: String,
    /// What the peer said and did, line by line, fit for a terminal.
    pub traces: Vec<String>,
    /// What would probably help.
    pub hint: Option<&'static str>,
}

impl Unreachable {
    pub(super) fn new(peer: &Peer, why: &str, events: &[Event]) -> Self {
        Self::named(&peer.to_string(), why, events)
    }

    pub(super) fn named(peer: &str, why: &str, events: &[Event]) -> Self {
        let traces = events.iter().filter_map(|event| trace(&event.kind)).collect::<Vec<_>>();
        let from = traces.len().saturating_sub(MOST_TRACES);
        Self {
            peer: plain(peer),
            why: plain(why),
            traces: traces[from..].to_vec(),
            hint: events.iter().find_map(|event| hint(&event.kind)),
        }
    }
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be checked: {}", self.peer, self.why)?;
        self.traces.iter().try_for_each(|trace| write!(f, "\n  {trace}"))?;
        self.hint.map_or(Ok(()), |hint| write!(f, "\n{hint}"))
    }
}

impl std::error::Error for Unreachable {}

fn trace(what: &EventKind) -> Option<String> {
    Some(match what {
        EventKind::Received { frame, .. } => format!("it said: {}", excerpt(&frame.bytes)),
        EventKind::Responded { status, .. } => format!("it answered with status {status}"),
        EventKind::Ended { .. } => "it ended its output".to_owned(),
        EventKind::Left { .. } => "it closed a connection before it had everything".to_owned(),
        EventKind::Broken { why, .. } => format!("the way to it broke: {}", plain(why)),
        EventKind::Silence(time) => format!("it was silent for {} ms", time.as_millis()),
        EventKind::Flooded { limit } => format!("it sent more than {limit} bytes"),
        EventKind::Stderr(line) => format!("on standard error: {}", plain(line)),
        EventKind::Exited(how) => format!("its process ended: {}", plain(how)),
        EventKind::Connected(how) => plain(how),
        EventKind::Sent { frame, .. } => format!("the checker said: {}", excerpt(&frame.bytes)),
        EventKind::Requested { .. } => return None,
    })
}

fn hint(what: &EventKind) -> Option<&'static str> {
    match what {
        EventKind::Responded { status: 401 | 403, .. } => Some(
            "It wants to know who asks: name the environment variable that has a token with --token-env, or give a header with --header.",
        ),
        EventKind::Responded { status: 404 | 405, .. } => {
            Some("Nothing speaks MCP there: is the path of the URL right, and the --transport?")
        }
        EventKind::Broken { why, .. } if why.to_ascii_lowercase().contains("refused") => {
            Some("Nothing listens there: does the server run, and is the port right?")
        }
        _ => None,
    }
}

const MOST_TRACES: usize = 20;
