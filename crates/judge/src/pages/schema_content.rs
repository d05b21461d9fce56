//! The requirements of `schema/content`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_everywhere;
use crate::{
    common::content::{fields, of_call},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, since},
};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26};

pub(super) const PAGE: Page = Page {
    name: "schema/content",
    why: "Content is shown to people and models by its type; a block that is not what it says is dropped, or breaks the whole answer.",
    requirements: &[&M523, &M524],
};

const M523: Requirement = Requirement {
    id: "M523",
    name: "image-content-data-mimetype",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Image content has data and mimeType.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ImageContent",
    observed: Observed::By(&M523_CHECK),
};

const M523_CHECK: Check = Check {
    how: "looks at every image",
    seen: seen_everywhere(),
    fix: "give each image data and mimeType",
    judge: |evidence| fields(evidence, "image", ["data", "mimeType"]),
    mutants: &[of_call("shows an image of no type", "test_image_content", |block| {
        block.as_object_mut().map(|block| block.remove("mimeType")).unwrap_or_default();
    })
    .also(&["M449"])],
};

const M524: Requirement = Requirement {
    id: "M524",
    name: "audio-content-data-mimetype",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Audio content has data and mimeType.",
    section: "schema/{2025-03-26..2026-07-28}/schema.ts#AudioContent",
    observed: Observed::By(&M524_CHECK),
};

const M524_CHECK: Check = Check {
    how: "looks at every sound",
    seen: seen_everywhere(),
    fix: "give each sound data and mimeType",
    judge: |evidence| fields(evidence, "audio", ["data", "mimeType"]),
    mutants: &[of_call("plays a sound of no type", "test_audio_content", |block| {
        block.as_object_mut().map(|block| block.remove("mimeType")).unwrap_or_default();
    })
    .also(&["M450"])],
};
