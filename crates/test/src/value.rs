//! JSON values: when two are the same, and how one is shown.

use std::fmt::Write;

use serde_json::Value;

/// Equality of JSON, where 1 and 1.0 are the same number.
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.as_f64() == other.as_f64() && (one.is_f64() || other.is_f64()))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|it| same(value, it)))
        }
        _ => one == other,
    }
}

/// A value in at most a line.
pub fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= SHORT {
        return text;
    }
    let mut short: String = text.chars().take(SHORT).collect();
    let _infallible = write!(short, "… ({} characters)", text.chars().count());
    short
}

pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

pub(crate) fn is_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|it| it.fract() == 0.0)
        }
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

pub(crate) const KINDS: [&str; 7] =
    ["null", "boolean", "integer", "number", "string", "array", "object"];

const SHORT: usize = 120;
