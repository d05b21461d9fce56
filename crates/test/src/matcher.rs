//! What a value has to be like.

use serde_json::Value;

pub(crate) use crate::value::{KINDS, escaped, is_kind};
pub use crate::value::{same, short};
use crate::{diff, schema};

/// All that is given has to hold.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    pub equals: Option<Value>,
    pub subset: Option<Value>,
    pub kind: Option<Vec<String>>,
    pub regex: Option<regex::Regex>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub above: Option<f64>,
    pub below: Option<f64>,
    /// Of a text in characters, of a list in items, of an object in members.
    pub length: Option<(Option<u64>, Option<u64>)>,
    pub contains: Vec<Value>,
    pub one_of: Option<Vec<Value>>,
    pub not: Option<Box<Self>>,
    pub schema: Option<Value>,
    /// Whether there is a value at all.
    pub exists: Option<bool>,
}

impl Matcher {
    pub fn equals(value: Value) -> Self {
        Self { equals: Some(value), ..Self::default() }
    }

    /// What is wrong with a value, or with there being none.
    pub fn check(&self, value: Option<&Value>) -> Vec<String> {
        let Some(value) = value else {
            return if self.exists == Some(false) {
                Vec::new()
            } else {
                vec!["there is no such value".to_owned()]
            };
        };
        let mut wrong = Vec::new();
        if self.exists == Some(false) {
            wrong.push(format!("there should be no value, and it is {}", short(value)));
        }
        if let Some(expected) = &self.equals
            && !same(expected, value)
        {
            wrong.extend(diff::lines(expected, value));
        }
        if let Some(expected) = &self.subset {
            wrong.extend(subset(expected, value, ""));
        }
        if let Some(kinds) = &self.kind
            && !kinds.iter().any(|kind| is_kind(value, kind))
        {
            wrong.push(format!("expected {}, got {}", kinds.join(" or "), short(value)));
        }
        if let Some(regex) = &self.regex
            && !value.as_str().is_some_and(|text| regex.is_match(text))
        {
            wrong.push(format!("expected a text that matches /{regex}/, got {}", short(value)));
        }
        self.check_range(value, &mut wrong);
        if let Some((least, most)) = self.length {
            match length(value) {
                Some(length)
                    if least.is_none_or(|it| length >= it)
                        && most.is_none_or(|it| length <= it) => {}
                Some(length) => {
                    wrong.push(format!("expected a length {}, got {length}", range(least, most)));
                }
                None => {
                    wrong.push(format!("expected something with a length, got {}", short(value)));
                }
            }
        }
        for part in &self.contains {
            if !contains(value, part) {
                wrong.push(format!("expected to find {} in {}", short(part), short(value)));
            }
        }
        if let Some(choices) = &self.one_of
            && !choices.iter().any(|choice| same(choice, value))
        {
            wrong.push(format!(
                "expected one of {}, got {}",
                short(&choices.clone().into()),
                short(value)
            ));
        }
        if let Some(not) = &self.not
            && not.check(Some(value)).is_empty()
        {
            wrong.push(format!("{} is what it should not be", short(value)));
        }
        if let Some(schema) = &self.schema {
            wrong.extend(schema::violations(schema, value));
        }
        wrong
    }

    fn check_range(&self, value: &Value, wrong: &mut Vec<String>) {
        type Holds = fn(f64, f64) -> bool;
        let bounds: [(Option<f64>, &str, Holds); 4] = [
            (self.min, "at least", |value, bound| value >= bound),
            (self.max, "at most", |value, bound| value <= bound),
            (self.above, "above", |value, bound| value > bound),
            (self.below, "below", |value, bound| value < bound),
        ];
        for (bound, word, holds) in bounds {
            let Some(bound) = bound else { continue };
            if !value.as_f64().is_some_and(|value| holds(value, bound)) {
                wrong.push(format!("expected a number {word} {bound}, got {}", short(value)));
            }
        }
    }
}

