//! Tools, calls and what they give.

use super::base::{NEXT_CURSOR, REQUEST_META, RESULT_MEMBERS, caching};
use super::blame::{BASE, REQUESTS, TOOLS};
use super::content::{CONTENT_BLOCK, ICONS, LATER_META};
use super::modern::RETRY;
use super::resources::PAGE;
use super::table::{FREE, Member, Object, Shape, TEXT, TEXTS, optional, required};
use super::tasks::TASK_PARAM;
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

pub(super) static LIST_REQUEST: Object =
    Object::new("ListToolsRequest", REQUESTS, &[]).with(&[&PAGE]);

pub(super) static LIST_RESULT: Object = Object::new(
    "ListToolsResult",
    TOOLS,
    &[required("tools", Shape::List(&Shape::Object(&TOOL))).blame(&["M066"]), NEXT_CURSOR],
)
.with(&[&RESULT_MEMBERS, &LIST_CACHING]);

const LIST_CACHING: [Member; 2] = caching(&["M500"]);

pub(super) static TOOL: Object = Object::new(
    "Tool",
    TOOLS,
    &[
        required("name", TEXT).blame(&["M067"]),
        optional("title", TEXT).since(V2025_06_18),
        optional("description", TEXT),
        required("inputSchema", Shape::Object(&SCHEMA))
            .until(V2025_11_25)
            .blame(INPUT)
            .missing(&["M067"]),
        required("inputSchema", Shape::Object(&INPUT_SCHEMA))
            .since(V2026_07_28)
            .blame(INPUT)
            .missing(&["M067"]),
        optional("outputSchema", Shape::Object(&OBJECT_SCHEMA))
            .since(V2025_06_18)
            .until(V2025_11_25)
            .blame(&["M470"]),
        optional("outputSchema", Shape::Object(&OUTPUT_SCHEMA)).since(V2026_07_28),
        optional("annotations", Shape::Object(&ANNOTATIONS)).since(V2025_03_26),
        optional("execution", Shape::Object(&EXECUTION)).only(V2025_11_25),
        ICONS,
        LATER_META,
    ],
);

const INPUT: &[&str] = &["M469"];

static SCHEMA: Object = Object::new(
    "Tool.inputSchema",
    TOOLS,
    &[required("type", Shape::Exactly("object")).blame(INPUT)],
)
.with(&[&OF_OBJECTS]);

static OBJECT_SCHEMA: Object = Object::new(
    "Tool.outputSchema",
    TOOLS,
    &[required("type", Shape::Exactly("object")).blame(&["M470"])],
)
.with(&[&OF_OBJECTS]);

/// What a schema of an object may have.
const OF_OBJECTS: [Member; 3] = [
    optional("properties", Shape::Map(&FREE)),
    optional("required", TEXTS),
    optional("$schema", TEXT).since(V2025_11_25),
];

static INPUT_SCHEMA: Object = Object::new(
    "Tool.inputSchema",
    TOOLS,
    &[required("type", Shape::Exactly("object")).blame(INPUT), optional("$schema", TEXT)],
);

static OUTPUT_SCHEMA: Object =
    Object::new("Tool.outputSchema", TOOLS, &[optional("$schema", TEXT)]);

static ANNOTATIONS: Object = Object::new(
    "ToolAnnotations",
    TOOLS,
    &[
        optional("title", TEXT).blame(HINTS),
        optional("readOnlyHint", Shape::Boolean).blame(HINTS),
        optional("destructiveHint", Shape::Boolean).blame(HINTS),
        optional("idempotentHint", Shape::Boolean).blame(HINTS),
        optional("openWorldHint", Shape::Boolean).blame(HINTS),
    ],
);

const HINTS: &[&str] = &["M526"];

static EXECUTION: Object = Object::new(
    "ToolExecution",
    TOOLS,
    &[optional("taskSupport", Shape::OneOf(&["forbidden", "optional", "required"]))],
);

pub(super) static CALL_REQUEST: Object = Object::new(
    "CallToolRequest",
    REQUESTS,
    &[required("params", Shape::Object(&CALL_PARAMS)).blame(&[BASE]).missing(&["M520"])],
);

static CALL_PARAMS: Object = Object::new(
    "CallToolRequestParams",
    REQUESTS,
    &[
        required("name", TEXT).blame(&["M520"]),
        optional("arguments", FREE).blame(&["M520"]),
        TASK_PARAM,
    ],
)
.with(&[&REQUEST_META, &RETRY]);

pub(super) static CALL_RESULT: Object = Object::new(
    "CallToolResult",
    TOOLS,
    &[
        required("content", Shape::List(&Shape::Union(&CONTENT_BLOCK)))
            .blame(&["M068"])
            .kinds(&["M467", "M069", "M468"]),
        optional("isError", Shape::Boolean).blame(&["M068"]),
        optional("structuredContent", FREE).since(V2025_06_18).until(V2025_11_25).blame(&["M471"]),
        optional("structuredContent", Shape::Any).since(V2026_07_28),
    ],
)
.with(&[&RESULT_MEMBERS]);
