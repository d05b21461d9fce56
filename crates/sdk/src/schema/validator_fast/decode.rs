//! Fast path of checking and then decoding: arguments are read once, into the type that the handler takes.
//!
//! `tests::equivalence` compares what comes out with what the full validator and `serde_json` make of the same text.

use std::borrow::Cow;

use proofmark_core::json::{MemberPosition, Reader};
use serde::{
    Deserializer,
    de::{self, DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess},
    forward_to_deserialize_any,
};
use serde_json::Error;

use super::{FastValidator, OBJECT, STRING, UNSURE, is_scalar, is_whole_text};

impl FastValidator {
    /// Decodes an object that is sure to be allowed. `None` where that is not sure, or the type does not take it.
    pub(in crate::schema) fn decode<A: DeserializeOwned>(
        &self,
        text: &str,
        depth: usize,
    ) -> Option<A> {
        if self.types & OBJECT == 0 {
            return None;
        }
        let mut members = Members {
            fast: self,
            reader: Reader::new(text, depth),
            place: MemberPosition::First,
            property: None,
            seen: 0,
            ended: false,
        };
        members.reader.begin_object().ok()?;
        let decoded = A::deserialize(Object(&mut members)).ok()?;
        let Members { reader, seen, ended, .. } = members;
        let whole = ended && seen & self.required == self.required && reader.end().is_ok();
        whole.then_some(decoded)
    }
}

/// The members of an object on their way from text to a type.
struct Members<'q, 'a> {
    fast: &'q FastValidator,
    reader: Reader<'a>,
    place: MemberPosition,
    /// The property whose value is next; `None` for one that the schema does not name.
    property: Option<usize>,
    /// One bit for each property that was there.
    seen: u64,
    ended: bool,
}

struct Object<'m, 'q, 'a>(&'m mut Members<'q, 'a>);

impl<'de> Deserializer<'de> for Object<'_, '_, 'de> {
    type Error = Error;

    fn deserialize_any<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(self.0)
    }

    fn deserialize_option<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: de::Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    // An enum is not read here: the error leads to the other way.
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for &mut Members<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some(key) = self.reader.next_key(self.place).map_err(unsure)? else {
            self.ended = true;
            return Ok(None);
        };
        self.place = MemberPosition::Later;
        self.property = self.fast.place(&key);
        match self.property {
            Some(place) => self.seen |= 1 << place,
            None if self.fast.closed => return Err(Error::custom(UNSURE)),
            None => {}
        }
        seed.deserialize(Text(key)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let schema = self.property.map(|place| &self.fast.properties[place].schema);
        if self.reader.peek() == Some(b'"') && schema.is_none_or(|it| it.types & STRING != 0) {
            return seed.deserialize(Text(self.reader.string().map_err(unsure)?));
        }
        let json = self.reader.value().map_err(unsure)?.get();
        let sure = match schema {
            Some(schema) => schema.allows(json) && is_whole_text(json),
            None => is_scalar(json),
        };
        if !sure {
            return Err(Error::custom(UNSURE));
        }
        seed.deserialize(&mut serde_json::Deserializer::from_str(json))
    }
}

/// A string, as `serde_json` gives it to whatever asks for one.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = Error;

    fn deserialize_any<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_option<V: de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: de::Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: de::Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

fn unsure(_: proofmark_core::json::Unreadable) -> Error {
    Error::custom(UNSURE)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proofmark_core::json::Raw;
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Person {
        name: String,
        #[serde(default)]
        age: Option<u8>,
        #[serde(default)]
        nick: Option<Nick>,
        #[serde(default)]
        size: Option<Size>,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        raw: Option<Raw>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Nick(String);

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Size {
        Small,
    }

    fn fast() -> FastValidator {
        FastValidator::of(&json!({"type": "object", "properties": {
            "name": {"type": "string"},
            "age": {"type": ["integer", "null"]},
            "nick": {"type": "string"},
            "size": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "raw": {},
        }, "required": ["name"]}))
        .unwrap()
    }

    #[test]
    fn what_is_decoded_is_what_serde_json_decodes() {
        for text in [
            r#"{"name":"Ada"}"#,
            r#" { "name" : "A\u0064a \n \ud83d\ude00" , "age" : 36 } "#,
            r#"{"n\u0061me":"Ada","nick":"A","size":"small","tags":["a","\t"],"raw":1.50}"#,
            r#"{"name":"Ada","age":null,"other":"unknown","more":1}"#,
        ] {
            let expected: Person = serde_json::from_str(text).unwrap();
            assert_eq!(fast().decode::<Person>(text, 64), Some(expected), "{text}");
            let expected: BTreeMap<String, Value> = serde_json::from_str(text).unwrap();
            assert_eq!(fast().decode::<BTreeMap<String, Value>>(text, 64), Some(expected));
        }
    }

    #[test]
    fn what_is_not_sure_is_not_decoded() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"name":1}"#,
            r#"{"name":"Ada""#,
            r#"{"name":"Ada"} {}"#,
            r#"{"name":"Ada","name":"Ada"}"#,
            r#"{"name":"Ada","age":1.5}"#,
            r#"{"name":"Ada","age":"1"}"#,
            r#"{"name":"Ada","tags":["\ud800"]}"#,
            r#"{"name":"\ud800"}"#,
            r#"{"name":"Ada","other":{}}"#,
            r#"{"name":"Ada","size":"large"}"#,
        ] {
            assert_eq!(fast().decode::<Person>(text, 64), None, "{text}");
        }
    }
}
