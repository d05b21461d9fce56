//! Where a schema keeps its subschemas, and which part of a value each of them looks at.

use serde_json::{Map, Value};

/// The part of a value that a subschema looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Target<'a> {
    /// The same value as the schema that holds it.
    Same,
    Property(&'a str),
    AnyProperty,
    Item(usize),
    AnyItem,
    /// No value, unless something refers to it.
    Nothing,
}

/// Calls `visit` with every subschema of every dialect, its keyword, and the place below the keyword if there is one.
pub(super) fn subschemas<'a>(
    schema: &'a Map<String, Value>,
    mut visit: impl FnMut(&'a str, Option<String>, Target<'a>, &'a Value),
) {
    for (keyword, value) in schema {
        let (shape, target) = match keyword.as_str() {
            "not" | "if" | "then" | "else" => (Shape::One, Target::Same),
            "allOf" | "anyOf" | "oneOf" => (Shape::List, Target::Same),
            "dependentSchemas" | "dependencies" => (Shape::Map, Target::Same),
            "properties" => (Shape::NamedProperties, Target::AnyProperty),
            "patternProperties" => (Shape::Map, Target::AnyProperty),
            "additionalProperties" | "unevaluatedProperties" | "propertyNames" => {
                (Shape::One, Target::AnyProperty)
            }
            "items" if value.is_array() => (Shape::Tuple, Target::AnyItem),
            "prefixItems" => (Shape::Tuple, Target::AnyItem),
            "items" | "additionalItems" | "unevaluatedItems" | "contains" => {
                (Shape::One, Target::AnyItem)
            }
            "$defs" | "definitions" => (Shape::Map, Target::Nothing),
            "contentSchema" => (Shape::One, Target::Nothing),
            _ => continue,
        };
        match (shape, value) {
            (Shape::One, value) => visit(keyword, None, target, value),
            (Shape::List, Value::Array(list)) => {
                for (index, value) in list.iter().enumerate() {
                    visit(keyword, Some(index.to_string()), target, value);
                }
            }
            (Shape::Tuple, Value::Array(list)) => {
                for (index, value) in list.iter().enumerate() {
                    visit(keyword, Some(index.to_string()), Target::Item(index), value);
                }
            }
            (Shape::Map, Value::Object(map)) => {
                for (name, value) in map {
                    visit(keyword, Some(escape(name)), target, value);
                }
            }
            (Shape::NamedProperties, Value::Object(map)) => {
                for (name, value) in map {
                    visit(keyword, Some(escape(name)), Target::Property(name), value);
                }
            }
            _ => {}
        }
    }
}

/// How many values the keywords of a schema hold that are compared with the value: a long `enum` costs more than a short one.
pub(super) fn weight(schema: &Map<String, Value>) -> u64 {
    let compared = ["enum", "const", "required", "dependentRequired", "dependencies"];
    compared
        .iter()
        .filter_map(|keyword| schema.get(*keyword))
        .fold(1, |sum, value| sum + values(value))
}

/// How many values a value consists of; its depth is limited.
fn values(value: &Value) -> u64 {
    match value {
        Value::Array(list) => list.iter().fold(1, |sum, value| sum + values(value)),
        Value::Object(map) => map.values().fold(1, |sum, value| sum + values(value)),
        _ => 1,
    }
}

/// A name as a segment of a JSON pointer.
fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[derive(Clone, Copy)]
enum Shape {
    One,
    List,
    Tuple,
    Map,
    NamedProperties,
}
