//! Fast path of the full validator (`full`, `plain`): most arguments are good, and to see that takes one pass over the text of a plain
//! schema's value, without a tree of it.
//!
//! Only schemas of the plainest kind have it: types, properties, items, and what is required of them. It never says that a value is
//! wrong; where it is not sure, the validator decides and explains. `tests::equivalence` compares the two on many schemas and values.

mod decode;

use std::fmt;

use serde::{
    Deserializer,
    de::{self, DeserializeSeed, MapAccess, SeqAccess},
};
use serde_json::{Map, Value, value::RawValue};

/// A plain schema.
pub(super) struct FastValidator {
    types: Types,
    properties: Vec<Property>,
    /// One bit for each property that has to be there.
    required: u64,
    /// No other properties are allowed.
    closed: bool,
    items: Option<Box<Self>>,
}

struct Property {
    name: String,
    schema: FastValidator,
}

impl FastValidator {
    /// `None` for a schema with a keyword whose meaning is not known here, or whose value may be wrong.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let keywords = schema.as_object()?;
        let mut fast =
            Self { types: ALL, properties: Vec::new(), required: 0, closed: false, items: None };
        for (keyword, value) in keywords {
            match keyword.as_str() {
                "type" => fast.types = types(value)?,
                "properties" => fast.properties = properties(value.as_object()?)?,
                "additionalProperties" if *value == Value::Bool(false) => fast.closed = true,
                "items" => fast.items = Some(Box::new(Self::of(value)?)),
                // Read below, when the properties are known.
                "required" => {}
                keyword if !is_annotation(keyword, value) => return None,
                _ => {}
            }
        }
        for name in keywords.get("required").map_or(Some(&Vec::new()), Value::as_array)? {
            let bit = 1 << fast.place(name.as_str()?)?;
            if fast.required & bit != 0 {
                return None;
            }
            fast.required |= bit;
        }
        Some(fast)
    }

    /// Whether this is sure to be an object or an array that the schema allows.
    pub(super) fn admits(&self, text: &str) -> bool {
        let kind = kind(text.trim_ascii_start());
        self.types & kind & (OBJECT | ARRAY) != 0 && is_whole_text(text) && self.parts(text, kind)
    }

    /// How deep a value can be nested that is admitted.
    pub(super) fn depth(&self) -> usize {
        let properties = self.properties.iter().map(|property| &property.schema);
        1 + properties.chain(self.items.as_deref()).map(Self::depth).max().unwrap_or(0)
    }

    /// Judges JSON.
    fn allows(&self, json: &str) -> bool {
        let kind = kind(json);
        match kind {
            _ if self.types & kind == 0 => {
                // An integer is a number too.
                kind == INTEGER && self.types & NUMBER != 0 && is_scalar(json)
            }
            OBJECT | ARRAY => self.parts(json, kind),
            _ => is_scalar(json),
        }
    }

    fn parts(&self, text: &str, kind: Types) -> bool {
        let mut json = serde_json::Deserializer::from_str(text);
        let read = if kind == OBJECT {
            json.deserialize_map(Members(self))
        } else {
            json.deserialize_seq(Members(self))
        };
        read.is_ok() && json.end().is_ok()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.properties.iter().position(|property| property.name == name)
    }
}

/// The parts of an object or an array. An error says that they may be wrong.
struct Members<'q>(&'q FastValidator);

impl<'de> de::Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let fast = self.0;
        let mut seen = 0_u64;
        while let Some(place) = map.next_key_seed(Name(fast))? {
            let value: &RawValue = map.next_value()?;
            let sure = match place {
                Some(place) => {
                    seen |= 1 << place;
                    fast.properties[place].schema.allows(value.get())
                }
                None => !fast.closed && is_scalar(value.get()),
            };
            if !sure {
                return Err(de::Error::custom(UNSURE));
            }
        }
        if seen & fast.required == fast.required { Ok(()) } else { Err(de::Error::custom(UNSURE)) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(item) = seq.next_element::<&RawValue>()? {
            let item = item.get();
            let sure =
                self.0.items.as_ref().map_or_else(|| is_scalar(item), |items| items.allows(item));
            if !sure {
                return Err(de::Error::custom(UNSURE));
            }
        }
        Ok(())
    }
}

/// Finds the place of a property by its name.
struct Name<'q>(&'q FastValidator);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl de::Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.place(name))
    }
}

/// A set of JSON's types.
type Types = u8;

fn types(value: &Value) -> Option<Types> {
    match value {
        Value::String(name) => NAMES.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind),
        Value::Array(names) if !names.is_empty() => {
            names.iter().try_fold(0, |all, name| match name {
                Value::String(_) => Some(all | types(name).filter(|kind| all & kind == 0)?),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Whether this allows every value. `format` does not forbid anything here either.
fn is_annotation(keyword: &str, value: &Value) -> bool {
    match keyword {
        "$comment" | "$schema" | "description" | "format" | "title" => value.is_string(),
        "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
        "examples" => value.is_array(),
        "default" => true,
        _ => false,
    }
}

fn properties(members: &Map<String, Value>) -> Option<Vec<Property>> {
    if members.len() > MOST_PROPERTIES {
        return None;
    }
    let property = |(name, schema): (&String, &Value)| {
        Some(Property { name: name.clone(), schema: FastValidator::of(schema)? })
    };
    members.iter().map(property).collect()
}

/// What begins like this. A number is an integer only if it looks like one: dialects differ about `1.0`.
fn kind(text: &str) -> Types {
    match text.as_bytes() {
        [b'"', ..] => STRING,
        [b't' | b'f', ..] => BOOLEAN,
        [b'n', ..] => NULL,
        [b'[', ..] => ARRAY,
        [b'{', ..] => OBJECT,
        number if number.contains(&b'.') || number.contains(&b'e') || number.contains(&b'E') => {
            NUMBER
        }
        _ => INTEGER,
    }
}

/// Whether there is certainly no half of a pair of surrogates: it is skipped by what skips, and refused by what reads.
fn is_whole_text(json: &str) -> bool {
    !json.contains("\\ud") && !json.contains("\\uD")
}

/// Whether JSON is a string, a boolean, null or a number within range.
fn is_scalar(json: &str) -> bool {
    match kind(json) {
        OBJECT | ARRAY => false,
        NUMBER | INTEGER => serde_json::from_str::<f64>(json).is_ok(),
        _ => true,
    }
}

const STRING: Types = 1;
const BOOLEAN: Types = 1 << 1;
const NULL: Types = 1 << 2;
const ARRAY: Types = 1 << 3;
const OBJECT: Types = 1 << 4;
const NUMBER: Types = 1 << 5;
const INTEGER: Types = 1 << 6;
const ALL: Types = STRING | BOOLEAN | NULL | ARRAY | OBJECT | NUMBER | INTEGER;
const NAMES: [(&str, Types); 7] = [
    ("string", STRING),
    ("boolean", BOOLEAN),
    ("null", NULL),
    ("array", ARRAY),
    ("object", OBJECT),
    ("number", NUMBER),
    ("integer", INTEGER),
];
/// As many as there are bits.
const MOST_PROPERTIES: usize = 64;
const UNSURE: &str = "not sure";

#[cfg(test)]
mod tests;
