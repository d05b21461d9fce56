//! Tools whose input schemas are what is looked at.

use std::future::ready;

use proofmark_sdk::{
    core::json::Raw,
    server::{Context, ToolEntry},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::fixture;

pub(super) fn all() -> Vec<ToolEntry> {
    vec![
        fixture("json_schema_2020_12_tool", "Has an input schema with what 2020-12 can express")
            .input_schema(handwritten(SCHEMA_2020_12))
            .handler(|_: Context, given: Map<String, Value>| {
                ready(format!("Arguments: {}", Value::Object(given)))
            }),
        fixture("test_custom_header", "Has an argument that HTTP clients repeat in a header")
            .handler(region),
        fixture("test_custom_header_number", "Has a number that HTTP clients repeat in a header")
            .handler(shelf),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct Place {
    /// Repeated in the header `Mcp-Param-Region`
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

async fn region(_: Context, Place { region }: Place) -> String {
    format!("Region: {region}")
}

#[derive(Deserialize, JsonSchema)]
struct Shelf {
    /// Repeated in the header `Mcp-Param-Shelf`
    #[schemars(extend("x-mcp-header" = "Shelf"))]
    shelf: i32,
}

async fn shelf(_: Context, Shelf { shelf }: Shelf) -> String {
    format!("Shelf: {shelf}")
}

fn handwritten(schema: &str) -> Raw {
    Raw::from_json(schema).expect("the schema is JSON")
}

const SCHEMA_2020_12: &str = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
    }
  },
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
}"##;
