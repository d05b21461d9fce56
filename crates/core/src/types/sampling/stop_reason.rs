//! Why a model stopped.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a model stopped; providers may have reasons of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    EndTurn,
    MaxTokens,
    StopSequence,
    /// It waits for the results of the tools it used. Since 2025-11-25.
    ToolUse,
    Other(String),
}

impl StopReason {
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "endTurn",
            Self::MaxTokens => "maxTokens",
            Self::StopSequence => "stopSequence",
            Self::ToolUse => "toolUse",
            Self::Other(name) => name,
        }
    }
}

impl From<String> for StopReason {
    fn from(name: String) -> Self {
        match name.as_str() {
            "endTurn" => Self::EndTurn,
            "maxTokens" => Self::MaxTokens,
            "stopSequence" => Self::StopSequence,
            "toolUse" => Self::ToolUse,
            _ => Self::Other(name),
        }
    }
}

impl Serialize for StopReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for StopReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}
