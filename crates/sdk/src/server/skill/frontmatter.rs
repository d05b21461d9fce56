//! What a `SKILL.md` says about its skill, from YAML to JSON.

use std::collections::BTreeMap;

use proofmark_core::json::Raw;
use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde_json::{Map, Number, Value};

use super::SkillError;

/// The front matter of a `SKILL.md`, held to what every skill must say.
#[derive(Clone, Debug)]
pub(super) struct Frontmatter {
    pub(super) name: String,
    pub(super) description: String,
    /// Everything, the name and the description included.
    pub(super) members: BTreeMap<String, Raw>,
}

impl Frontmatter {
    pub(super) fn read(skill: &str) -> Result<Self, SkillError> {
        let yaml = between_marks(skill).ok_or(SkillError::NoFrontmatter)?;
        if yaml.len() > MAX_BYTES {
            return Err(bad(format!("more than {MAX_BYTES} bytes")));
        }
        let documents = Yaml::load_from_str(yaml).map_err(|error| bad(error.to_string()))?;
        let [document] = &documents[..] else { return Err(bad("not one document")) };
        let Value::Object(members) = json(document, 0).map_err(bad)? else {
            return Err(bad("not a mapping"));
        };
        let text = |key: &str| match members.get(key) {
            Some(Value::String(text)) => Ok(text.clone()),
            _ => Err(bad(format!("`{key}` must be a text"))),
        };
        let (name, description) = (text("name")?, text("description")?);
        if !is_name(&name) {
            return Err(SkillError::Name { name });
        }
        if !(1..=MAX_DESCRIPTION).contains(&description.chars().count()) {
            return Err(SkillError::Description);
        }
        if let Some(Value::Object(metadata)) = members.get("metadata")
            && let Some(key) = metadata.keys().find(|key| key.starts_with(RESERVED))
        {
            return Err(SkillError::ReservedMetadata { key: key.clone() });
        }
        let members = members.into_iter().map(|(key, value)| Ok((key, Raw::new(&value)?)));
        let members: serde_json::Result<_> = members.collect();
        Ok(Self { name, description, members: members.map_err(|error| bad(error.to_string()))? })
    }
}

/// The text between the first line and the next that is nothing but `---`.
fn between_marks(skill: &str) -> Option<&str> {
    let skill = skill.strip_prefix('\u{feff}').unwrap_or(skill);
    let rest = skill.strip_prefix("---")?;
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\r', '\n']);
        if bare.trim_end_matches([' ', '\t']) == "---" {
            return Some(&rest[..end]);
        }
        end += line.len();
    }
    None
}

fn json(yaml: &Yaml<'_>, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(format!("nested deeper than {MAX_DEPTH}"));
    }
    Ok(match yaml {
        Yaml::Value(Scalar::Null) => Value::Null,
        Yaml::Value(Scalar::Boolean(value)) => (*value).into(),
        Yaml::Value(Scalar::Integer(value)) => (*value).into(),
        Yaml::Value(Scalar::FloatingPoint(value)) => Number::from_f64(value.into_inner())
            .map(Value::Number)
            .ok_or_else(|| format!("{value} has no form in JSON"))?,
        Yaml::Value(Scalar::String(text)) => text.as_ref().into(),
        Yaml::Sequence(items) => {
            let items: Result<_, _> = items.iter().map(|item| json(item, depth + 1)).collect();
            Value::Array(items?)
        }
        Yaml::Mapping(members) => {
            let mut object = Map::new();
            for (key, value) in members {
                let Yaml::Value(Scalar::String(key)) = key else {
                    return Err("a key that is no text".to_owned());
                };
                object.insert(key.as_ref().to_owned(), json(value, depth + 1)?);
            }
            Value::Object(object)
        }
        Yaml::Tagged(..) | Yaml::Representation(..) | Yaml::Alias(_) | Yaml::BadValue => {
            return Err("a value that JSON has no form for".to_owned());
        }
    })
}

fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    name.len() <= MAX_NAME && name.split('-').all(is_part)
}

fn bad(why: impl Into<String>) -> SkillError {
    SkillError::Frontmatter(why.into())
}

/// Characters.
pub(super) const MAX_DESCRIPTION: usize = 1024;
const MAX_NAME: usize = 64;
/// Bytes of YAML: front matter is read by people.
const MAX_BYTES: usize = 64 * 1024;
const MAX_DEPTH: usize = 32;
/// Keys of `metadata` that extensions of the protocol have for themselves.
const RESERVED: &str = "io.modelcontextprotocol/";
