//! The params of a request, put together from what the caller gave and what the protocol adds.

use std::borrow::Cow;

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::profile::Introduction;
use crate::{
    json::{OrderedMap, Raw, Reader, Unreadable},
    jsonrpc::Id,
    revision::{Era, Revision},
    types::{InputResponses, LoggingLevel, Meta, meta_key},
};

/// What the caller gave.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// An object.
    params: Option<Raw>,
    /// The same, taken apart, where the protocol has a say in one of its members.
    parts: Option<Box<Parts>>,
    has_members: bool,
    has_task: bool,
}

#[derive(Clone, Debug, Default)]
struct Parts {
    members: OrderedMap<Raw>,
    meta: Meta,
}

/// What a retry adds.
#[derive(Clone, Debug, Default)]
pub(super) struct Retry {
    pub(super) responses: Option<InputResponses>,
    /// Given back exactly as it was got.
    pub(super) state: Option<String>,
}

/// What the protocol adds.
pub(super) struct Added<'a> {
    pub(super) revision: Revision,
    pub(super) introduction: &'a Introduction,
    pub(super) log_level: Option<LoggingLevel>,
    pub(super) progress_token: Option<&'a Id<'static>>,
    pub(super) retry: Option<&'a Retry>,
}

impl Given {
    pub(super) fn read(params: Option<&Raw>) -> serde_json::Result<Self> {
        let Some(params) = params else { return Ok(Self::default()) };
        let given = Self { params: Some(params.clone()), ..Self::default() };
        if params.is_plain_params() {
            return Ok(Self { has_members: true, ..given });
        }
        if let Some(keys) = Keys::read_fast(params)
            && ![META, RESPONSES, STATE].into_iter().any(|key| keys.has(key))
        {
            return Ok(Self { has_members: keys.count > 0, has_task: keys.has(TASK), ..given });
        }
        Self::take_apart(params)
    }

    // Never inlined: most params need not be taken apart.
    #[inline(never)]
    fn take_apart(params: &Raw) -> serde_json::Result<Self> {
        let mut members: OrderedMap<Raw> = params.decode()?;
        let mut meta = Meta::default();
        if let Some(given) = members.get(META) {
            meta = given.decode()?;
            members = members.into_iter().filter(|(key, _)| key != META).collect();
        }
        meta.0.remove(meta_key::PROGRESS_TOKEN);
        let (has_members, has_task) = (!members.is_empty(), members.get(TASK).is_some());
        let parts = Some(Box::new(Parts { members, meta }));
        Ok(Self { params: Some(params.clone()), parts, has_members, has_task })
    }

    /// Whether it asks to become a task of the experimental kind.
    pub(super) fn has_task(&self) -> bool {
        self.has_task
    }

    /// The params as they are sent; `None` where there is nothing to say.
    pub(super) fn complete(&self, added: &Added<'_>) -> serde_json::Result<Option<Raw>> {
        match &self.parts {
            None if added.retry.is_none() => self.complete_fast(added),
            None => {
                let members = self.params.as_ref().map(Raw::decode).transpose()?;
                let meta = Meta::default();
                Parts { members: members.unwrap_or_default(), meta }.complete(added)
            }
            Some(parts) => parts.complete(added),
        }
    }

    /// What was given, with a `_meta` behind it if there is something to say in one.
    ///
    /// Fast path of [`Parts::complete`]: params without a member that the protocol adds to are copied as text, and not taken apart.
    /// Equivalence: `what_is_copied_is_what_would_be_put_together`.
    fn complete_fast(&self, added: &Added<'_>) -> serde_json::Result<Option<Raw>> {
        let is_modern = added.revision.era() == Era::Modern;
        if !is_modern && added.progress_token.is_none() {
            return Ok(self.params.clone());
        }
        let given = self.params.as_ref().map_or("{}", Raw::as_str);
        let introduction = if is_modern { added.introduction.meta_json.as_str() } else { "" };
        let mut text = String::with_capacity(given.len() + introduction.len() + ROOM);
        text.push_str(given.strip_suffix('}').unwrap_or_default());
        if self.has_members {
            text.push(',');
        }
        text.push_str("\"_meta\":{");
        if is_modern {
            text.push_str(introduction);
            if let Some(level) = added.log_level {
                member(&mut text, meta_key::LOG_LEVEL);
                text.push_str(Raw::new(&level)?.as_str());
                text.push(',');
            }
            member(&mut text, meta_key::PROTOCOL_VERSION);
            text.push('"');
            text.push_str(added.revision.as_str());
            text.push('"');
        }
        if let Some(token) = added.progress_token {
            if is_modern {
                text.push(',');
            }
            member(&mut text, meta_key::PROGRESS_TOKEN);
            text.push_str(&token.to_string());
        }
        text.push_str("}}");
        Ok(Some(Raw::trusted(text)))
    }
}

