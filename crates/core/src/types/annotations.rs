//! Hints to the client about who content is for and how much it matters.

use serde::{Deserialize, Serialize};

use super::number;

/// Who speaks, or who is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Assistant,
    User,
}

/// The `annotations` of content and resources; tools have [`ToolAnnotations`](super::ToolAnnotations).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<Vec<Role>>,
    /// From 0 (can be left out) to 1 (needed).
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "number::serialize_option"
    )]
    pub priority: Option<f64>,
    /// An ISO 8601 time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}
