//! A JSON value kept as the text it arrived in.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;

/// A JSON value kept as the text it arrived in: nothing is lost, reordered or rounded, and it costs the bytes of its text.
///
/// It decodes from JSON text only, because only the text knows how a value was written. Two are equal when their texts are.
#[derive(Clone)]
pub struct Raw(Text);

/// One value, without white space around it.
#[derive(Clone)]
enum Text {
    /// Found to be JSON by our own reader or writer; `serde_json` looks for itself when it is to write it.
    /// Shared, because a call's params are kept in several places.
    Read(Arc<str>),
    /// The same, and params without surprises: see [`Raw::plain_params`].
    PlainParams(Arc<str>),
    Value(Box<RawValue>),
}

impl Raw {
    /// Takes over JSON text that is known to be one value.
    pub fn from_json(text: impl Into<String>) -> serde_json::Result<Self> {
        RawValue::from_string(text.into()).map(|value| Self(Text::Value(value)))
    }

    /// Writes a value down as JSON.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        serde_json::value::to_raw_value(value).map(|value| Self(Text::Value(value)))
    }

    /// Takes over text that was put together from JSON and is one value, without white space around it.
    pub(crate) fn trusted(text: String) -> Self {
        Self(Text::Read(text.into()))
    }

    /// As [`Self::trusted`], for an object with at least one member, whose keys are all different and none of which the protocol has
    /// a say in. Fast path of the client's session, which need not look for such keys; equivalence:
    /// `what_is_known_of_params_is_what_would_be_found_in_them` in `session/client/params.rs`. The mark stands here because it travels
    /// with the text, and takes no room.
    pub(crate) fn plain_params(text: String) -> Self {
        Self(Text::PlainParams(text.into()))
    }

    pub(crate) fn is_plain_params(&self) -> bool {
        matches!(self.0, Text::PlainParams(_))
    }

    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Read(text) | Text::PlainParams(text) => text,
            Text::Value(value) => value.get(),
        }
    }

    /// Lends the value out.
    pub fn borrowed(&self) -> RawRef<'_> {
        RawRef(self.as_str())
    }

    /// Decodes the text; fails on what the type refuses, such as a duplicate key of a struct.
    pub fn decode<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.as_str())
    }
}

impl From<&RawValue> for Raw {
    fn from(raw: &RawValue) -> Self {
        Self(Text::Value(raw.to_owned()))
    }
}

impl From<RawRef<'_>> for Raw {
    fn from(raw: RawRef<'_>) -> Self {
        Self(Text::Read(raw.get().into()))
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Raw {}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Text::Read(_) | Text::PlainParams(_) => self.borrowed().serialize(serializer),
            Text::Value(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::deserialize(deserializer).map(|value| Self(Text::Value(value)))
    }
}

/// A borrowed JSON value, as the text it arrived in.
///
/// The text is one value, without white space around it. Two are equal when their texts are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RawRef<'a>(&'a str);

impl<'a> RawRef<'a> {
    /// For text that was found to be one value.
    pub(super) fn new(text: &'a str) -> Self {
        Self(text)
    }

    pub fn get(self) -> &'a str {
        self.0
    }

    /// What the value is told apart by: `{`, `[`, `"`, a letter, a digit or a sign.
    pub fn first_byte(self) -> u8 {
        self.0.as_bytes().first().copied().unwrap_or_default()
    }
}

impl<'a> From<&'a RawValue> for RawRef<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self(raw.get())
    }
}

impl fmt::Debug for RawRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for RawRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawRef<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_keeps_its_spelling() {
        let text = r#"{ "b":1.0, "a" : 123456789012345678901234567890, "b":2 }"#;
        let raw: Raw = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&raw).unwrap(), text);
        let copy = Raw::from(raw.borrowed());
        assert_eq!(serde_json::to_string(&copy).unwrap(), text);
        assert_eq!(copy, raw);
    }
}
