//! The requirements of `deprecated`, how each is judged, and the mutants that prove it.

use crate::requirement::{Level, Observed, Page, Party, Requirement, Transports, since};
use proofmark_core::revision::Revision::V2026_07_28;

pub(super) const PAGE: Page = Page {
    name: "deprecated",
    why: "What is deprecated still has to work for those who have not moved, and tempt nobody else.",
    requirements: &[&S060],
};

const S060: Requirement = Requirement {
    id: "S060",
    name: "deprecated-features-not-newly-adopted",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Deprecated features are not newly adopted and are migrated away from in time.",
    section: "docs/specification/2026-07-28/deprecated.mdx",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};
