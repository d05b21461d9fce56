//! The arguments of a tool, from JSON to what its handler takes.

use proofmark_core::json::Raw;
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};

use crate::schema::{Schema, schema_of};

/// For a handler of a tool that takes no arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArguments {}

/// A tool's own schema, or the one that its arguments' type implies.
pub(super) fn schema_for<A: JsonSchema>(given: Option<Raw>) -> Raw {
    given.unwrap_or_else(schema_of::<A>)
}

/// Checks arguments against the schema and decodes them. The error says what is wrong where.
pub(super) fn decode<A: DeserializeOwned>(
    schema: &Schema,
    arguments: Option<&str>,
) -> Result<A, String> {
    let text = arguments.unwrap_or("{}");
    if let Some(decoded) = schema.decode_fast(text) {
        return Ok(decoded);
    }
    schema.check_json(text).map_err(|violation| violation.to_string())?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}
