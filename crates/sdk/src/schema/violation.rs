//! Where a value departs from a schema, in words that fit into an answer.

use std::fmt;

use serde_json::Value;

/// Where a value departs from a schema; what it quotes is cut short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer into the value; empty for the value itself.
    pub instance_path: String,
    /// What was expected, and what kind of thing was there instead.
    pub message: String,
    pub cause: Cause,
}

/// What a value was refused by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A keyword of the schema.
    Keyword(String),
    /// The text is not JSON, or nested too deeply.
    NotJson,
    /// The value may well be valid, but it is too deep or too large to be checked against this schema.
    TooCostly,
    /// The value is not valid, and too large to find the place.
    Unexplained,
}

impl Violation {
    pub(super) fn not_json(error: &impl fmt::Display) -> Self {
        Self::whole(&format!("expected JSON: {error}"), Cause::NotJson)
    }

    pub(super) fn too_costly() -> Self {
        Self::whole("too deep or too large to be checked against this schema", Cause::TooCostly)
    }

    pub(super) fn unexplained() -> Self {
        Self::whole("does not match the schema", Cause::Unexplained)
    }

    fn whole(message: &str, cause: Cause) -> Self {
        Self { instance_path: String::new(), message: shorten(message), cause }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.instance_path.is_empty() {
            write!(f, "{}: ", self.instance_path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Violation {}

/// Cuts what a peer wrote to a length fit for a message.
pub(super) fn shorten(text: &str) -> String {
    cut(text, LONGEST)
}

pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A short form of a value: containers that could be large are only named by their kind.
pub(super) fn quote(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{:?}", clip(text)),
        Value::Array(list)
            if list.len() <= QUOTED_ITEMS
                && !list.iter().any(|v| v.is_array() || v.is_object()) =>
        {
            list.iter().map(quote).collect::<Vec<_>>().join(", ")
        }
        Value::Array(_) | Value::Object(_) => kind_of(value).into(),
        _ => value.to_string(),
    }
}

pub(super) fn names(list: &[String]) -> String {
    let shown: Vec<_> =
        list.iter().take(QUOTED_ITEMS).map(|name| format!("{:?}", clip(name))).collect();
    let more = if list.len() > QUOTED_ITEMS { " and more" } else { "" };
    shown.join(", ") + more
}

/// Several descriptions, one of which is to be met.
pub(super) fn names_of(expected: &[&str]) -> String {
    let more = if expected.len() > QUOTED_ITEMS { " or others" } else { "" };
    expected.iter().take(QUOTED_ITEMS).copied().collect::<Vec<_>>().join(" or ") + more
}

pub(super) fn clip(text: &str) -> String {
    cut(text, QUOTED_BYTES)
}

fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.into();
    }
    let end = (0..=most).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{}…", &text[..end])
}

/// Bytes of a whole message or pointer.
const LONGEST: usize = 512;
/// Bytes of one string within a message.
const QUOTED_BYTES: usize = 64;
const QUOTED_ITEMS: usize = 8;
