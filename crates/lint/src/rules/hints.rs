//! Hints that contradict a tool's name, or each other. Hosts decide by them whether a person is asked.

use serde_json::Value;

use crate::{Class, List, Place, Rule, Severity};

pub(super) static RULES: [Rule; 5] = [
    Rule {
        id: "L040",
        name: "read-only-by-hint",
        class: Class::Hints,
        severity: Severity::Warning,
        summary: "a tool says that it is read-only, and its name says that it is not",
        reason: "Hosts run read-only tools without asking a person.",
        fix: "set readOnlyHint to false, or rename the tool",
        sources: HINTS,
        passes: r#"{"tools": [{"name": "list_notes", "annotations": {"readOnlyHint": true}}]}"#,
        fails: r#"{"tools": [{"name": "delete_note", "annotations": {"readOnlyHint": true}}]}"#,
        check: |lists, _| {
            let tools =
                lists.each_tool().filter(|(_, tool)| hint(tool, "readOnlyHint") == Some(true));
            tools
                .filter_map(|(place, _)| {
                    let verb = verb_of(&place.name, &CHANGES)?;
                    Some(
                        place
                            .at("/annotations/readOnlyHint")
                            .found(format!("read-only, and the name says `{verb}`")),
                    )
                })
                .collect()
        },
    },
    Rule {
        id: "L041",
        name: "harmless-by-hint",
        class: Class::Hints,
        severity: Severity::Warning,
        summary: "a tool says that it destroys nothing, and its name says that it does",
        reason: "Hosts warn people by this hint.",
        fix: "set destructiveHint to true, or rename the tool",
        sources: HINTS,
        passes: r#"{"tools": [{"name": "add_note", "annotations": {"destructiveHint": false}}]}"#,
        fails: r#"{"tools": [{"name": "dropTable", "annotations": {"destructiveHint": false}}]}"#,
        check: |lists, _| {
            let tools =
                lists.each_tool().filter(|(_, tool)| hint(tool, "destructiveHint") == Some(false));
            let tools = tools.filter(|(_, tool)| hint(tool, "readOnlyHint") != Some(true));
            tools
                .filter_map(|(place, _)| {
                    let verb = verb_of(&place.name, &DESTROYS)?;
                    Some(
                        place
                            .at("/annotations/destructiveHint")
                            .found(format!("not destructive, and the name says `{verb}`")),
                    )
                })
                .collect()
        },
    },
    Rule {
        id: "L042",
        name: "hints-contradict",
        class: Class::Hints,
        severity: Severity::Warning,
        summary: "a tool says that it is read-only and that it is destructive",
        reason: "Both cannot be; which one a host believes is luck.",
        fix: "leave destructiveHint out where readOnlyHint is true",
        sources: HINTS,
        passes: r#"{"tools": [{"name": "a", "annotations": {"readOnlyHint": true, "destructiveHint": false}}]}"#,
        fails: r#"{"tools": [{"name": "a", "annotations": {"readOnlyHint": true, "destructiveHint": true}}]}"#,
        check: |lists, _| {
            let both = lists.each_tool().filter(|(_, tool)| {
                hint(tool, "readOnlyHint") == Some(true)
                    && hint(tool, "destructiveHint") == Some(true)
            });
            both.map(|(place, _)| place.at("/annotations").found("read-only and destructive"))
                .collect()
        },
    },
    Rule {
        id: "L043",
        name: "hints-missing",
        class: Class::Hints,
        severity: Severity::Note,
        summary: "no tool has hints",
        reason: "Without hints every tool counts as one that destroys and reaches the world outside, so that hosts ask before each call.",
        fix: "set readOnlyHint on tools that only read, and destructiveHint on the others",
        sources: HINTS,
        passes: r#"{"tools": [{"name": "a"}, {"name": "b", "annotations": {"readOnlyHint": true}}]}"#,
        fails: r#"{"tools": [{"name": "a"}]}"#,
        check: |lists, _| {
            let hinted = |tool: &Value| {
                tool.get("annotations")
                    .and_then(Value::as_object)
                    .is_some_and(|it| it.keys().any(|key| key.ends_with("Hint")))
            };
            let none = !lists.tools.is_empty() && !lists.tools.iter().any(hinted);
            none.then(|| Place::whole(List::Tools).found("no tool has hints")).into_iter().collect()
        },
    },
    Rule {
        id: "L044",
        name: "writes-by-hint",
        class: Class::Hints,
        severity: Severity::Note,
        summary: "a tool whose name says that it reads says that it is not read-only",
        reason: "People are asked before a call that changes nothing, or the name hides that it changes something.",
        fix: "set readOnlyHint to true, or say in the name what it changes",
        sources: HINTS,
        passes: r#"{"tools": [{"name": "get_note", "annotations": {"readOnlyHint": true}}]}"#,
        fails: r#"{"tools": [{"name": "get_note", "annotations": {"readOnlyHint": false}}]}"#,
        check: |lists, _| {
            let tools =
                lists.each_tool().filter(|(_, tool)| hint(tool, "readOnlyHint") == Some(false));
            tools
                .filter_map(|(place, _)| {
                    let first = words(&place.name).into_iter().next()?;
                    let reads =
                        ["get", "list", "read", "search", "find", "describe", "show", "count"]
                            .contains(&first.as_str());
                    reads.then(|| {
                        place
                            .at("/annotations/readOnlyHint")
                            .found(format!("not read-only, and the name says `{first}`"))
                    })
                })
                .collect()
        },
    },
];

const HINTS: &[&str] =
    &["https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations"];

const CHANGES: [&str; 20] = [
    "add", "append", "clear", "create", "delete", "destroy", "drop", "edit", "erase", "insert",
    "kill", "move", "purge", "remove", "rename", "send", "truncate", "update", "wipe", "write",
];
const DESTROYS: [&str; 10] =
    ["clear", "delete", "destroy", "drop", "erase", "kill", "purge", "remove", "truncate", "wipe"];

fn hint(tool: &Value, key: &str) -> Option<bool> {
    tool.get("annotations")?.get(key)?.as_bool()
}

/// The verb that a name begins with, alone or behind one word such as the product's name.
fn verb_of(name: &str, verbs: &[&str]) -> Option<String> {
    words(name).into_iter().take(2).find(|word| verbs.contains(&word.as_str()))
}

/// `getUser_now` is get, user, now.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = character.is_lowercase();
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_words() {
        assert_eq!(words("getUser_now"), ["get", "user", "now"]);
        assert_eq!(words("HTTP-fetch"), ["http", "fetch"]);
    }

    #[test]
    fn a_verb_counts_where_it_says_what_is_done() {
        assert_eq!(verb_of("notes_delete", &DESTROYS).as_deref(), Some("delete"));
        assert_eq!(verb_of("list_of_things_to_delete", &DESTROYS), None);
    }
}
