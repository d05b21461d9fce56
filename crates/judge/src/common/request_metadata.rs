//! What a server of the modern era answers to what requests say about themselves, or fail to say.

use crate::{
    common::http::told,
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{CheckerRequest, Evidence},
    topic::Topic,
};
use serde_json::{Value, json};

/// Judges the status of the answers to requests about a topic.
pub(crate) fn status_is(evidence: &Evidence, topic: Topic, wanted: u16) -> Outcome {
    each(evidence.asked(topic), "it was not tried", |asked| wrong_status(evidence, &asked, wanted))
}

pub(crate) fn wrong_status(
    evidence: &Evidence,
    asked: &CheckerRequest<'_>,
    wanted: u16,
) -> Option<Finding> {
    let exchange = evidence.exchange_of(asked)?;
    (exchange.status != Some(wanted)).then(|| {
        let expected = format!("status {wanted}");
        Finding::new(expected, told(&exchange), exchange.answered)
    })
}

pub(crate) fn error(id: &Value, code: i64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "no" } })
}

/// Changes the answer to the request with this id.
pub(crate) const fn to(name: &'static str, id: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name, Mutation::Answer { id, change })
}

/// Sends the answer to the request with this id as if all were well.
pub(crate) const fn status(name: &'static str, id: &'static str) -> Mutant {
    Mutant::new(name, Mutation::Status { id, status: 200 })
}
