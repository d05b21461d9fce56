//! Clients that can say anything, and a server to say it to.

mod history;
mod http;
mod line;
mod server;
mod slow;

use std::time::Duration;

use serde_json::{Value, json};

pub(crate) use self::{
    history::History,
    http::{Client, Connection, Events, Response},
    line::LineClient,
    server::{HttpTest, Probe, builder, http, http_with, quick, server},
    slow::SlowLog,
};

/// The legacy revisions, which begin with a handshake.
pub(crate) const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
pub(crate) const NEWEST_LEGACY: &str = "2025-11-25";
pub(crate) const MODERN: &str = "2026-07-28";

/// Waits for what must happen soon.
#[track_caller]
pub(crate) fn soon<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let caller = std::panic::Location::caller();
    async move {
        let output = tokio::time::timeout(PATIENCE, future).await;
        output.unwrap_or_else(|_| panic!("waited too long at {caller}"))
    }
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn until(mut so: impl FnMut() -> bool) -> impl Future<Output = ()> {
    soon(async move {
        while !so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
}

pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(id, "tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// A call whose progress is asked for.
pub(crate) fn followed(id: impl Into<Value>, token: &str, tool: &str, arguments: Value) -> Value {
    let meta = json!({ "progressToken": token });
    request(id, "tools/call", json!({ "name": tool, "arguments": arguments, "_meta": meta }))
}

pub(crate) fn cancel(id: impl Into<Value>) -> Value {
    notification("notifications/cancelled", json!({ "requestId": id.into() }))
}

pub(crate) fn initialize(version: &str) -> Value {
    let capabilities = json!({ "elicitation": {} });
    let info = json!({ "name": "test", "version": "1" });
    let params =
        json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": info });
    request("init", "initialize", params)
}

/// A request that stands for itself.
pub(crate) fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
        "progressToken": "p",
    });
    params["_meta"] = meta;
    request(id, method, params)
}

/// The text of a tool's answer.
#[track_caller]
pub(crate) fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{message}"))
}

#[track_caller]
pub(crate) fn code(message: &Value) -> i64 {
    message["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {message}"))
}

const PATIENCE: Duration = Duration::from_secs(60);
