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

/// What a client calls to say which result it used: its description has the mark of the list it is in.
pub(super) fn reporting_tool(mark: &str) -> Value {
    json!({ "name": REPORT, "description": mark, "annotations": { "readOnlyHint": true },
        "inputSchema": { "type": "object", "required": ["of", "saw"], "properties": {
            "of": { "type": "string" }, "saw": { "type": "string" } } } })
}

/// Tools with arguments that are to be repeated in headers.
pub(super) fn marked_tools() -> Vec<Value> {
    let marked = json!({ "type": "object", "properties": {
        "region": { "type": "string", "x-mcp-header": "Region" },
        "count": { "type": "integer", "x-mcp-header": "Count" },
        "flag": { "type": "boolean", "x-mcp-header": "Flag" },
        "text": { "type": "string", "x-mcp-header": "Text" },
        "nested": { "type": "object", "properties": {
            "deep": { "type": "string", "x-mcp-header": "Deep" } } },
        "query": { "type": "string" } } });
    let none = json!({ "type": "object", "properties": {} });
    vec![
        json!({ "name": "marked", "description": "Has marked arguments", "inputSchema": marked }),
        json!({ "name": "r\u{e9}sum\u{e9}", "description": "Has an odd name", "inputSchema": none }),
    ]
}

/// What a client is to call when it meets those.
pub(super) fn marked_calls() -> Value {
    json!([
        { "name": "marked", "arguments": { "region": "us-west1", "count": 42, "flag": true,
            "nested": { "deep": "down" }, "query": "q" } },
        { "name": "marked", "arguments": { "region": "Hello, \u{4e16}\u{754c}", "count": -7, "flag": false,
            "text": " padded " } },
        { "name": "marked", "arguments": { "region": "=?base64?literal?=", "text": "line 1\nline 2" } },
        { "name": "marked", "arguments": { "region": null, "query": "x" } },
        { "name": "r\u{e9}sum\u{e9}", "arguments": {} },
    ])
}

/// One tool whose marks are right, and others.
pub(super) fn unfit_tools() -> Vec<Value> {
    let tool = |name: &str, properties: Value| {
        json!({ "name": name, "description": "Has a mark",
            "inputSchema": { "type": "object", "properties": properties } })
    };
    vec![
        tool("fit", json!({ "region": { "type": "string", "x-mcp-header": "Region" } })),
        tool("unfit_empty", json!({ "region": { "type": "string", "x-mcp-header": "" } })),
        tool("unfit_space", json!({ "region": { "type": "string", "x-mcp-header": "My Region" } })),
        tool("unfit_line", json!({ "region": { "type": "string", "x-mcp-header": "A\r\nB" } })),
        tool("unfit_number", json!({ "size": { "type": "number", "x-mcp-header": "Size" } })),
        tool(
            "unfit_twice",
            json!({ "a": { "type": "string", "x-mcp-header": "Region" },
                "b": { "type": "string", "x-mcp-header": "REGION" } }),
        ),
        tool(
            "unfit_items",
            json!({ "list": { "type": "array", "items": { "type": "object", "properties": {
                "a": { "type": "string", "x-mcp-header": "Inner" } } } } }),
        ),
    ]
}

/// The tools after one argument was marked.
pub(super) fn remarked_tools() -> Vec<Value> {
    let mut tools = tools();
    tools[0]["inputSchema"]["properties"]["a"] =
        json!({ "type": "integer", "x-mcp-header": NEW_MARK });
    tools
}

/// The tools with a schema that says the same in words of 2020-12.
pub(super) fn referring_tools() -> Vec<Value> {
    let mut tools = tools();
    tools[0]["inputSchema"] = json!({ "type": "object", "required": ["a", "b"],
        "$defs": { "number": { "$anchor": "number", "type": "number" } },
        "properties": { "a": { "$ref": "#/$defs/number" }, "b": { "$ref": "#number" } },
        "dependentRequired": { "a": ["b"] }, "unevaluatedProperties": false });
    tools
}

/// One whose schema lies elsewhere on this host.
pub(super) fn remote_tool(host: &str) -> Value {
    json!({ "name": "remote", "description": "Has a schema that lies elsewhere",
        "inputSchema": { "type": "object",
            "properties": { "a": { "$ref": format!("http://{host}{REMOTE_SCHEMA}") } } } })
}

/// Those that are tasks, as tools of the experiment say.
pub(super) fn jobs() -> Vec<Value> {
    let none = json!({ "type": "object", "properties": {} });
    [(JOB, "required"), (MAYBE_JOB, "optional")]
        .map(|(name, support)| {
            json!({ "name": name, "description": "Is done in the background", "inputSchema": none,
                "annotations": { "readOnlyHint": true }, "execution": { "taskSupport": support } })
        })
        .to_vec()
}

pub(super) fn is_job(name: &str) -> bool {
    [JOB, MAYBE_JOB].contains(&name)
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

/// What an argument is marked with when its tool has been listed already.
pub const NEW_MARK: &str = "Addend";
/// A tool by which a client says which result it used.
pub const REPORT: &str = "report";
pub(super) const JOB: &str = "job";
const MAYBE_JOB: &str = "maybe-job";
/// A prompt that is answered as no prompt can be.
pub(super) const ODD_PROMPT: &str = "plain";
pub const ODD_TASK: &str = "hosted-odd-job";
pub const REMOTE_SCHEMA: &str = "/schema.json";
