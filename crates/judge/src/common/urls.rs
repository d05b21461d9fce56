//! Pages that users are sent to.

use crate::mutant::Mutant;
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::evidence::{Answer, Evidence};
use serde_json::Value;

/// Every error that says that users must visit a page first.
pub(crate) fn required(evidence: &Evidence) -> impl Iterator<Item = (Answer<'_>, &Value)> {
    evidence.asked_all().filter_map(|asked| {
        let answer = asked.answer?;
        (answer.code() == Some(-32042)).then_some((answer, answer.error()?))
    })
}

pub(crate) fn elicitations(answer: Answer<'_>) -> Option<&Vec<Value>> {
    answer.error()?.pointer("/data/elicitations")?.as_array()
}

/// Changes the error that requires a page.
pub(crate) const fn of_error(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        message.get_mut("error").filter(|error| error["code"] == -32042)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

pub(crate) const NOTHING_REQUIRED: &str = "nothing that was called requires a page first";
