//! Values as YAML.

use std::fmt::Write;

use crate::Value;

/// As a block of whole lines, indented; `step` more for each level.
pub(super) fn block(value: &Value, indent: usize, step: usize) -> String {
    let mut text = String::new();
    write_block(value, indent, step, &mut text);
    text
}

fn write_block(value: &Value, indent: usize, step: usize, text: &mut String) {
    let space = " ".repeat(indent);
    match value {
        Value::Map(members) => {
            for (key, value) in members {
                let key = string(key);
                if is_nested(value) {
                    let _ = writeln!(text, "{space}{key}:");
                    write_block(value, indent + step, step, text);
                } else {
                    let _ = writeln!(text, "{space}{key}: {}", flow(value));
                }
            }
        }
        Value::List(items) => {
            for item in items {
                let _ = writeln!(text, "{space}- {}", flow(item));
            }
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let _ = writeln!(text, "{space}{}", flow(value));
        }
    }
}

/// In one line.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::List(items) => {
            format!("[{}]", items.iter().map(quoted).collect::<Vec<_>>().join(", "))
        }
        Value::Map(members) if members.is_empty() => "{}".to_owned(),
        Value::Map(members) => {
            let member =
                |(key, value): &(String, Value)| format!("{}: {}", json(key), quoted(value));
            format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => scalar(value).unwrap_or_default(),
    }
}

/// Inside of brackets more characters have a meaning, so that strings are quoted there.
fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => json(text),
        other => flow(other),
    }
}

pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Bool(it) => Some(it.to_string()),
        Value::Number(it) => Some(it.to_string()),
        Value::String(it) => Some(string(it)),
        Value::List(_) | Value::Map(_) => None,
    }
}

fn is_nested(value: &Value) -> bool {
    match value {
        Value::Map(members) => !members.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Without quotes only where nothing else could be meant, in any version of YAML.
fn string(text: &str) -> String {
    let begins = text.starts_with(|it: char| it.is_ascii_alphabetic() || matches!(it, '_' | '/'));
    let plain =
        |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | '/' | '@' | ':');
    let is_word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    if begins && text.chars().all(plain) && !text.ends_with(':') && !is_word {
        return text.to_owned();
    }
    json(text)
}

/// What JSON writes between quotes YAML reads as the same.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
