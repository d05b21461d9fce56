//! What several judges of `client/elicitation` use.

use crate::{
    common::{
        server_requests::{ELICITATION, all, question},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::evidence::{Evidence, Place};
use serde_json::Value;

/// Judges every URL elicitation.
pub(super) fn sent(
    evidence: &Evidence,
    judge: impl Fn(Place, &Value) -> Option<Finding>,
) -> Outcome {
    let pages = all(evidence, ELICITATION).filter_map(|(place, request)| {
        let params = request.get("params")?;
        (params.get("mode")? == "url").then_some((place, params))
    });
    let outcome = each(pages, "", |(place, params)| judge(place, params));
    none_applies(outcome, "nobody was sent to a page")
}

/// Changes the elicitations that send users to a page.
pub(super) const fn page(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        question(message, ELICITATION).filter(|it| it["mode"] == "url")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

pub(super) fn takes_forms(evidence: &Evidence) -> bool {
    let declared = evidence.capabilities().and_then(|it| it.get("elicitation")?.as_object());
    declared.is_some_and(|it| it.is_empty() || it.contains_key("form"))
}

pub(super) fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

pub(super) const NO_FORM: &str = "nothing that was called has a form";