/// Where a value lacks what is expected of it. Objects may have more members; lists are compared item by item.
pub fn subset(expected: &Value, actual: &Value, path: &str) -> Vec<String> {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => expected
            .iter()
            .flat_map(|(name, expected)| {
                let path = format!("{path}/{}", escaped(name));
                match actual.get(name) {
                    Some(actual) => subset(expected, actual, &path),
                    None => vec![format!("{path} is missing; expected {}", short(expected))],
                }
            })
            .collect(),
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            expected
                .iter()
                .zip(actual)
                .enumerate()
                .flat_map(|(at, (expected, actual))| {
                    subset(expected, actual, &format!("{path}/{at}"))
                })
                .collect()
        }
        (Value::Array(expected), Value::Array(actual)) => {
            vec![format!(
                "{} has {} items, and {} are expected",
                named(path),
                actual.len(),
                expected.len()
            )]
        }
        _ if same(expected, actual) => Vec::new(),
        _ => {
            let mut lines = vec![format!("{} is different", named(path))];
            lines.extend(diff::lines(expected, actual));
            lines
        }
    }
}

fn named(path: &str) -> &str {
    if path.is_empty() { "the value" } else { path }
}

fn length(value: &Value) -> Option<u64> {
    let length = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => return None,
    };
    u64::try_from(length).ok()
}

fn range(least: Option<u64>, most: Option<u64>) -> String {
    match (least, most) {
        (Some(least), Some(most)) if least == most => format!("of {least}"),
        (Some(least), Some(most)) => format!("from {least} to {most}"),
        (Some(least), None) => format!("of at least {least}"),
        (None, Some(most)) => format!("of at most {most}"),
        (None, None) => String::new(),
    }
}

/// A text in a text, an item in a list (a part of one if it is an object), or a member in an object.
fn contains(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        (Value::String(text), Value::Bool(_) | Value::Number(_)) => {
            text.contains(&part.to_string())
        }
        (Value::Array(items), part) => items.iter().any(|item| subset(part, item, "").is_empty()),
        (Value::Object(members), Value::String(name)) => members.contains_key(name),
        (value @ Value::Object(_), part @ Value::Object(_)) => subset(part, value, "").is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_matcher_can_hold_and_fail() {
        let regex = |text: &str| Some(regex::Regex::new(text).unwrap());
        let usual = Matcher::default;
        for (matcher, fits, misses) in [
            (Matcher::equals(json!([1, {"a": 2}])), json!([1.0, {"a": 2}]), json!([1, {"a": 3}])),
            (
                Matcher { subset: Some(json!({"a": {"b": 1}})), ..usual() },
                json!({"a": {"b": 1, "c": 2}, "d": 3}),
                json!({"a": {}}),
            ),
            (Matcher { subset: Some(json!([1])), ..usual() }, json!([1]), json!([1, 2])),
            (
                Matcher { kind: Some(vec!["integer".into(), "null".into()]), ..usual() },
                json!(2.0),
                json!(2.5),
            ),
            (Matcher { regex: regex("^a+$"), ..usual() }, json!("aa"), json!("ab")),
            (Matcher { regex: regex("1"), ..usual() }, json!("1"), json!(1)),
            (Matcher { min: Some(2.0), max: Some(3.0), ..usual() }, json!(3), json!(4)),
            (Matcher { above: Some(2.0), below: Some(3.0), ..usual() }, json!(2.5), json!(2)),
            (Matcher { length: Some((Some(2), Some(3))), ..usual() }, json!("äöü"), json!("a")),
            (Matcher { length: Some((Some(1), None)), ..usual() }, json!([1]), json!(1)),
            (
                Matcher { contains: vec![json!("b"), json!("c")], ..usual() },
                json!("abc"),
                json!("ab"),
            ),
            (
                Matcher { contains: vec![json!({"n": 1})], ..usual() },
                json!([{"n": 1, "m": 2}]),
                json!([{"n": 2}]),
            ),
            (Matcher { contains: vec![json!(5)], ..usual() }, json!("is 5"), json!("is 4")),
            (
                Matcher { one_of: Some(vec![json!(1), json!("a")]), ..usual() },
                json!("a"),
                json!("b"),
            ),
            (
                Matcher { not: Some(Box::new(Matcher::equals(json!(1)))), ..usual() },
                json!(2),
                json!(1),
            ),
            (Matcher { schema: Some(json!({"type": "string"})), ..usual() }, json!("a"), json!(1)),
        ] {
            assert_eq!(matcher.check(Some(&fits)), Vec::<String>::new(), "{matcher:?}");
            assert!(!matcher.check(Some(&misses)).is_empty(), "{matcher:?}");
            assert!(!matcher.check(None).is_empty(), "{matcher:?}");
        }
        let absent = Matcher { exists: Some(false), ..usual() };
        assert!(absent.check(None).is_empty() && !absent.check(Some(&json!(1))).is_empty());
    }
}
