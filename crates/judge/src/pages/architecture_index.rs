//! The requirements of `architecture/index`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_in;
use crate::{
    common::capabilities::{answers_only_if_declared, hides, remove},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, since},
};
use proofmark_core::revision::Revision::V2024_11_05;

pub(super) const PAGE: Page = Page {
    name: "architecture/index",
    why: "Hosts, clients and servers are built by different people; who may see and decide what has to be settled between them.",
    requirements: &[&M056],
};

const M056: Requirement = Requirement {
    id: "M056",
    name: "resource-subscriptions-only-offered-by",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Resource subscriptions are only offered by a server that declares resources.subscribe.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#capabilities ; docs/specification/{2024-11-05..2026-07-28}/architecture/index.mdx#capability-negotiation",
    observed: Observed::By(&M056_CHECK),
};

const M056_CHECK: Check = Check {
    how: "subscribes to a resource although subscriptions are not declared",
    seen: seen_in(&["tour"]),
    fix: "declare resources.subscribe",
    judge: |evidence| {
        answers_only_if_declared(evidence, "/resources/subscribe", "resources/subscribe")
    },
    mutants: &[hides("takes subscriptions without declaring it", |context, message| {
        remove(context, message, "/resources", Some("subscribe"));
    })],
};
