//! The requirements of `basic/index`, part 2.

use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25};

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, since};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        id: "A034",
        name: "meta-name-may-have-hyphens-underscores-dots",
        level: Level::May,
        party: Party::Both,
        transports: Transports::Any,
        span: since(V2025_06_18),
        text: "A _meta name may have hyphens, underscores and dots inside.",
        section: "docs/specification/{2025-06-18..2026-07-28}/basic/index.mdx#meta",
        observed: Observed::NotYet,
    },
    Requirement {
        id: "A035",
        name: "limits-on-icon-image-content-size-may-set",
        level: Level::May,
        party: Party::Client,
        transports: Transports::Any,
        span: since(V2025_11_25),
        text: "Limits on icon image and content size may be set.",
        section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
        observed: Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
    },
    Requirement {
        id: "A036",
        name: "icon-file-types-may-refused-or-sanitised",
        level: Level::May,
        party: Party::Client,
        transports: Transports::Any,
        span: since(V2025_11_25),
        text: "Icon file types may be refused or sanitised.",
        section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#icons",
        observed: Observed::Unobservable("what people are shown is not on the wire"),
    },
];
