//! The JSON Schemas that peers send: whether they are schemas at all, and whether values keep to them.
//!
//! A schema may come from a stranger. What is too large, too deep, refers to elsewhere or would take long is not judged, and the
//! verdict says so; nothing is ever fetched.

mod cost;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Right,
    /// What is wrong, for people.
    Wrong(String),
    /// It cannot be decided, for this reason.
    Unknown(&'static str),
}

/// The dialects that a schema can be written in, as far as they are known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Known(Draft),
    Other,
}

/// What `$schema` says; 2020-12 where it says nothing.
pub(crate) fn dialect(schema: &Value) -> Dialect {
    let Some(named) = schema.get("$schema") else { return Dialect::Known(Draft::Draft202012) };
    let named = named.as_str().unwrap_or_default().trim_end_matches('#');
    let known = DIALECTS.iter().find(|(uri, _)| named == *uri);
    known.map_or(Dialect::Other, |(_, draft)| Dialect::Known(*draft))
}

/// Whether this is a schema of its own dialect.
pub(crate) fn is_schema(schema: &Value) -> Verdict {
    match dialect(schema) {
        Dialect::Known(draft) => is_schema_of(schema, draft),
        Dialect::Other => Verdict::Unknown("its dialect is not known here"),
    }
}

/// Whether this is a schema of that dialect, whatever it says itself.
pub(crate) fn is_schema_of(schema: &Value, draft: Draft) -> Verdict {
    if !schema.is_object() && !schema.is_boolean() {
        return Verdict::Wrong("neither an object nor a boolean".to_owned());
    }
    if let Some(why) = cost::excess(schema) {
        return Verdict::Unknown(why);
    }
    let checked = match draft {
        Draft::Draft4 => jsonschema::draft4::meta::validate(schema),
        Draft::Draft6 => jsonschema::draft6::meta::validate(schema),
        Draft::Draft7 => jsonschema::draft7::meta::validate(schema),
        Draft::Draft201909 => jsonschema::draft201909::meta::validate(schema),
        _ => jsonschema::draft202012::meta::validate(schema),
    };
    match checked {
        Ok(()) => Verdict::Right,
        Err(error) => Verdict::Wrong(format!("at {:?}: {error}", error.instance_path().as_str())),
    }
}

/// Whether a value is what a schema describes.
pub(crate) fn fits(schema: &Value, value: &Value) -> Verdict {
    let Dialect::Known(draft) = dialect(schema) else {
        return Verdict::Unknown("the dialect of the schema is not known here");
    };
    if is_schema_of(schema, draft) != Verdict::Right {
        return Verdict::Unknown("the schema cannot be applied");
    }
    if !cost::is_cheap(schema, value) {
        return Verdict::Unknown("it would take long to apply the schema");
    }
    let Some(validator) = compiled(schema, draft) else {
        return Verdict::Unknown("the schema cannot be applied without fetching or backtracking");
    };
    match validator.validate(value) {
        Ok(()) => Verdict::Right,
        Err(error) => Verdict::Wrong(format!("at {:?}: {error}", error.instance_path().as_str())),
    }
}

/// `None` for what refers to elsewhere, or has patterns that do not take linear time.
fn compiled(schema: &Value, draft: Draft) -> Option<Validator> {
    let patterns = PatternOptions::regex().size_limit(PATTERN).dfa_size_limit(PATTERN);
    let options = jsonschema::options().with_draft(draft).offline();
    options.should_validate_formats(false).with_pattern_options(patterns).build(schema).ok()
}

pub(crate) const NEWEST: &str = "https://json-schema.org/draft/2020-12/schema";
const DIALECTS: [(&str, Draft); 5] = [
    (NEWEST, Draft::Draft202012),
    ("https://json-schema.org/draft/2019-09/schema", Draft::Draft201909),
    ("http://json-schema.org/draft-07/schema", Draft::Draft7),
    ("http://json-schema.org/draft-06/schema", Draft::Draft6),
    ("http://json-schema.org/draft-04/schema", Draft::Draft4),
];
/// Bytes of memory for one pattern.
const PATTERN: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_held_to_the_dialect_it_names() {
        let tuple = json!({ "type": "array", "items": [{ "type": "string" }] });
        assert!(matches!(is_schema(&tuple), Verdict::Wrong(_)));
        let mut older = tuple;
        older["$schema"] = json!("http://json-schema.org/draft-07/schema#");
        assert_eq!(is_schema(&older), Verdict::Right);
        older["$schema"] = json!("https://example.com/dialect");
        assert!(matches!(is_schema(&older), Verdict::Unknown(_)));
    }

    #[test]
    fn a_value_is_held_to_its_schema() {
        let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } },
            "required": ["a"] });
        assert_eq!(fits(&schema, &json!({ "a": 1 })), Verdict::Right);
        assert!(matches!(fits(&schema, &json!({ "a": "b" })), Verdict::Wrong(_)));
        assert!(matches!(fits(&schema, &json!({})), Verdict::Wrong(_)));
    }

    #[test]
    fn what_lies_elsewhere_is_not_fetched() {
        let schema = json!({ "$ref": "http://127.0.0.1:9/schema.json" });
        assert!(matches!(fits(&schema, &json!({})), Verdict::Unknown(_)));
    }

    #[test]
    fn what_would_take_forever_is_not_tried() {
        let mut defs = json!({ "d40": {} });
        for at in 0..40 {
            let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
            defs[format!("d{at}")] = json!({ "allOf": [next, next] });
        }
        let schema = json!({ "$defs": defs, "$ref": "#/$defs/d0" });
        assert!(matches!(fits(&schema, &json!({})), Verdict::Unknown(_)));
        let endless = json!({ "allOf": [{ "$ref": "#" }] });
        assert!(matches!(fits(&endless, &json!({})), Verdict::Unknown(_)));
    }

    #[test]
    fn what_is_too_deep_is_not_looked_at() {
        let mut deep = json!({});
        for _ in 0..100 {
            deep = json!({ "not": deep });
        }
        assert!(matches!(is_schema(&deep), Verdict::Unknown(_)));
    }
}
