//! Names that hosts and providers refuse, or that models mix up.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Class, List, Place, Rule, Severity, schema};

pub(super) static RULES: [Rule; 7] = [
    Rule {
        id: "L001",
        name: "tool-name-characters",
        class: Class::Names,
        severity: Severity::Error,
        summary: "a tool's name has characters or a length that providers refuse",
        reason: "Model providers take letters, digits, `_` and `-`, at most 64. One other name makes them refuse the whole request, with every tool in it.",
        fix: "use letters, digits, `_` and `-` only, at most 64",
        sources: &["https://platform.openai.com/docs/api-reference/chat/create"],
        passes: r#"{"tools": [{"name": "get_user-1"}]}"#,
        fails: r#"{"tools": [{"name": "users.get"}]}"#,
        check: |lists, _| {
            let tools = lists.each_tool().filter(|(place, _)| !is_identifier(&place.name));
            tools
                .map(|(place, _)| {
                    let length = place.name.chars().count();
                    place.at("/name").found(if length > 64 {
                        format!("the name has {length} characters, and 64 are taken")
                    } else {
                        "the name has other characters than letters, digits, `_` and `-`".to_owned()
                    })
                })
                .collect()
        },
    },
    Rule {
        id: "L002",
        name: "tool-name-with-prefix",
        class: Class::Names,
        severity: Severity::Warning,
        summary: "a tool's name is too long behind the prefix that hosts put before it",
        reason: "Hosts put the server's name before a tool's, as in mcp__SERVER__TOOL, and providers take 64 characters of all that.",
        fix: "shorten the tool's name; the server's name is said by the host already",
        sources: &[
            "https://code.claude.com/docs/en/mcp",
            "https://platform.openai.com/docs/api-reference/chat/create",
        ],
        passes: r#"{"server": "notes", "tools": [{"name": "search"}]}"#,
        fails: r#"{"server": "notes", "tools": [{"name": "search_all_of_the_notes_of_this_user_by_their_title_and_text"}]}"#,
        check: |lists, _| {
            let server = lists.server.as_deref().unwrap_or("server").chars().count();
            let long = |name: &str| name.len() + server + PREFIX > 64;
            lists
                .each_tool()
                .filter(|(place, _)| place.name.len() <= 64 && long(&place.name))
                .map(|(place, _)| {
                    let whole = place.name.len() + server + PREFIX;
                    place.at("/name").found(format!(
                        "with its prefix the name has {whole} characters, and 64 are taken"
                    ))
                })
                .collect()
        },
    },
    Rule {
        id: "L003",
        name: "tool-name-twice",
        class: Class::Names,
        severity: Severity::Error,
        summary: "two tools have the same name",
        reason: "A call names its tool; which of the two is meant cannot be said, and providers refuse such lists.",
        fix: "give each tool a name of its own",
        sources: &["https://modelcontextprotocol.io/specification/2025-11-25/server/tools"],
        passes: r#"{"tools": [{"name": "a"}, {"name": "b"}]}"#,
        fails: r#"{"tools": [{"name": "a"}, {"name": "a"}]}"#,
        check: |lists, _| {
            let mut seen = BTreeMap::new();
            for (place, _) in lists.each_tool() {
                *seen.entry(place.name).or_insert(0_usize) += 1;
            }
            let twice = seen.into_iter().filter(|(_, times)| *times > 1);
            twice
                .map(|(name, times)| {
                    let place = Place { list: List::Tools, name, pointer: String::new() };
                    place.found(format!("the name is there {times} times"))
                })
                .collect()
        },
    },
    Rule {
        id: "L004",
        name: "tool-names-alike",
        class: Class::Names,
        severity: Severity::Warning,
        summary: "two tools differ in the spelling of their names only",
        reason: "Models that choose between get_user, getUser and get-user choose by luck.",
        fix: "name the difference, or leave one of them out",
        sources: &["https://www.anthropic.com/engineering/writing-tools-for-agents"],
        passes: r#"{"tools": [{"name": "get_user"}, {"name": "get_users_of_team"}]}"#,
        fails: r#"{"tools": [{"name": "get_user"}, {"name": "getUser"}]}"#,
        check: |lists, _| {
            let mut seen: BTreeMap<String, String> = BTreeMap::new();
            let mut found = Vec::new();
            for (place, _) in lists.each_tool() {
                let plain: String = place
                    .name
                    .chars()
                    .filter(|it| it.is_alphanumeric())
                    .flat_map(char::to_lowercase)
                    .collect();
                match seen.get(&plain) {
                    Some(other) if *other != place.name => {
                        found.push(
                            place
                                .at("/name")
                                .found(format!("the name is spelled like that of `{other}`")),
                        );
                    }
                    Some(_) => {}
                    None => _ = seen.insert(plain, place.name),
                }
            }
            found
        },
    },
    Rule {
        id: "L005",
        name: "argument-name-characters",
        class: Class::Names,
        severity: Severity::Error,
        summary: "an argument's name has characters or a length that a provider refuses",
        reason: "Anthropic's API takes letters, digits, `_`, `.` and `-`, at most 64, and answers 400 to every request with another name in it.",
        fix: "use letters, digits, `_`, `.` and `-` only, and translate inside of the server",
        sources: &[
            "https://github.com/twilio-labs/mcp/issues/56",
            "https://github.com/freee/freee-mcp/issues/15",
        ],
        passes: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"start.time": {"type": "string"}}}}]}"#,
        fails: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"StartTime<": {"type": "string"}}}}]}"#,
        check: |lists, _| {
            let mut found = Vec::new();
            for (place, tool) in lists.each_tool() {
                for part in schema::parts(tool) {
                    let Some(name) = part.argument else { continue };
                    let fits =
                        |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.' | '-');
                    if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
                        found.push(
                            place
                                .at(part.pointer)
                                .found(format!("{name:?} is no name that every provider takes")),
                        );
                    }
                }
            }
            found
        },
    },
    Rule {
        id: "L006",
        name: "tools-many",
        class: Class::Names,
        severity: Severity::Warning,
        summary: "there are more tools than a model chooses from well",
        reason: "The more tools, the more wrong choices; one host shows a model no more than 40 of all servers together.",
        fix: "merge tools that are used together, or offer groups that can be turned on",
        sources: &[
            "https://www.anthropic.com/engineering/writing-tools-for-agents",
            "https://forum.cursor.com/t/tools-limited-to-40-total/67976",
        ],
        passes: r#"{"tools": [{"name": "a"}]}"#,
        fails: "many tools: 41",
        check: |lists, _| {
            let count = lists.tools.len();
            let many = (41..=128).contains(&count);
            many.then(|| Place::whole(List::Tools).found(format!("there are {count} tools")))
                .into_iter()
                .collect()
        },
    },
    Rule {
        id: "L007",
        name: "tools-too-many",
        class: Class::Names,
        severity: Severity::Error,
        summary: "there are more tools than a provider takes",
        reason: "OpenAI's API takes 128 functions in a request, those of all servers together.",
        fix: "merge tools that are used together, or offer groups that can be turned on",
        sources: &["https://platform.openai.com/docs/api-reference/chat/create"],
        passes: r#"{"tools": [{"name": "a"}]}"#,
        fails: "many tools: 129",
        check: |lists, _| {
            let count = lists.tools.len();
            let many = count > 128;
            many.then(|| Place::whole(List::Tools).found(format!("there are {count} tools")))
                .into_iter()
                .collect()
        },
    },
];

fn is_identifier(name: &str) -> bool {
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    !name.is_empty() && name.len() <= 64 && name.chars().all(fits)
}

/// `mcp__` and `__`.
const PREFIX: usize = 7;

/// A text member of an entry.
pub(super) fn text<'v>(entry: &'v Value, key: &str) -> Option<&'v str> {
    entry.get(key).and_then(Value::as_str)
}
