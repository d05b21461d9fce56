//! Log messages, and the level that they begin at.

use super::base::{NOTIFICATION_META, REQUEST_META};
use super::blame::{BASE, NOTIFICATIONS, REQUESTS};
use super::table::{Object, Shape, TEXT, optional, required};

pub(super) const LEVEL: Shape = Shape::OneOf(&[
    "alert",
    "critical",
    "debug",
    "emergency",
    "error",
    "info",
    "notice",
    "warning",
]);

pub(super) static SET_LEVEL_REQUEST: Object = Object::new(
    "SetLevelRequest",
    REQUESTS,
    &[required("params", Shape::Object(&SET_LEVEL_PARAMS)).blame(&[BASE]).missing(&[REQUESTS])],
);

static SET_LEVEL_PARAMS: Object =
    Object::new("SetLevelRequestParams", REQUESTS, &[required("level", LEVEL)])
        .with(&[&REQUEST_META]);

pub(super) static MESSAGE_NOTIFICATION: Object = Object::new(
    "LoggingMessageNotification",
    NOTIFICATIONS,
    &[required("params", Shape::Object(&MESSAGE_PARAMS)).blame(&[BASE]).missing(&["M488"])],
);

static MESSAGE_PARAMS: Object = Object::new(
    "LoggingMessageNotificationParams",
    NOTIFICATIONS,
    &[
        required("level", LEVEL).blame(&["M488"]),
        required("data", Shape::Any).blame(&["M488"]),
        optional("logger", TEXT),
    ],
)
.with(&[&NOTIFICATION_META]);
