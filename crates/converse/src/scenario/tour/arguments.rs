//! Arguments that a tool should take, made up from its schema.

use serde_json::{Map, Value, json};

/// A value for each property that the schema requires.
pub(super) fn made_up(schema: &Value) -> Value {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let arguments: Map<_, _> = required
        .filter_map(Value::as_str)
        .map(|name| (name.to_owned(), value(&schema["properties"][name])))
        .collect();
    Value::Object(arguments)
}

fn value(schema: &Value) -> Value {
    if let Some(first) = schema.pointer("/enum/0").or_else(|| schema.get("const")) {
        return first.clone();
    }
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => json!([]),
        Some("boolean") => json!(true),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("object") => made_up(schema),
        _ => json!("test"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_required_property_gets_a_value_of_its_type() {
        let schema = json!({ "type": "object", "required": ["a", "b", "c", "d"], "properties": {
            "a": { "type": "integer", "minimum": 3 }, "b": { "type": "string", "enum": ["x"] },
            "c": { "type": "object", "required": ["e"] }, "d": {}, "f": { "type": "string" } } });
        let expected = json!({ "a": 3, "b": "x", "c": { "e": "test" }, "d": "test" });
        assert_eq!(made_up(&schema), expected);
        assert_eq!(made_up(&Value::Null), json!({}));
    }
}
