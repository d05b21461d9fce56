//! The messages that are measured.

use std::fmt::Write as _;

/// A call as small ones are: two arguments and a text of a hundred bytes.
pub fn call_legacy() -> Vec<u8> {
    call(&text(100), "")
}

/// The same call with all that a modern request says about itself.
pub fn call_modern() -> Vec<u8> {
    let meta = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;
    call(&text(100), meta)
}

pub fn call_large() -> Vec<u8> {
    call(&text(64 * 1024), "")
}

pub fn answer() -> Vec<u8> {
    let text = text(100);
    format!(
        r#"{{"jsonrpc":"2.0","id":7,"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
    .into_bytes()
}

/// An answer with a hundred tools.
pub fn list() -> Vec<u8> {
    let mut tools = String::new();
    for number in 0..100 {
        let comma = if number == 0 { "" } else { "," };
        write!(
            tools,
            r#"{comma}{{"name":"tool_{number}","title":"Tool {number}","description":"Does the job that has the number {number}, and does it well.","inputSchema":{{"properties":{{"count":{{"minimum":1,"type":"integer"}},"path":{{"description":"Where to look","type":"string"}}}},"required":["path"],"type":"object"}},"annotations":{{"readOnlyHint":true,"openWorldHint":false}}}}"#
        )
        .expect("a string takes all text");
    }
    format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"tools":[{tools}]}}}}"#).into_bytes()
}

fn call(text: &str, meta: &str) -> Vec<u8> {
    format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"echo","arguments":{{"count":3,"message":"{text}"}}{meta}}}}}"#
    )
    .into_bytes()
}

/// Words, with a line break here and there, as JSON writes them.
fn text(length: usize) -> String {
    "the quick brown fox jumps over the lazy dog\\n"
        .chars()
        .cycle()
        .take(length / 45 * 45)
        .collect()
}
