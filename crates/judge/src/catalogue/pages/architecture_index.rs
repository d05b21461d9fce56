//! The requirements of `architecture/index`.

use proofmark_core::revision::Revision::V2024_11_05;

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, since};
use crate::checks::capabilities;

pub(super) const REQUIREMENTS: &[Requirement] = &[Requirement {
    id: "M056",
    name: "resource-subscriptions-only-offered-by",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Resource subscriptions are only offered by a server that declares resources.subscribe.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/resources.mdx#capabilities ; docs/specification/{2024-11-05..2026-07-28}/architecture/index.mdx#capability-negotiation",
    observed: Observed::By(&capabilities::M056),
}];
