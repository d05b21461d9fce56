//! Skills: folders of instructions that a server has for agents, an extension of the modern era.
//!
//! Each file of a skill is a resource. What is here lists the files, so that a reader can tell whether they are the ones that
//! a person approved.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

use super::{CacheScope, Meta, RequestMeta, Resource, ResultType, cow, result_type::result_body};
use crate::json::Raw;

/// The name under which the extension is declared.
pub const SKILLS_EXTENSION: &str = "io.modelcontextprotocol/skills";

/// The type of a resource that is a folder.
pub const DIRECTORY_TYPE: &str = "inode/directory";

/// What a server that has skills says about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillsCapability {
    /// Folders can be listed with `resources/directory/read`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory_read: Option<bool>,
}

/// One skill, with all that is needed to approve and verify it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skill {
    /// Of its `SKILL.md`.
    pub uri: String,
    /// All that the `SKILL.md` says about itself, as JSON. `name` and `description` are there.
    pub frontmatter: BTreeMap<String, Raw>,
    pub resources: SkillResources,
}

/// The files of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillResources {
    /// Made when they are read, so that no client can tell beforehand what they say.
    Dynamic,
    /// Every file once, `SKILL.md` among them.
    Listed(Vec<SkillResource>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillResource {
    pub uri: String,
    /// `sha256:` and the hash of the file's bytes in lower-case hexadecimal.
    pub digest: String,
    /// Bytes.
    pub size: u64,
}

impl Serialize for SkillResources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Dynamic => serializer.serialize_str(DYNAMIC),
            Self::Listed(files) => files.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SkillResources {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if raw.get().starts_with('[') {
            return serde_json::from_str(raw.get()).map(Self::Listed).map_err(de::Error::custom);
        }
        match serde_json::from_str::<Cow<'_, str>>(raw.get()) {
            Ok(word) if word == DYNAMIC => Ok(Self::Dynamic),
            _ => Err(de::Error::custom("`resources` is neither a list nor \"dynamic\"")),
        }
    }
}

/// The result of `skills/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListSkillsResult {
    pub skills: Vec<Skill>,
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

/// The params of `skills/get`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GetSkillParams<'a> {
    /// Of a `SKILL.md`.
    #[serde(borrow)]
    pub uri: Cow<'a, str>,
    #[serde(borrow, rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RequestMeta<'a>>>,
}

/// The result of `skills/get`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetSkillResult {
    pub skill: Skill,
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

/// The params of `resources/directory/read`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReadDirectoryParams<'a> {
    /// Of a folder, without a slash at its end.
    #[serde(borrow)]
    pub uri: Cow<'a, str>,
    #[serde(
        borrow,
        default,
        deserialize_with = "cow::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub cursor: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RequestMeta<'a>>>,
}

/// The result of `resources/directory/read`: what lies directly in the folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadDirectoryResult {
    pub resources: Vec<Resource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
}

result_body!(cacheable ListSkillsResult, GetSkillResult);
result_body!(ReadDirectoryResult);

const DYNAMIC: &str = "dynamic";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_a_list_or_one_word() {
        let file = r#"[{"uri":"skill://a/SKILL.md","digest":"sha256:0","size":1}]"#;
        for text in [r#""dynamic""#, "[]", file] {
            let files: SkillResources = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&files).unwrap(), text);
        }
    }

    #[test]
    fn files_are_nothing_else() {
        for text in [r#""static""#, "null", "{}", "1", r#"[{"uri":"x"}]"#] {
            assert!(serde_json::from_str::<SkillResources>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_skill_without_files_is_none() {
        let text = r#"{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a"}}"#;
        assert!(serde_json::from_str::<Skill>(text).is_err());
    }
}
