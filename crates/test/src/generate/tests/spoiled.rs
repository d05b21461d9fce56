//! A small server, right or spoiled in one way.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};

use crate::{MemoryServer, schema};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spoiled {
    CrashOnNull,
    HangOnDeep,
    InternalError,
    /// It does not look at this keyword.
    Keyword(&'static str),
    ListsTwice,
    NoOutput,
    Nothing,
    NotIdempotent,
    Random,
    RefusesValid,
    /// The tool that says it is read-only writes.
    Writes,
    WrongOutput,
}

pub(super) fn memory(spoiled: Spoiled) -> MemoryServer {
    MemoryServer::new(move || {
        let (near, far) = duplex(64 * 1024);
        (near, Box::pin(serve(spoiled, far)))
    })
}

async fn serve(spoiled: Spoiled, stream: DuplexStream) {
    let (reader, mut writer) = split(stream);
    let mut lines = BufReader::new(reader).lines();
    let state = Arc::new(AtomicI64::new(0));
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(id) = message.get("id").filter(|_| message.get("method").is_some()) else {
            continue;
        };
        let Some(answer) = answer(spoiled, &message, &state) else { return };
        if answer == Value::Null {
            continue;
        }
        let mut response = json!({"jsonrpc": "2.0", "id": id});
        for (name, value) in answer.as_object().into_iter().flatten() {
            response[name] = value.clone();
        }
        if writer.write_all(format!("{response}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

/// A `result` or an `error`; nothing at all for null, and the end of the connection for `None`.
fn answer(spoiled: Spoiled, message: &Value, state: &AtomicI64) -> Option<Value> {
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "resources": {}}, "serverInfo": {"name": "s", "version": "1"}
        }),
        "ping" => json!({}),
        "tools/list" => {
            let mut tools = vec![look(), set()];
            if spoiled == Spoiled::ListsTwice {
                tools.push(set());
            }
            json!({"tools": tools})
        }
        "resources/list" => json!({"resources": [{"uri": "state://now", "name": "now"}]}),
        "resources/templates/list" => json!({"resourceTemplates": []}),
        "resources/read" => {
            json!({"contents": [{"uri": "state://now", "text": state.load(Ordering::Relaxed).to_string()}]})
        }
        "tools/call" => return called(spoiled, &message["params"], state),
        other => return Some(json!({"error": {"code": -32601, "message": format!("no {other}")}})),
    };
    Some(json!({"result": result}))
}

fn called(spoiled: Spoiled, params: &Value, state: &AtomicI64) -> Option<Value> {
    let tool = if params["name"] == "set" { set() } else { look() };
    let arguments = &params["arguments"];
    if spoiled == Spoiled::CrashOnNull && has_null(arguments) {
        return None;
    }
    if spoiled == Spoiled::HangOnDeep && depth(arguments) > 50 {
        return Some(Value::Null);
    }
    let mut checked = tool["inputSchema"].clone();
    if let Spoiled::Keyword(keyword) = spoiled {
        without(&mut checked, keyword);
    }
    let fits = schema::compile(&checked).ok()?.is_valid(arguments);
    if !fits || spoiled == Spoiled::RefusesValid {
        let code = if spoiled == Spoiled::InternalError { -32603 } else { -32602 };
        return Some(json!({"error": {"code": code, "message": "invalid arguments"}}));
    }
    if params["name"] == "set" {
        match spoiled {
            Spoiled::NotIdempotent => _ = state.fetch_add(1, Ordering::Relaxed),
            _ => state.store(arguments["to"].as_i64().unwrap_or_default(), Ordering::Relaxed),
        }
        return Some(json!({"result": {"content": []}}));
    }
    if matches!(spoiled, Spoiled::Writes | Spoiled::Random) {
        state.fetch_add(1, Ordering::Relaxed);
    }
    let now = state.load(Ordering::Relaxed);
    let mut result = json!({"content": [{"type": "text", "text": now.to_string()}], "structuredContent": {"now": now}});
    match spoiled {
        Spoiled::WrongOutput => result["structuredContent"] = json!({"now": "much"}),
        Spoiled::NoOutput => result["structuredContent"] = Value::Null,
        _ => {}
    }
    if spoiled == Spoiled::NoOutput {
        result.as_object_mut()?.remove("structuredContent");
    }
    Some(json!({"result": result}))
}

fn look() -> Value {
    json!({
        "name": "look",
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
        "inputSchema": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "minLength": 2, "maxLength": 5},
                "code": {"type": "string", "pattern": "^[A-Z]{2}[0-9]+$"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                "even": {"type": "integer", "multipleOf": 2},
                "order": {"enum": ["up", "down"]},
                "version": {"const": 2},
                "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3, "uniqueItems": true},
                "either": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
                "inner": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": false},
                "free": {},
                "pair": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "dependentRequired": {"a": ["b"]},
                         "minProperties": 1},
            },
            "required": ["id"],
        },
        "outputSchema": {"type": "object", "properties": {"now": {"type": "integer"}}, "required": ["now"]},
    })
}

fn set() -> Value {
    json!({
        "name": "set",
        "annotations": {"idempotentHint": true, "destructiveHint": false},
        "inputSchema": {"type": "object", "properties": {"to": {"type": "integer", "minimum": 0, "maximum": 9}}, "required": ["to"]},
    })
}

/// The schema without a keyword, wherever it stands as one.
fn without(schema: &mut Value, keyword: &str) {
    match schema {
        Value::Object(members) => {
            members.remove(keyword);
            members.values_mut().for_each(|value| without(value, keyword));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| without(item, keyword)),
        _ => {}
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
