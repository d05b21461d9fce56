//! Streamable HTTP: statuses, sessions, streams.

use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{HttpContext, Mutation, Reply};
use proofmark_record::{
    event::header,
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};

pub(crate) fn origin_is_validated(evidence: &Evidence) -> Outcome {
    let judge = |nameless: bool| {
        let tried = evidence
            .exchanges_about(Topic::ForeignOrigin)
            .filter(move |it| is_nameless(it) == nameless);
        each(tried, "it was not tried", |exchange| {
            let status = exchange.status?;
            (200..300)
                .contains(&status)
                .then(|| Finding::new("a refusal", told(&exchange), exchange.answered))
        })
    };
    match judge(false) {
        // A server may have its reasons to trust pages that have no origin.
        Outcome::Kept => match judge(true) {
            Outcome::Broken(finding) => Outcome::Doubtful(finding),
            _ => Outcome::Kept,
        },
        other => other,
    }
}

/// Whether a request came with the Origin of pages that have none.
pub(crate) fn is_nameless(exchange: &HttpExchange<'_>) -> bool {
    header(exchange.asked, "origin") == Some("null")
}

/// Whether a method that servers need not have was said not to be there.
pub(crate) fn is_not_there(exchange: &HttpExchange<'_>) -> bool {
    !exchange.line.starts_with("POST ") && matches!(exchange.status, Some(405 | 501))
}

pub(crate) fn told(exchange: &HttpExchange<'_>) -> String {
    match (exchange.status, exchange.content_type()) {
        (None, _) => "no answer".to_owned(),
        (Some(status), None) => format!("status {status}"),
        (Some(status), Some(kind)) => {
            format!("status {status} and {}", proofmark_record::text::plain(&kind))
        }
    }
}

pub(crate) const fn mutated(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    Mutant::new(name, Mutation::Http(http))
}
