use std::{net::TcpListener, thread};

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::*;

mod bounds;

#[test]
fn values_are_told_apart() {
    let person = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "pattern": "^[A-Z]"},
            "age": {"type": "integer", "minimum": 0},
            "kind": {"enum": ["cat", "dog"]},
            "next": {"$ref": "#"}
        },
        "required": ["name"],
        "additionalProperties": false
    });
    let schema = compile(&person);
    for (instance, expected) in [
        (json!({"name": "Ada"}), None),
        (json!({"name": "Ada", "age": 3, "kind": "cat", "next": {"name": "Bob"}}), None),
        (json!({"name": "Ada", "age": 3.0}), None),
        (json!([]), Some("expected object, got array")),
        (json!({}), Some("expected a property \"name\"")),
        (json!({"name": 1}), Some("/name: expected string, got integer")),
        (json!({"name": ""}), Some("/name: expected at least 1 characters")),
        (json!({"name": "ada"}), Some("/name: expected a match with ^[A-Z], got \"ada\"")),
        (json!({"name": "Ada", "age": -1}), Some("/age: expected at least 0, got -1")),
        (json!({"name": "Ada", "age": 0.5}), Some("/age: expected integer, got number")),
        (
            json!({"name": "Ada", "kind": "cow"}),
            Some("/kind: expected one of \"cat\", \"dog\", got \"cow\""),
        ),
        (json!({"name": "Ada", "b": 1}), Some("expected no further property, got \"b\"")),
        (
            json!({"name": "Ada", "next": {"name": null}}),
            Some("/next/name: expected string, got null"),
        ),
    ] {
        let found = schema.validate(&instance).err().map(|violation| violation.to_string());
        assert_eq!(found.as_deref(), expected, "{instance}");
    }
}

#[test]
fn each_dialect_reads_items_in_its_own_way() {
    let tuple = |dialect: &str| json!({"$schema": dialect, "items": [{"type": "string"}], "additionalItems": false});
    let old = compile(&tuple("http://json-schema.org/draft-07/schema#"));
    assert!(old.validate(&json!(["a"])).is_ok());
    assert!(old.validate(&json!(["a", "b"])).is_err());
    assert!(matches!(
        refused(&tuple("https://json-schema.org/draft/2020-12/schema")),
        SchemaError::Invalid { .. }
    ));
    assert_eq!(
        refused(&json!({"$schema": "https://example.com/own"})),
        SchemaError::Dialect("https://example.com/own".into())
    );
}

#[test]
fn a_violation_is_short_whatever_the_peer_sends() {
    let schema = compile(
        &json!({"additionalProperties": {"const": "x".repeat(5_000)}, "propertyNames": {"maxLength": 9_000}}),
    );
    let name = "é".repeat(8_000);
    let violation = schema.validate(&json!({ name: "y".repeat(100_000) })).unwrap_err();
    assert!(violation.to_string().len() < 1_100, "{}", violation.to_string().len());
    assert!(violation.instance_path.starts_with("/éé"));
}

