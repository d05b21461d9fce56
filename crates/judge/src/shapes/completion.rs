//! Completions of arguments.

use super::base::{REQUEST_META, RESULT_MEMBERS};
use super::blame::{BASE, COMPLETION, REQUESTS};
use super::table::{
    Condition::Is, INTEGER, Object, Shape, TEXT, TEXTS, URI_TEMPLATE, Union, optional, required,
    when,
};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

pub(super) static REQUEST: Object = Object::new(
    "CompleteRequest",
    REQUESTS,
    &[required("params", Shape::Object(&PARAMS)).blame(&[BASE]).missing(&["M484"])],
);

static PARAMS: Object = Object::new(
    "CompleteRequestParams",
    REQUESTS,
    &[
        required("ref", Shape::Union(&REFERENCE)).blame(&["M484"]),
        required("argument", Shape::Object(&ARGUMENT)).blame(&["M484"]),
        optional("context", Shape::Object(&CONTEXT)).since(V2025_06_18),
    ],
)
.with(&[&REQUEST_META]);

static REFERENCE: Union = Union {
    tag: Some("type"),
    variants: &[
        when(&[Is("/type", &["ref/prompt"])], &PROMPT_REFERENCE),
        when(&[Is("/type", &["ref/resource"])], &RESOURCE_REFERENCE),
        when(&[Is("/type", &["ref/resource"])], &TEMPLATE_REFERENCE),
    ],
};

static PROMPT_REFERENCE: Object = Object::new(
    "PromptReference",
    REQUESTS,
    &[
        required("type", Shape::Exactly("ref/prompt")).blame(&["M484"]),
        required("name", TEXT),
        optional("title", TEXT).since(V2025_06_18),
    ],
);

static RESOURCE_REFERENCE: Object = Object::new(
    "ResourceReference",
    REQUESTS,
    &[
        required("type", Shape::Exactly("ref/resource")).blame(&["M484"]),
        required("uri", URI_TEMPLATE),
    ],
)
.until(V2025_03_26);

static TEMPLATE_REFERENCE: Object = Object::new(
    "ResourceTemplateReference",
    REQUESTS,
    &[
        required("type", Shape::Exactly("ref/resource")).blame(&["M484"]),
        required("uri", URI_TEMPLATE),
    ],
)
.since(V2025_06_18);

static ARGUMENT: Object = Object::new(
    "CompleteRequest.argument",
    REQUESTS,
    &[required("name", TEXT).blame(&["M484"]), required("value", TEXT).blame(&["M484"])],
);

static CONTEXT: Object =
    Object::new("CompleteRequest.context", REQUESTS, &[optional("arguments", Shape::Map(&TEXT))]);

pub(super) static RESULT: Object = Object::new(
    "CompleteResult",
    COMPLETION,
    &[required("completion", Shape::Object(&VALUES)).blame(&["M089"])],
)
.with(&[&RESULT_MEMBERS]);

static VALUES: Object = Object::new(
    "CompleteResult.completion",
    COMPLETION,
    &[
        required("values", TEXTS).until(V2025_11_25).blame(&["M089"]),
        required("values", Shape::ShortList(&TEXT, 100)).since(V2026_07_28).blame(&["M089"]),
        optional("total", INTEGER),
        optional("hasMore", Shape::Boolean),
    ],
);
