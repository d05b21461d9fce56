//! The requirements of `schema/sampling`.

use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25};

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, between, only, since};
use crate::checks::{client, questions};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        id: "M077",
        name: "sampling-result-role-content-model",
        level: Level::Must,
        party: Party::Client,
        transports: Transports::Any,
        span: since(V2024_11_05),
        text: "A sampling result has role, content, model and stopReason (every official schema leaves stopReason optional).",
        section: "schema/{2024-11-05..2026-07-28}/schema.ts#CreateMessageResult",
        observed: Observed::By(&client::features::M077),
    },
    Requirement {
        id: "M078",
        name: "sampled-content-text-image-or-audio",
        level: Level::Must,
        party: Party::Client,
        transports: Transports::Any,
        span: between(V2025_03_26, V2025_06_18),
        text: "Sampled content is text, image or audio.",
        section: "schema/{2025-03-26..2025-06-18}/schema.ts#CreateMessageResult",
        observed: Observed::By(&client::features::M078),
    },
    Requirement {
        id: "M379",
        name: "model-hints-evaluated-order-first-match-wins",
        level: Level::Must,
        party: Party::Client,
        transports: Transports::Any,
        span: since(V2024_11_05),
        text: "Model hints are evaluated in order, first match wins (schema comment).",
        section: "schema/{2024-11-05..2026-07-28}/schema.ts#ModelPreferences",
        observed: Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
    },
    Requirement {
        id: "M380",
        name: "cost-speed-intelligence-priorities-lie",
        level: Level::Must,
        party: Party::Server,
        transports: Transports::Any,
        span: since(V2024_11_05),
        text: "Cost, speed and intelligence priorities lie between 0 and 1.",
        section: "schema/{2024-11-05..2026-07-28}/schema.ts#ModelPreferences",
        observed: Observed::By(&questions::M380),
    },
    Requirement {
        id: "M391",
        name: "sampled-content-text-or-image",
        level: Level::Must,
        party: Party::Client,
        transports: Transports::Any,
        span: only(V2024_11_05),
        text: "Sampled content is text or image (2024-11-05 set).",
        section: "schema/2024-11-05/schema.ts#SamplingMessage",
        observed: Observed::By(&client::features::M391),
    },
    Requirement {
        id: "M392",
        name: "sampled-content-one-block-or-array-text",
        level: Level::Must,
        party: Party::Client,
        transports: Transports::Any,
        span: since(V2025_11_25),
        text: "Sampled content is one block or an array of text, image, audio, tool_use or tool_result.",
        section: "schema/{2025-11-25..2026-07-28}/schema.ts#CreateMessageResult",
        observed: Observed::By(&client::features::M392),
    },
    Requirement {
        id: "S199",
        name: "model-hints-outrank-numeric-priorities-match",
        level: Level::Should,
        party: Party::Client,
        transports: Transports::Any,
        span: since(V2024_11_05),
        text: "Model hints outrank numeric priorities and match as substrings (schema comment).",
        section: "schema/{2024-11-05..2026-07-28}/schema.ts#ModelPreferences",
        observed: Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
    },
    Requirement {
        id: "A106",
        name: "model-preferences-may-ignored",
        level: Level::May,
        party: Party::Client,
        transports: Transports::Any,
        span: since(V2024_11_05),
        text: "Model preferences may be ignored (schema comment).",
        section: "schema/{2024-11-05..2026-07-28}/schema.ts#ModelPreferences",
        observed: Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
    },
];
