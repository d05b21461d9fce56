//! Content blocks, annotations and icons.

use super::base::{META, ROLE};
use super::blame::CONTENT;
use super::resources::RESOURCE_CONTENTS;
use super::table::{
    BASE64, Condition::Is, FREE, Member, Object, Shape, TEXT, TEXTS, URI, Union, Variant, optional,
    required, when,
};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

/// What tools give, and what the messages of prompts have.
pub(super) static CONTENT_BLOCK: Union = Union {
    tag: Some("type"),
    variants: &[A_TEXT, AN_IMAGE, A_SOUND, A_LINK, AN_EMBEDDED_RESOURCE],
};

/// What models are asked with, and what they answer.
pub(super) static SAMPLING_BLOCK: Union =
    Union { tag: Some("type"), variants: &[A_TEXT, AN_IMAGE, A_SOUND, A_TOOL_USE, A_TOOL_RESULT] };

const A_TEXT: Variant = when(&[Is("/type", &["text"])], &TEXT_CONTENT);
const AN_IMAGE: Variant = when(&[Is("/type", &["image"])], &IMAGE_CONTENT);
const A_SOUND: Variant = when(&[Is("/type", &["audio"])], &AUDIO_CONTENT);
const A_LINK: Variant = when(&[Is("/type", &["resource_link"])], &RESOURCE_LINK);
const AN_EMBEDDED_RESOURCE: Variant = when(&[Is("/type", &["resource"])], &EMBEDDED_RESOURCE);
const A_TOOL_USE: Variant = when(&[Is("/type", &["tool_use"])], &TOOL_USE_CONTENT);
const A_TOOL_RESULT: Variant = when(&[Is("/type", &["tool_result"])], &TOOL_RESULT_CONTENT);

/// Of blocks and of what refers to resources.
pub(super) const ANNOTATED: Member = optional("annotations", Shape::Object(&ANNOTATIONS));

pub(super) const ICONS: Member = optional("icons", Shape::List(&AN_ICON)).since(V2025_11_25);

static AN_ICON: Shape = Shape::Object(&ICON);

/// Those that came with a later revision than the object.
pub(super) const LATER_META: Member = META.since(V2025_06_18);

static ANNOTATIONS: Object = Object::new(
    "Annotations",
    CONTENT,
    &[
        optional("audience", Shape::List(&ROLE)).blame(&["M527"]),
        optional("priority", Shape::NumberBetween(0.0, 1.0)).blame(&["M527"]),
        optional("lastModified", TEXT).since(V2025_06_18),
    ],
);

static ICON: Object = Object::new(
    "Icon",
    CONTENT,
    &[
        required("src", URI).blame(&["M142"]),
        optional("mimeType", TEXT),
        optional("sizes", TEXTS).blame(&["M142"]),
        optional("theme", Shape::OneOf(&["dark", "light"])).blame(&["M142"]),
    ],
);

static TEXT_CONTENT: Object = Object::new(
    "TextContent",
    CONTENT,
    &[required("type", Shape::Exactly("text")), required("text", TEXT), ANNOTATED, LATER_META],
);

static IMAGE_CONTENT: Object = Object::new(
    "ImageContent",
    CONTENT,
    &[
        required("type", Shape::Exactly("image")),
        required("data", BASE64).blame(&["M449"]).missing(&["M523"]),
        required("mimeType", TEXT).blame(&["M523"]),
        ANNOTATED,
        LATER_META,
    ],
);

static AUDIO_CONTENT: Object = Object::new(
    "AudioContent",
    CONTENT,
    &[
        required("type", Shape::Exactly("audio")),
        required("data", BASE64).blame(&["M450"]).missing(&["M524"]),
        required("mimeType", TEXT).blame(&["M524"]),
        ANNOTATED,
        LATER_META,
    ],
)
.since(V2025_03_26);

static RESOURCE_LINK: Object = Object::new(
    "ResourceLink",
    CONTENT,
    &[
        required("type", Shape::Exactly("resource_link")),
        required("uri", URI).blame(&["M522"]),
        required("name", TEXT).blame(&["M522"]),
        optional("title", TEXT),
        optional("description", TEXT),
        optional("mimeType", TEXT),
        optional("size", Shape::Integer(None)),
        ANNOTATED,
        ICONS,
        META,
    ],
)
.since(V2025_06_18);

static EMBEDDED_RESOURCE: Object = Object::new(
    "EmbeddedResource",
    CONTENT,
    &[
        required("type", Shape::Exactly("resource")),
        required("resource", Shape::Union(&RESOURCE_CONTENTS)),
        ANNOTATED,
        LATER_META,
    ],
);

static TOOL_USE_CONTENT: Object = Object::new(
    "ToolUseContent",
    CONTENT,
    &[
        required("type", Shape::Exactly("tool_use")),
        required("id", TEXT),
        required("name", TEXT),
        required("input", FREE),
        META,
    ],
)
.since(V2025_11_25);

static TOOL_RESULT_CONTENT: Object = Object::new(
    "ToolResultContent",
    CONTENT,
    &[
        required("type", Shape::Exactly("tool_result")),
        required("toolUseId", TEXT),
        required("content", Shape::List(&Shape::Union(&CONTENT_BLOCK))),
        optional("structuredContent", FREE).until(V2025_11_25),
        optional("structuredContent", Shape::Any).since(V2026_07_28),
        optional("isError", Shape::Boolean),
        META,
    ],
)
.since(V2025_11_25);
