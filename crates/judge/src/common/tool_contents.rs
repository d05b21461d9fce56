//! What tools and prompts give beside plain text, what they are called, and how they fail.

use proofmark_record::evidence::Place;
use serde_json::Value;

/// The resource inside a block.
pub(crate) fn resource((place, block): (Place, &Value)) -> Option<(Place, &Value)> {
    (block.get("type")? == "resource").then_some(())?;
    Some((place, block.get("resource").unwrap_or(&Value::Null)))
}
