//! Resources, templates, what reading gives, and news about them.

use super::base::{
    NEXT_CURSOR, NOTIFICATION_META, PAGE_PARAMS, REQUEST_META, RESULT_MEMBERS, caching,
};
use super::blame::{BASE, NOTIFICATIONS, REQUESTS, RESOURCES};
use super::content::{ANNOTATED, ICONS, LATER_META};
use super::modern::RETRY;
use super::table::{
    BASE64, Condition::Has, INTEGER, Member, Object, Shape, TEXT, URI, URI_TEMPLATE, Union,
    optional, required, when,
};
use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};

pub(super) static LIST_REQUEST: Object =
    Object::new("ListResourcesRequest", REQUESTS, &[]).with(&[&PAGE]);

pub(super) static LIST_TEMPLATES_REQUEST: Object =
    Object::new("ListResourceTemplatesRequest", REQUESTS, &[]).with(&[&PAGE]);

/// The params of requests for pages.
pub(super) const PAGE: [Member; 2] = [
    optional("params", Shape::Object(&PAGE_PARAMS)).blame(&[BASE]).until(V2025_11_25),
    required("params", Shape::Object(&PAGE_PARAMS))
        .blame(&[BASE])
        .since(V2026_07_28)
        .missing(&["M124"]),
];

pub(super) static LIST_RESULT: Object = Object::new(
    "ListResourcesResult",
    RESOURCES,
    &[required("resources", Shape::List(&Shape::Object(&RESOURCE))).blame(&["M049"]), NEXT_CURSOR],
)
.with(&[&RESULT_MEMBERS, &LIST_CACHING]);

const LIST_CACHING: [Member; 2] = caching(&["M502"]);

pub(super) static LIST_TEMPLATES_RESULT: Object = Object::new(
    "ListResourceTemplatesResult",
    RESOURCES,
    &[
        required("resourceTemplates", Shape::List(&Shape::Object(&TEMPLATE))).blame(&["M053"]),
        NEXT_CURSOR,
    ],
)
.with(&[&RESULT_MEMBERS, &TEMPLATES_CACHING]);

const TEMPLATES_CACHING: [Member; 2] = caching(&["M503"]);

static RESOURCE: Object = Object::new(
    "Resource",
    RESOURCES,
    &[
        required("uri", URI).blame(&["M050"]),
        required("name", TEXT).blame(&["M050"]),
        optional("title", TEXT).since(V2025_06_18),
        optional("description", TEXT),
        optional("mimeType", TEXT),
        optional("size", INTEGER),
        ANNOTATED,
        ICONS,
        LATER_META,
    ],
);

static TEMPLATE: Object = Object::new(
    "ResourceTemplate",
    RESOURCES,
    &[
        required("uriTemplate", URI_TEMPLATE).blame(&["M054"]),
        required("name", TEXT),
        optional("title", TEXT).since(V2025_06_18),
        optional("description", TEXT),
        optional("mimeType", TEXT),
        ANNOTATED,
        ICONS,
        LATER_META,
    ],
);

pub(super) static READ_REQUEST: Object = Object::new(
    "ReadResourceRequest",
    REQUESTS,
    &[required("params", Shape::Object(&READ_PARAMS)).blame(&[BASE]).missing(&["M521"])],
);

static READ_PARAMS: Object =
    Object::new("ReadResourceRequestParams", REQUESTS, &[required("uri", URI).blame(&["M521"])])
        .with(&[&REQUEST_META, &RETRY]);

pub(super) static READ_RESULT: Object = Object::new(
    "ReadResourceResult",
    RESOURCES,
    &[required("contents", Shape::List(&Shape::Union(&RESOURCE_CONTENTS))).blame(&["M051"])],
)
.with(&[&RESULT_MEMBERS, &READ_CACHING]);

const READ_CACHING: [Member; 2] = caching(&["M504"]);

pub(super) static RESOURCE_CONTENTS: Union = Union {
    tag: None,
    variants: &[when(&[Has("/blob")], &BLOB_CONTENTS), when(&[], &TEXT_CONTENTS)],
};

static TEXT_CONTENTS: Object =
    Object::new("TextResourceContents", RESOURCES, &[required("text", TEXT).blame(&["M052"])])
        .with(&[&CONTENTS]);

static BLOB_CONTENTS: Object =
    Object::new("BlobResourceContents", RESOURCES, &[required("blob", BASE64).blame(&["M460"])])
        .with(&[&CONTENTS]);

const CONTENTS: [Member; 3] =
    [required("uri", URI).blame(&["M052"]), optional("mimeType", TEXT), LATER_META];

pub(super) static SUBSCRIBE_REQUEST: Object = Object::new(
    "SubscribeRequest",
    REQUESTS,
    &[required("params", Shape::Object(&SUBSCRIBE_PARAMS)).blame(&[BASE]).missing(&[REQUESTS])],
);

pub(super) static UNSUBSCRIBE_REQUEST: Object = Object::new(
    "UnsubscribeRequest",
    REQUESTS,
    &[required("params", Shape::Object(&SUBSCRIBE_PARAMS)).blame(&[BASE]).missing(&[REQUESTS])],
);

static SUBSCRIBE_PARAMS: Object =
    Object::new("SubscribeRequestParams", REQUESTS, &[required("uri", URI)]).with(&[&REQUEST_META]);

pub(super) static UPDATED_NOTIFICATION: Object = Object::new(
    "ResourceUpdatedNotification",
    NOTIFICATIONS,
    &[required("params", Shape::Object(&UPDATED_PARAMS)).blame(&[BASE]).missing(&["M466"])],
);

static UPDATED_PARAMS: Object = Object::new(
    "ResourceUpdatedNotificationParams",
    NOTIFICATIONS,
    &[required("uri", URI).blame(&["M466"])],
)
.with(&[&NOTIFICATION_META]);
