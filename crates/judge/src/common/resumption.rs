//! How streams and processes begin and end, and what is told again to those who come back.

use crate::requirement::seen_everywhere;
use crate::{
    common::tools::none_applies,
    mutant::Mutant,
    outcome::{Finding, each},
    requirement::Check,
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    event::{Border, EventKind, Frame},
    evidence::{Evidence, HttpExchange, Place},
    topic::Topic,
};
use serde_json::Value;

/// The event stream that answers a posted request.
#[derive(Clone, Copy)]
pub(crate) struct Stream<'e>(pub(crate) HttpExchange<'e>);

impl<'e> Stream<'e> {
    pub(crate) fn frames(self, evidence: &'e Evidence) -> impl Iterator<Item = (Place, &'e Frame)> {
        evidence.frames_of(self.0.place, self.0.exchange)
    }

    /// Where the response was, if it came on this stream.
    pub(crate) fn answered(self, evidence: &'e Evidence) -> Option<Place> {
        let id = request_id(evidence, self.0)?;
        let mut frames = self.frames(evidence);
        let is_it =
            |message: &Value| message.get("method").is_none() && message.get("id") == Some(id);
        frames.find(|(_, frame)| frame.messages().iter().any(is_it)).map(|(place, _)| place)
    }

    /// Whether the server closed it, or it broke.
    pub(crate) fn ended(self, evidence: &Evidence) -> bool {
        let is_it = |what: &EventKind| match what {
            EventKind::Ended { exchange } | EventKind::Broken { exchange, .. } => {
                *exchange == self.0.exchange
            }
            _ => false,
        };
        evidence.after(self.0.place).any(|(_, what)| is_it(what))
    }

    /// Whether the client did not wait for its end.
    pub(crate) fn was_left(self, evidence: &Evidence) -> bool {
        let left = |what: &EventKind| matches!(what, EventKind::Left { exchange } if *exchange == self.0.exchange);
        evidence.after(self.0.place).any(|(_, what)| left(what))
    }
}

/// Streams of requests, but not those that are meant to stay.
pub(crate) fn posted_streams(evidence: &Evidence) -> impl Iterator<Item = Stream<'_>> {
    let posts = evidence.exchanges().filter(|exchange| {
        let stays = matches!(
            exchange.topic,
            Topic::Listen | Topic::Slow | Topic::Unanswered | Topic::Leave
        );
        exchange.line.starts_with("POST") && !stays
    });
    let streams = posts.filter(|it| it.content_type().as_deref() == Some("text/event-stream"));
    // JSON under that name is for the rule about names.
    let is_json = |it: &HttpExchange<'_>| {
        let mut frames = evidence.frames_of(it.place, it.exchange);
        frames.next().is_some_and(|(_, frame)| frame.border == Border::Body)
    };
    streams.filter(move |it| !is_json(it)).map(Stream)
}

/// The id of the request that an exchange carried.
pub(crate) fn request_id<'e>(
    evidence: &'e Evidence,
    exchange: HttpExchange<'_>,
) -> Option<&'e Value> {
    evidence.after(exchange.place).find_map(|(_, what)| match what {
        EventKind::Sent { exchange: it, frame, .. } if *it == exchange.exchange => {
            frame.json.as_ref().ok()?.get("id")
        }
        _ => None,
    })
}

pub(crate) const ENDING: Check = Check {
    how: "waits for a moment after the answer on every event stream of a posted request",
    seen: seen_everywhere(),
    fix: "end the stream once the response is out",
    judge: |evidence| {
        let answered: Vec<Stream<'_>> = posted_streams(evidence)
            .filter(|stream| stream.answered(evidence).is_some() && !stream.was_left(evidence))
            .collect();
        // One that ends a little later than it is waited for is no reason to blame the server.
        let all_stay = !answered.iter().any(|stream| stream.ended(evidence));
        let outcome = each(answered, "", |stream| {
            let expected = "the end of the stream after its response";
            let place = stream.answered(evidence)?;
            all_stay.then(|| Finding::new(expected, "a stream that stays", place))
        });
        none_applies(outcome, NO_STREAM)
    },
    mutants: &[Mutant::new("never ends a stream", Mutation::Lingers)],
};

pub(crate) const NO_STREAM: &str = "no posted request was answered with an event stream";
