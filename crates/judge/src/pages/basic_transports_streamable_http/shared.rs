//! What several judges of `basic/transports/streamable-http` use.

use crate::requirement::seen_in;
use crate::{
    common::{
        client::{NOTHING, body, hides_revision, modern, mutated, posts, says as says_http},
        mirrored_headers::of,
        shape::show,
        unanswered::no_answer,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use proofmark_converse::{
    http_request::HttpRequest,
    mutation::Mutation,
    scenario::{MarkedArgument, request_metadata::name_member},
};
use proofmark_record::{
    event::{Frame, header},
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};
use serde_json::Value;

/// Judges that these requests were rejected as the rule about headers has it.
pub(super) fn rejected(evidence: &Evidence, ids: &[&str]) -> Outcome {
    each(of(evidence, Topic::BadHeader, ids), "it was not tried", |asked| {
        let expected = "the error -32020 with status 400";
        let code = asked.answer.and_then(proofmark_record::evidence::Answer::code);
        let status = evidence.exchange_of(&asked).and_then(|exchange| exchange.status);
        let right = code == Some(-32020) && status == Some(400);
        (!right).then(|| {
            let said = asked
                .answer
                .map_or_else(|| no_answer(evidence, asked.place), |it| show(it.message));
            let status = status.map_or_else(String::new, |status| format!("status {status} and "));
            Finding::new(expected, format!("{status}{said}"), asked.place)
        })
    })
}

/// Answers a request that should be rejected.
pub(super) const fn passes(name: &'static str, id: &'static str) -> Mutant {
    Mutant::new(name, Mutation::Status { id, status: 200 })
}

pub(super) fn mirrors(evidence: &Evidence) -> Outcome {
    each(marked(evidence), NOT_MARKED, |(exchange, marked, value)| {
        let told = header(exchange.asked, &marked.header()).is_some();
        let expected = format!("{} for {}", marked.header(), show(value));
        (!told).then(|| Finding::new(expected, "no such header", exchange.place))
    })
}

/// Every POST that carries a request without a handshake, with that request.
pub(super) fn each_request(
    evidence: &Evidence,
    judge: impl Fn(HttpExchange<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    let requests = modern(evidence).count();
    if requests == 0 {
        return Outcome::Unobserved(NOTHING.to_owned());
    }
    each(carrying(evidence), NOTHING, |(exchange, message)| judge(exchange, message))
}

pub(super) fn carrying(evidence: &Evidence) -> impl Iterator<Item = (HttpExchange<'_>, &Value)> {
    posts(evidence).filter_map(|exchange| {
        let [message] = body(evidence, &exchange).map(Frame::messages)? else { return None };
        let counts = proofmark_record::evidence::is_modern(message)
            || !hides_revision(evidence, exchange.place);
        (counts && message.get("id").is_some()).then_some((exchange, message))
    })
}

pub(super) fn named(evidence: &Evidence) -> impl Iterator<Item = (HttpExchange<'_>, &str)> {
    carrying(evidence).filter_map(|(exchange, message)| {
        let member = name_member(message["method"].as_str()?)?;
        Some((exchange, message["params"].get(member)?.as_str()?))
    })
}

/// Calls of tools that were listed before, with the tool as the client knows it.
pub(super) fn calls(
    evidence: &Evidence,
) -> impl Iterator<Item = (HttpExchange<'_>, &Value, &Value)> {
    carrying(evidence).filter(|(_, message)| message["method"] == "tools/call").filter_map(
        |(exchange, message)| {
            let lists =
                evidence.requests_for("tools/list").filter_map(|it| it.answer).filter(|answer| {
                    answer.place.conversation == exchange.place.conversation
                        && answer.place.event < exchange.place.event
                });
            let tools = lists.filter_map(|answer| answer.result()?.get("tools")?.as_array());
            let tool = tools.flatten().filter(|it| it["name"] == message["params"]["name"]).last();
            Some((exchange, message, tool?))
        },
    )
}

/// Marked arguments of calls, with their values.
pub(super) fn marked(
    evidence: &Evidence,
) -> impl Iterator<Item = (HttpExchange<'_>, MarkedArgument, &Value)> {
    calls(evidence).flat_map(|(exchange, message, tool)| {
        let arguments = &message["params"]["arguments"];
        let all = MarkedArgument::of(tool).into_iter();
        all.filter_map(|it| Some((exchange, it.clone(), it.value(arguments)?))).collect::<Vec<_>>()
    })
}

/// What stands in a header for a value.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Whether a header can hold it as it is.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
        && text.trim() == text
        && !is_sentinel(text)
}

pub(super) fn is_sentinel(text: &str) -> bool {
    text.starts_with("=?base64?") && text.ends_with("?=")
}

pub(super) fn sentinel(text: &str) -> String {
    format!("=?base64?{}?=", BASE64_STANDARD.encode(text))
}

/// What stands between the markers, if those are right.
pub(super) fn decoded(value: &str) -> Option<String> {
    let inner = value.strip_prefix("=?base64?")?.strip_suffix("?=")?;
    String::from_utf8(BASE64_STANDARD.decode(inner).ok()?).ok()
}

pub(super) fn says(request: &HttpRequest, method: &str) -> bool {
    says_http(request, method)
}

pub(super) const M197_CHECK: Check = Check {
    how: "offers a tool with arguments that are marked for headers",
    seen: seen_in(&["hosted marks"]),
    fix: "repeat marked arguments as Mcp-Param headers",
    judge: mirrors,
    mutants: &[NEVER_MIRRORS.also(&["M206", "M207", "M210", "M211", "S089"])],
};

pub(super) const NEVER_MIRRORS: Mutant = mutated("repeats no argument", |request| {
    request.headers.retain(|(name, _)| !name.starts_with("mcp-param-"));
});

pub(super) const NOT_MARKED: &str = "the client did not call the tool whose arguments are marked; one that can be told what to do finds marks in PROOFMARK_SCENARIO";

pub(super) const NO_ODD_NAME: &str = "the client named nothing that a header cannot hold; one that can be told what to do finds marks in PROOFMARK_SCENARIO";
