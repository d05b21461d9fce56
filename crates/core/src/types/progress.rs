//! How far a request has come.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Meta, cow, number};
use crate::jsonrpc::ProgressToken;

/// The params of `notifications/progress`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressParams<'a> {
    #[serde(borrow)]
    pub progress_token: ProgressToken<'a>,
    /// Grows with every notification, in units of the sender's choice.
    #[serde(serialize_with = "number::serialize")]
    pub progress: f64,
    /// In the units of `progress`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "number::serialize_option"
    )]
    pub total: Option<f64>,
    #[serde(
        borrow,
        default,
        deserialize_with = "cow::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub message: Option<Cow<'a, str>>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}
