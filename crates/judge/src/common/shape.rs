//! What judges have in common: the shapes of JSON values, and sentences about them.

use crate::outcome::{Finding, Outcome, each};
use proofmark_record::{
    evidence::{Answer, CheckerRequest, Evidence, PeerMessage, Place},
    text::excerpt,
    topic::Topic,
};
use serde_json::Value;

/// The beginning of a JSON value.
pub(crate) fn show(value: &Value) -> String {
    excerpt(value.to_string().as_bytes())
}

/// A finding if the member is not there or not of the right kind.
pub(crate) fn lacks(
    place: Place,
    object: &Value,
    member: &str,
    kind: &str,
    is: fn(&Value) -> bool,
) -> Option<Finding> {
    match object.get(member) {
        Some(value) if is(value) => None,
        Some(value) => Some(Finding::new(
            format!("{member} is {kind}"),
            format!("{member} is {}", show(value)),
            place,
        )),
        None => Some(Finding::new(
            format!("{member}, which is {kind}"),
            format!("no {member} in {}", show(object)),
            place,
        )),
    }
}

pub(crate) fn lacks_text(place: Place, object: &Value, member: &str) -> Option<Finding> {
    lacks(place, object, member, "a string", Value::is_string)
}

/// Judges the results of every request for a method, or says that the capability is not there.
pub(crate) fn each_result(
    evidence: &Evidence,
    capability: &str,
    method: &str,
    judge: impl Fn(Answer<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    if let Some(outcome) = undeclared(evidence, capability) {
        return outcome;
    }
    let nothing = format!("no result of {method} was seen{}", hint(method));
    each(evidence.results(method), &nothing, |(answer, result)| judge(answer, result))
}

/// Judges each item of a list.
pub(crate) fn each_item(
    evidence: &Evidence,
    capability: &str,
    method: &str,
    judge: impl Fn(PeerMessage<'_>) -> Option<Finding>,
) -> Outcome {
    if let Some(outcome) = undeclared(evidence, capability) {
        return outcome;
    }
    each(evidence.listed(method), &format!("{method} gave no item"), judge)
}

pub(crate) fn undeclared(evidence: &Evidence, capability: &str) -> Option<Outcome> {
    let path = format!("/{capability}");
    (!evidence.capability(&path))
        .then(|| Outcome::NotApplicable(format!("the server does not declare {capability}")))
}

/// Judges that requests about a topic were refused with one of these codes.
pub(crate) fn refused(evidence: &Evidence, topic: Topic, codes: &[i64], nothing: &str) -> Outcome {
    refused_each(evidence.asked(topic), codes, nothing)
}

/// The same of some requests.
pub(crate) fn refused_each<'e>(
    asked: impl Iterator<Item = CheckerRequest<'e>>,
    codes: &[i64],
    nothing: &str,
) -> Outcome {
    let wanted: Vec<String> = codes.iter().map(i64::to_string).collect();
    let expected = |asked: &CheckerRequest<'_>| {
        format!("{} is answered with the error {}", asked.method, wanted.join(" or "))
    };
    each(asked, nothing, |asked| match asked.answer {
        None => Some(Finding::new(expected(&asked), "no answer", asked.place)),
        Some(answer) if answer.code().is_some_and(|code| codes.contains(&code)) => None,
        Some(answer) => Some(Finding::new(expected(&asked), show(answer.message), answer.place)),
    })
}

/// As a warning: the text leaves this open.
pub(crate) fn doubtful(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Broken(finding) => Outcome::Doubtful(finding),
        other => other,
    }
}

pub(crate) fn hint(method: &str) -> &'static str {
    match method {
        "tools/call" => {
            "; only tools that call themselves read-only are called, name others with --call NAME=JSON"
        }
        _ => "",
    }
}
