//! Forms, links and sampling, as a client answers them: in a response, or in the retry of a request.

use crate::requirement::seen_in;
use crate::{
    common::{
        client::initialize,
        shape::{doubtful, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_converse::mutation::{Mutation, result_of};
use proofmark_record::{
    evidence::{Answer, Evidence, Place},
    topic::Topic,
};
use serde_json::{Value, json};

pub(crate) fn malformed(
    evidence: &Evidence,
    right: fn(Answer<'_>) -> bool,
    expected: &str,
) -> Outcome {
    each(evidence.asked(Topic::WrongParams), NOT_ASKED, |asked| match asked.answer {
        None => Some(Finding::new(expected, "no answer", asked.place)),
        Some(answer) if right(answer) => None,
        Some(answer) => Some(Finding::new(expected, show(answer.message), answer.place)),
    })
}

pub(crate) fn with_tools(evidence: &Evidence) -> Outcome {
    if evidence.capability("/sampling/tools") {
        return Outcome::Kept;
    }
    let asked = evidence.asked(Topic::AskSamplingTools).filter(|it| it.answer.is_some());
    each(asked, NOT_ASKED, |asked| {
        let answer = asked.answer?;
        let expected = "an error, for sampling.tools was not declared";
        answer
            .result()
            .is_some()
            .then(|| Finding::new(expected, show(answer.message), answer.place))
    })
}

/// Forms that were accepted: their schema, and what came.
pub(crate) fn accepted(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value, &Value)> {
    evidence.asked_by_method("elicitation/create").filter_map(|asked| {
        let schema = asked.params?.get("requestedSchema")?;
        let answer = asked.answer?;
        let result = answer.result()?;
        (result["action"] == "accept").then_some(())?;
        Some((answer.place, schema, result.get("content").unwrap_or(&Value::Null)))
    })
}

pub(crate) fn contents(
    evidence: &Evidence,
    judge: impl Fn(Place, &Value, &Value) -> Option<Finding>,
) -> Outcome {
    if !evidence.capability("/elicitation") {
        return Outcome::NotApplicable(NO_ELICITATION.to_owned());
    }
    let all = accepted(evidence).filter(|(.., content)| !content.is_null());
    each(all, NO_FORM, |(place, schema, content)| judge(place, schema, content))
}

/// Changes the content of every form that is accepted.
pub(crate) const fn filled(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(
        name,
        Mutation::Part {
            of: |context, message| {
                let form = context.params.get("requestedSchema").is_some();
                let result = result_of(context, message, "elicitation/create").filter(|_| form)?;
                result.as_object_mut()?.entry("content").or_insert_with(|| json!({}));
                result.get_mut("content")
            },
            change,
        },
    )
}

pub(crate) const M383_CHECK: Check = Check {
    how: "asks for sampling with tools, declared or not",
    seen: seen_in(&["hosted ask"]),
    fix: "declare sampling.tools, or refuse sampling with tools",
    // The page has it that clients declare it; that others refuse is said in the schema.
    judge: |evidence| doubtful(with_tools(evidence)),
    mutants: &[SAMPLES_WITH_TOOLS.also(&["M385"])],
};

pub(crate) const SAMPLES_WITH_TOOLS: Mutant =
    initialize("takes tools in sampling without saying so", |params| {
        params["capabilities"]["sampling"] = json!({});
    });

pub(crate) const NO_ELICITATION: &str = "the client does not declare elicitation";

pub(crate) const NOT_ASKED: &str = "the client could not be asked: it opened no stream and made no call that would carry a question";

pub(crate) const NO_FORM: &str = "the client accepted no form";
