//! The requirements of `deprecated`.

use proofmark_core::revision::Revision::V2026_07_28;

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, since};

pub(super) const REQUIREMENTS: &[Requirement] = &[Requirement {
    id: "S060",
    name: "deprecated-features-not-newly-adopted",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Deprecated features are not newly adopted and are migrated away from in time.",
    section: "docs/specification/2026-07-28/deprecated.mdx",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
}];
