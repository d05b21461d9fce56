//! Prompts: messages that a user picks by name.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{
    CacheScope, ContentBlock, Icon, Meta, RequestMeta, ResultType, Role, StringMap, cow,
    result_type::result_body,
};
use crate::json::RawRef;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    pub name: String,
    /// For people; `name` stands in where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<PromptArgument>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Prompt {
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptArgument {
    pub name: String,
    /// For people; `name` stands in where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}

/// The result of `prompts/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListPromptsResult {
    pub prompts: Vec<Prompt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Milliseconds.
    #[serde(
        default,
        deserialize_with = "super::cache::ttl",
        skip_serializing_if = "Option::is_none"
    )]
    pub ttl_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
}

/// The params of `prompts/get`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetPromptParams<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    #[serde(
        borrow,
        default,
        deserialize_with = "cow::option_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub arguments: Option<StringMap<'a>>,
    /// Answers to what an earlier attempt asked for, not yet decoded.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<RawRef<'a>>,
    #[serde(
        borrow,
        default,
        deserialize_with = "cow::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub request_state: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RequestMeta<'a>>>,
}

/// The result of `prompts/get`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetPromptResult {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub messages: Vec<PromptMessage>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromptMessage {
    pub role: Role,
    pub content: ContentBlock,
}

result_body!(cacheable ListPromptsResult);
result_body!(GetPromptResult);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_not_copied() {
        let text = r#"{"name":"greet","arguments":{"who":"Ada"}}"#;
        let params: GetPromptParams<'_> = serde_json::from_str(text).unwrap();
        assert!(matches!(params.name, Cow::Borrowed("greet")));
        let (name, value) = params.arguments.unwrap().pop_first().unwrap();
        assert!(matches!(name, Cow::Borrowed("who")));
        assert!(matches!(value, Cow::Borrowed("Ada")));
    }

    #[test]
    fn an_argument_that_is_not_a_string_is_an_error() {
        let text = r#"{"name":"greet","arguments":{"who":1}}"#;
        assert!(serde_json::from_str::<GetPromptParams<'_>>(text).is_err());
    }
}
