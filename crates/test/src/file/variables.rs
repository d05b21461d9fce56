//! Names that stand for values: `${NAME}` for the environment, when a file is read; `{{name}}` for values of a test, when it runs.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::yaml::{Kind, Node, Place};

/// Fills in the variables of the environment in all texts. `$${` stands for `${`.
pub(super) fn expand(
    node: &mut Node,
    environment: &dyn Fn(&str) -> Option<String>,
    wrong: &mut dyn FnMut(Place, String),
) {
    match &mut node.kind {
        Kind::Text(text) if text.contains("${") => match expanded(text, environment) {
            Ok(new) => *text = new,
            Err(what) => wrong(node.place, what),
        },
        Kind::List(items) => items.iter_mut().for_each(|item| expand(item, environment, wrong)),
        Kind::Map(members) => {
            for (_, value) in members {
                expand(value, environment, wrong);
            }
        }
        _ => {}
    }
}

fn expanded(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            out.push_str(&rest[..at]);
            out.push('{');
            rest = &rest[at + 2..];
            continue;
        }
        out.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let end =
            after.find('}').ok_or("`${` without `}`; write `$${` for the letters themselves")?;
        let (name, default) = match after[..end].split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (&after[..end], None),
        };
        let is_name =
            !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
        if !is_name {
            return Err(format!(
                "`{name}` is no name of an environment variable; write `$${{` for the letters `${{`"
            ));
        }
        let value = environment(name).filter(|value| !value.is_empty() || default.is_none());
        match value.or_else(|| default.map(str::to_owned)) {
            Some(value) => out.push_str(&value),
            None => {
                return Err(format!(
                    "the environment variable {name} is not set; `${{{name}:-default}}` has a default"
                ));
            }
        }
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The values that a test knows by name.
#[derive(Clone, Debug, Default)]
pub struct Variables(BTreeMap<String, Value>);

impl Variables {
    pub fn new(values: &Map<String, Value>) -> Self {
        Self(values.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    pub fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// The value with everything filled in. A text that is nothing but `{{name}}` becomes the value itself, of whatever type.
    pub fn fill(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => self.fill_text(text)?,
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.fill(item)).collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let fill = |(name, value): (&String, &Value)| Ok((name.clone(), self.fill(value)?));
                Value::Object(members.iter().map(fill).collect::<Result<_, String>>()?)
            }
            other => other.clone(),
        })
    }

    /// As [`Self::fill`], for what has to be a text.
    pub fn fill_in(&self, text: &str) -> Result<String, String> {
        Ok(match self.fill_text(text)? {
            Value::String(text) => text,
            other => other.to_string(),
        })
    }

    fn fill_text(&self, text: &str) -> Result<Value, String> {
        let pieces = pieces(text)?;
        if let [Piece::Name(name)] = &pieces[..] {
            return self.get(name).cloned();
        }
        let mut out = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Name(name) => match self.get(name)? {
                    Value::String(text) => out.push_str(text),
                    other => out.push_str(&other.to_string()),
                },
            }
        }
        Ok(Value::String(out))
    }

    fn get(&self, name: &str) -> Result<&Value, String> {
        self.0.get(name).ok_or_else(|| {
            let names: Vec<_> = self.0.keys().map(String::as_str).collect();
            match &names[..] {
                [] => format!("there is no value named {name}"),
                names => format!("there is no value named {name}; there are {}", names.join(", ")),
            }
        })
    }
}

/// The names that a value uses.
pub(super) fn used(value: &Value) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    gather(value, &mut names)?;
    Ok(names)
}

fn gather(value: &Value, names: &mut Vec<String>) -> Result<(), String> {
    match value {
        Value::String(text) => {
            for piece in pieces(text)? {
                if let Piece::Name(name) = piece {
                    names.push(name.to_owned());
                }
            }
            Ok(())
        }
        Value::Array(items) => items.iter().try_for_each(|item| gather(item, names)),
        Value::Object(members) => members.values().try_for_each(|value| gather(value, names)),
        _ => Ok(()),
    }
}

/// A value that says itself, whatever letters are in it.
pub fn escape(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace("{{", "\\{{").replace("${", "$${")),
        Value::Array(items) => Value::Array(items.iter().map(escape).collect()),
        Value::Object(members) => Value::Object(
            members.iter().map(|(name, value)| (name.clone(), escape(value))).collect(),
        ),
        other => other.clone(),
    }
}

enum Piece<'t> {
    Text(&'t str),
    Name(&'t str),
}

/// `\{{` stands for `{{`.
fn pieces(text: &str) -> Result<Vec<Piece<'_>>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        if let Some(before) = rest[..at].strip_suffix('\\') {
            pieces.push(Piece::Text(before));
            pieces.push(Piece::Text("{{"));
            rest = &rest[at + 2..];
            continue;
        }
        if at > 0 {
            pieces.push(Piece::Text(&rest[..at]));
        }
        let after = &rest[at + 2..];
        let end =
            after.find("}}").ok_or("`{{` without `}}`; write `\\{{` for the letters themselves")?;
        pieces.push(Piece::Name(after[..end].trim()));
        rest = &after[end + 2..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_environment_is_filled_in_with_defaults() {
        let environment = |name: &str| match name {
            "A" => Some("1".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        for (text, expected) in [
            ("x${A}y", "x1y"),
            ("${B:-2}", "2"),
            ("${B:-}", ""),
            ("${EMPTY:-3}", "3"),
            ("${EMPTY}", ""),
            ("$${A} $A", "${A} $A"),
        ] {
            assert_eq!(expanded(text, &environment).unwrap(), expected);
        }
        for text in ["${B}", "${A", "${}", "${a b}"] {
            assert!(expanded(text, &environment).is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_alone_keeps_the_type_of_its_value() {
        let mut values = Variables::default();
        values.set("n", json!(5));
        values.set("t", json!("x"));
        let filled = values.fill(&json!({"a": "{{n}}", "b": "<{{ n }}{{t}}>", "c": ["\\{{n}}"]}));
        assert_eq!(filled.unwrap(), json!({"a": 5, "b": "<5x>", "c": ["{{n}}"]}));
        assert!(values.fill(&json!("{{m}}")).unwrap_err().contains("there are n, t"));
        assert!(values.fill(&json!("{{m")).is_err());
    }

    #[test]
    fn what_is_escaped_says_itself() {
        for text in ["{{a}}", "\\{{", "${A}", "$${A}", "{{{", "$", "{{{{"] {
            let escaped = escape(&json!(text));
            let expanded = expanded(escaped.as_str().unwrap(), &|_| None).unwrap();
            assert_eq!(Variables::default().fill(&json!(expanded)), Ok(json!(text)), "{text}");
        }
    }
}
