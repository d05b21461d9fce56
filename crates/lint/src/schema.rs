//! Walks through a schema of arguments.

use serde_json::Value;

/// A schema inside of another, with its pointer from the tool and how deep it is.
pub(crate) struct Part<'s> {
    pub(crate) pointer: String,
    pub(crate) schema: &'s Value,
    /// How many objects and arrays are around it.
    pub(crate) depth: usize,
    /// The name of the argument, if it is one.
    pub(crate) argument: Option<&'s str>,
}

/// The schema of a tool's arguments and every schema inside of it. What is nested too deep to walk is left out.
pub(crate) fn parts(tool: &Value) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    if let Some(schema) = tool.get("inputSchema") {
        let root = Part { pointer: "/inputSchema".to_owned(), schema, depth: 0, argument: None };
        walk(root, &mut parts);
    }
    parts
}

fn walk<'s>(part: Part<'s>, parts: &mut Vec<Part<'s>>) {
    let (pointer, schema, depth) = (part.pointer.clone(), part.schema, part.depth);
    parts.push(part);
    if depth > DEEPEST || parts.len() > MOST {
        return;
    }
    let Value::Object(members) = schema else { return };
    for (keyword, value) in members {
        let below = |key: &str| {
            format!("{pointer}/{keyword}/{}", key.replace('~', "~0").replace('/', "~1"))
        };
        match (keyword.as_str(), value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(named),
            ) => {
                for (name, schema) in named {
                    let argument = (keyword == "properties").then_some(name.as_str());
                    walk(Part { pointer: below(name), schema, depth: depth + 1, argument }, parts);
                }
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(several)) => {
                for (number, schema) in several.iter().enumerate() {
                    let pointer = below(&number.to_string());
                    walk(Part { pointer, schema, depth, argument: None }, parts);
                }
            }
            (
                "items"
                | "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames",
                Value::Object(_),
            ) => {
                let pointer = format!("{pointer}/{keyword}");
                walk(Part { pointer, schema: value, depth: depth + 1, argument: None }, parts);
            }
            _ => {}
        }
    }
}

/// More than any provider takes, and little enough for the stack.
const DEEPEST: usize = 64;
const MOST: usize = 100_000;
