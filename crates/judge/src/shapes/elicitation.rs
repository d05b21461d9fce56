//! What users are asked, and what they answer.

use super::base::META;
use super::blame::{ANSWERS, BASE, NOTIFICATIONS, REQUESTS};
use super::sampling::LEGACY_META;
use super::table::{
    Condition::{Has, Is},
    INTEGER, Member, Object, Shape, TEXT, TEXTS, URI, Union, optional, required, when,
};
use super::tasks::TASK_PARAM;
use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25};

pub(super) static REQUEST: Object = Object::new(
    "ElicitRequest",
    REQUESTS,
    &[
        required("method", Shape::Exactly("elicitation/create")),
        required("params", Shape::Union(&PARAMS)).blame(&[BASE]).missing(&["M412"]),
    ],
);

static PARAMS: Union = Union {
    tag: None,
    variants: &[when(&[Is("/mode", &["url"])], &URL_PARAMS), when(&[], &FORM_PARAMS)],
};

static FORM_PARAMS: Object = Object::new(
    "ElicitRequestFormParams",
    REQUESTS,
    &[
        LEGACY_META,
        optional("mode", Shape::Exactly("form")).since(V2025_11_25).blame(&["M412"]),
        required("message", TEXT).blame(&["M412"]),
        required("requestedSchema", Shape::Object(&REQUESTED_SCHEMA)).blame(&["M414", "M397"]),
        TASK_PARAM,
    ],
);

pub(super) static URL_PARAMS: Object = Object::new(
    "ElicitRequestURLParams",
    REQUESTS,
    &[
        LEGACY_META,
        required("mode", Shape::Exactly("url")).blame(&["M415"]),
        required("message", TEXT).blame(&["M415"]),
        required("url", URI).blame(&["M416"]).missing(&["M415"]),
        required("elicitationId", TEXT).only(V2025_11_25).blame(&["M415"]),
        TASK_PARAM,
    ],
)
.since(V2025_11_25);

static REQUESTED_SCHEMA: Object = Object::new(
    "ElicitRequest.requestedSchema",
    REQUESTS,
    &[
        required("type", Shape::Exactly("object")).blame(&["M397"]),
        required("properties", Shape::Map(&Shape::Union(&FIELD))).blame(&["M397"]),
        optional("required", TEXTS),
        optional("$schema", TEXT).since(V2025_11_25),
    ],
);

static FIELD: Union = Union {
    tag: Some("type"),
    variants: &[
        when(&[Is("/type", &["number", "integer"])], &NUMBER),
        when(&[Is("/type", &["boolean"])], &BOOLEAN),
        when(&[Is("/type", &["array"]), Has("/items/anyOf")], &TITLED_CHOICES),
        when(&[Is("/type", &["array"])], &CHOICES),
        when(&[Is("/type", &["string"]), Has("/enum"), Has("/enumNames")], &NAMED_CHOICE),
        when(&[Is("/type", &["string"]), Has("/enum")], &FIRST_CHOICE),
        when(&[Is("/type", &["string"]), Has("/enum")], &CHOICE),
        when(&[Is("/type", &["string"]), Has("/oneOf")], &TITLED_CHOICE),
        when(&[Is("/type", &["string"])], &STRING),
    ],
};

/// What every field may have.
const FIELD_TEXTS: [Member; 2] = [optional("title", TEXT), optional("description", TEXT)];

static STRING: Object = Object::new(
    "StringSchema",
    REQUESTS,
    &[
        required("type", Shape::Exactly("string")),
        optional("minLength", INTEGER),
        optional("maxLength", INTEGER),
        optional("format", Shape::OneOf(&["date", "date-time", "email", "uri"])).blame(&["M398"]),
        optional("default", TEXT).since(V2025_11_25),
    ],
)
.with(&[&FIELD_TEXTS]);

static NUMBER: Object = Object::new(
    "NumberSchema",
    REQUESTS,
    &[
        required("type", Shape::OneOf(&["integer", "number"])),
        optional("minimum", Shape::Number),
        optional("maximum", Shape::Number),
        optional("default", Shape::Number).since(V2025_11_25),
    ],
)
.with(&[&FIELD_TEXTS]);

static BOOLEAN: Object = Object::new(
    "BooleanSchema",
    REQUESTS,
    &[required("type", Shape::Exactly("boolean")), optional("default", Shape::Boolean)],
)
.with(&[&FIELD_TEXTS]);

