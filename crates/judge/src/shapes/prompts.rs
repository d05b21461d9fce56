//! Prompts and their messages.

use super::base::{NEXT_CURSOR, REQUEST_META, RESULT_MEMBERS, ROLE, caching};
use super::blame::{BASE, PROMPTS, REQUESTS};
use super::content::{CONTENT_BLOCK, ICONS, LATER_META};
use super::modern::RETRY;
use super::resources::PAGE;
use super::table::{Member, Object, Shape, TEXT, optional, required};
use proofmark_core::revision::Revision::V2025_06_18;

pub(super) static LIST_REQUEST: Object =
    Object::new("ListPromptsRequest", REQUESTS, &[]).with(&[&PAGE]);

pub(super) static LIST_RESULT: Object = Object::new(
    "ListPromptsResult",
    PROMPTS,
    &[required("prompts", Shape::List(&Shape::Object(&PROMPT))).blame(&["M059"]), NEXT_CURSOR],
)
.with(&[&RESULT_MEMBERS, &LIST_CACHING]);

const LIST_CACHING: [Member; 2] = caching(&["M501"]);

static PROMPT: Object = Object::new(
    "Prompt",
    PROMPTS,
    &[
        required("name", TEXT).blame(&["M060"]),
        optional("title", TEXT).since(V2025_06_18),
        optional("description", TEXT),
        optional("arguments", Shape::List(&Shape::Object(&ARGUMENT))),
        ICONS,
        LATER_META,
    ],
);

static ARGUMENT: Object = Object::new(
    "PromptArgument",
    PROMPTS,
    &[
        required("name", TEXT).blame(&["M525"]),
        optional("title", TEXT).since(V2025_06_18),
        optional("description", TEXT),
        optional("required", Shape::Boolean),
    ],
);

pub(super) static GET_REQUEST: Object = Object::new(
    "GetPromptRequest",
    REQUESTS,
    &[required("params", Shape::Object(&GET_PARAMS)).blame(&[BASE]).missing(&[REQUESTS])],
);

static GET_PARAMS: Object = Object::new(
    "GetPromptRequestParams",
    REQUESTS,
    &[required("name", TEXT), optional("arguments", Shape::Map(&TEXT)).blame(&["M455"])],
)
.with(&[&REQUEST_META, &RETRY]);

pub(super) static GET_RESULT: Object = Object::new(
    "GetPromptResult",
    PROMPTS,
    &[
        optional("description", TEXT),
        required("messages", Shape::List(&Shape::Object(&MESSAGE))).blame(&["M061"]),
    ],
)
.with(&[&RESULT_MEMBERS]);

static MESSAGE: Object = Object::new(
    "PromptMessage",
    PROMPTS,
    &[
        required("role", ROLE).blame(&["M448"]).missing(&["M062"]),
        required("content", Shape::Union(&CONTENT_BLOCK))
            .blame(&["M062"])
            .kinds(&["M446", "M063", "M447"]),
    ],
);
