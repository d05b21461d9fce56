//! Values that are simply tried, for schemas of which nothing better was found: made of the names and values that the schema mentions.

use std::collections::BTreeSet;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::cases::{Case, CaseKind};
use crate::{matcher::short, schema};

/// A case of each kind that is missing, as far as the validator confirms one.
pub(super) fn missing(validator: &Validator, schema: &Value, known: &[Case]) -> Vec<Case> {
    let has_valid = known.iter().any(|it| it.kind == CaseKind::Valid);
    let has_invalid = known.iter().any(|it| matches!(it.kind, CaseKind::Invalid { .. }));
    let mut found = Vec::new();
    if has_valid && has_invalid {
        return found;
    }
    let pool = pool(schema);
    if !has_valid && let Some(value) = pool.iter().find(|value| validator.is_valid(value)) {
        let (id, value) = (format!("valid: {}", short(value)), value.clone());
        found.push(Case { id, kind: CaseKind::Valid, value, doubtful: false });
    }
    if !has_invalid
        && let Some((value, keyword, place)) = pool.iter().find_map(|value| wrong(validator, value))
    {
        let id = format!("invalid: {} ({keyword})", short(&value));
        let kind = CaseKind::Invalid { keyword, place };
        found.push(Case { id, kind, value, doubtful: false });
    }
    found
}

/// A value that breaks one keyword in one place.
fn wrong(validator: &Validator, value: &Value) -> Option<(Value, String, String)> {
    let broken = schema::broken(validator, value);
    let (keyword, place) = broken.first()?.clone();
    // What combines others may hide what is truly wrong.
    let plain = !matches!(keyword.as_str(), "anyOf" | "not" | "format" | "falseSchema");
    let alone = broken.iter().all(|it| it.0 == keyword && it.1 == place);
    (plain && alone).then(|| (value.clone(), keyword, place))
}

fn pool(schema: &Value) -> Vec<Value> {
    let mut names = BTreeSet::new();
    let mut values = Vec::new();
    mentioned(schema, 0, &mut names, &mut values);
    let mut all = vec![
        json!({}),
        json!([]),
        json!(""),
        json!(0),
        json!(true),
        json!(null),
        json!(1),
        json!(-1),
        json!(1.5),
        json!(30),
        json!(101),
        json!("a"),
        json!("foo"),
        json!("a long text"),
        json!([1]),
        json!(["a"]),
        json!([1, "a"]),
        json!([1, 1]),
        json!([1, 1, 1]),
        json!(["a", "b"]),
        json!({"a": 1}),
        json!({"a": "b"}),
        json!({"longer name": 1}),
        json!({"longer name": "b"}),
    ];
    all.extend(values.iter().cloned());
    all.extend(values.iter().map(|value| json!([value])));
    all.extend(values.iter().map(|value| json!([value, value])));
    for (at, one) in values.iter().enumerate() {
        all.extend(values.iter().skip(at + 1).map(|other| json!([one, other])));
    }
    let fillers: Vec<Value> =
        [json!(1), json!("a"), json!("foobar"), json!({}), json!([]), json!(null)]
            .into_iter()
            .chain(values.iter().take(MOST_MENTIONED).cloned())
            .collect();
    let names: Vec<String> = names.into_iter().take(MOST_MENTIONED).collect();
    for filler in &fillers {
        for (at, one) in names.iter().enumerate() {
            all.push(json!({one: filler}));
            for other in &names[at + 1..] {
                all.push(json!({one: filler, other: filler}));
                all.extend(fillers.iter().map(|second| json!({one: filler, other: second})));
            }
            all.extend(fillers.iter().map(|inner| json!({one: {"a": inner}})));
            all.extend(names.iter().map(|inner| json!({one: {inner: filler}})));
            all.extend(names.iter().map(|inner| json!({one: [{inner: filler}]})));
        }
        let whole: Map<String, Value> =
            names.iter().map(|name| (name.clone(), filler.clone())).collect();
        all.push(json!([whole.clone()]));
        all.push(Value::Object(whole));
        all.push(json!([filler]));
        all.push(json!([[filler]]));
    }
    all.truncate(MOST_TRIED);
    all
}

/// Names of members and values that stand anywhere in the schema.
fn mentioned(schema: &Value, depth: usize, names: &mut BTreeSet<String>, values: &mut Vec<Value>) {
    let Value::Object(members) = schema else {
        if let Value::Array(items) = schema {
            for item in items {
                mentioned(item, depth, names, values);
            }
        }
        return;
    };
    if depth > MOST_DEPTH || names.len() + values.len() > MOST_TRIED {
        return;
    }
    for (keyword, value) in members {
        match (keyword.as_str(), value) {
            ("properties" | "dependentSchemas" | "dependentRequired", Value::Object(inner)) => {
                names.extend(inner.keys().cloned());
            }
            ("required", Value::Array(required)) => {
                names.extend(required.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            ("const", value) => values.push(value.clone()),
            ("enum", Value::Array(choices)) => values.extend(choices.iter().cloned()),
            _ => {}
        }
        match (keyword.as_str(), value) {
            ("dependentRequired", Value::Object(inner)) => {
                let all = inner.values().filter_map(Value::as_array).flatten();
                names.extend(all.filter_map(Value::as_str).map(str::to_owned));
            }
            ("const" | "enum" | "default" | "examples", _) => {}
            _ => mentioned_within(value, depth, names, values),
        }
    }
}

fn mentioned_within(
    value: &Value,
    depth: usize,
    names: &mut BTreeSet<String>,
    values: &mut Vec<Value>,
) {
    match value {
        Value::Object(members) => {
            mentioned(value, depth + 1, names, values);
            members.values().for_each(|it| mentioned(it, depth + 1, names, values));
        }
        Value::Array(_) => mentioned(value, depth + 1, names, values),
        _ => {}
    }
}

const MOST_DEPTH: usize = 8;
const MOST_MENTIONED: usize = 6;
const MOST_TRIED: usize = 2000;
