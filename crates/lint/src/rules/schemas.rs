//! Keywords and shapes of schemas that model providers do not take.

use serde_json::Value;

use crate::{
    Class, Lists, Rule, Severity,
    finding::Found,
    schema::{self, Part},
};

pub(super) static RULES: [Rule; 9] = [
    Rule {
        id: "L010",
        name: "schema-root-combined",
        class: Class::Schemas,
        severity: Severity::Error,
        summary: "the schema of the arguments has anyOf, oneOf or allOf at its top",
        reason: "Anthropic's and OpenAI's APIs refuse that, and with it every tool of the request; some hosts drop the tool without a word.",
        fix: "describe one object with optional arguments, and check the combinations in the server",
        sources: &[
            "https://github.com/anthropics/claude-code/issues/95504",
            "https://github.com/makenotion/notion-mcp-server/issues/340",
        ],
        passes: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}}]}"#,
        fails: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "anyOf": [{"required": ["b"]}, {"required": ["c"]}]}}]}"#,
        check: |lists, _| {
            each(lists, |part| {
                let keyword = ["anyOf", "oneOf", "allOf"]
                    .into_iter()
                    .find(|it| part.schema.get(it).is_some());
                keyword
                    .filter(|_| part.depth == 0 && part.pointer == "/inputSchema")
                    .map(|it| format!("`{it}` at the top of the schema"))
            })
        },
    },
    Rule {
        id: "L011",
        name: "schema-reference",
        class: Class::Schemas,
        severity: Severity::Warning,
        summary: "a schema has a $ref",
        reason: "Gemini's API refuses a $ref that stands beside other keywords, and several hosts pass it on without resolving it.",
        fix: "write the definition out where it is used",
        sources: &[
            "https://github.com/google-gemini/gemini-cli/issues/13326",
            "https://github.com/anomalyco/opencode/issues/12295",
        ],
        passes: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": "string"}}}}]}"#,
        fails: r##"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}, "$defs": {"B": {"type": "string"}}}}]}"##,
        check: |lists, _| {
            each(lists, |part| {
                let target = part.schema.get("$ref").and_then(Value::as_str)?;
                Some(format!("$ref to {target:?}"))
            })
        },
    },
    Rule {
        id: "L012",
        name: "schema-keyword",
        class: Class::Schemas,
        severity: Severity::Warning,
        summary: "a schema has a keyword that a provider has no field for",
        reason: "Gemini's API knows a subset of OpenAPI's schemas. One keyword that is not in it makes it refuse the request; hosts that know this strip it, and with it what it says.",
        fix: "say it in the description, and check it in the server",
        sources: &[
            "https://ai.google.dev/api/caching#Schema",
            "https://github.com/pizza-bot-app/pizza-bot/issues/62",
            "https://github.com/decolua/9router/pull/3018",
        ],
        passes: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": "integer", "minimum": 1, "maximum": 9}}}}]}"#,
        fails: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": "integer", "exclusiveMinimum": 0}}}}]}"#,
        check: |lists, _| {
            each(lists, |part| {
                let found: Vec<_> =
                    NO_FIELD.into_iter().filter(|it| part.schema.get(it).is_some()).collect();
                (!found.is_empty()).then(|| format!("`{}`", found.join("`, `")))
            })
        },
    },
    Rule {
        id: "L013",
        name: "schema-array-items",
        class: Class::Schemas,
        severity: Severity::Error,
        summary: "an array does not say what its items are",
        reason: "VS Code refuses such a tool, and OpenAI's and Gemini's APIs refuse the request.",
        fix: "add `items`",
        sources: &[
            "https://github.com/microsoft/vscode/issues/284536",
            "https://github.com/microsoft/vscode/issues/246119",
        ],
        passes: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": "array", "items": {"type": "string"}}}}}]}"#,
        fails: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": "array"}}}}]}"#,
        check: |lists, _| {
            each(lists, |part| {
                let is_array = part.schema.get("type").is_some_and(|it| *it == "array");
                let has_items =
                    part.schema.get("items").is_some() || part.schema.get("prefixItems").is_some();
                (is_array && !has_items).then(|| "an array without `items`".to_owned())
            })
        },
    },
    Rule {
        id: "L014",
        name: "schema-type-list",
        class: Class::Schemas,
        severity: Severity::Warning,
        summary: "a schema lists several types",
        reason: "Gemini's schemas have one type each; a list of them is refused, or cut to its first.",
        fix: "leave an optional argument out of `required` instead of letting it be null; use anyOf for what is truly several",
        sources: &["https://ai.google.dev/api/caching#Schema"],
        passes: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": "string"}}}}]}"#,
        fails: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": ["string", "null"]}}}}]}"#,
        check: |lists, _| {
            each(lists, |part| {
                let types = part.schema.get("type")?.as_array()?;
                Some(format!("`type` is {}", Value::from(types.clone())))
            })
        },
    },
    Rule {
        id: "L015",
        name: "schema-anything",
        class: Class::Schemas,
        severity: Severity::Warning,
        summary: "an argument may be anything",
        reason: "Without a type a model guesses, and providers that want one refuse the request.",
        fix: "give it a `type`",
        sources: &["https://ai.google.dev/api/caching#Schema"],
        passes: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"enum": ["x"]}, "c": {"type": "string"}}}}]}"#,
        fails: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"description": "what to do"}}}}]}"#,
        check: |lists, _| {
            each(lists, |part| {
                let says = [
                    "type",
                    "enum",
                    "const",
                    "$ref",
                    "anyOf",
                    "oneOf",
                    "allOf",
                    "properties",
                    "items",
                ];
                let silent = says.iter().all(|it| part.schema.get(it).is_none());
                (part.argument.is_some() && silent).then(|| "nothing says what it is".to_owned())
            })
        },
    },
    Rule {
        id: "L016",
        name: "schema-deep",
        class: Class::Schemas,
        severity: Severity::Warning,
        summary: "a schema is nested deeper than a provider takes",
        reason: "OpenAI's strict mode takes ten levels, and models fill deep arguments badly long before that.",
        fix: "flatten the arguments",
        sources: &["https://platform.openai.com/docs/guides/structured-outputs"],
        passes: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": "string"}}}}]}"#,
        fails: "deep schema: 11",
        check: |lists, _| {
            let mut found = Vec::new();
            for (place, tool) in lists.each_tool() {
                let deepest = schema::parts(tool).into_iter().max_by_key(|part| part.depth);
                let Some(deepest) = deepest.filter(|part| part.depth > 10) else { continue };
                let depth = deepest.depth;
                found.push(
                    place
                        .at(deepest.pointer)
                        .found(format!("nested {depth} levels deep, and 10 are taken")),
                );
            }
            found
        },
    },
    Rule {
        id: "L017",
        name: "schema-enum-strings",
        class: Class::Schemas,
        severity: Severity::Warning,
        summary: "an enum has values that are no strings",
        reason: "Gemini's API takes strings in an enum and nothing else.",
        fix: "use strings, or say the allowed values with minimum and maximum or in the description",
        sources: &["https://ai.google.dev/api/caching#Schema"],
        passes: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"enum": ["1", "2"]}}}}]}"#,
        fails: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": "integer", "enum": [1, 2]}}}}]}"#,
        check: |lists, _| {
            each(lists, |part| {
                let values = part.schema.get("enum")?.as_array()?;
                let other = values.iter().find(|value| !value.is_string())?;
                Some(format!("{other} is no string"))
            })
        },
    },
    Rule {
        id: "L018",
        name: "schema-no-properties",
        class: Class::Schemas,
        severity: Severity::Warning,
        summary: "an object does not say which members it has",
        reason: "OpenAI's API answers that the object schema lacks properties; models invent members.",
        fix: "add `properties`, an empty one if there are none",
        sources: &["https://github.com/openai/openai-agents-python/issues/449"],
        passes: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {}}}]}"#,
        fails: r#"{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}"#,
        check: |lists, _| {
            each(lists, |part| {
                let is_object = part.schema.get("type").is_some_and(|it| *it == "object");
                let says = [
                    "properties",
                    "additionalProperties",
                    "patternProperties",
                    "$ref",
                    "anyOf",
                    "oneOf",
                    "allOf",
                ];
                // At the top `additionalProperties` alone is no help.
                let said = says.iter().filter(|it| part.depth > 0 || **it == "properties");
                let silent = said.into_iter().all(|it| part.schema.get(it).is_none());
                (is_object && silent).then(|| "an object without `properties`".to_owned())
            })
        },
    },
];

/// Of JSON Schema's keywords that restrict, those that Gemini's `Schema` has no field for.
const NO_FIELD: [&str; 17] = [
    "const",
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "if",
    "multipleOf",
    "not",
    "oneOf",
    "patternProperties",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

/// What is said about each schema of each tool's arguments.
fn each(lists: &Lists, look: impl Fn(&Part<'_>) -> Option<String>) -> Vec<Found> {
    let mut found = Vec::new();
    for (place, tool) in lists.each_tool() {
        for part in schema::parts(tool) {
            if let Some(message) = look(&part) {
                found.push(place.at(part.pointer).found(message));
            }
        }
    }
    found
}
