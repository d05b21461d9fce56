//! The requirements of `schema/sampling`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        client::{remove, result, results},
        server_requests::{SAMPLING, asked, sampling},
        shape::{lacks, lacks_text, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome},
    requirement::{
        Check, Level, Observed, Page, Party, Requirement, Transports, between, only, since,
    },
};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25};
use proofmark_record::evidence::Evidence;
use serde_json::{Value, json};

pub(super) const PAGE: Page = Page {
    name: "schema/sampling",
    why: "Messages go to a model as they are: a member of another type is refused there, far from its cause.",
    requirements: &[&M077, &M078, &M379, &M380, &M391, &M392, &S199, &A106],
};

const M077: Requirement = Requirement {
    id: "M077",
    name: "sampling-result-role-content-model",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A sampling result has role, content, model and stopReason (every official schema leaves stopReason optional).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CreateMessageResult",
    observed: Observed::By(&M077_CHECK),
};

const M077_CHECK: Check = Check {
    how: "asks for sampling and looks at the result",
    seen: seen_everywhere(),
    fix: "answer sampling with role, content and model, and with stopReason if it is known",
    judge: |evidence| {
        let outcome = results(evidence, "sampling", "sampling/createMessage", |answer, result| {
            lacks_text(answer.place, result, "role")
                .or_else(|| lacks_text(answer.place, result, "model"))
                .or_else(|| {
                    lacks(answer.place, result, "content", "an object or an array", |content| {
                        content.is_object() || content.is_array()
                    })
                })
        });
        if outcome != Outcome::Kept {
            return outcome;
        }
        // The schemas leave it open.
        let mut all = evidence.results("sampling/createMessage");
        let silent = all.find(|(_, result)| result.get("stopReason").is_none());
        silent.map_or(Outcome::Kept, |(answer, result)| {
            Outcome::Doubtful(Finding::new("a stopReason", show(result), answer.place))
        })
    },
    mutants: &[
        result("does not name the model", "sampling/createMessage", |result| {
            remove(result, "model");
        }),
        result("does not say why it stopped", "sampling/createMessage", |result| {
            remove(result, "stopReason");
        }),
    ],
};

const M078: Requirement = Requirement {
    id: "M078",
    name: "sampled-content-text-image-or-audio",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2025_03_26, V2025_06_18),
    text: "Sampled content is text, image or audio.",
    section: "schema/{2025-03-26..2025-06-18}/schema.ts#CreateMessageResult",
    observed: Observed::By(&M078_CHECK),
};

const M078_CHECK: Check = Check {
    how: "asks for sampling and looks at the content",
    seen: seen_everywhere(),
    fix: "answer with text, an image or audio",
    judge: |evidence| sampled(evidence, &["text", "image", "audio"]),
    mutants: &[ODD_CONTENT],
};

const M379: Requirement = Requirement {
    id: "M379",
    name: "model-hints-evaluated-order-first-match-wins",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Model hints are evaluated in order, first match wins (schema comment).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ModelPreferences",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const M380: Requirement = Requirement {
    id: "M380",
    name: "cost-speed-intelligence-priorities-lie",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Cost, speed and intelligence priorities lie between 0 and 1.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ModelPreferences",
    observed: Observed::By(&M380_CHECK),
};

const M380_CHECK: Check = Check {
    how: "looks at the priorities of every sampling request",
    seen: seen_everywhere(),
    fix: "keep priorities between 0 and 1",
    judge: |evidence| {
        asked(evidence, SAMPLING, |place, params| {
            let preferences = params.get("modelPreferences")?.as_object()?;
            let odd = preferences.iter().find(|(name, value)| {
                let priority = value.as_f64();
                name.ends_with("Priority") && !priority.is_some_and(|it| (0.0..=1.0).contains(&it))
            })?;
            Some(Finding::new("a priority between 0 and 1", show(odd.1), place))
        })
    },
    mutants: &[sampling("wants speed above all", |params| {
        params["modelPreferences"] = json!({ "speedPriority": 2 });
    })],
};

const M391: Requirement = Requirement {
    id: "M391",
    name: "sampled-content-text-or-image",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2024_11_05),
    text: "Sampled content is text or image (2024-11-05 set).",
    section: "schema/2024-11-05/schema.ts#SamplingMessage",
    observed: Observed::By(&M391_CHECK),
};

const M391_CHECK: Check = Check {
    how: "asks for sampling and looks at the content",
    seen: seen_everywhere(),
    fix: "answer with text or an image",
    judge: |evidence| sampled(evidence, &["text", "image"]),
    mutants: &[ODD_CONTENT],
};

const M392: Requirement = Requirement {
    id: "M392",
    name: "sampled-content-one-block-or-array-text",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Sampled content is one block or an array of text, image, audio, tool_use or tool_result.",
    section: "schema/{2025-11-25..2026-07-28}/schema.ts#CreateMessageResult",
    observed: Observed::By(&M392_CHECK),
};

const M392_CHECK: Check = Check {
    how: "asks for sampling and looks at the content",
    seen: seen_everywhere(),
    fix: "answer with text, an image, audio, or the use or result of a tool",
    judge: |evidence| sampled(evidence, &["text", "image", "audio", "tool_use", "tool_result"]),
    mutants: &[ODD_CONTENT],
};

const S199: Requirement = Requirement {
    id: "S199",
    name: "model-hints-outrank-numeric-priorities-match",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Model hints outrank numeric priorities and match as substrings (schema comment).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ModelPreferences",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const A106: Requirement = Requirement {
    id: "A106",
    name: "model-preferences-may-ignored",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Model preferences may be ignored (schema comment).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ModelPreferences",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

fn sampled(evidence: &Evidence, kinds: &[&str]) -> Outcome {
    results(evidence, "sampling", "sampling/createMessage", |answer, result| {
        let content = result.get("content")?;
        let blocks = match content {
            Value::Array(blocks) => blocks.as_slice(),
            block => std::slice::from_ref(block),
        };
        let odd = blocks.iter().find(|block| {
            !block.get("type").and_then(Value::as_str).is_some_and(|kind| kinds.contains(&kind))
        })?;
        Some(Finding::new(kinds.join(" or "), show(odd), answer.place))
    })
}

const ODD_CONTENT: Mutant = result("answers with a smell", "sampling/createMessage", |result| {
    result["content"]["type"] = json!("smell");
});
