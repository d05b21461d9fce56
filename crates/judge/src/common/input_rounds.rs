//! Results that ask for something first, and what comes of the answers.

use crate::requirement::seen_everywhere;
use crate::{
    common::{shape::show, tools::none_applies},
    mutant::Mutant,
    outcome::{Finding, each},
    requirement::Check,
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Answer, CheckerRequest, Evidence},
    meta::{CAPABILITIES, SERVER_INFO},
};
use serde_json::{Value, json};

pub(crate) fn wants(result: &Value) -> bool {
    result.get("resultType").and_then(Value::as_str) == Some("input_required")
}

/// Results that ask for something.
pub(crate) fn wanting(
    evidence: &Evidence,
) -> impl Iterator<Item = (CheckerRequest<'_>, Answer<'_>, &Value)> {
    evidence.asked_all().filter_map(|asked| {
        let answer = asked.answer?;
        let result = answer.result().filter(|result| wants(result))?;
        Some((asked, answer, result))
    })
}

pub(crate) fn input_requests(
    evidence: &Evidence,
) -> impl Iterator<Item = (CheckerRequest<'_>, Answer<'_>, &Value)> {
    wanting(evidence).flat_map(|(asked, answer, result)| {
        let requests = result.get("inputRequests").and_then(Value::as_object);
        requests.into_iter().flatten().map(move |(_, request)| (asked, answer, request))
    })
}

/// The capability of the client that a question needs.
pub(crate) fn needed(method: &str) -> Option<&'static str> {
    Some(match method {
        "elicitation/create" => "elicitation",
        "roots/list" => "roots",
        "sampling/createMessage" => "sampling",
        _ => return None,
    })
}

pub(crate) const M275_CHECK: Check = Check {
    how: "compares every input request with the capabilities that its request declared",
    seen: seen_everywhere(),
    fix: "ask only for what the client declared in that request",
    judge: |evidence| {
        let outcome = each(input_requests(evidence), "", |(asked, answer, request)| {
            let needed = needed(request.get("method")?.as_str()?)?;
            let declared = asked.params?.get("_meta")?.get(CAPABILITIES)?;
            declared.get(needed).is_none().then(|| {
                let expected = format!("nothing that needs {needed} of a client without it");
                Finding::new(expected, show(request), answer.place)
            })
        });
        none_applies(outcome, WANTS_NOTHING)
    },
    mutants: &[Mutant::new(
        "asks a client for what it does not have",
        Mutation::Says(|context, message| {
            let bare = context.params["_meta"][CAPABILITIES] == json!({});
            if bare && context.params["name"] == "test_sampling" {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                    "resultType": "input_required", "_meta": { SERVER_INFO: { "name": "a", "version": "1" } },
                    "inputRequests": { "a": { "method": "roots/list" } } } });
            }
        }),
    )
    .also(&["M105", "M127", "M275"])],
};

pub(crate) const WANTS_NOTHING: &str = "nothing that was asked for needs more than one round";
