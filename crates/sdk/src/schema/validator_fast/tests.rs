mod equivalence;

use serde_json::json;

use super::*;
use crate::schema::{Schema, SchemaLimits};

fn person() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Person",
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "a name"},
            "age": {"type": ["integer", "null"], "format": "int32"},
            "height": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "home": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
                "additionalProperties": false,
            },
        },
        "required": ["name"],
    })
}

#[test]
fn what_is_plainly_right_is_admitted() {
    let fast = FastValidator::of(&person()).unwrap();
    for text in [
        r#"{"name":"Ada"}"#,
        r#" { "name" : "A\u0064a\n" , "age" : null } "#,
        r#"{"n\u0061me":"Ada","age":-36,"height":1}"#,
        r#"{"name":"Ada","height":1.7e0,"tags":["a","b"],"home":{"city":"London"}}"#,
        r#"{"name":"Ada","other":1,"more":null}"#,
    ] {
        assert!(fast.admits(text), "{text}");
    }
}

#[test]
fn nothing_is_admitted_that_the_validator_refuses() {
    let fast = FastValidator::of(&person()).unwrap();
    let schema = Schema::compile(&person().to_string(), &SchemaLimits::default()).unwrap();
    for text in [
        "",
        "1",
        "[]",
        "{}",
        r#"{"name":1}"#,
        r#"{"name":"Ada","name":1}"#,
        r#"{"name":"Ada","age":"36"}"#,
        r#"{"name":"Ada","age":1.5}"#,
        r#"{"name":"Ada","height":1e999}"#,
        r#"{"name":"Ada","height":true}"#,
        r#"{"name":"Ada","tags":["a",1]}"#,
        r#"{"name":"Ada","tags":"a"}"#,
        r#"{"name":"Ada","home":{}}"#,
        r#"{"name":"Ada","home":{"city":"London","zip":1}}"#,
        r#"{"name":"Ada","other":"\ud800"}"#,
        r#"{"name":"Ada","other":1e999}"#,
        r#"{"name":"Ada"} {}"#,
        r#"{"name":"Ada""#,
    ] {
        assert!(!fast.admits(text), "{text}");
        assert!(schema.validate_json(text).is_err(), "{text}");
    }
}

#[test]
fn what_is_not_sure_is_left_to_the_validator() {
    let fast = FastValidator::of(&person()).unwrap();
    let schema = Schema::compile(&person().to_string(), &SchemaLimits::default()).unwrap();
    for text in [
        r#"{"name":"Ada","age":36.0}"#,
        r#"{"name":"Ada","other":{"any":[1]}}"#,
        r#"{"name":"\ud83d\ude00"}"#,
    ] {
        assert!(!fast.admits(text), "{text}");
        assert!(schema.validate_json(text).is_ok(), "{text}");
    }
}

#[test]
fn a_plain_schema_compiles() {
    let limits = SchemaLimits::default();
    let schema = Schema::compile(&person().to_string(), &limits).unwrap();
    assert!(schema.0.fast.is_some() && schema.0.validator.get().is_none());
    assert!(schema.0.validator().is_some());
}

#[test]
fn a_schema_that_demands_more_than_types_or_may_be_wrong_has_no_quick_way() {
    for keyword in [
        json!({"minimum": 0}),
        json!({"pattern": "^a"}),
        json!({"enum": ["a"]}),
        json!({"$ref": "#/$defs/a"}),
        json!({"anyOf": [{"type": "string"}]}),
        json!({"additionalProperties": {"type": "string"}}),
        json!({"required": ["unknown"]}),
        json!({"type": "text"}),
        json!({"type": []}),
        json!({"type": ["null", "null"]}),
        json!({"title": 1}),
        json!({"properties": {"a": {}}, "required": ["a", "a"]}),
        json!({"properties": {"a": {"minLength": 1}}}),
        json!({"properties": {"a": false}}),
        json!({"items": {"maximum": 1}}),
    ] {
        assert!(FastValidator::of(&keyword).is_none(), "{keyword}");
    }
}
