//! Results that ask for something first, the answers in the retry, and subscriptions.

use super::base::{ID, NOTIFICATION_META, REQUEST_META, RESULT_MEMBERS, RESULT_TYPE};
use super::blame::{BASE, LIFECYCLE, MODERN, NOTIFICATIONS, REQUESTS};
use super::lifecycle::IMPLEMENTATION;
use super::table::{
    Condition::{Has, Is},
    Member, Object, Shape, TEXT, TEXTS, Union, optional, required, when,
};
use super::{elicitation, roots, sampling};
use proofmark_core::revision::Revision::V2026_07_28;

/// What a request that is tried again has more.
pub(super) const RETRY: [Member; 2] = [
    optional("inputResponses", Shape::Map(&AN_INPUT_RESPONSE)).since(V2026_07_28).blame(&["M278"]),
    optional("requestState", TEXT).since(V2026_07_28),
];

static AN_INPUT_RESPONSE: Shape = Shape::Union(&INPUT_RESPONSE);

static INPUT_RESPONSE: Union = Union {
    tag: None,
    variants: &[
        when(&[Has("/roots")], &roots::LIST_RESULT),
        when(&[Has("/action")], &elicitation::RESULT),
        when(&[], &sampling::RESULT),
    ],
};

pub(super) static INPUT_REQUIRED_RESULT: Object = Object::new(
    "InputRequiredResult",
    MODERN,
    &[
        optional("inputRequests", Shape::Map(&Shape::Union(&INPUT_REQUEST))).kinds(&["M270"]),
        optional("requestState", TEXT),
    ],
)
.with(&[&RESULT_MEMBERS])
.since(V2026_07_28);

static INPUT_REQUEST: Union = Union {
    tag: Some("method"),
    variants: &[
        when(&[Is("/method", &["sampling/createMessage"])], &sampling::REQUEST),
        when(&[Is("/method", &["roots/list"])], &roots::LIST_REQUEST),
        when(&[Is("/method", &["elicitation/create"])], &elicitation::REQUEST),
    ],
};

pub(super) static LISTEN_REQUEST: Object = Object::new(
    "SubscriptionsListenRequest",
    REQUESTS,
    &[required("params", Shape::Object(&LISTEN_PARAMS)).blame(&[BASE]).missing(&["M518"])],
);

static LISTEN_PARAMS: Object = Object::new(
    "SubscriptionsListenRequestParams",
    REQUESTS,
    &[required("notifications", Shape::Object(&FILTER)).blame(&["M518"])],
)
.with(&[&REQUEST_META]);

/// Servers acknowledge with it, clients ask with it.
const IN_FILTER: &[&str] = &["M286", REQUESTS];

static FILTER: Object = Object::new(
    "SubscriptionFilter",
    MODERN,
    &[
        optional("promptsListChanged", Shape::Boolean).blame(IN_FILTER),
        optional("resourcesListChanged", Shape::Boolean).blame(IN_FILTER),
        optional("toolsListChanged", Shape::Boolean).blame(IN_FILTER),
        optional("resourceSubscriptions", TEXTS).blame(IN_FILTER),
    ],
);

pub(super) static LISTEN_RESULT: Object = Object::new(
    "SubscriptionsListenResult",
    MODERN,
    &[required("_meta", Shape::Object(&LISTEN_RESULT_META)).missing(&["M288"]), RESULT_TYPE],
);

static LISTEN_RESULT_META: Object = Object::new(
    "SubscriptionsListenResultMetaObject",
    LIFECYCLE,
    &[
        optional("io.modelcontextprotocol/serverInfo", Shape::Object(&IMPLEMENTATION)),
        required("io.modelcontextprotocol/subscriptionId", ID).blame(&["M288"]),
    ],
);

pub(super) static ACKNOWLEDGED_NOTIFICATION: Object = Object::new(
    "SubscriptionsAcknowledgedNotification",
    NOTIFICATIONS,
    &[required("params", Shape::Object(&ACKNOWLEDGED_PARAMS)).blame(&[BASE]).missing(&["M286"])],
);

static ACKNOWLEDGED_PARAMS: Object = Object::new(
    "SubscriptionsAcknowledgedNotificationParams",
    NOTIFICATIONS,
    &[required("notifications", Shape::Object(&FILTER)).blame(&["M286"])],
)
.with(&[&NOTIFICATION_META]);