impl Parts {
    fn complete(&self, added: &Added<'_>) -> serde_json::Result<Option<Raw>> {
        let mut meta = self.meta.clone();
        if added.revision.era() == Era::Modern {
            meta.insert(meta_key::PROTOCOL_VERSION, added.revision.as_str())?;
            meta.insert(meta_key::CLIENT_INFO, &added.introduction.info_json)?;
            meta.insert(meta_key::CLIENT_CAPABILITIES, &added.introduction.capabilities_json)?;
            if let Some(level) = added.log_level {
                meta.insert(meta_key::LOG_LEVEL, &level)?;
            }
        }
        if let Some(token) = added.progress_token {
            meta.insert(meta_key::PROGRESS_TOKEN, token)?;
        }
        Raw::new(&Whole { members: &self.members, retry: added.retry, meta }).map(Some)
    }
}

/// The keys of an object.
#[derive(Default)]
struct Keys<'a> {
    all: [Cow<'a, str>; FEW],
    count: usize,
}

impl<'a> Keys<'a> {
    /// `None` if there is anything unusual about the object, for serde to decide on.
    ///
    /// Fast path of [`Given::take_apart`]: most params have no member that the protocol has a say in, and only their keys are read.
    /// Equivalence: `what_is_known_of_params_is_what_would_be_found_in_them` and `what_is_copied_is_what_would_be_put_together`.
    fn read_fast(params: &'a Raw) -> Option<Self> {
        let mut keys = Self::default();
        let mut reader = Reader::new(params.as_str(), usize::MAX);
        let read = reader.members(|key, reader| {
            if keys.count == FEW || keys.has(&key) {
                return Err(Unreadable);
            }
            keys.all[keys.count] = key;
            keys.count += 1;
            reader.value().map(drop)
        });
        read.ok().map(|()| keys)
    }

    fn has(&self, key: &str) -> bool {
        self.all[..self.count].iter().any(|given| given == key)
    }
}

/// The key of a member whose value comes next. No key of the protocol has anything to escape.
fn member(out: &mut String, key: &str) {
    out.push('"');
    out.push_str(key);
    out.push_str("\":");
}

struct Whole<'a> {
    members: &'a OrderedMap<Raw>,
    retry: Option<&'a Retry>,
    meta: Meta,
}

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let replaced = |key: &str| self.retry.is_some() && [RESPONSES, STATE].contains(&key);
        for (key, value) in self.members.iter() {
            if !replaced(key) {
                map.serialize_entry(key, value)?;
            }
        }
        if let Some(responses) = self.retry.and_then(|retry| retry.responses.as_ref()) {
            map.serialize_entry(RESPONSES, responses)?;
        }
        if let Some(state) = self.retry.and_then(|retry| retry.state.as_ref()) {
            map.serialize_entry(STATE, state)?;
        }
        if !self.meta.is_empty() {
            map.serialize_entry(META, &self.meta)?;
        }
        map.end()
    }
}

const META: &str = "_meta";
const RESPONSES: &str = "inputResponses";
const STATE: &str = "requestState";
const TASK: &str = "task";
/// Members that params usually have.
const FEW: usize = 8;
/// For what is added beside the introduction.
const ROOM: usize = 160;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::session::client::Profile;
    use crate::types::{CallToolParams, ClientCapabilities, Implementation};

    #[test]
    fn what_is_copied_is_what_would_be_put_together() {
        let profile =
            Profile::new(Implementation::new("a \"b\"", "1"), ClientCapabilities::default());
        let token = Id::from(7);
        for &revision in Revision::ALL {
            let introduction = Introduction::new(&profile, revision.rules());
            for given in [None, Some("{}"), Some("{ }"), Some(r#"{"name":"é","task":{}}"#)] {
                let given = given.map(|text| Raw::from_json(text).unwrap());
                for progress_token in [None, Some(&token)] {
                    for log_level in [None, Some(LoggingLevel::Warning)] {
                        let added = Added {
                            revision,
                            introduction: &introduction,
                            log_level,
                            progress_token,
                            retry: None,
                        };
                        let copied = Given::read(given.as_ref()).unwrap().complete(&added).unwrap();
                        let members = given.as_ref().map(|raw| raw.decode().unwrap());
                        let parts =
                            Parts { members: members.unwrap_or_default(), meta: Meta::default() };
                        let put_together = parts.complete(&added).unwrap().unwrap();
                        let copied = copied.unwrap_or_else(|| Raw::from_json("{}").unwrap());
                        let spaces = |raw: &Raw| raw.as_str().replace("{ ", "{");
                        assert_eq!(spaces(&copied), put_together.as_str(), "{revision}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_known_of_params_is_what_would_be_found_in_them() {
        for arguments in [json!(null), json!({}), json!({"_meta": {}, "task": 1})] {
            let known = CallToolParams::written("a", &arguments, None).unwrap();
            let found = Raw::from_json(known.as_str()).unwrap();
            assert!(known.is_plain_params() && !found.is_plain_params());
            let [known, found] = [known, found].map(|raw| Given::read(Some(&raw)).unwrap());
            assert_eq!(format!("{known:?}"), format!("{found:?}"));
        }
    }

    #[test]
    fn a_key_that_occurs_twice_is_refused() {
        for text in [r#"{"a":1,"a":2}"#, r#"{"a":1,"\u0061":2}"#, "[]", "1"] {
            assert!(Given::read(Some(&Raw::from_json(text).unwrap())).is_err(), "{text}");
        }
    }
}
