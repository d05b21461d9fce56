//! `basic/transports`: `#streamable-http`.

use super::shared::NO_GET;
use crate::requirement::seen_in;
use crate::{
    common::http::mutated,
    outcome::{Finding, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between},
};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_11_25};
use proofmark_record::topic::Topic;

pub(super) const M018: Requirement = Requirement {
    id: "M018",
    name: "one-endpoint-path-serves-both-post-get",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "One endpoint path serves both POST and GET (2026-07-28: POST only).",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#streamable-http",
    observed: Observed::By(&M018_CHECK),
};

const M018_CHECK: Check = Check {
    how: "sends POST and GET to the same path",
    seen: seen_in(&["tour"]),
    fix: "answer GET at the path that takes POST, if only with 405",
    judge: |evidence| {
        each(evidence.exchanges_about(Topic::OpenStream), NO_GET, |exchange| {
            (exchange.status == Some(404))
                .then(|| Finding::new("an answer to GET", "status 404", exchange.answered))
        })
    },
    mutants: &[mutated("does not know GET", |context, reply| {
        if context.method == "GET" {
            reply.replace(404, "text/plain", "not found");
        }
    })
    .also(&["M025", "S002", "M055", "S023", "S024", "S025", "M167", "M181", "S006"])],
};
