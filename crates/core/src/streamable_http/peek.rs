//! The few members of `params` that admission needs, found without reading the rest.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeSeed, IgnoredAny, MapAccess},
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

/// Finds the revision in the `_meta` of `params`.
pub(super) fn claim(params: Option<&RawValue>) -> Claim<'_> {
    let meta = match member(params, "_meta") {
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

/// The first of `keys` that the `_meta` of `params` lacks. Null is no value for any of them.
pub(super) fn missing_from_meta(
    params: Option<&RawValue>,
    keys: &[&'static str],
) -> Option<&'static str> {
    let meta = member(params, "_meta").ok().flatten();
    let has = |key| matches!(member(meta, key), Ok(Some(value)) if value.get() != "null");
    keys.iter().copied().find(|key| !has(key))
}

/// A member occurs twice, and either could be meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Duplicate;

/// The value of a member of an object; `None` also for what is no object.
pub(super) fn member<'a>(
    object: Option<&'a RawValue>,
    key: &str,
) -> Result<Option<&'a RawValue>, Duplicate> {
    let Some(object) = object.filter(|it| it.get().starts_with('{')) else { return Ok(None) };
    let mut json = serde_json::Deserializer::from_str(object.get());
    Finder(key).deserialize(&mut json).map_err(|_| Duplicate)
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

struct Finder<'k>(&'k str);

impl<'de> DeserializeSeed<'de> for Finder<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> de::Visitor<'de> for Finder<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(Key(key)) = map.next_key()? {
            if key != self.0 {
                map.next_value::<IgnoredAny>()?;
            } else if found.replace(map.next_value()?).is_some() {
                return Err(de::Error::custom("a member occurs twice"));
            }
        }
        Ok(found)
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
