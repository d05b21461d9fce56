//! The few members of `params` that admission needs, found without reading the rest.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny, MapAccess},
};
use serde_json::value::RawValue;

use crate::types::meta_key;

/// What a message says about its revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Claim<'a> {
    Absent,
    /// The text of `_meta`'s revision, known to us or not.
    Revision(Cow<'a, str>),
    /// Something else than a string, or more than one of it.
    Malformed,
}

/// The members of `params` that admission looks at, found in one pass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Params<'a> {
    meta: Found<'a>,
    name: Found<'a>,
    uri: Found<'a>,
    task_id: Found<'a>,
}

impl<'a> Params<'a> {
    pub(super) fn read(params: Option<&'a RawValue>) -> Self {
        let [meta, name, uri, task_id] = members(params, ["_meta", "name", "uri", "taskId"]);
        Self { meta, name, uri, task_id }
    }

    /// Nothing, without a look, where no `_meta` can be: most legacy requests have none, and may be long.
    pub(super) fn read_if_it_claims(params: Option<&'a RawValue>) -> Self {
        let has_meta = |params: &RawValue| {
            // The name may also be spelled with escapes.
            params.get().contains("_meta") || params.get().contains("\\u")
        };
        if params.is_some_and(has_meta) { Self::read(params) } else { Self::default() }
    }

    /// What `_meta` says about the revision.
    pub(super) fn claim(&self) -> Claim<'a> {
        let meta = match self.meta.once() {
            Ok(Some(meta)) if meta.get().starts_with('{') => meta,
            // What else `_meta` may be is for the reader of the request to refuse: it claims nothing.
            Ok(_) => return Claim::Absent,
            Err(Duplicate) => return Claim::Malformed,
        };
        match member(Some(meta), meta_key::PROTOCOL_VERSION) {
            Ok(None) => Claim::Absent,
            Ok(Some(version)) => string(version).map_or(Claim::Malformed, Claim::Revision),
            Err(Duplicate) => Claim::Malformed,
        }
    }

    /// The first of `keys` that `_meta` lacks. Null is no value for any of them.
    pub(super) fn missing_from_meta(&self, keys: &[&'static str]) -> Option<&'static str> {
        let mut found = vec![Found::Never; keys.len()];
        find(self.meta.once().ok().flatten(), keys, &mut found);
        let has = |found: &Found<'_>| matches!(found, Found::Once(value) if value.get() != "null");
        keys.iter().zip(&found).find(|(_, found)| !has(found)).map(|(key, _)| *key)
    }

    /// What a request is about; one that occurs twice is none, because either could be meant.
    pub(super) fn subject(&self, subject: Subject) -> Option<&'a RawValue> {
        let found = match subject {
            Subject::Name => self.name,
            Subject::Task => self.task_id,
            Subject::Uri => self.uri,
        };
        found.once().ok().flatten()
    }
}

/// The member that says what a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Name,
    Task,
    Uri,
}

/// A member occurs twice, and either could be meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Duplicate;

/// The value of a member of an object; `None` also for what is no object.
pub(super) fn member<'a>(
    object: Option<&'a RawValue>,
    key: &str,
) -> Result<Option<&'a RawValue>, Duplicate> {
    let [found] = members(object, [key]);
    found.once()
}

/// Where each of these members is.
fn members<'a, const N: usize>(object: Option<&'a RawValue>, keys: [&str; N]) -> [Found<'a>; N] {
    let mut found = [Found::Never; N];
    find(object, &keys, &mut found);
    found
}

/// Looks for all of these members in one pass; `found` is as long as `keys`.
fn find<'a>(object: Option<&'a RawValue>, keys: &[&str], found: &mut [Found<'a>]) {
    let Some(object) = object.filter(|it| it.get().starts_with('{')) else { return };
    let mut json = serde_json::Deserializer::from_str(object.get());
    // A key that is no text could be any of them.
    if json.deserialize_map(Finder { keys, found: &mut *found }).is_err() {
        found.fill(Found::Twice);
    }
}

/// Whether a member was found.
#[derive(Clone, Copy, Debug, Default)]
enum Found<'a> {
    #[default]
    Never,
    Once(&'a RawValue),
    Twice,
}

impl<'a> Found<'a> {
    fn once(self) -> Result<Option<&'a RawValue>, Duplicate> {
        match self {
            Self::Never => Ok(None),
            Self::Once(value) => Ok(Some(value)),
            Self::Twice => Err(Duplicate),
        }
    }
}

/// The text of a JSON string; `None` for other values and for lone surrogates.
pub(super) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    let text = raw.get();
    match text.as_bytes() {
        [b'"', inner @ .., b'"'] if !inner.contains(&b'\\') => {
            Some(Cow::Borrowed(&text[1..text.len() - 1]))
        }
        [b'"', ..] => serde_json::from_str(text).ok().map(Cow::Owned),
        _ => None,
    }
}

struct Finder<'f, 'a> {
    keys: &'f [&'f str],
    found: &'f mut [Found<'a>],
}

impl<'de> de::Visitor<'de> for Finder<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            let wanted = self.keys.iter().zip(&mut *self.found).find(|(wanted, _)| key == **wanted);
            let Some((_, found)) = wanted else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = map.next_value()?;
            *found = match found {
                Found::Never => Found::Once(value),
                Found::Once(_) | Found::Twice => Found::Twice,
            };
        }
        Ok(())
    }
}

/// A key, copied only if it has escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Visitor)
    }
}
