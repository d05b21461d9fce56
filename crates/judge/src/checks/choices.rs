//! Fields of forms that offer a choice.

use serde_json::{Value, json};

use super::{
    Check,
    questions::{elicitation, fields},
    shape::{doubtful, show},
    tools::none_applies,
};
use crate::outcome::{Finding, Outcome};

pub(crate) const M399: Check = Check {
    how: "looks at the fields of every form that offer a choice",
    fix: "offer a choice as a string with enum, names for it in enumNames if you like, and no default",
    judge: |evidence| {
        let expected = "a string with enum, perhaps enumNames, and no default";
        let outcome = fields(evidence, |place, field| {
            is_choice(field).then_some(())?;
            let values = field.get("enum").and_then(Value::as_array);
            let right = values.is_some_and(|values| values.iter().all(Value::is_string))
                && named_as_often(field)
                && ["oneOf", "anyOf", "items"].iter().all(|it| field.get(it).is_none());
            (!right).then(|| Finding::new(expected, show(field), place))
        });
        if !matches!(outcome, Outcome::Kept) {
            return none_applies(outcome, "no form was seen");
        }
        // The schema does not name it, and does not forbid what it does not name.
        doubtful(fields(evidence, |place, field| {
            let chosen = is_choice(field) && field.get("default").is_some();
            chosen.then(|| Finding::new(expected, show(field), place))
        }))
    },
    mutants: &[
        elicitation("offers titled choices before there were any", |params| {
            first(params, json!({ "type": "string", "oneOf": [{ "const": "a", "title": "A" }] }));
        }),
        elicitation("chooses in advance before that was possible", |params| {
            first(params, json!({ "type": "string", "enum": ["a", "b"], "default": "a" }));
        }),
    ],
};

pub(crate) const M400: Check = Check {
    how: "looks at the fields of every form that offer a choice",
    fix: "offer choices as enum, as oneOf with const and title, or as a list of items of either kind",
    judge: |evidence| {
        let outcome = fields(evidence, |place, field| {
            is_choice(field).then_some(())?;
            let right = if field["type"] == "array" {
                let items = &field["items"];
                (items["type"] == "string" && is_plain(items, "enum")) || is_titled(items, "anyOf")
            } else {
                let plain = is_plain(field, "enum") && named_as_often(field);
                field["type"] == "string" && (plain || is_titled(field, "oneOf"))
            };
            let expected = "one of the forms that a choice can have";
            (!right).then(|| Finding::new(expected, show(field), place))
        });
        none_applies(outcome, "no form was seen")
    },
    mutants: &[
        elicitation("offers choices without titles where titles belong", |params| {
            first(params, json!({ "type": "string", "oneOf": [{ "const": "a" }] }));
        }),
        elicitation("has fewer names than choices", |params| {
            first(params, json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["A"] }));
        }),
    ],
};

fn is_choice(field: &Value) -> bool {
    ["enum", "oneOf", "anyOf", "items"].iter().any(|it| field.get(it).is_some())
}

fn is_plain(field: &Value, member: &str) -> bool {
    let values = field.get(member).and_then(Value::as_array);
    values.is_some_and(|values| values.iter().all(Value::is_string))
}

fn is_titled(field: &Value, member: &str) -> bool {
    let values = field.get(member).and_then(Value::as_array);
    let titled = |value: &Value| value["const"].is_string() && value["title"].is_string();
    values.is_some_and(|values| values.iter().all(titled))
}

/// As many names as values, if there are names.
fn named_as_often(field: &Value) -> bool {
    let count = |member: &str| field.get(member).and_then(Value::as_array).map(Vec::len);
    field.get("enumNames").is_none() || count("enumNames") == count("enum")
}

/// Puts another field in place of the first one.
fn first(params: &mut Value, other: Value) {
    let fields = params.pointer_mut("/requestedSchema/properties").and_then(Value::as_object_mut);
    if let Some(field) = fields.and_then(|fields| fields.values_mut().next()) {
        *field = other;
    }
}
