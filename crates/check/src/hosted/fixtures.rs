//! What the hosted server has to offer.

use serde_json::{Value, json};

/// The tools, under the names that conformance suites for clients use.
pub(super) fn tools() -> Vec<Value> {
    let none = json!({ "type": "object", "properties": {} });
    let numbers = json!({ "type": "object", "required": ["a", "b"],
        "properties": { "a": { "type": "number" }, "b": { "type": "number" } } });
    let read_only = json!({ "readOnlyHint": true });
    vec![
        json!({ "name": "add_numbers", "description": "Adds two numbers", "inputSchema": numbers,
            "annotations": read_only }),
        json!({ "name": "test_reconnection", "description": "Answers on a stream that was taken up again",
            "inputSchema": none, "annotations": read_only }),
        json!({ "name": "slow", "description": "Takes its time", "inputSchema": none,
            "annotations": read_only }),
    ]
}

pub(super) fn called(params: &Value) -> Value {
    let arguments = &params["arguments"];
    let text = match params["name"].as_str() {
        Some("add_numbers") => {
            let sum =
                arguments["a"].as_f64().unwrap_or(0.0) + arguments["b"].as_f64().unwrap_or(0.0);
            format!("The sum of {} and {} is {sum}", arguments["a"], arguments["b"])
        }
        _ => "done".to_owned(),
    };
    json!({ "content": [{ "type": "text", "text": text }] })
}

pub(super) fn resources() -> Vec<Value> {
    vec![
        json!({ "uri": "test://hosted/one", "name": "one", "mimeType": "text/plain" }),
        json!({ "uri": "test://hosted/two", "name": "two", "mimeType": "text/plain" }),
    ]
}

pub(super) fn templates() -> Vec<Value> {
    vec![json!({ "uriTemplate": "test://hosted/{name}", "name": "by name" })]
}

pub(super) fn read(params: &Value) -> Option<Value> {
    let uri = params["uri"].as_str()?;
    uri.starts_with("test://hosted/").then(
        || json!({ "contents": [{ "uri": uri, "mimeType": "text/plain", "text": "hosted" }] }),
    )
}

pub(super) fn prompts() -> Vec<Value> {
    vec![
        json!({ "name": "plain", "description": "Takes nothing" }),
        json!({ "name": "greeting", "description": "Greets somebody",
            "arguments": [{ "name": "name", "required": true }] }),
    ]
}

pub(super) fn prompt(params: &Value) -> Option<Value> {
    let text = match params["name"].as_str()? {
        "plain" => "Hello".to_owned(),
        "greeting" => format!("Hello {}", params["arguments"]["name"].as_str()?),
        _ => return None,
    };
    Some(json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": text } }] }))
}