#[test]
fn text_is_parsed_and_checked_in_one_go() {
    let schema = compile(&json!({"type": "object"}));
    assert_eq!(schema.validate_json(r#"{"a":1}"#), Ok(json!({"a": 1})));
    assert_eq!(schema.validate_json("[]").unwrap_err().cause, Cause::Keyword("type".into()));
    assert_eq!(schema.validate_json("{").unwrap_err().cause, Cause::NotJson);
    assert_eq!(schema.validate_json(&"[".repeat(1_000_000)).unwrap_err().cause, Cause::NotJson);
}

#[test]
fn the_text_is_kept_and_debug_is_short() {
    let text = r#"{ "$id":"https://example.com/a", "type" : "object" }"#;
    let schema = Schema::compile_input(text, &SchemaLimits::default()).unwrap();
    assert_eq!(schema.text(), text);
    assert!(format!("{schema:?}").len() < 40);
}

#[test]
fn a_clone_is_shared_between_threads() {
    let schema = compile(&json!({"type": "string"}));
    let elsewhere = schema.clone();
    assert!(thread::spawn(move || elsewhere.validate(&json!("a"))).join().unwrap().is_ok());
    assert!(Arc::strong_count(&schema.0) == 1 && schema.validate(&json!(1)).is_err());
}

#[test]
fn an_input_schema_describes_an_object() {
    let limits = SchemaLimits::default();
    for text in ["{}", "true", r#"{"type":"string"}"#, r#"{"type":["object","null"]}"#] {
        assert_eq!(Schema::compile_input(text, &limits).unwrap_err(), SchemaError::NotAnObject);
        assert!(Schema::compile(text, &limits).is_ok());
    }
}

#[test]
fn what_is_no_schema_is_refused_with_the_place() {
    let SchemaError::Invalid { place, .. } =
        refused(&json!({"properties": {"a": {"type": "strin"}}}))
    else {
        panic!()
    };
    assert_eq!(place, "/properties/a/type");
    assert!(matches!(refused(&json!(5)), SchemaError::Invalid { .. }));
    assert!(matches!(Schema::compile("{", &SchemaLimits::default()), Err(SchemaError::NotJson(_))));
}

#[test]
fn references_within_the_document_are_followed() {
    for (reference, definition) in [
        ("#/$defs/a", json!({"type": "string"})),
        ("#/%24defs/a", json!({"type": "string"})),
        ("#here", json!({"$anchor": "here", "type": "string"})),
    ] {
        let schema = compile(
            &json!({"$id": "http://h/", "items": {"$ref": reference}, "$defs": {"a": definition}}),
        );
        assert!(schema.validate(&json!(["x"])).is_ok(), "{reference}");
        assert!(schema.validate(&json!([1])).is_err(), "{reference}");
    }
    let elsewhere =
        compile(&json!({"$ref": "#/components/x~1y", "components": {"x/y": {"type": "null"}}}));
    assert!(elsewhere.validate(&json!(0)).is_err());
}

#[test]
fn references_to_nothing_are_named() {
    for reference in ["#/$defs/b", "#nowhere", "#/$defs/%zz", "#/type"] {
        let schema = json!({"type": "object", "$defs": {"a": {"$ref": reference}}});
        assert_eq!(refused(&schema), SchemaError::UnresolvedReference(reference.into()));
    }
    let twice = json!({"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}});
    assert_eq!(refused(&twice), SchemaError::AmbiguousAnchor("x".into()));
}

#[test]
fn nothing_is_ever_fetched() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let host = listener.local_addr().unwrap();
    let places: [fn(Value) -> Value; 5] = [
        |reference| reference,
        |reference| json!({"properties": {"a": reference}}),
        |reference| json!({"$defs": {"unused": {"anyOf": [reference]}}}),
        |reference| json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": reference}}),
        |reference| json!({"$ref": "#/odd", "odd": reference}),
    ];
    for target in [
        format!("http://{host}/s"),
        format!("https://{host}/s"),
        format!("ftp://{host}/s"),
        format!("//{host}/s"),
        format!("HTTP://{host}/s#/a"),
        "file:///etc/passwd".into(),
        "s.json".into(),
        "https://json-schema.org/draft/2020-12/schema".into(),
        String::new(),
    ] {
        for place in places {
            let error = refused(&place(json!({"$ref": target})));
            assert_eq!(error, SchemaError::ExternalReference(target.clone()));
            let error = refused(&place(json!({"$dynamicRef": target})));
            assert_eq!(error, SchemaError::DynamicReference(target.clone()));
        }
        let based = json!({"$defs": {"a": {"$id": format!("http://{host}/"), "$ref": "#/x"}}});
        assert!(matches!(refused(&based), SchemaError::EmbeddedResource { keyword: "$id", .. }));
        let dialect = json!({"$schema": format!("http://{host}/schema")});
        assert!(matches!(refused(&dialect), SchemaError::Dialect(_)));
        compile(&json!({"$id": format!("http://{host}/"), "properties": {"a": {"$ref": "#"}}}));
        compile(&json!({"const": {"$ref": target}, "default": {"$id": target}}));
    }
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_pattern_that_needs_backtracking_is_not_supported() {
    for pattern in ["(?=a)b", "(?<!a)b", r"(a)\1", "(", "a{1000}{1000}"] {
        let expected = SchemaError::Pattern { pattern: pattern.into() };
        assert_eq!(refused(&json!({"pattern": pattern})), expected);
        assert_eq!(refused(&json!({"patternProperties": {pattern: true}})), expected);
    }
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Tree {
    /// What it carries.
    leaf: u8,
    children: Vec<Self>,
    shape: Option<Shape>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Shape {
    Round,
    Square { side: f64 },
}

#[derive(JsonSchema)]
struct Nothing {}

#[test]
fn a_type_describes_itself_completely() {
    let raw = schema_of::<Tree>();
    let schema = Schema::compile_input(raw.as_str(), &SchemaLimits::default()).unwrap();
    assert!(
        schema.validate(&json!({"leaf": 1, "children": [{"leaf": 2, "children": []}]})).is_ok()
    );
    assert!(
        schema.validate(&json!({"leaf": 1, "children": [{"leaf": 300, "children": []}]})).is_err()
    );
    assert!(
        schema
            .validate(&json!({"leaf": 1, "children": [], "shape": {"Square": {"side": 1.5}}}))
            .is_ok()
    );
    let root: Value = raw.decode().unwrap();
    assert_eq!((root.get("title"), root.get("$schema")), (None, None));
    assert_eq!(root["properties"]["leaf"]["description"], "What it carries.");
}

#[test]
fn a_type_without_fields_takes_no_properties() {
    assert_eq!(
        schema_of::<Nothing>().decode::<Value>().unwrap(),
        json!({"type": "object", "additionalProperties": false})
    );
    let anything: Value = schema_of::<Value>().decode().unwrap();
    assert_eq!(anything, json!({"type": "object"}));
    assert_eq!(schema_of::<bool>().decode::<Value>().unwrap(), json!({"type": "boolean"}));
}

#[track_caller]
fn compile(schema: &Value) -> Schema {
    Schema::compile(&schema.to_string(), &SchemaLimits::default()).unwrap()
}

#[track_caller]
fn refused(schema: &Value) -> SchemaError {
    Schema::compile(&schema.to_string(), &SchemaLimits::default()).unwrap_err()
}

/// Runs on a stack as small as a worker thread's.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(test).unwrap().join().unwrap();
}
