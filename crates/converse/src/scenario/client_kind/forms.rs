//! Forms that are filled in with values that do not fit.

use serde_json::{Map, Value, json};

/// A value of another kind for each field.
pub(super) fn misfit(form: &Value) -> Value {
    let fields = form.get("properties").and_then(Value::as_object).into_iter().flatten();
    let entered: Map<_, _> =
        fields.map(|(name, field)| (name.clone(), another_kind(field))).collect();
    Value::Object(entered)
}

fn another_kind(field: &Value) -> Value {
    let choice = ["enum", "oneOf"].iter().any(|it| field.get(it).is_some());
    match field.get("type").and_then(Value::as_str) {
        _ if choice => json!(MISFITS[1]),
        Some("string") => json!(NUMBER),
        _ => json!(MISFITS[2]),
    }
}

/// As they look in a text that repeats them.
pub const MISFITS: [&str; 3] = ["20261107", "proofmark-no-such-choice", "proofmark-no-such-value"];
const NUMBER: u32 = 20_261_107;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_gets_a_value_that_fits() {
        let form = json!({ "properties": { "a": { "type": "string" }, "b": { "type": "boolean" },
            "c": { "type": "string", "enum": ["x"] } } });
        let expected = json!({ "a": NUMBER, "b": MISFITS[2], "c": MISFITS[1] });
        assert_eq!(misfit(&form), expected);
        assert_eq!(NUMBER.to_string(), MISFITS[0]);
    }
}
