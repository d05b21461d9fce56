//! The public face of a server, kept as a snapshot: which changes break its callers, and which do not.

mod schemas;

use std::{fs, io, time::Instant};

use serde_json::{Map, Value, json};

use crate::{
    act::{self, Answer},
    connection::{Connection, Judging, Unreachable},
    file::{ClientAnswers, ListOf, Server},
    matcher::{same, short},
    outcome::{Failure, TestOutcome, Verdict},
    snapshot::{Snapshots, Update},
    yaml,
};

/// One difference between two faces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub effect: Effect,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// A caller that was right before may be wrong now.
    Breaking,
    Harmless,
}

/// Compares what a server offers with its snapshot. Harmless changes are notes.
pub async fn check(
    server: &Server,
    snapshots: &Snapshots,
) -> Result<(TestOutcome, Vec<String>), Unreachable> {
    let began = Instant::now();
    let face = face(server).await?;
    let path = snapshots.interface_path(&server.name);
    let kept = match fs::read_to_string(&path) {
        Ok(text) => {
            yaml::read(&text).map(|node| Some(node.value())).map_err(|mistake| mistake.what)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    };
    let failed = |what: String| {
        Verdict::Failed(vec![Failure { step: "interface".to_owned(), what, detail: Vec::new() }])
    };
    let mut notes = Vec::new();
    let write = |notes: &mut Vec<String>| {
        let folder = path.parent().unwrap_or_else(|| std::path::Path::new("."));
        let text = format!("# What the server {} offers\n{}", server.name, yaml::write(&face));
        match fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)) {
            Ok(()) => {
                notes.push(format!("interface written: {}", path.display()));
                Verdict::Passed
            }
            Err(error) => failed(format!("{} cannot be written: {error}", path.display())),
        }
    };
    let verdict = match (kept, snapshots.update()) {
        (Err(why), _) => failed(format!("{} cannot be read: {why}", path.display())),
        (Ok(None), Update::Never) => {
            failed(format!("there is no snapshot {}, and in CI none is written", path.display()))
        }
        (Ok(None), _) => write(&mut notes),
        (Ok(Some(kept)), Update::Always) if !same(&kept, &face) => write(&mut notes),
        (Ok(Some(kept)), _) => {
            let changes = compare(&kept, &face);
            let said = |effect: Effect| -> Vec<String> {
                changes.iter().filter(|it| it.effect == effect).map(|it| it.what.clone()).collect()
            };
            notes.extend(
                said(Effect::Harmless)
                    .into_iter()
                    .map(|what| format!("{}: harmless change: {what}", server.name)),
            );
            let breaking = said(Effect::Breaking);
            if breaking.is_empty() {
                Verdict::Passed
            } else {
                let what = "the interface has changed in a way that breaks callers; --update takes the new one".to_owned();
                Verdict::Failed(vec![Failure {
                    step: "interface".to_owned(),
                    what,
                    detail: breaking,
                }])
            }
        }
    };
    let outcome = TestOutcome {
        name: "interface".to_owned(),
        server: server.name.clone(),
        place: None,
        tags: vec!["interface".to_owned()],
        verdict,
        attempts: 1,
        duration: began.elapsed(),
        stderr: String::new(),
    };
    Ok((outcome, notes))
}

/// Names, schemas, annotations and instructions, without what changes from release to release.
pub async fn face(server: &Server) -> Result<Value, Unreachable> {
    let connection = Connection::open(server, &ClientAnswers::default(), Judging::Off).await?;
    let mut face = Map::new();
    if let Some(about) = connection.client.server() {
        if let Some(instructions) = &about.instructions {
            face.insert("instructions".to_owned(), json!(instructions));
        }
        let capabilities = about.capabilities.as_ref().and_then(|it| serde_json::to_value(it).ok());
        face.insert("capabilities".to_owned(), capabilities.unwrap_or_default());
    }
    for what in ListOf::ALL {
        let Answer::Result(listed) = act::list(&connection.client, what).await else { continue };
        let key = match what {
            ListOf::Prompts | ListOf::Tools => "name",
            ListOf::Resources => "uri",
            ListOf::Templates => "uriTemplate",
        };
        let mut by_name = Map::new();
        for item in listed.get(what.member()).and_then(Value::as_array).into_iter().flatten() {
            let Value::Object(members) = item else { continue };
            let mut members = members.clone();
            let Some(Value::String(name)) = members.remove(key) else { continue };
            for noise in ["_meta", "icons"] {
                members.remove(noise);
            }
            by_name.insert(name, Value::Object(members));
        }
        if !by_name.is_empty() {
            face.insert(what.as_str().to_owned(), Value::Object(by_name));
        }
    }
    connection.close().await;
    Ok(Value::Object(face))
}

