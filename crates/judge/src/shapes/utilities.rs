//! Pings, progress, cancellations, and notifications that say nothing but that they came.

use super::base::{ID, NOTIFICATION_META, NOTIFICATION_PARAMS, REQUEST_PARAMS};
use super::blame::{BASE, NOTIFICATIONS, REQUESTS};
use super::table::{Member, Object, Shape, TEXT, optional, required};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

pub(super) static PING_REQUEST: Object = Object::new(
    "PingRequest",
    REQUESTS,
    &[optional("params", Shape::Object(&REQUEST_PARAMS)).blame(&[BASE])],
);

pub(super) static CANCELLED_NOTIFICATION: Object = Object::new(
    "CancelledNotification",
    NOTIFICATIONS,
    &[required("params", Shape::Object(&CANCELLED_PARAMS)).blame(&[BASE]).missing(&["M080"])],
);

static CANCELLED_PARAMS: Object = Object::new(
    "CancelledNotificationParams",
    NOTIFICATIONS,
    &[
        required("requestId", ID).until(V2025_06_18).blame(&["M080"]),
        optional("requestId", ID).only(V2025_11_25).blame(&["M080"]),
        required("requestId", ID).since(V2026_07_28).blame(&["M080"]),
        optional("reason", TEXT),
    ],
)
.with(&[&NOTIFICATION_META]);

pub(super) static PROGRESS_NOTIFICATION: Object = Object::new(
    "ProgressNotification",
    NOTIFICATIONS,
    &[required("params", Shape::Object(&PROGRESS_PARAMS)).blame(&[BASE]).missing(&["M084"])],
);

static PROGRESS_PARAMS: Object = Object::new(
    "ProgressNotificationParams",
    NOTIFICATIONS,
    &[
        required("progressToken", ID).blame(&["M084"]),
        required("progress", Shape::Number).blame(&["M084"]),
        optional("total", Shape::Number),
        optional("message", TEXT).since(V2025_03_26),
    ],
)
.with(&[&NOTIFICATION_META]);

pub(super) static INITIALIZED_NOTIFICATION: Object =
    Object::new("InitializedNotification", NOTIFICATIONS, &[BARE]);

pub(super) static ROOTS_CHANGED_NOTIFICATION: Object =
    Object::new("RootsListChangedNotification", NOTIFICATIONS, &[BARE]);

pub(super) static PROMPTS_CHANGED_NOTIFICATION: Object =
    Object::new("PromptListChangedNotification", NOTIFICATIONS, &[BARE]);

pub(super) static RESOURCES_CHANGED_NOTIFICATION: Object =
    Object::new("ResourceListChangedNotification", NOTIFICATIONS, &[BARE]);

pub(super) static TOOLS_CHANGED_NOTIFICATION: Object =
    Object::new("ToolListChangedNotification", NOTIFICATIONS, &[BARE]);

const BARE: Member = optional("params", Shape::Object(&NOTIFICATION_PARAMS)).blame(&[BASE]);
