//! Schemas of Rust types.

use proofmark_core::json::Raw;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The schema of a type that a tool takes as its arguments, complete in itself.
///
/// It is JSON Schema 2020-12, which is what a reader assumes, so `$schema` is left out; so is the type's name as `title`. A
/// type whose schema says nothing of its kind, such as an enum, gets `"type": "object"`. One without fields allows no
/// properties. For a type that is not written as an object, such as an integer, the schema says so and is no input schema.
pub fn schema_of<T: JsonSchema>() -> Raw {
    let mut schema = root_of::<T>(SchemaSettings::draft2020_12());
    let says_more = schema.keys().any(|keyword| keyword != "type" && keyword != "description");
    let says_object = schema.get("type").is_some_and(|kind| kind == "object");
    schema.entry("type").or_insert_with(|| json!("object"));
    if says_object && !says_more {
        schema.insert("additionalProperties".into(), json!(false));
    }
    Raw::new(&schema).expect("a JSON value can be written down")
}

/// The schema of a type that is written as an object; `None` if it says it is something else, or nothing of the kind.
pub(crate) fn object_schema_of<T: JsonSchema>() -> Option<Raw> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = root_of::<T>(settings);
    let says_object = schema.get("type").is_some_and(|kind| kind == "object");
    says_object.then(|| Raw::new(&schema).expect("a JSON value can be written down"))
}

/// The schema of a type with everything in its place, for types that do not contain themselves.
pub(super) fn inline_schema_of<T: JsonSchema>() -> Map<String, Value> {
    root_of::<T>(SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true))
}

fn root_of<T: JsonSchema>(settings: SchemaSettings) -> Map<String, Value> {
    let settings = settings.with(|settings| settings.meta_schema = None);
    let root = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = root.as_object().cloned().unwrap_or_default();
    schema.remove("title");
    schema
}
