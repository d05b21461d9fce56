//! The marks in a tool's input schema.

use std::collections::HashSet;

use http::HeaderName;
use serde_json::{Map, Value};

use super::HeaderParameter;
use crate::json::RawRef;
use crate::streamable_http::names::MCP_PARAM_PREFIX;

/// Why a mark, and with it the tool, is invalid. A `path` is a JSON Pointer into the schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAnnotation {
    #[error("`x-mcp-header` at {path} is empty")]
    Empty { path: String },
    #[error("`x-mcp-header` at {path} is not a string")]
    NotAString { path: String },
    #[error("`x-mcp-header` at {path} is not a token of HTTP: {token:?}")]
    NotAToken { path: String, token: String },
    #[error("`x-mcp-header` at {path} is on something else than a string, an integer or a boolean")]
    NotPrimitive { path: String },
    #[error("`x-mcp-header` at {path} is not reached from the root through `properties` alone")]
    NotReachable { path: String },
    #[error("the schema cannot be read: {detail}")]
    NotReadable { detail: String },
    #[error("`x-mcp-header` {token:?} occurs twice, ignoring case")]
    NotUnique { token: String },
}

pub(super) fn read(schema: RawRef<'_>) -> Result<Vec<HeaderParameter>, BadAnnotation> {
    // The parser's own limit on depth bounds the recursion below.
    let schema: Value = serde_json::from_str(schema.get())
        .map_err(|error| BadAnnotation::NotReadable { detail: error.to_string() })?;
    let mut reader = Reader::default();
    reader.schema(&schema, &SchemaPath { pointer: String::new(), path: Some(Vec::new()) })?;
    Ok(reader.found)
}

/// Where a subschema stands.
struct SchemaPath {
    pointer: String,
    /// The keys that lead to its instance; `None` once a step was anything but `properties`.
    path: Option<Vec<String>>,
}

impl SchemaPath {
    fn property(&self, name: &str) -> Self {
        let path = self.path.as_ref().map(|path| {
            let mut path = path.clone();
            path.push(name.to_owned());
            path
        });
        Self { path, ..self.elsewhere("properties").elsewhere(name) }
    }

    fn elsewhere(&self, step: &str) -> Self {
        let step = step.replace('~', "~0").replace('/', "~1");
        Self { pointer: format!("{}/{step}", self.pointer), path: None }
    }
}

#[derive(Default)]
struct Reader {
    found: Vec<HeaderParameter>,
    /// In lower case.
    tokens: HashSet<String>,
}

impl Reader {
    fn schema(&mut self, schema: &Value, place: &SchemaPath) -> Result<(), BadAnnotation> {
        let Value::Object(members) = schema else { return Ok(()) };
        for (keyword, value) in members {
            match (keyword.as_str(), value) {
                (MARK, mark) => self.mark(mark, members, place)?,
                ("properties", Value::Object(properties)) => {
                    for (name, schema) in properties {
                        self.schema(schema, &place.property(name))?;
                    }
                }
                // Names that the schema's author chose, with schemas under them.
                (
                    "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                    Value::Object(named),
                ) => {
                    for (name, schema) in named {
                        self.schema(schema, &place.elsewhere(keyword).elsewhere(name))?;
                    }
                }
                // Data, in which nothing is a mark.
                ("const" | "default" | "enum" | "example" | "examples", _) => {}
                (_, Value::Array(schemas)) => {
                    for (at, schema) in schemas.iter().enumerate() {
                        self.schema(schema, &place.elsewhere(keyword).elsewhere(&at.to_string()))?;
                    }
                }
                (_, schema) => self.schema(schema, &place.elsewhere(keyword))?,
            }
        }
        Ok(())
    }

    fn mark(
        &mut self,
        mark: &Value,
        schema: &Map<String, Value>,
        place: &SchemaPath,
    ) -> Result<(), BadAnnotation> {
        let pointer = || place.pointer.clone();
        // The root is reached, but it is no property.
        let Some(path) = place.path.as_ref().filter(|path| !path.is_empty()) else {
            return Err(BadAnnotation::NotReachable { path: pointer() });
        };
        let Value::String(token) = mark else {
            return Err(BadAnnotation::NotAString { path: pointer() });
        };
        if token.is_empty() {
            return Err(BadAnnotation::Empty { path: pointer() });
        }
        let header = format!("{MCP_PARAM_PREFIX}{}", token.to_ascii_lowercase());
        let header = HeaderName::try_from(header)
            .map_err(|_| BadAnnotation::NotAToken { path: pointer(), token: token.clone() })?;
        if !schema.get("type").is_some_and(is_primitive) {
            return Err(BadAnnotation::NotPrimitive { path: pointer() });
        }
        if !self.tokens.insert(token.to_ascii_lowercase()) {
            return Err(BadAnnotation::NotUnique { token: token.clone() });
        }
        self.found.push(HeaderParameter { path: path.clone(), header });
        Ok(())
    }
}

/// One primitive type. It may be joined by null, because null is what a missing header mirrors.
fn is_primitive(kind: &Value) -> bool {
    let primitive = |kind: &Value| matches!(kind.as_str(), Some("boolean" | "integer" | "string"));
    match kind {
        Value::Array(kinds) => match kinds.as_slice() {
            [one] => primitive(one),
            [one, other] => {
                (primitive(one) && other == "null") || (one == "null" && primitive(other))
            }
            _ => false,
        },
        kind => primitive(kind),
    }
}

const MARK: &str = "x-mcp-header";
