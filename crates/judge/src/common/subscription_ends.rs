//! Subscriptions that end: by the server, and by the client.

use crate::{
    common::subscriptions::{ACKNOWLEDGED, tag},
    outcome::Outcome,
};
use proofmark_record::{
    event::EventKind,
    evidence::{CheckerRequest, Evidence, Place},
    transport::Transport,
};
use serde_json::Value;

/// Requests to listen that were not refused, nor given up when the checker closed the pipe.
pub(crate) fn listens(evidence: &Evidence) -> impl Iterator<Item = CheckerRequest<'_>> {
    let began = |asked: &CheckerRequest<'_>| {
        evidence.told(ACKNOWLEDGED).any(|heard| {
            heard.place.conversation == asked.place.conversation
                && tag(heard.message) == Some(asked.id)
        })
    };
    evidence.asked_by_method("subscriptions/listen").filter(move |asked| {
        let refusal = asked.answer.filter(|answer| answer.error().is_some());
        refusal.is_none_or(|refusal| began(asked) && !is_parting(evidence, refusal.place))
    })
}

/// Whether something is said on a pipe after all that the checker had to say.
pub(crate) fn is_parting(evidence: &Evidence, said: Place) -> bool {
    let more = |(_, what): (Place, &EventKind)| matches!(what, EventKind::Sent { .. });
    evidence.transport == Transport::Stdio && !evidence.after(said).any(more)
}

/// Where the server said that it has given up on this request.
pub(crate) fn cancelled(evidence: &Evidence, asked: &CheckerRequest<'_>) -> Option<Place> {
    let told = evidence.told("notifications/cancelled").find(|heard| {
        heard.place.conversation == asked.place.conversation
            && heard.message.pointer("/params/requestId") == Some(asked.id)
    });
    told.map(|heard| heard.place)
}

pub(crate) fn not_ended(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::Unobserved(
            "the server ended no subscription by itself; it would if it were shut down meanwhile"
                .to_owned(),
        ),
        other => other,
    }
}

pub(crate) fn at_last(message: &Value, more: &Value) -> Vec<String> {
    let mut texts = vec![message.to_string()];
    if message["id"] == "last-ping" {
        texts.push(more.to_string());
    }
    texts
}
