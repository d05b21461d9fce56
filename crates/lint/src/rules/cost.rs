//! What the lists cost before the first question.

use crate::{Class, Cost, List, Place, Rule, Severity, cost};

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "L050",
        name: "tool-dear",
        class: Class::Cost,
        severity: Severity::Warning,
        summary: "one tool costs more than 2000 tokens",
        reason: "It is paid in every conversation, whether the tool is used or not.",
        fix: "shorten the description, and leave out of the schema what a model does not fill in",
        sources: &["https://www.anthropic.com/engineering/code-execution-with-mcp"],
        passes: r#"{"tools": [{"name": "a", "description": "Short."}]}"#,
        fails: "long description: 9000",
        check: |lists, _| {
            let dear = lists.each_tool().map(|(place, tool)| (place, cost::of_tool(tool)));
            let dear = dear.filter(|(_, tokens)| *tokens > 2000);
            dear.map(|(place, tokens)| place.found(format!("about {tokens} tokens"))).collect()
        },
    },
    Rule {
        id: "L051",
        name: "lists-dear",
        class: Class::Cost,
        severity: Severity::Warning,
        summary: "tools and instructions cost more tokens than is allowed",
        reason: "They stand in front of every conversation. The limit is 20,000 tokens, or what --max-tokens says.",
        fix: "shorten descriptions, merge tools, or offer groups that can be turned on",
        sources: &["https://www.anthropic.com/engineering/code-execution-with-mcp"],
        passes: r#"{"tools": [{"name": "a"}]}"#,
        fails: "long description: 90000",
        check: |lists, settings| {
            let (tokens, limit) = (Cost::of(lists).in_context(), settings.max_tokens);
            let dear = tokens > limit;
            dear.then(|| {
                Place::whole(List::Tools)
                    .found(format!("about {tokens} tokens, and {limit} are allowed"))
            })
            .into_iter()
            .collect()
        },
    },
];
