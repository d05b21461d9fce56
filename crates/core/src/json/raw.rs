//! A JSON value kept as the text it arrived in.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;

/// A JSON value kept as the text it arrived in: nothing is lost, reordered or rounded, and it costs the bytes of its text.
///
/// It decodes from JSON text only, because only the text knows how a value was written. Two are equal when their texts are.
#[derive(Clone)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// Takes over JSON text that is known to be one value.
    pub fn from_json(text: impl Into<String>) -> serde_json::Result<Self> {
        RawValue::from_string(text.into()).map(Self)
    }

    /// Writes a value down as JSON.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    pub fn as_raw_value(&self) -> &RawValue {
        &self.0
    }

    /// Decodes the text; fails on what the type refuses, such as a duplicate key of a struct.
    pub fn decode<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.as_str())
    }
}

impl From<&RawValue> for Raw {
    fn from(raw: &RawValue) -> Self {
        Self(raw.to_owned())
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
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::deserialize(deserializer).map(Self)
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
    }
}
