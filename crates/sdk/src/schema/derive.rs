//! Schemas of Rust types.

use proofmark_core::json::Raw;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::json;

/// The schema of a type that a tool takes as its arguments, complete in itself.
///
/// It is JSON Schema 2020-12, which is what a reader assumes, so `$schema` is left out; so is the type's name as `title`. A
/// type whose schema says nothing of its kind, such as an enum, gets `"type": "object"`. One without fields allows no
/// properties. For a type that is not written as an object, such as an integer, the schema says so and is no input schema.
pub fn schema_of<T: JsonSchema>() -> Raw {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let root = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = root.as_object().cloned().unwrap_or_default();
    schema.remove("title");
    let says_more = schema.keys().any(|keyword| keyword != "type" && keyword != "description");
    let says_object = schema.get("type").is_some_and(|kind| kind == "object");
    schema.entry("type").or_insert_with(|| json!("object"));
    if says_object && !says_more {
        schema.insert("additionalProperties".into(), json!(false));
    }
    Raw::new(&schema).expect("a JSON value can be written down")
}
