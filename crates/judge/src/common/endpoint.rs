//! Where a server is found, and what it has for those who speak as clients once did.

use crate::requirement::seen_everywhere;
use crate::{
    common::http::told,
    mutant::Mutant,
    outcome::{Finding, each},
    requirement::Check,
};
use proofmark_converse::mutation::{HttpContext, Mutation, Reply};
use proofmark_record::{evidence::Evidence, topic::Topic};
use serde_json::Value;

/// The versions that the server names when it is discovered.
pub(crate) fn versions(evidence: &Evidence) -> impl Iterator<Item = &str> {
    let named = evidence
        .asked(Topic::Initialize)
        .filter_map(|asked| asked.answer?.result()?.get("supportedVersions")?.as_array());
    named.flatten().filter_map(Value::as_str)
}

pub(crate) const fn mutated(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    Mutant::new(name, Mutation::Http(http))
}

pub(crate) const SSE_ENDPOINT: Check = Check {
    how: "opens a stream with GET in every conversation",
    seen: seen_everywhere(),
    fix: "answer GET on the SSE endpoint with status 200 and an event stream",
    judge: |evidence| {
        each(evidence.exchanges_about(Topic::OpenStream), "no stream was opened", |exchange| {
            let streams = exchange.content_type().as_deref() == Some("text/event-stream");
            let right = exchange.status == Some(200) && streams;
            let expected = "status 200 and an event stream";
            (!right).then(|| Finding::new(expected, told(&exchange), exchange.answered))
        })
    },
    mutants: &[mutated(
        "opens its stream with a status that browsers do not take",
        |context, reply| {
            if context.method == "GET" && reply.status == 200 {
                reply.status = 206;
            }
        },
    )],
};
