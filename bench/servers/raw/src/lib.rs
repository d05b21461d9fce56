//! What the servers without MCP share: one message in, the answer that an MCP server would give out.
//!
//! No sessions, no versions, no schemas and no checks: the floor under any server that uses `serde_json`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::{json, value::RawValue};

/// The answer to `tools/list`, made once.
pub struct Floor {
    tools: Vec<u8>,
}

/// What kind of message it was, for the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bad,
    Initialize,
    Notification,
    Request,
}

impl Floor {
    /// With `BENCH_TOOLS=N` in the environment it lists so many tools more.
    pub fn from_environment() -> Self {
        let more: u32 = std::env::var("BENCH_TOOLS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
        let own = [
            json!({"name": "echo", "description": "Echo a message", "inputSchema":
                {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}}),
            json!({"name": "add", "description": "Add two numbers", "inputSchema":
                {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]}}),
        ];
        let more = (0..more).map(|number| {
            json!({
                "name": format!("tool_{number:04}"),
                "description": format!("Generated tool number {number}: looks up records that match the query and returns a page of them"),
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "query": {"type": "string", "description": "Full-text query", "minLength": 1},
                        "limit": {"type": "integer", "description": "Page size", "minimum": 1, "maximum": 1000},
                        "cursor": {"type": "string", "description": "Opaque cursor of the page before"},
                        "order": {"type": "string", "enum": ["asc", "desc"]}
                    },
                    "required": ["query"]
                }
            })
        });
        let tools: Vec<_> = own.into_iter().chain(more).collect();
        Self { tools: json!({ "tools": tools }).to_string().into_bytes() }
    }

    /// Appends the answer to `out`; nothing for a notification.
    pub fn answer(&self, input: &[u8], out: &mut Vec<u8>) -> Kind {
        let Ok(message) = serde_json::from_slice::<Message<'_>>(input) else {
            out.extend_from_slice(
                br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no JSON"}}"#,
            );
            return Kind::Bad;
        };
        let Some(id) = message.id else { return Kind::Notification };
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(id.get().as_bytes());
        out.extend_from_slice(br#","result":"#);
        let kind = match &*message.method {
            "initialize" => {
                let version = &message.params.protocol_version;
                let result = json!({"protocolVersion": version, "capabilities": {"tools": {}},
                    "serverInfo": {"name": "raw", "version": "0"}});
                write(out, &result);
                Kind::Initialize
            }
            "tools/list" => {
                out.extend_from_slice(&self.tools);
                Kind::Request
            }
            _ => {
                call(&message.params, out);
                Kind::Request
            }
        };
        out.push(b'}');
        kind
    }
}

/// Every member that the messages of the benchmark have, so that one pass is enough.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Cow<'a, str>,
    #[serde(borrow, default)]
    params: Params<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Arguments<'a>,
    #[serde(borrow, default)]
    protocol_version: Cow<'a, str>,
    #[serde(default, rename = "_meta")]
    meta: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
struct Arguments<'a> {
    #[serde(borrow, default)]
    message: Cow<'a, str>,
    #[serde(default)]
    a: f64,
    #[serde(default)]
    b: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult<'a> {
    content: [Text<'a>; 1],
    is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
}

#[derive(Serialize)]
struct Text<'a> {
    r#type: &'static str,
    text: &'a str,
}

fn call(params: &Params<'_>, out: &mut Vec<u8>) {
    let sum = (params.name == "add").then(|| (params.arguments.a + params.arguments.b).to_string());
    let text = sum.as_deref().unwrap_or(&params.arguments.message);
    let result_type = params.meta.as_ref().map(|_| "complete");
    let content = [Text { r#type: "text", text }];
    write(out, &ToolResult { content, is_error: false, result_type });
}

fn write(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(out, value).expect("strings and numbers always encode");
}