/// All differences, what breaks callers first.
pub fn compare(old: &Value, new: &Value) -> Vec<Change> {
    let mut changes = Changes::default();
    if old.get("instructions") != new.get("instructions") {
        changes.harmless("the instructions are others");
    }
    let empty = Map::new();
    let members = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_object).cloned().unwrap_or_default()
    };
    let (before, after) = (members(old, "capabilities"), members(new, "capabilities"));
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        changes.breaking(format!("the capability {name} is gone"));
    }
    for name in after.keys().filter(|name| !before.contains_key(*name)) {
        changes.harmless(format!("the capability {name} is new"));
    }
    for (list, noun) in [
        ("tools", "tool"),
        ("prompts", "prompt"),
        ("resources", "resource"),
        ("templates", "template"),
    ] {
        let (before, after) = (members(old, list), members(new, list));
        for name in after.keys().filter(|name| !before.contains_key(*name)) {
            changes.harmless(format!("the {noun} {name} is new"));
        }
        for (name, item) in &before {
            let Some(now) = after.get(name) else {
                changes.breaking(format!("the {noun} {name} is gone"));
                continue;
            };
            let (item, now) =
                (item.as_object().unwrap_or(&empty), now.as_object().unwrap_or(&empty));
            compare_item(&mut changes, &format!("the {noun} {name}"), item, now);
        }
    }
    changes.0.sort_by_key(|change| change.effect);
    changes.0
}

fn compare_item(
    changes: &mut Changes,
    of: &str,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
) {
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let (before, after) = (old.get(name), new.get(name));
        if before == after {
            continue;
        }
        match name.as_str() {
            "inputSchema" => schemas::input(changes, &format!("{of}, input"), before, after),
            "outputSchema" => schemas::output(changes, &format!("{of}, output"), before, after),
            "annotations" => annotations(changes, of, before, after),
            "arguments" => arguments(changes, of, before, after),
            "mimeType" => changes.breaking(format!(
                "{of}: mimeType was {}, is {}",
                shown(before),
                shown(after)
            )),
            other => changes.harmless(format!("{of}: {other} is another")),
        }
    }
}

/// A hint that callers rely on may not get weaker.
fn annotations(changes: &mut Changes, of: &str, old: Option<&Value>, new: Option<&Value>) {
    for (hint, otherwise, safe) in [
        ("readOnlyHint", false, true),
        ("destructiveHint", true, false),
        ("idempotentHint", false, true),
        ("openWorldHint", true, false),
    ] {
        let value = |from: Option<&Value>| {
            from.and_then(|it| it.get(hint)).and_then(Value::as_bool).unwrap_or(otherwise)
        };
        let (before, after) = (value(old), value(new));
        if before == after {
            continue;
        }
        let what = format!("{of}: {hint} was {before}, is {after}");
        if before == safe { changes.breaking(what) } else { changes.harmless(what) }
    }
}

/// Of a prompt.
fn arguments(changes: &mut Changes, of: &str, old: Option<&Value>, new: Option<&Value>) {
    let by_name = |from: Option<&Value>| -> Vec<(String, bool)> {
        let items = from.and_then(Value::as_array).into_iter().flatten();
        let named = items.filter_map(|item| {
            let required = item.get("required").and_then(Value::as_bool).unwrap_or(false);
            Some((item.get("name")?.as_str()?.to_owned(), required))
        });
        named.collect()
    };
    let (before, after) = (by_name(old), by_name(new));
    for (name, _) in before.iter().filter(|(name, _)| !after.iter().any(|(it, _)| it == name)) {
        changes.breaking(format!("{of}: the argument {name} is gone"));
    }
    for (name, required) in &after {
        match before.iter().find(|(it, _)| it == name) {
            None if *required => {
                changes.breaking(format!("{of}: the argument {name} is new and required"));
            }
            None => changes.harmless(format!("{of}: the argument {name} is new")),
            Some((_, false)) if *required => {
                changes.breaking(format!("{of}: the argument {name} is required now"));
            }
            Some((_, true)) if !*required => {
                changes.harmless(format!("{of}: the argument {name} is optional now"));
            }
            Some(_) => {}
        }
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "absent".to_owned(), short)
}

