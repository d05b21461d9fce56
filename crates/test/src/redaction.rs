//! What a snapshot leaves out: values that are different each time.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// What is left out, and what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redaction {
    At { pointer: String, with: Option<String> },
    Matching { regex: String, with: Option<String> },
    OfType { kind: Type, with: Option<String> },
}

/// Kinds of text that are different each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Number,
    Timestamp,
    Uuid,
}

impl Type {
    pub const ALL: [Self; 3] = [Self::Number, Self::Timestamp, Self::Uuid];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Timestamp => "timestamp",
            Self::Uuid => "uuid",
        }
    }
}

/// The value without what is to be left out.
pub fn redact(value: &mut Value, redactions: &[Redaction]) {
    for redaction in redactions {
        match redaction {
            Redaction::At { pointer, with } => {
                if let Some(found) = value.pointer_mut(pointer) {
                    *found = Value::String(with.clone().unwrap_or_else(|| "<redacted>".to_owned()));
                }
            }
            Redaction::Matching { regex, with } => {
                let Ok(regex) = Regex::new(regex) else { continue };
                let with = with.clone().unwrap_or_else(|| "<redacted>".to_owned());
                texts(value, &|text| regex.replace_all(text, with.as_str()).into_owned());
            }
            Redaction::OfType { kind, with } => {
                let with = with.clone().unwrap_or_else(|| format!("<{}>", kind.as_str()));
                let regex = match kind {
                    Type::Number => &NUMBER,
                    Type::Timestamp => &TIMESTAMP,
                    Type::Uuid => &UUID,
                };
                texts(value, &|text| regex.replace_all(text, regex::NoExpand(&with)).into_owned());
                if *kind == Type::Number {
                    numbers(value, &with);
                }
            }
        }
    }
}

fn texts(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| texts(item, change)),
        Value::Object(members) => members.values_mut().for_each(|value| texts(value, change)),
        _ => {}
    }
}

fn numbers(value: &mut Value, with: &str) {
    match value {
        Value::Number(_) => *value = Value::String(with.to_owned()),
        Value::Array(items) => items.iter_mut().for_each(|item| numbers(item, with)),
        Value::Object(members) => members.values_mut().for_each(|value| numbers(value, with)),
        _ => {}
    }
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of this file compiles")
}

static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"-?\b\d+(\.\d+)?([eE][+-]?\d+)?\b"));
static TIMESTAMP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?")
});
static UUID: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b")
});

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_changes_each_time_is_left_out() {
        let mut value = json!({
            "id": "6f1c1f0e-1111-4222-8333-0123456789ab", "at": "2026-11-16T10:00:00.5Z", "n": 5, "text": "took 12.5 ms", "secret": {"a": 1}
        });
        redact(
            &mut value,
            &[
                Redaction::At { pointer: "/secret".into(), with: None },
                Redaction::OfType { kind: Type::Uuid, with: None },
                Redaction::OfType { kind: Type::Timestamp, with: None },
                Redaction::Matching {
                    regex: r"took (\S+) ms".into(),
                    with: Some("took some ms".into()),
                },
                Redaction::OfType { kind: Type::Number, with: None },
            ],
        );
        let expected = json!({"id": "<uuid>", "at": "<timestamp>", "n": "<number>", "text": "took some ms", "secret": "<redacted>"});
        assert_eq!(value, expected);
    }
}
