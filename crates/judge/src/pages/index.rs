//! The requirements of `index`, how each is judged, and the mutants that prove it.

use crate::requirement::{Level, Observed, Page, Party, Requirement, Transports, since};
use proofmark_core::revision::Revision::V2024_11_05;

pub(super) const PAGE: Page = Page {
    name: "index",
    why: "Users have to stay in control of what is shared and done in their name.",
    requirements: &[&S294],
};

const S294: Requirement = Requirement {
    id: "S294",
    name: "consent-flows-documentation-access-control",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Consent flows, documentation, access control, security practice and privacy are provided for.",
    section: "docs/specification/{2024-11-05..2026-07-28}/index.mdx#implementation-guidelines",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};
