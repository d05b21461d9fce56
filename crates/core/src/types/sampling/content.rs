//! What a turn of the conversation is made of.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

use crate::{
    json::Raw,
    types::{
        AudioContent, ContentBlock, ImageContent, Meta, TextContent,
        tagged::{self, Tagged},
    },
};

/// The blocks of one message. It is written in the form in which it was read, because before 2025-11-25 there was only one.
#[derive(Clone, Debug, PartialEq)]
pub enum SamplingContent {
    One(SamplingBlock),
    /// Since 2025-11-25.
    Many(Vec<SamplingBlock>),
}

/// One block of a message, told apart by `type`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SamplingBlock {
    Text(TextContent),
    Image(ImageContent),
    /// Since 2025-03-26.
    Audio(AudioContent),
    /// Since 2025-11-25.
    ToolUse(ToolUseContent),
    /// Since 2025-11-25.
    ToolResult(ToolResultContent),
}

/// The model wants a tool to be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUseContent {
    /// Ties the result to this use.
    pub id: String,
    pub name: String,
    /// An object that fits the tool's schema.
    pub input: Raw,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// What came of the use of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultContent {
    pub tool_use_id: String,
    pub content: Vec<ContentBlock>,
    /// An object in 2025-11-25, any value since: a null stays a null.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Raw>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl SamplingContent {
    /// The blocks, whichever form they have.
    pub fn blocks(&self) -> &[SamplingBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl From<SamplingBlock> for SamplingContent {
    fn from(block: SamplingBlock) -> Self {
        Self::One(block)
    }
}

impl From<Vec<SamplingBlock>> for SamplingContent {
    fn from(blocks: Vec<SamplingBlock>) -> Self {
        Self::Many(blocks)
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(block) => block.serialize(serializer),
            Self::Many(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?.get();
        if text.starts_with('[') {
            serde_json::from_str(text).map(Self::Many)
        } else {
            serde_json::from_str(text).map(Self::One)
        }
        .map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for SamplingBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        tagged::deserialize(deserializer)
    }
}

impl<'de> Tagged<'de> for SamplingBlock {
    const WHAT: &'static str = "sampling content";

    fn read<D: Deserializer<'de>>(tag: &str, members: D) -> Option<Result<Self, D::Error>> {
        Some(match tag {
            "text" => Deserialize::deserialize(members).map(Self::Text),
            "image" => Deserialize::deserialize(members).map(Self::Image),
            "audio" => Deserialize::deserialize(members).map(Self::Audio),
            "tool_use" => Deserialize::deserialize(members).map(Self::ToolUse),
            "tool_result" => Deserialize::deserialize(members).map(Self::ToolResult),
            _ => return None,
        })
    }
}

/// Tells a null from an absent field.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Raw>, D::Error> {
    Raw::deserialize(deserializer).map(Some)
}
