//! What a request of the modern era says about itself: in `_meta`, and over HTTP once more in headers.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use super::{CLIENT_NAME, ClientKind};
use proofmark_core::revision::Revision;
use proofmark_record::event::Headers;
use proofmark_record::meta::{CAPABILITIES, CLIENT_INFO, VERSION};

/// The members of `_meta` that every request has.
pub(super) fn meta(revision: Revision, client_kind: ClientKind) -> Value {
    json!({
        VERSION: revision.as_str(),
        CAPABILITIES: client_kind.capabilities(revision),
        CLIENT_INFO: { "name": CLIENT_NAME, "version": env!("CARGO_PKG_VERSION") },
    })
}

/// The params with everything in `_meta` that they do not have themselves.
pub(super) fn with_metadata(
    params: Option<Value>,
    revision: Revision,
    client_kind: ClientKind,
) -> Value {
    let mut params = params.unwrap_or_else(|| json!({}));
    let mut whole = meta(revision, client_kind);
    if let Some(own) = params.get("_meta").and_then(Value::as_object) {
        for (key, value) in own {
            whole[key] = value.clone();
        }
    }
    params["_meta"] = whole;
    params
}

/// An argument of a tool that is repeated in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedArgument {
    pub tool: String,
    /// The names on the way to the argument.
    pub path: Vec<String>,
    /// What follows `Mcp-Param-` in the header's name.
    pub token: String,
}

impl MarkedArgument {
    /// The marked arguments of a listed tool.
    pub fn of(tool: &Value) -> Vec<Self> {
        let mut found = Vec::new();
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
        find(name, &tool["inputSchema"], &mut Vec::new(), &mut found);
        found
    }

    pub fn value<'a>(&self, arguments: &'a Value) -> Option<&'a Value> {
        let found = self.path.iter().try_fold(arguments, |value, name| value.get(name))?;
        (!found.is_null()).then_some(found)
    }

    /// The params of a call with another value for the argument, or with none.
    pub fn replaced(&self, params: &Value, value: Option<Value>) -> Value {
        let mut params = params.clone();
        let Some((last, connection)) = self.path.split_last() else { return params };
        let inner =
            connection.iter().try_fold(&mut params["arguments"], |it, name| it.get_mut(name));
        if let Some(inner) = inner.and_then(Value::as_object_mut) {
            match value {
                Some(value) => inner.insert(last.clone(), value),
                None => inner.remove(last),
            };
        }
        params
    }

    pub fn header(&self) -> String {
        format!("mcp-param-{}", self.token.to_ascii_lowercase())
    }
}

fn find(tool: &str, schema: &Value, path: &mut Vec<String>, found: &mut Vec<MarkedArgument>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        if path.len() >= DEEPEST {
            return;
        }
        path.push(name.clone());
        if let Some(token) = property.get("x-mcp-header").and_then(Value::as_str) {
            let (tool, token) = (tool.to_owned(), token.to_owned());
            found.push(MarkedArgument { tool, path: path.clone(), token });
        }
        find(tool, property, path, found);
        path.pop();
    }
}

/// The headers that repeat what is in the body of a message.
pub(super) fn mirrored(message: &Value, revision: Revision, marked: &[MarkedArgument]) -> Headers {
    let mut headers = vec![("mcp-protocol-version".to_owned(), revision.as_str().to_owned())];
    let Some(method) = message.get("method").and_then(Value::as_str) else { return headers };
    headers.push(("mcp-method".to_owned(), method.to_owned()));
    let params = &message["params"];
    if let Some(name) = name_member(method).and_then(|member| params.get(member)?.as_str()) {
        headers.push(("mcp-name".to_owned(), encoded(name)));
    }
    for argument in marked.iter().filter(|it| method == "tools/call" && params["name"] == it.tool) {
        let value = match argument.value(&params["arguments"]) {
            Some(Value::String(text)) => encoded(text),
            Some(other) => other.to_string(),
            None => continue,
        };
        headers.push((argument.header(), value));
    }
    headers
}

/// The member of params that `Mcp-Name` repeats.
pub fn name_member(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

/// As it is if a header can hold it, otherwise between the markers.
fn encoded(text: &str) -> String {
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
        && text.trim() == text
        && !text.starts_with("=?");
    if plain { text.to_owned() } else { sentinel(text) }
}

pub(super) fn sentinel(text: &str) -> String {
    format!("=?base64?{}?=", BASE64_STANDARD.encode(text))
}

/// Of properties in each other.
const DEEPEST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_header_cannot_hold_is_encoded() {
        assert_eq!(encoded("a b"), "a b");
        assert_eq!(encoded("ä"), "=?base64?w6Q=?=");
        assert_eq!(encoded(" a"), "=?base64?IGE=?=");
        assert_eq!(encoded("=?base64?IGE=?="), "=?base64?PT9iYXNlNjQ/SUdFPT89?=");
    }

    #[test]
    fn marked_arguments_are_found_and_repeated() {
        let tool = json!({ "name": "t", "inputSchema": { "type": "object", "properties": {
            "a": { "type": "object", "properties": {
                "b": { "type": "integer", "x-mcp-header": "Depth" } } } } } });
        let marked = MarkedArgument::of(&tool);
        let call = |arguments: Value| {
            let params = json!({ "name": "t", "arguments": arguments });
            json!({ "method": "tools/call", "params": params })
        };
        let revision = Revision::newest(proofmark_core::revision::Era::Modern);
        let headers = mirrored(&call(json!({ "a": { "b": 7 } })), revision, &marked);
        assert!(headers.contains(&("mcp-param-depth".to_owned(), "7".to_owned())), "{headers:?}");
        assert_eq!(mirrored(&call(json!({})), revision, &marked).len(), 3);
    }
}
