//! The requirements of `schema/content`.

use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26};

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, since};
use crate::checks::content;

pub(super) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        id: "M523",
        name: "image-content-data-mimetype",
        level: Level::Must,
        party: Party::Server,
        transports: Transports::Any,
        span: since(V2024_11_05),
        text: "Image content has data and mimeType.",
        section: "schema/{2024-11-05..2026-07-28}/schema.ts#ImageContent",
        observed: Observed::By(&content::M523),
    },
    Requirement {
        id: "M524",
        name: "audio-content-data-mimetype",
        level: Level::Must,
        party: Party::Server,
        transports: Transports::Any,
        span: since(V2025_03_26),
        text: "Audio content has data and mimeType.",
        section: "schema/{2025-03-26..2026-07-28}/schema.ts#AudioContent",
        observed: Observed::By(&content::M524),
    },
];
