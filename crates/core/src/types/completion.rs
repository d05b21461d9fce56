//! Suggestions while a user fills in an argument.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};

use super::{
    Meta, RequestMeta, ResultType, StringMap, cow,
    result_type::result_body,
    tagged::{self, Tagged},
};

/// The params of `completion/complete`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CompleteParams<'a> {
    #[serde(borrow, rename = "ref")]
    pub reference: Reference<'a>,
    #[serde(borrow)]
    pub argument: CompleteArgument<'a>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub context: Option<CompleteContext<'a>>,
    #[serde(borrow, rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RequestMeta<'a>>>,
}

/// Whose argument is being filled in, told apart by its `type`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type")]
pub enum Reference<'a> {
    #[serde(rename = "ref/prompt")]
    Prompt(PromptReference<'a>),
    #[serde(rename = "ref/resource")]
    Resource(ResourceTemplateReference<'a>),
}

impl<'a> Reference<'a> {
    pub fn prompt(name: impl Into<Cow<'a, str>>) -> Self {
        Self::Prompt(PromptReference { name: name.into(), title: None })
    }

    pub fn resource(uri: impl Into<Cow<'a, str>>) -> Self {
        Self::Resource(ResourceTemplateReference { uri: uri.into() })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Reference<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        tagged::deserialize(deserializer)
    }
}

impl<'de: 'a, 'a> Tagged<'de> for Reference<'a> {
    const WHAT: &'static str = "reference";

    fn read<D: Deserializer<'de>>(tag: &str, members: D) -> Option<Result<Self, D::Error>> {
        Some(match tag {
            "ref/prompt" => Deserialize::deserialize(members).map(Self::Prompt),
            "ref/resource" => Deserialize::deserialize(members).map(Self::Resource),
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptReference<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    #[serde(
        borrow,
        default,
        deserialize_with = "cow::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub title: Option<Cow<'a, str>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceTemplateReference<'a> {
    /// A URI or the template of one.
    #[serde(borrow)]
    pub uri: Cow<'a, str>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompleteArgument<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// What has been typed so far.
    #[serde(borrow)]
    pub value: Cow<'a, str>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompleteContext<'a> {
    /// The arguments that are filled in already.
    #[serde(
        borrow,
        default,
        deserialize_with = "cow::option_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub arguments: Option<StringMap<'a>>,
}

/// The result of `completion/complete`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompleteResult {
    pub completion: Completion,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
}

result_body!(CompleteResult);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// At most [`Self::MAX_VALUES`], the best first.
    pub values: Vec<String>,
    /// How many there are in all, sent or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
}

impl Completion {
    pub const MAX_VALUES: usize = 100;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(text: &str) -> Result<CompleteParams<'_>, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_reference_is_not_copied() {
        let text =
            r#"{"ref":{"name":"greet","type":"ref/prompt"},"argument":{"name":"who","value":"A"}}"#;
        let params = read(text).unwrap();
        let Reference::Prompt(prompt) = params.reference else { panic!("{params:?}") };
        assert!(matches!(prompt.name, Cow::Borrowed("greet")));
        assert!(matches!(params.argument.value, Cow::Borrowed("A")));
    }

    #[test]
    fn an_unknown_kind_of_reference_is_named() {
        let text = r#"{"ref":{"type":"ref/tool","name":"x"},"argument":{"name":"a","value":""}}"#;
        let error = read(text).unwrap_err();
        assert!(error.starts_with("unknown type `ref/tool` of reference"), "{error}");
    }

    #[test]
    fn a_reference_says_its_type() {
        assert_eq!(
            serde_json::to_string(&[Reference::prompt("a"), Reference::resource("b:{c}")]).unwrap(),
            r#"[{"type":"ref/prompt","name":"a"},{"type":"ref/resource","uri":"b:{c}"}]"#
        );
    }
}
