//! The fields of Rust types, in the order in which they are written.

use std::fmt;

use schemars::JsonSchema;
use serde::{
    Deserializer,
    de::{DeserializeOwned, Visitor},
    forward_to_deserialize_any,
};
use serde_json::{Map, Value};

use super::derive::inline_schema_of;

/// A field of a type that is written as an object.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) schema: Map<String, Value>,
    pub(crate) required: bool,
}

/// The fields of a type. None if it is not written as an object.
pub(crate) fn fields_of<T: DeserializeOwned + JsonSchema>() -> Vec<Field> {
    let schema = inline_schema_of::<T>();
    let Some(Value::Object(properties)) = schema.get("properties") else { return Vec::new() };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    let order = written_order::<T>();
    let place = |name: &str| order.iter().position(|it| *it == name).unwrap_or(usize::MAX);
    let mut fields: Vec<_> = properties
        .iter()
        .map(|(name, schema)| Field {
            name: name.clone(),
            schema: schema.as_object().cloned().unwrap_or_default(),
            required: is_required(name),
        })
        .collect();
    // Names that are not known to be written anywhere keep their order, behind the others.
    fields.sort_by_key(|field| place(&field.name));
    fields
}

/// The names of a struct's fields as it tells them to whatever it is read from. Schemas do not keep the order.
fn written_order<T: DeserializeOwned>() -> &'static [&'static str] {
    T::deserialize(Asked).err().map_or(&[], |Told(names)| names)
}

/// A source that has nothing to read, and only listens to what is asked of it.
struct Asked;

#[derive(Debug)]
struct Told(&'static [&'static str]);

impl<'de> Deserializer<'de> for Asked {
    type Error = Told;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Told> {
        Err(Told(&[]))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Told> {
        Err(Told(fields))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Told> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the fields {:?} are wanted", self.0)
    }
}

impl std::error::Error for Told {}

impl serde::de::Error for Told {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    #[serde(rename_all = "camelCase")]
    struct Zoo {
        zebras: u8,
        the_apes: Option<String>,
        #[serde(default)]
        mice: bool,
    }

    #[test]
    fn fields_come_in_the_order_in_which_they_are_written() {
        let fields = fields_of::<Zoo>();
        let told: Vec<_> = fields.iter().map(|field| (&*field.name, field.required)).collect();
        assert_eq!(told, [("zebras", true), ("theApes", false), ("mice", false)]);
    }

    #[test]
    fn a_type_without_fields_has_none() {
        assert!(fields_of::<String>().is_empty());
        assert!(fields_of::<std::collections::BTreeMap<String, String>>().is_empty());
    }
}
