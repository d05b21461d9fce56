//! Descriptions: models choose by them.

use std::collections::BTreeMap;

use super::names::text;
use crate::{Class, List, Place, Rule, Severity, schema};

pub(super) static RULES: [Rule; 6] = [
    Rule {
        id: "L030",
        name: "tool-description-missing",
        class: Class::Descriptions,
        severity: Severity::Warning,
        summary: "a tool has no description",
        reason: "A model chooses a tool by its description; without one it goes by the name.",
        fix: "say in a sentence or two what it does, and when to use it",
        sources: &["https://www.anthropic.com/engineering/writing-tools-for-agents"],
        passes: r#"{"tools": [{"name": "a", "description": "Finds notes by their words."}]}"#,
        fails: r#"{"tools": [{"name": "a", "description": " "}]}"#,
        check: |lists, _| {
            let silent = lists.each_tool().filter(|(_, tool)| {
                text(tool, "description").is_none_or(|it| it.trim().is_empty())
            });
            silent.map(|(place, _)| place.found("no description")).collect()
        },
    },
    Rule {
        id: "L031",
        name: "argument-description-missing",
        class: Class::Descriptions,
        severity: Severity::Note,
        summary: "arguments of a tool have no description",
        reason: "What is not said a model guesses: formats, units, whose id it is.",
        fix: "describe each argument, with its form and an example",
        sources: &["https://www.anthropic.com/engineering/writing-tools-for-agents"],
        passes: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": "string", "description": "A word."}}}}]}"#,
        fails: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": "string"}}}}]}"#,
        check: |lists, _| {
            let mut found = Vec::new();
            for (place, tool) in lists.each_tool() {
                let top = schema::parts(tool).into_iter().filter(|part| part.depth == 1);
                let silent: Vec<_> = top
                    .filter(|part| text(part.schema, "description").is_none())
                    .filter_map(|part| part.argument)
                    .collect();
                if !silent.is_empty() {
                    let names = silent.join("`, `");
                    found.push(
                        place
                            .at("/inputSchema/properties")
                            .found(format!("no description of `{names}`")),
                    );
                }
            }
            found
        },
    },
    Rule {
        id: "L032",
        name: "tool-description-twice",
        class: Class::Descriptions,
        severity: Severity::Warning,
        summary: "two tools have the same description",
        reason: "A model that reads the same twice has nothing to choose by.",
        fix: "say in each what the other does not do",
        sources: &["https://www.anthropic.com/engineering/writing-tools-for-agents"],
        passes: r#"{"tools": [{"name": "a", "description": "One."}, {"name": "b", "description": "Two."}]}"#,
        fails: r#"{"tools": [{"name": "a", "description": "One."}, {"name": "b", "description": "One."}]}"#,
        check: |lists, _| {
            let mut seen: BTreeMap<&str, String> = BTreeMap::new();
            let mut found = Vec::new();
            for (place, tool) in lists.each_tool() {
                let Some(description) =
                    text(tool, "description").map(str::trim).filter(|it| !it.is_empty())
                else {
                    continue;
                };
                match seen.get(description) {
                    Some(other) => found.push(
                        place.at("/description").found(format!("the description of `{other}`")),
                    ),
                    None => _ = seen.insert(description, place.name),
                }
            }
            found
        },
    },
    Rule {
        id: "L033",
        name: "tool-description-long",
        class: Class::Descriptions,
        severity: Severity::Warning,
        summary: "a tool's description is longer than hosts and providers take",
        reason: "OpenAI's API takes 1024 characters of a function's description; Claude Code cuts descriptions at 2 KB.",
        fix: "keep what helps to choose and to call; put the manual into a resource",
        sources: &[
            "https://community.openai.com/t/function-call-description-max-length/529902",
            "https://code.claude.com/docs/en/mcp",
        ],
        passes: r#"{"tools": [{"name": "a", "description": "Short."}]}"#,
        fails: "long description: 1025",
        check: |lists, _| {
            let mut found = Vec::new();
            for (place, tool) in lists.each_tool() {
                let length = text(tool, "description").unwrap_or_default().chars().count();
                if length > 1024 {
                    found.push(
                        place
                            .at("/description")
                            .found(format!("{length} characters, and 1024 are taken")),
                    );
                }
            }
            found
        },
    },
    Rule {
        id: "L034",
        name: "instructions-long",
        class: Class::Descriptions,
        severity: Severity::Warning,
        summary: "the server's instructions are longer than hosts take",
        reason: "Claude Code cuts them at 2 KB: what stands behind is not read.",
        fix: "put what matters first, in less than 2 KB",
        sources: &["https://code.claude.com/docs/en/mcp"],
        passes: r#"{"instructions": "Search before you write."}"#,
        fails: "long instructions: 2049",
        check: |lists, _| {
            let length = lists.instructions.as_deref().map_or(0, str::len);
            let long = length > 2048;
            long.then(|| {
                Place::whole(List::Instructions).found(format!("{length} bytes, and 2048 are read"))
            })
            .into_iter()
            .collect()
        },
    },
    Rule {
        id: "L035",
        name: "tool-description-is-name",
        class: Class::Descriptions,
        severity: Severity::Warning,
        summary: "a tool's description only repeats its name",
        reason: "It costs tokens and says nothing that the name does not.",
        fix: "say what it does, and when to use it",
        sources: &["https://www.anthropic.com/engineering/writing-tools-for-agents"],
        passes: r#"{"tools": [{"name": "get_user", "description": "Looks a user up by id, with their teams."}]}"#,
        fails: r#"{"tools": [{"name": "get_user", "description": "Get user."}]}"#,
        check: |lists, _| {
            let plain = |text: &str| {
                text.chars()
                    .filter(|it| it.is_alphanumeric())
                    .flat_map(char::to_lowercase)
                    .collect::<String>()
            };
            let same = lists.each_tool().filter(|(place, tool)| {
                let description = plain(text(tool, "description").unwrap_or_default());
                !description.is_empty() && description == plain(&place.name)
            });
            same.map(|(place, _)| place.at("/description").found("the description is the name"))
                .collect()
        },
    },
];
