//! What several judges of `basic/transports` use.

use crate::requirement::seen_in;
use crate::{
    common::client::{body, hosted_at, mutated, requests},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_converse::{
    hosted::HostedScenario,
    mutation::{Mutation, Passing},
};
use proofmark_record::{
    event::{Border, header},
    evidence::{Evidence, HttpExchange, PeerRequest, Place, is_modern},
    topic::Topic,
};
use serde_json::Value;
use std::time::Duration;

/// A message on an event stream.
pub(super) struct Streamed<'e> {
    pub(super) topic: Topic,
    pub(super) exchange: u32,
    pub(super) place: Place,
    pub(super) at: Duration,
    pub(super) message: &'e Value,
}

/// Every message on a stream, but not what is told again to those who come back.
pub(super) fn streamed(evidence: &Evidence) -> impl Iterator<Item = Streamed<'_>> {
    evidence.exchanges().filter(|exchange| exchange.topic != Topic::Resume).flat_map(
        move |exchange| {
            evidence.frames_of(exchange.place, exchange.exchange).flat_map(move |(place, frame)| {
                let is_event = matches!(frame.border, Border::Event { .. });
                let at = evidence.conversations[place.conversation].events[place.event].at;
                let messages = if is_event { frame.messages() } else { &[] };
                let (topic, exchange) = (exchange.topic, exchange.exchange);
                messages.iter().map(move |message| Streamed { topic, exchange, place, at, message })
            })
        },
    )
}

pub(super) fn is_stream(exchange: HttpExchange<'_>) -> bool {
    exchange.content_type().as_deref() == Some("text/event-stream")
}

pub(super) fn gets(evidence: &Evidence) -> impl Iterator<Item = HttpExchange<'_>> {
    requests(evidence).filter(|exchange| exchange.line.starts_with("GET "))
}

/// Whether a request begins a session, or has nothing to do with sessions.
pub(super) fn is_beginning(evidence: &Evidence, exchange: &HttpExchange<'_>) -> bool {
    body(evidence, exchange).is_some_and(|frame| {
        frame.messages().iter().any(|it| it["method"] == "initialize" || is_modern(it))
    })
}

/// The request that comes back for a stream that broke off.
pub(super) fn resumes(
    evidence: &Evidence,
    judge: impl Fn(PeerRequest<'_>, HttpExchange<'_>) -> Option<Finding>,
) -> Outcome {
    let cut = evidence
        .requests_for("tools/call")
        .filter(|request| hosted_at(evidence, request.place) == Some(HostedScenario::RESUME));
    each(cut, "the client made no call whose stream could break off", |request| {
        let back = gets(evidence).find(|it| {
            it.place.conversation == request.place.conversation
                && it.place.event > request.place.event
                && header(it.asked, "last-event-id").is_some()
        });
        let Some(exchange) = back else {
            let expected = "GET with Last-Event-ID";
            return Some(Finding::new(expected, "the client did not come back", request.place));
        };
        judge(request, exchange)
    })
}

pub(super) const NO_GET: &str = "no stream was opened with GET";

pub(super) const S079_CHECK: Check = Check {
    how: "lets the stream of a call break off after an event with an id",
    seen: seen_in(&["hosted resume"]),
    fix: "come back with GET and Last-Event-ID",
    judge: |evidence| {
        resumes(evidence, |_, exchange| {
            let last = header(exchange.asked, "last-event-id");
            let expected = "Last-Event-ID: before-the-cut";
            (last != Some("before-the-cut"))
                .then(|| Finding::new(expected, format!("{last:?}"), exchange.place))
        })
    },
    mutants: &[mutated("does not say where it was", |request| {
        if request.method == "GET" && request.header("last-event-id").is_some() {
            request.set("last-event-id", "elsewhere");
        }
    })],
};

pub(super) const NO_GET_HTTP: Mutant = Mutant::new(
    "never opens a stream",
    Mutation::Request(|request| if request.method == "GET" { Passing::No } else { Passing::Yes }),
)
.also(&["M182", "S079", "S083"]);
