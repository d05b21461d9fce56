//! Counts and durations: whole numbers that are not negative, also when a peer spells them `60000.0`.

use std::fmt;

use serde::{Deserializer, de};

/// For `#[serde(deserialize_with)]` on a required count.
pub(crate) fn required<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    deserializer.deserialize_any(Whole)
}

/// For `#[serde(default, deserialize_with)]` on an optional count: null counts as absent. Without `default`, the field must be there
/// and null is a value of its own.
pub(crate) fn nullable<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    deserializer.deserialize_option(Nullable)
}

/// The same, but a negative number counts as 0.
pub(crate) fn at_least_zero<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    deserializer.deserialize_option(AtLeastZero)
}

struct Whole;

impl de::Visitor<'_> for Whole {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number that is not negative")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<u64, E> {
        Ok(number)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<u64, E> {
        u64::try_from(number).map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<u64, E> {
        if number.fract() != 0.0 || !(0.0..=MAX_EXACT).contains(&number) {
            return Err(E::invalid_value(de::Unexpected::Float(number), &self));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and between zero and 2^53"
        )]
        Ok(number as u64)
    }
}

struct Nullable;

impl<'de> de::Visitor<'de> for Nullable {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number that is not negative, or null")
    }

    fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        required(deserializer).map(Some)
    }
}

struct AtLeastZero;

impl<'de> de::Visitor<'de> for AtLeastZero {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, or null")
    }

    fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Some(u64::try_from(number).unwrap_or(0)))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        if number < 0.0 {
            return Ok(Some(0));
        }
        Whole.visit_f64(number).map(Some)
    }
}

/// 2^53: up to here a floating point number tells neighbouring integers apart.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Lengths {
        #[serde(deserialize_with = "required")]
        at_least: u64,
        #[serde(default, deserialize_with = "nullable")]
        at_most: Option<u64>,
        #[serde(deserialize_with = "nullable")]
        lifetime: Option<u64>,
    }

    #[track_caller]
    fn read(text: &str) -> Result<Lengths, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_whole_number_may_be_spelled_with_a_fraction_of_zero() {
        let lengths = read(r#"{"at_least":60000.0,"at_most":7,"lifetime":0}"#);
        assert_eq!(lengths, Ok(Lengths { at_least: 60000, at_most: Some(7), lifetime: Some(0) }));
    }

    #[test]
    fn absent_is_not_null_where_null_has_a_meaning() {
        let lengths = read(r#"{"at_least":1,"at_most":null,"lifetime":null}"#);
        assert_eq!(lengths, Ok(Lengths { at_least: 1, at_most: None, lifetime: None }));
        let error = read(r#"{"at_least":1}"#).unwrap_err();
        assert!(error.starts_with("missing field `lifetime`"), "{error}");
    }

    #[test]
    fn fractions_negatives_and_other_types_are_refused() {
        for bad in ["1.5", "-1", "-1.0", "1e300", r#""1""#, "true", "null"] {
            let error = read(&format!(r#"{{"at_least":{bad},"lifetime":1}}"#)).unwrap_err();
            assert!(error.contains("a whole number that is not negative"), "{bad}: {error}");
        }
    }
}