static FIRST_CHOICE: Object = Object::new(
    "EnumSchema",
    REQUESTS,
    &[
        required("type", Shape::Exactly("string")),
        required("enum", TEXTS).blame(&["M399"]),
        optional("enumNames", TEXTS).blame(&["M399"]),
    ],
)
.with(&[&FIELD_TEXTS])
.until(V2025_06_18);

static NAMED_CHOICE: Object = Object::new(
    "LegacyTitledEnumSchema",
    REQUESTS,
    &[
        required("type", Shape::Exactly("string")),
        required("enum", TEXTS).blame(&["M400"]),
        optional("enumNames", TEXTS).blame(&["M400"]),
        optional("default", TEXT),
    ],
)
.with(&[&FIELD_TEXTS])
.since(V2025_11_25);

static CHOICE: Object = Object::new(
    "UntitledSingleSelectEnumSchema",
    REQUESTS,
    &[
        required("type", Shape::Exactly("string")),
        required("enum", TEXTS).blame(&["M400"]),
        optional("default", TEXT),
    ],
)
.with(&[&FIELD_TEXTS])
.since(V2025_11_25);

static TITLED_CHOICE: Object = Object::new(
    "TitledSingleSelectEnumSchema",
    REQUESTS,
    &[
        required("type", Shape::Exactly("string")),
        required("oneOf", Shape::List(&Shape::Object(&TITLED))).blame(&["M400"]),
        optional("default", TEXT),
    ],
)
.with(&[&FIELD_TEXTS])
.since(V2025_11_25);

static CHOICES: Object = Object::new(
    "UntitledMultiSelectEnumSchema",
    REQUESTS,
    &[
        required("type", Shape::Exactly("array")),
        required("items", Shape::Object(&ITEMS)).blame(&["M400"]),
        optional("minItems", INTEGER),
        optional("maxItems", INTEGER),
        optional("default", TEXTS),
    ],
)
.with(&[&FIELD_TEXTS])
.since(V2025_11_25);

static TITLED_CHOICES: Object = Object::new(
    "TitledMultiSelectEnumSchema",
    REQUESTS,
    &[
        required("type", Shape::Exactly("array")),
        required("items", Shape::Object(&TITLED_ITEMS)).blame(&["M400"]),
        optional("minItems", INTEGER),
        optional("maxItems", INTEGER),
        optional("default", TEXTS),
    ],
)
.with(&[&FIELD_TEXTS])
.since(V2025_11_25);

static ITEMS: Object = Object::new(
    "UntitledMultiSelectEnumSchema.items",
    REQUESTS,
    &[
        required("type", Shape::Exactly("string")).blame(&["M400"]),
        required("enum", TEXTS).blame(&["M400"]),
    ],
);

static TITLED_ITEMS: Object = Object::new(
    "TitledMultiSelectEnumSchema.items",
    REQUESTS,
    &[required("anyOf", Shape::List(&Shape::Object(&TITLED))).blame(&["M400"])],
);

static TITLED: Object = Object::new(
    "TitledSingleSelectEnumSchema.oneOf",
    REQUESTS,
    &[required("const", TEXT).blame(&["M400"]), required("title", TEXT).blame(&["M400"])],
);

pub(super) static RESULT: Object = Object::new(
    "ElicitResult",
    ANSWERS,
    &[
        META.until(V2025_11_25),
        required("action", Shape::OneOf(&["accept", "cancel", "decline"])).blame(&["M401"]),
        optional("content", Shape::Map(&FIRST_VALUE)).until(V2025_06_18),
        optional("content", Shape::Map(&VALUE)).since(V2025_11_25).blame(&["M403"]),
    ],
);

const FIRST_VALUE: Shape = Shape::Either(&[TEXT, Shape::Number, Shape::Boolean]);
const VALUE: Shape = Shape::Either(&[TEXT, Shape::Number, Shape::Boolean, TEXTS]);

pub(super) static COMPLETE_NOTIFICATION: Object = Object::new(
    "ElicitationCompleteNotification",
    NOTIFICATIONS,
    &[required("params", Shape::Object(&COMPLETE_PARAMS)).blame(&[BASE]).missing(&["M418"])],
);

static COMPLETE_PARAMS: Object = Object::new(
    "ElicitationCompleteNotification.params",
    NOTIFICATIONS,
    &[required("elicitationId", TEXT).blame(&["M418"])],
);
