//! What models are asked, and what they answer.

use super::base::{META, REQUEST_META, ROLE};
use super::blame::{ANSWERS, BASE, REQUESTS};
use super::content::SAMPLING_BLOCK;
use super::table::{FREE, INTEGER, Member, Object, Shape, TEXT, TEXTS, optional, required};
use super::tasks::TASK_PARAM;
use super::tools::TOOL;
use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25};

pub(super) static REQUEST: Object = Object::new(
    "CreateMessageRequest",
    REQUESTS,
    &[
        required("method", Shape::Exactly("sampling/createMessage")),
        required("params", Shape::Object(&PARAMS)).blame(&[BASE]).missing(&["M381"]),
    ],
);

static PARAMS: Object = Object::new(
    "CreateMessageRequestParams",
    REQUESTS,
    &[
        LEGACY_META,
        required("messages", Shape::List(&Shape::Object(&MESSAGE))).blame(&["M381"]),
        required("maxTokens", INTEGER).blame(&["M381"]),
        optional("systemPrompt", TEXT),
        optional("includeContext", Shape::OneOf(&["allServers", "none", "thisServer"])),
        optional("temperature", Shape::Number),
        optional("stopSequences", TEXTS),
        optional("metadata", FREE),
        optional("modelPreferences", Shape::Object(&PREFERENCES)),
        optional("tools", Shape::List(&Shape::Object(&TOOL))).since(V2025_11_25),
        optional("toolChoice", Shape::Object(&TOOL_CHOICE)).since(V2025_11_25),
        TASK_PARAM,
    ],
);

/// Requests of servers, which are no messages of their own any more, have no `_meta` there.
pub(super) const LEGACY_META: Member = REQUEST_META[0];

static MESSAGE: Object = Object::new(
    "SamplingMessage",
    REQUESTS,
    &[
        required("role", ROLE).blame(&["M393"]),
        required("content", Shape::Union(&SAMPLING_BLOCK)).until(V2025_06_18),
        required("content", CONTENTS).since(V2025_11_25).blame(&["M393"]),
        META.since(V2025_11_25),
    ],
);

/// One block or several.
const CONTENTS: Shape =
    Shape::Either(&[Shape::Union(&SAMPLING_BLOCK), Shape::List(&Shape::Union(&SAMPLING_BLOCK))]);

static PREFERENCES: Object = Object::new(
    "ModelPreferences",
    REQUESTS,
    &[
        optional("hints", Shape::List(&Shape::Object(&HINT))),
        optional("costPriority", PRIORITY).blame(&["M380"]),
        optional("speedPriority", PRIORITY).blame(&["M380"]),
        optional("intelligencePriority", PRIORITY).blame(&["M380"]),
    ],
);

const PRIORITY: Shape = Shape::NumberBetween(0.0, 1.0);

static HINT: Object = Object::new("ModelHint", REQUESTS, &[optional("name", TEXT)]);

static TOOL_CHOICE: Object = Object::new(
    "ToolChoice",
    REQUESTS,
    &[optional("mode", Shape::OneOf(&["auto", "none", "required"]))],
);

pub(super) static RESULT: Object = Object::new(
    "CreateMessageResult",
    ANSWERS,
    &[
        META,
        required("role", ROLE).blame(&["M393", "M077"]).missing(&["M077"]),
        required("model", TEXT).blame(&["M077"]),
        required("content", Shape::Union(&SAMPLING_BLOCK))
            .until(V2025_06_18)
            .blame(&["M077"])
            .kinds(&["M391", "M078"]),
        required("content", CONTENTS).since(V2025_11_25).blame(&["M077"]).kinds(&["M392"]),
        optional("stopReason", TEXT).blame(&["M077"]),
    ],
);
