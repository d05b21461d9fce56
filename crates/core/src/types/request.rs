//! Params of requests and notifications that have nothing to say but `_meta`.

use serde::{Deserialize, Serialize};

use super::{Meta, RequestMeta};

/// The params of `ping`, `server/discover` and every other request without fields of its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RequestParams<'a> {
    #[serde(borrow, rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RequestMeta<'a>>>,
}

/// The params of `notifications/initialized`, of the `list_changed` family, and of every other notification without fields of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotificationParams {
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}
