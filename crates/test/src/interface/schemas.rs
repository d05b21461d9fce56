//! How a schema changed: whether what it took before is still taken, or what it promised is still promised.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Changes, shown};

/// Callers send what fits: a schema that takes less breaks them.
pub(super) fn input(changes: &mut Changes, of: &str, old: Option<&Value>, new: Option<&Value>) {
    compare(changes, of, old, new, Direction::Input);
}

/// Callers read what comes: a schema that promises less breaks them.
pub(super) fn output(changes: &mut Changes, of: &str, old: Option<&Value>, new: Option<&Value>) {
    match (old, new) {
        (None, Some(_)) => changes.harmless(format!("{of}: there is a schema now")),
        (Some(_), None) => changes.breaking(format!("{of}: the schema is gone")),
        _ => compare(changes, of, old, new, Direction::Output),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Input,
    Output,
}

fn compare(
    changes: &mut Changes,
    of: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    direction: Direction,
) {
    let (Some(old), Some(new)) = (old, new) else {
        return changes.breaking(format!("{of}: was {}, is {}", shown(old), shown(new)));
    };
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
        return changes.breaking(format!(
            "{of}: was {}, is {}",
            shown(Some(old)),
            shown(Some(new))
        ));
    };
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let (before, after) = (old.get(name), new.get(name));
        if before == after {
            continue;
        }
        let mut say = |effect: Step| {
            let what = format!("{of}: {name} was {}, is {}", shown(before), shown(after));
            match (effect, direction) {
                (Step::Neither, _)
                | (Step::Wider, Direction::Input)
                | (Step::Narrower, Direction::Output) => changes.harmless(what),
                (Step::Narrower, Direction::Input)
                | (Step::Wider, Direction::Output)
                | (Step::Both, _) => changes.breaking(what),
            }
        };
        match name.as_str() {
            "title" | "description" | "examples" | "default" | "$comment" | "deprecated"
            | "$schema" | "$id" => say(Step::Neither),
            "type" => say(kinds(before, after)),
            "enum" => say(sets(before, after)),
            "required" => say(sets(before, after).turned()),
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
                say(bound(before, after, f64::gt));
            }
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
                say(bound(before, after, f64::lt));
            }
            "properties" => {
                let members = |value: Option<&Value>| {
                    value.and_then(Value::as_object).cloned().unwrap_or_default()
                };
                properties(changes, of, &members(before), &members(after), direction);
            }
            "items" | "additionalProperties"
                if before.is_some_and(Value::is_object) && after.is_some_and(Value::is_object) =>
            {
                compare(changes, &format!("{of} {name}"), before, after, direction);
            }
            "additionalProperties" => {
                let open = |value: Option<&Value>| value.is_none_or(|it| *it == Value::Bool(true));
                say(if open(after) { Step::Wider } else { Step::Narrower });
            }
            "$defs" | "definitions" => {
                let members = |value: Option<&Value>| {
                    value.and_then(Value::as_object).cloned().unwrap_or_default()
                };
                let (before, after) = (members(before), members(after));
                for (name, schema) in &before {
                    if let Some(now) = after.get(name) {
                        compare(
                            changes,
                            &format!("{of} {name}"),
                            Some(schema),
                            Some(now),
                            direction,
                        );
                    }
                }
            }
            // What it does is not looked into: a keyword that is gone demands less, and any other change may demand anything.
            _ => say(if after.is_none() && direction == Direction::Input {
                Step::Wider
            } else {
                Step::Both
            }),
        }
    }
}

fn properties(
    changes: &mut Changes,
    of: &str,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    direction: Direction,
) {
    for (name, schema) in old {
        match new.get(name) {
            Some(now) if now == schema => {}
            Some(now) => {
                compare(changes, &format!("{of} /{name}"), Some(schema), Some(now), direction);
            }
            None => changes.breaking(format!("{of}: {name} is gone")),
        }
    }
    // Whether it is required is told by `required`.
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        changes.harmless(format!("{of}: {name} is new"));
    }
}

/// What a change does to the values that fit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Both,
    Narrower,
    Neither,
    Wider,
}

impl Step {
    fn turned(self) -> Self {
        match self {
            Self::Narrower => Self::Wider,
            Self::Wider => Self::Narrower,
            other => other,
        }
    }
}

/// Of lists of values that are allowed.
fn sets(old: Option<&Value>, new: Option<&Value>) -> Step {
    let items =
        |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let (old, new) = (items(old), items(new));
    let lost = old.iter().any(|it| !new.contains(it));
    let gained = new.iter().any(|it| !old.contains(it));
    match (lost, gained) {
        (true, true) => Step::Both,
        (true, false) => Step::Narrower,
        (false, true) => Step::Wider,
        (false, false) => Step::Neither,
    }
}

fn kinds(old: Option<&Value>, new: Option<&Value>) -> Step {
    let all = |value: Option<&Value>| -> BTreeSet<String> {
        match value {
            None => crate::matcher::KINDS.iter().map(|it| (*it).to_owned()).collect(),
            Some(Value::String(kind)) if kind == "number" => {
                ["number", "integer"].map(str::to_owned).into()
            }
            Some(Value::String(kind)) => [kind.clone()].into(),
            Some(Value::Array(kinds)) => {
                kinds.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect()
            }
            Some(_) => BTreeSet::new(),
        }
    };
    let (old, new) = (all(old), all(new));
    match (old.is_subset(&new), new.is_subset(&old)) {
        (true, true) => Step::Neither,
        (true, false) => Step::Wider,
        (false, true) => Step::Narrower,
        (false, false) => Step::Both,
    }
}

fn bound(old: Option<&Value>, new: Option<&Value>, tighter: fn(&f64, &f64) -> bool) -> Step {
    match (old.and_then(Value::as_f64), new.and_then(Value::as_f64)) {
        (Some(old), Some(new)) if tighter(&new, &old) => Step::Narrower,
        (None, Some(_)) => Step::Narrower,
        (Some(_), _) => Step::Wider,
        (None, None) => Step::Both,
    }
}