#[derive(Default)]
struct Changes(Vec<Change>);

impl Changes {
    fn breaking(&mut self, what: impl Into<String>) {
        self.0.push(Change { effect: Effect::Breaking, what: what.into() });
    }

    fn harmless(&mut self, what: impl Into<String>) {
        self.0.push(Change { effect: Effect::Harmless, what: what.into() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaking_and_harmless_changes_are_told_apart() {
        use Effect::{Breaking, Harmless};

        let face = |input: Value| json!({"tools": {"t": {"description": "d", "inputSchema": input, "annotations": {"readOnlyHint": true}}}});
        let base = json!({"type": "object", "properties": {"a": {"type": "string", "enum": ["x", "y"], "maxLength": 5}, "n": {"type": "integer", "minimum": 1}}, "required": ["a"]});
        let with = |pointer: &str, value: Value| {
            let mut changed = base.clone();
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            changed.pointer_mut(parent).unwrap()[name] = value;
            changed
        };
        for (changed, effect) in [
            (with("/required", json!(["a", "n"])), Breaking),
            (with("/required", json!([])), Harmless),
            (with("/properties/b", json!({"type": "string"})), Harmless),
            (with("/properties", json!({"a": base["properties"]["a"]})), Breaking),
            (with("/properties/a/enum", json!(["x"])), Breaking),
            (with("/properties/a/enum", json!(["x", "y", "z"])), Harmless),
            (with("/properties/a/maxLength", json!(4)), Breaking),
            (with("/properties/a/maxLength", json!(6)), Harmless),
            (with("/properties/n/minimum", json!(2)), Breaking),
            (with("/properties/n/minimum", json!(0)), Harmless),
            (with("/properties/n/type", json!("string")), Breaking),
            (with("/properties/n/type", json!("number")), Harmless),
            (with("/properties/n/description", json!("words")), Harmless),
            (with("/properties/n/pattern", json!("x")), Breaking),
            (with("/additionalProperties", json!(false)), Breaking),
        ] {
            let changes = compare(&face(base.clone()), &face(changed.clone()));
            assert_eq!(
                changes.iter().map(|it| it.effect).min(),
                Some(effect),
                "{changed}: {changes:?}"
            );
        }
        assert_eq!(compare(&face(base.clone()), &face(base.clone())), []);
    }

    #[test]
    fn what_is_gone_breaks_and_what_is_new_does_not() {
        let old = json!({"capabilities": {"tools": {}}, "tools": {"a": {"annotations": {"readOnlyHint": true}}}, "prompts": {"p": {"arguments": [{"name": "x"}]}}, "instructions": "i"});
        let new = json!({"capabilities": {"logging": {}}, "tools": {"b": {}}, "prompts": {"p": {"arguments": [{"name": "y", "required": true}]}}, "instructions": "j"});
        let changes = compare(&old, &new);
        let breaking: Vec<&str> = changes
            .iter()
            .filter(|it| it.effect == Effect::Breaking)
            .map(|it| it.what.as_str())
            .collect();
        assert_eq!(
            breaking,
            [
                "the capability tools is gone",
                "the tool a is gone",
                "the prompt p: the argument x is gone",
                "the prompt p: the argument y is new and required"
            ]
        );
        assert_eq!(changes.len(), 7);
    }

    #[test]
    fn output_may_promise_more_but_not_less() {
        let face = |output: Value| json!({"tools": {"t": {"outputSchema": output}}});
        let old =
            json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
        for (new, effect) in [
            (json!({"type": "object", "properties": {"a": {"type": "integer"}}}), Effect::Breaking),
            (
                json!({"type": "object", "properties": {"a": {"type": ["integer", "null"]}}, "required": ["a"]}),
                Effect::Breaking,
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a", "b"]}),
                Effect::Harmless,
            ),
        ] {
            let changes = compare(&face(old.clone()), &face(new.clone()));
            assert_eq!(
                changes.iter().map(|it| it.effect).min(),
                Some(effect),
                "{new}: {changes:?}"
            );
        }
    }
}
