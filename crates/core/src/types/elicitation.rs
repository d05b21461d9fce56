//! Elicitation: the server asks the user something, with a form or by sending them to a URL.

mod answer;
mod defaults;
mod format;
mod schema;
mod value;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub use self::{
    answer::{AnswerBreach, AnswerFault},
    format::StringFormat,
    schema::{
        BooleanSchema, ElicitSchema, MultiSelectOptions, MultiSelectSchema, NumberKind,
        NumberSchema, PrimitiveSchema, SingleSelectOptions, SingleSelectSchema, StringSchema,
        TitledOption,
    },
    value::{ElicitValue, ValueKind},
};
use super::{Meta, TaskMetadata};
use crate::json::Raw;

/// The parameters of `elicitation/create`, told apart by `mode`: absent means form.
#[derive(Clone, Debug, PartialEq)]
pub enum ElicitParams {
    Form(ElicitFormParams),
    Url(ElicitUrlParams),
}

/// Asks for values that the client may see: never for secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitFormParams {
    /// Absent and `form` mean the same; 2025-06-18 knows only absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<FormMode>,
    pub message: String,
    pub requested_schema: ElicitSchema,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// Sends the user to a page, where they may say what the client must not see.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitUrlParams {
    pub mode: UrlMode,
    pub message: String,
    pub url: String,
    /// Required in 2025-11-25, gone since: there the outcome is learned by retrying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The only `mode` a form may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormMode {
    #[default]
    Form,
}

/// The only `mode` a URL elicitation may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UrlMode {
    #[default]
    Url,
}

/// What the user did, and for an accepted form what they entered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElicitResult {
    pub action: ElicitAction,
    /// Only with [`ElicitAction::Accept`] of a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ElicitContent>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The values of a form by property.
pub type ElicitContent = BTreeMap<String, ElicitValue>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    Accept,
    /// The user said no.
    Decline,
    /// The user went away without a choice.
    Cancel,
}

/// The parameters of `notifications/elicitation/complete`: the user is done at the URL. 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitationCompleteParams {
    pub elicitation_id: String,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The `data` of error -32042: visit these URLs, then ask again. 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UrlElicitationRequired {
    pub elicitations: Vec<ElicitUrlParams>,
}

impl ElicitParams {
    pub fn message(&self) -> &str {
        match self {
            Self::Form(form) => &form.message,
            Self::Url(url) => &url.message,
        }
    }

    pub fn task(&self) -> Option<&TaskMetadata> {
        match self {
            Self::Form(form) => form.task.as_ref(),
            Self::Url(url) => url.task.as_ref(),
        }
    }

    pub fn meta(&self) -> Option<&Meta> {
        match self {
            Self::Form(form) => form.meta.as_ref(),
            Self::Url(url) => url.meta.as_ref(),
        }
    }
}

impl ElicitResult {
    pub fn accept(content: ElicitContent) -> Self {
        Self { action: ElicitAction::Accept, content: Some(content), meta: None }
    }

    pub fn decline() -> Self {
        Self { action: ElicitAction::Decline, content: None, meta: None }
    }

    pub fn cancel() -> Self {
        Self { action: ElicitAction::Cancel, content: None, meta: None }
    }
}

impl Serialize for ElicitParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Form(form) => form.serialize(serializer),
            Self::Url(url) => url.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ElicitParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Tag {
            mode: Option<String>,
        }

        let raw = Raw::deserialize(deserializer)?;
        let Tag { mode } = raw.decode().map_err(de::Error::custom)?;
        match mode.as_deref() {
            None | Some("form") => raw.decode().map(Self::Form),
            Some("url") => raw.decode().map(Self::Url),
            Some(other) => {
                return Err(de::Error::custom(format_args!("no such elicitation mode: {other:?}")));
            }
        }
        .map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
