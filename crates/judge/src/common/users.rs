//! What one user began, and others tried.

use crate::{
    common::shape::show,
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{HttpContext, Mutation, Reply};
use proofmark_record::{
    evidence::{CheckerRequest, Evidence},
    topic::Topic,
    transport::Transport,
};
use serde_json::{Value, json};

/// Whether some of what was tried as another user, or without a token, was allowed.
pub(crate) fn kept_from_others<'e>(
    evidence: &'e Evidence,
    topic: Topic,
    of_interest: impl Fn(&CheckerRequest<'e>) -> bool,
    nothing: &str,
) -> Outcome {
    if let Some(outcome) = untried(evidence) {
        return outcome;
    }
    each(evidence.asked(topic).filter(of_interest), nothing, |asked| {
        let answer = asked.answer?;
        answer.result()?;
        Some(Finding::new("a refusal", show(answer.message), answer.place))
    })
}

/// Why nothing was tried as another user, if that is so.
pub(crate) fn untried(evidence: &Evidence) -> Option<Outcome> {
    if evidence.transport != Transport::Http {
        return Some(Outcome::NotApplicable(ONE_USER.to_owned()));
    }
    let mut refused = evidence.exchanges_about(Topic::WithoutToken);
    if !refused.any(|it| matches!(it.status, Some(401 | 403))) {
        return Some(Outcome::NotApplicable("clients are not known by tokens".to_owned()));
    }
    None
}

/// A server with tokens that answers some requests in another way.
pub(crate) const fn lets_in(
    name: &'static str,
    answer: fn(&HttpContext<'_>, &mut Reply),
) -> Mutant {
    Mutant::new(name, Mutation::Http(answer)).over(Transport::Http).of(Variant::Guarded)
}

/// Answers the request with this id with this result, if it is the one.
pub(crate) fn give(context: &HttpContext<'_>, reply: &mut Reply, id: &str, result: &Value) {
    if context.message["id"] == id {
        let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        reply.replace(200, "application/json", &message.to_string());
    }
}

/// A task that works.
pub(crate) fn task(context: &HttpContext<'_>) -> Value {
    json!({ "taskId": context.message["params"]["taskId"], "status": "working", "ttl": null,
        "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z" })
}

const ONE_USER: &str = "a client on a pipe is the only user, and HTTP+SSE is not tried with two";
/// Where two users are needed.
pub(crate) const NO_OTHER: &str = "nothing of it was tried as another user: give a second token with --other-token-env, and let a tool begin it";
/// How it is mended.
pub(crate) const BIND: &str =
    "keep with it the user who began it, and refuse all others as if it did not exist";
