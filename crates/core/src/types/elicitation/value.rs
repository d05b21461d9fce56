//! One value in a filled form.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Number;

/// One value in a filled form, or the default of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum ElicitValue {
    String(String),
    /// Integers and fractions alike.
    Number(Number),
    Boolean(bool),
    /// What was chosen in a multi-select; since 2025-11-25.
    Strings(Vec<String>),
}

/// The JSON type of a value, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Boolean,
    Number,
    String,
    Strings,
}

impl ElicitValue {
    pub fn kind(&self) -> ValueKind {
        match self {
            Self::String(_) => ValueKind::String,
            Self::Number(_) => ValueKind::Number,
            Self::Boolean(_) => ValueKind::Boolean,
            Self::Strings(_) => ValueKind::Strings,
        }
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Strings => "a list of strings",
        })
    }
}

impl From<&str> for ElicitValue {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<i64> for ElicitValue {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<bool> for ElicitValue {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl Serialize for ElicitValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::String(text) => serializer.serialize_str(text),
            Self::Number(number) => number.serialize(serializer),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Strings(texts) => texts.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ElicitValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Value)
    }
}

struct Value;

impl<'de> de::Visitor<'de> for Value {
    type Value = ElicitValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a number, a boolean or a list of strings")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ElicitValue, E> {
        Ok(text.into())
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<ElicitValue, E> {
        Ok(ElicitValue::String(text))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<ElicitValue, E> {
        Ok(ElicitValue::Number(number.into()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<ElicitValue, E> {
        Ok(ElicitValue::Number(number.into()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<ElicitValue, E> {
        Number::from_f64(number)
            .map(ElicitValue::Number)
            .ok_or_else(|| E::invalid_value(de::Unexpected::Float(number), &self))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<ElicitValue, E> {
        Ok(value.into())
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<ElicitValue, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = seq.next_element()? {
            texts.push(text);
        }
        Ok(ElicitValue::Strings(texts))
    }
}
