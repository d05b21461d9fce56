//! Why a peer could not be checked at all, so that the user need not guess.

use std::fmt;

use proofmark_converse::peer::Peer;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::BrokenOff;
use crate::options::Options;
use proofmark_record::{
    event::{Border, Event, EventKind, Frame, Headers, header},
    text::{excerpt, plain},
    topic::Topic,
};

/// The peer could not be started or reached, or did not stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreachable {
    pub peer: String,
    pub why: String,
    /// What the peer said and did, line by line, fit for a terminal.
    pub traces: Vec<String>,
    /// What would probably help.
    pub hint: Option<String>,
}

impl Unreachable {
    pub(crate) fn new(peer: &Peer, why: &str, events: &[Event]) -> Self {
        Self::named(&peer.to_string(), why, events)
    }

    pub(crate) fn named(peer: &str, why: &str, events: &[Event]) -> Self {
        let traces = events.iter().filter_map(|event| trace(&event.kind)).collect::<Vec<_>>();
        let from = traces.len().saturating_sub(MOST_TRACES);
        Self {
            peer: plain(peer),
            why: plain(why),
            traces: traces[from..].to_vec(),
            hint: events.iter().find_map(|event| hint(&event.kind)).or_else(|| silence(events)),
        }
    }

    /// There was not time enough.
    pub(crate) fn out_of_time(peer: &str, options: &Options) -> Self {
        Self::named(peer, &time_ran_out(options), &[])
    }

    /// With a better hint, if there is one.
    pub(crate) fn with_hint(self, hint: Option<String>) -> Self {
        Self { hint: hint.or(self.hint), ..self }
    }
}

impl From<Unreachable> for BrokenOff {
    fn from(Unreachable { why, traces, hint, .. }: Unreachable) -> Self {
        Self { why, traces, hint }
    }
}

pub(crate) fn time_ran_out(options: &Options) -> String {
    format!("time ran out: the run took longer than {} s", options.run_timeout.as_secs())
}

/// Whether a peer has said anything that could be meant as MCP, accepted a message, or refused to because it does not know who asks.
pub(crate) fn resembles_mcp(events: &[Event]) -> bool {
    let is_empty = |response: u32| {
        let has_body = |event: &Event| matches!(&event.kind, EventKind::Received { exchange, .. } if *exchange == response);
        !events.iter().any(has_body)
    };
    events.iter().any(|event| match &event.kind {
        EventKind::Received { frame, .. } => {
            let names = |name: &[u8]| frame.bytes.windows(name.len()).any(|it| it == name);
            let endpoint =
                matches!(&frame.border, Border::Event { name, .. } if name == "endpoint");
            endpoint || names(b"jsonrpc") || frame.messages().iter().any(is_message)
        }
        EventKind::Responded { status: 401, .. } => true,
        EventKind::Responded { exchange, status: 200..=299, headers } => {
            let kind = header(headers, "content-type").unwrap_or_default().to_ascii_lowercase();
            kind.starts_with("text/event-stream") || is_empty(*exchange)
        }
        EventKind::Stderr(line) => {
            serde_json::from_str(line).is_ok_and(|message| is_message(&message))
        }
        _ => false,
    })
}

fn is_message(value: &Value) -> bool {
    ["jsonrpc", "protocolVersion"].iter().any(|name| value.get(name).is_some())
        || (value.get("id").is_some()
            && ["result", "error", "method"].iter().any(|name| value.get(name).is_some()))
}

/// Whether the peer has answered with an error of its own.
pub(crate) fn is_refused(events: &[Event]) -> bool {
    events.iter().any(|event| match &event.kind {
        EventKind::Received { frame, .. } => frame.messages().iter().any(|message| {
            message.get("method").is_none() && message.get("error").is_some_and(Value::is_object)
        }),
        _ => false,
    })
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be checked: {}", self.peer, self.why)?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n{hint}"))?;
        self.traces.iter().try_for_each(|trace| write!(f, "\n  {trace}"))
    }
}

impl std::error::Error for Unreachable {}

