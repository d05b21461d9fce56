//! Resources and templates: lists, contents, subscriptions.

use crate::{
    common::shape::each_result,
    mutant::Mutant,
    outcome::{Finding, Outcome},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::evidence::{Evidence, Place};
use serde_json::Value;

/// Nothing but, perhaps, `_meta`.
pub(crate) fn is_empty(result: &Value) -> bool {
    result.as_object().is_some_and(|result| result.keys().all(|member| member == "_meta"))
}

pub(crate) fn of_contents(
    evidence: &Evidence,
    judge: impl Fn(Place, &Value) -> Option<Finding>,
) -> Outcome {
    each_result(evidence, "resources", "resources/read", |answer, result| {
        let contents = result.get("contents")?.as_array()?;
        contents.iter().find_map(|contents| judge(answer.place, contents))
    })
}

pub(crate) const fn read(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "resources/read")
    }
    Mutant::new(name, Mutation::Part { of, change })
}
