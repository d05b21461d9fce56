//! The envelope of every message.

use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::evidence::{Evidence, PeerMessage};
use serde_json::Value;

pub(crate) fn is_response(message: &Value) -> bool {
    message.get("method").is_none()
        && (message.get("result").is_some() || message.get("error").is_some())
}

pub(crate) fn server_requests(evidence: &Evidence) -> impl Iterator<Item = PeerMessage<'_>> {
    evidence.heard().filter(|heard| {
        heard.message.get("id").is_some()
            && heard.message.get("method").is_some_and(Value::is_string)
    })
}

/// A server that never asks cannot ask wrongly.
pub(crate) fn each_request<T>(
    requests: impl IntoIterator<Item = T>,
    judge: impl Fn(T) -> Option<Finding>,
) -> Outcome {
    match each(requests, "", judge) {
        Outcome::Unobserved(_) => Outcome::NotApplicable(NO_REQUEST.to_owned()),
        other => other,
    }
}

/// A mutant that says something more after its answer to the first ping.
pub(crate) const fn asks(
    name: &'static str,
    writes: fn(&proofmark_converse::mutation::Context<'_>, &Value) -> Vec<String>,
) -> Mutant {
    Mutant::new(name, Mutation::Writes(writes))
}

/// The message, and beside the last answer of the tour another one.
pub(crate) fn beside(message: &Value, other: &Value) -> Vec<String> {
    let mut texts = vec![message.to_string()];
    if message["id"] == "ping-by-string" {
        texts.push(other.to_string());
    }
    texts
}

pub(crate) const NO_REQUEST: &str =
    "the server sent no request, although the checker declared every capability of a client";