fn trace(what: &EventKind) -> Option<String> {
    Some(match what {
        EventKind::Received { frame, .. } => format!("it said: {}", excerpt(&frame.bytes)),
        EventKind::Responded { status, headers, .. } => {
            let kind = header(headers, "content-type").map(|kind| format!(" and {}", plain(kind)));
            let place =
                header(headers, "location").map(|place| format!(", location {}", plain(place)));
            let (kind, place) = (kind.unwrap_or_default(), place.unwrap_or_default());
            format!("it answered with status {status}{kind}{place}")
        }
        EventKind::Ended { .. } => "it ended its output".to_owned(),
        EventKind::Left { .. } => "it closed a connection before it had everything".to_owned(),
        EventKind::Broken { why, .. } => format!("the way to it broke: {}", plain(why)),
        EventKind::Silence(time) => format!("it was silent for {} ms", time.as_millis()),
        EventKind::Flooded { limit } => format!("it sent more than {limit} bytes"),
        EventKind::Stderr(line) => format!("on standard error: {}", plain(line)),
        EventKind::Exited(how) => format!("its process ended: {}", plain(how)),
        EventKind::Connected(how) => plain(how),
        EventKind::Sent { frame, .. } => format!("the checker said: {}", excerpt(&frame.bytes)),
        EventKind::Requested { topic: Topic::Endpoint | Topic::Elsewhere, line, .. } => {
            format!("it asked for {}", plain(line))
        }
        EventKind::Requested { .. } => return None,
    })
}

fn hint(what: &EventKind) -> Option<String> {
    let hint = match what {
        EventKind::Responded { status: 401 | 403, .. } => {
            "It wants to know who asks: name the environment variable that has a token with --token-env, or give a header with --header."
        }
        EventKind::Responded { status: 404 | 405, .. } => {
            "Nothing speaks MCP there: is the path of the URL right, and the --transport?"
        }
        EventKind::Responded { status: status @ 500..=599, .. } => {
            return Some(format!(
                "The server, or a proxy before it, failed with status {status}: its own log says why."
            ));
        }
        EventKind::Responded { status: 200..=299, headers, .. } if is_page(headers) => {
            "That is a page for browsers: is the path of the URL right? Servers are often at /mcp or /sse."
        }
        EventKind::Received { frame: Frame { bytes, border: Border::Line, .. }, .. }
            if serde_json::from_slice::<IgnoredAny>(bytes).is_err() =>
        {
            "It writes what is no message to its standard output: logs and greetings belong on standard error."
        }
        EventKind::Received { frame: Frame { bytes, border: Border::Body, .. }, .. }
            if serde_json::from_slice::<IgnoredAny>(bytes).is_err() =>
        {
            "What answers there does not write JSON: is it an MCP server, and the path of the URL right?"
        }
        EventKind::Broken { why, .. } if why.to_ascii_lowercase().contains("refused") => {
            "Nothing listens there: does the server run, and is the port right?"
        }
        EventKind::Exited(how) if how != ENDED => {
            return Some(format!(
                "Its process ended ({}) without an answer: does it run by hand, with these arguments?",
                plain(how)
            ));
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

/// For a process that said nothing until it was ended.
fn silence(events: &[Event]) -> Option<String> {
    let is_ended = |it: &Event| matches!(&it.kind, EventKind::Exited(how) if how == ENDED);
    let speaks =
        |it: &Event| matches!(it.kind, EventKind::Received { .. } | EventKind::Flooded { .. });
    let silent = events.iter().any(is_ended) && !events.iter().any(speaks);
    silent.then(|| {
        "It was silent until the checker ended it: does it wait for something, or need more time (--start-timeout, --max-time)?".to_owned()
    })
}

/// Whether a response is meant for browsers.
pub(crate) fn is_page(headers: &Headers) -> bool {
    let kind = header(headers, "content-type").unwrap_or_default().trim_start();
    kind.get(..9).is_some_and(|kind| kind.eq_ignore_ascii_case("text/html"))
}

const MOST_TRACES: usize = 20;
/// How the checker's own wire says that it ended a process.
const ENDED: &str = "ended by the checker";
