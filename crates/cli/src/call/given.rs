//! Arguments of a tool as they are typed: one JSON object, or `name=value` with types from the tool's schema.

use anyhow::{Context, bail};
use serde_json::{Map, Value};

/// What stands behind the tool's name.
#[derive(Debug, PartialEq)]
pub(super) enum Given {
    Object(Map<String, Value>),
    /// As typed.
    Pairs(Vec<(String, String)>),
}

impl Given {
    pub(super) fn read(words: &[String]) -> anyhow::Result<Self> {
        match words {
            [] => Ok(Self::Object(Map::new())),
            [object] if object.trim_start().starts_with(['{', '[']) => serde_json::from_str(object)
                .map(Self::Object)
                .context("a JSON object is wanted, or NAME=VALUE"),
            words => words.iter().map(|word| pair(word)).collect::<Result<_, _>>().map(Self::Pairs),
        }
    }
}

fn pair(word: &str) -> anyhow::Result<(String, String)> {
    match word.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => bail!("{word:?}: a JSON object is wanted, or NAME=VALUE"),
    }
}

/// The arguments, each of the type that the schema gives it. A name that comes twice is a list, if it may be one.
pub(super) fn typed(
    pairs: Vec<(String, String)>,
    schema: &Value,
) -> anyhow::Result<Map<String, Value>> {
    let mut arguments = Map::new();
    for (name, text) in pairs {
        let declared = &schema["properties"][&name];
        let types = types(declared);
        if types.iter().any(|it| it == "array") && !text.trim_start().starts_with('[') {
            let item = value(&name, &text, &self::types(&declared["items"]))?;
            let list = arguments.entry(name.clone()).or_insert_with(|| Value::Array(Vec::new()));
            list.as_array_mut()
                .with_context(|| format!("`{name}` is given in two ways"))?
                .push(item);
            continue;
        }
        let value = value(&name, &text, &types)?;
        if arguments.insert(name.clone(), value).is_some() {
            bail!("`{name}` is given twice");
        }
    }
    Ok(arguments)
}

/// The types that a schema allows, also below `anyOf` and `oneOf`.
pub(crate) fn types(schema: &Value) -> Vec<String> {
    let own = match &schema["type"] {
        Value::String(one) => vec![one.clone()],
        Value::Array(several) => {
            several.iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect()
        }
        _ => Vec::new(),
    };
    let below = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
    own.into_iter().chain(below.filter_map(|it| Some(it["type"].as_str()?.to_owned()))).collect()
}

fn value(name: &str, text: &str, types: &[String]) -> anyhow::Result<Value> {
    if types.is_empty() {
        // Nothing is known: JSON if it is some, else text.
        return Ok(serde_json::from_str(text).unwrap_or_else(|_| text.into()));
    }
    let fits = |value: &Value| {
        types.iter().any(|it| match it.as_str() {
            "array" => value.is_array(),
            "boolean" => value.is_boolean(),
            "integer" => {
                value.is_i64()
                    || value.is_u64()
                    || value.as_f64().is_some_and(|it| it.fract() == 0.0)
            }
            "null" => value.is_null(),
            "number" => value.is_number(),
            "object" => value.is_object(),
            _ => false,
        })
    };
    if let Some(value) = serde_json::from_str(text).ok().filter(fits) {
        return Ok(value);
    }
    if types.iter().any(|it| it == "string") {
        return Ok(text.into());
    }
    bail!("`{name}` is to be of type {}, and {text:?} is not", types.join(" or "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_come_from_the_schema() {
        let schema = json!({"properties": {
            "s": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": "number"}, "b": {"type": "boolean"},
            "l": {"type": "array", "items": {"type": "string"}}, "o": {"type": "object"},
            "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "any": {},
        }});
        for (words, expected) in [
            (
                &["s=12", "i=12", "n=1.5", "b=true"][..],
                Some(json!({"s": "12", "i": 12, "n": 1.5, "b": true})),
            ),
            (&["l=a", "l=2"], Some(json!({"l": ["a", "2"]}))),
            (&["l=[\"a\"]"], Some(json!({"l": ["a"]}))),
            (&["o={\"a\":1}"], Some(json!({"o": {"a": 1}}))),
            (&["maybe=null"], Some(json!({"maybe": null}))),
            (&["any=1", "other=x=y"], Some(json!({"any": 1, "other": "x=y"}))),
            (&["i=1.5"], None),
            (&["b=yes"], None),
            (&["s=a", "s=b"], None),
        ] {
            let words: Vec<_> = words.iter().map(|it| (*it).to_owned()).collect();
            let Given::Pairs(pairs) = Given::read(&words).unwrap() else { panic!("{words:?}") };
            assert_eq!(typed(pairs, &schema).ok().map(Value::Object), expected, "{words:?}");
        }
    }

    #[test]
    fn what_is_neither_is_refused() {
        for word in ["[1]", "{", "word", "=1"] {
            assert!(Given::read(&[word.to_owned()]).is_err(), "{word}");
        }
    }
}
