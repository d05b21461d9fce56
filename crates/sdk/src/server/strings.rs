//! Types from named strings: the arguments of prompts, and the variables of templates.

use std::fmt;

use serde::{
    Deserializer,
    de::{
        DeserializeOwned, IntoDeserializer, Visitor,
        value::{MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};

/// A name and what is given for it. A variable that is exploded has a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Text(String),
    List(Vec<String>),
}

/// Makes a value of a type with a field for each name; a type that is written as a text takes the only one there is.
///
/// Numbers and booleans are read from their text. The error says which value is wrong.
pub(crate) fn from_strings<T: DeserializeOwned>(given: Vec<(String, Given)>) -> Result<T, String> {
    T::deserialize(Named(given)).map_err(|error| error.0)
}

struct Named(Vec<(String, Given)>);

impl Named {
    fn only(self) -> Result<One, Wrong> {
        let count = self.0.len();
        let mut given = self.0.into_iter();
        match (given.next(), given.next()) {
            (Some((name, value)), None) => Ok(One { name, value }),
            _ => Err(Wrong(format!("one value is wanted, and there are {count}"))),
        }
    }
}

macro_rules! of_the_only_one {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
            self.only()?.$method(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Named {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let members = self.0.into_iter().map(|(name, value)| {
            let key = name.clone();
            (key, One { name, value })
        });
        visitor.visit_map(MapDeserializer::new(members))
    }

    of_the_only_one! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.only()?.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bytes byte_buf option unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// One value, which knows its name for the error.
struct One {
    name: String,
    value: Given,
}

impl One {
    fn text(self) -> Result<(String, String), Wrong> {
        match self.value {
            Given::Text(text) => Ok((self.name, text)),
            Given::List(_) => Err(Wrong(format!("`{}` is a list", self.name))),
        }
    }
}

macro_rules! parsed {
    ($($method:ident $visit:ident $type:ident $kind:literal),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
            let (name, text) = self.text()?;
            let wrong = || Wrong(format!(concat!("`{}` is ", $kind, ": {:?}"), name, text));
            visitor.$visit(text.parse::<$type>().map_err(|_| wrong())?)
        }
    )*};
}

impl<'de> Deserializer<'de> for One {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.value {
            Given::Text(text) => visitor.visit_string(text),
            Given::List(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter())),
        }
    }

    parsed! {
        deserialize_bool visit_bool bool "neither true nor false",
        deserialize_i8 visit_i8 i8 "no whole number that fits",
        deserialize_i16 visit_i16 i16 "no whole number that fits",
        deserialize_i32 visit_i32 i32 "no whole number that fits",
        deserialize_i64 visit_i64 i64 "no whole number that fits",
        deserialize_i128 visit_i128 i128 "no whole number that fits",
        deserialize_u8 visit_u8 u8 "no whole number that fits",
        deserialize_u16 visit_u16 u16 "no whole number that fits",
        deserialize_u32 visit_u32 u32 "no whole number that fits",
        deserialize_u64 visit_u64 u64 "no whole number that fits",
        deserialize_u128 visit_u128 u128 "no whole number that fits",
        deserialize_f32 visit_f32 f32 "no number",
        deserialize_f64 visit_f64 f64 "no number"
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let (name, text) = self.text()?;
        let variant = visitor.visit_enum(text.into_deserializer());
        variant.map_err(|Wrong(why)| Wrong(format!("`{name}`: {why}")))
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

impl IntoDeserializer<'_, Wrong> for One {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// What is wrong with the strings.
#[derive(Debug)]
struct Wrong(String);

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Wrong {}

impl serde::de::Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Trip {
        days: u8,
        to: String,
        by: Option<Vehicle>,
        #[serde(default)]
        via: Vec<String>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Vehicle {
        Train,
    }

    fn given(pairs: &[(&str, &str)]) -> Vec<(String, Given)> {
        let text =
            |(name, value): &(&str, &str)| ((*name).to_owned(), Given::Text((*value).to_owned()));
        pairs.iter().map(text).collect()
    }

    #[test]
    fn numbers_enums_and_lists_are_read_from_text() {
        let mut all = given(&[("days", "3"), ("to", "Rome"), ("by", "train")]);
        all.push(("via".into(), Given::List(vec!["Bern".into()])));
        let trip =
            Trip { days: 3, to: "Rome".into(), by: Some(Vehicle::Train), via: vec!["Bern".into()] };
        assert_eq!(from_strings(all), Ok(trip));
    }

    #[test]
    fn the_error_names_the_value_that_is_wrong() {
        let error = from_strings::<Trip>(given(&[("days", "many"), ("to", "Rome")])).unwrap_err();
        assert_eq!(error, "`days` is no whole number that fits: \"many\"");
        let error = from_strings::<Trip>(given(&[("days", "1"), ("to", "Rome"), ("by", "boat")]));
        assert!(error.unwrap_err().starts_with("`by`: unknown variant `boat`"));
        assert_eq!(from_strings::<Trip>(given(&[("days", "1")])), Err("missing field `to`".into()));
    }

    #[test]
    fn a_text_takes_the_only_value() {
        assert_eq!(from_strings::<String>(given(&[("day", "monday")])), Ok("monday".into()));
        assert_eq!(from_strings::<u8>(given(&[("day", "1")])), Ok(1));
        let two = from_strings::<String>(given(&[("a", "1"), ("b", "2")]));
        assert_eq!(two, Err("one value is wanted, and there are 2".into()));
    }
}
