//! The wish that a request had not been made.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Meta, cow};
use crate::jsonrpc::Id;

/// The params of `notifications/cancelled`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelledParams<'a> {
    /// One revision's schema lets it be absent; a notification without it cancels nothing.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<Id<'a>>,
    #[serde(
        borrow,
        default,
        deserialize_with = "cow::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub reason: Option<Cow<'a, str>>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}
