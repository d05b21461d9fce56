//! What is sent, and a look at what comes back.

use serde_json::{Value, json};

use crate::Outcome;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

impl Era {
    pub(crate) fn revision(self) -> &'static str {
        match self {
            Self::Legacy => "2025-11-25",
            Self::Modern => "2026-07-28",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// `tools/call` of `echo` with a message of so many bytes.
    Echo(usize),
    /// `tools/list` of a server with so many tools beyond its two.
    List(usize),
}

impl Call {
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Echo(_) => "tools/call",
            Self::List(_) => "tools/list",
        }
    }

    /// Tools that the server needs beyond its two.
    pub(crate) fn more_tools(self) -> usize {
        match self {
            Self::Echo(_) => 0,
            Self::List(more) => more,
        }
    }

    /// Whether this is the answer.
    pub(crate) fn check(self, answer: &[u8]) -> Outcome<()> {
        let answer: Value = serde_json::from_slice(answer)?;
        let right = match self {
            Self::Echo(length) => {
                answer["result"]["content"][0]["text"].as_str() == Some(&text(length))
            }
            Self::List(more) => {
                answer["result"]["tools"].as_array().is_some_and(|tools| tools.len() == more + 2)
            }
        };
        if right {
            return Ok(());
        }
        let answer: String = answer.to_string().chars().take(300).collect();
        Err(format!("an answer to something else: {answer}").into())
    }
}

/// A request, and where its id stands. Ids have as many digits as the first, so that one can be written over another.
pub(crate) fn request(era: Era, call: Call) -> (Vec<u8>, usize) {
    let mut params = match call {
        Call::Echo(length) => json!({"name": "echo", "arguments": {"message": text(length)}}),
        Call::List(_) => json!({}),
    };
    if era == Era::Modern {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": era.revision(),
            "io.modelcontextprotocol/clientInfo": {"name": "compare", "version": "1.0.0"},
            "io.modelcontextprotocol/clientCapabilities": {}
        });
    }
    let begin = r#"{"jsonrpc":"2.0","id":"#;
    let text = format!(r#"{begin}{FIRST_ID},"method":"{}","params":{params}}}"#, call.method());
    (text.into_bytes(), begin.len())
}

pub(crate) fn initialize() -> String {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": Era::Legacy.revision(),
            "capabilities": {},
            "clientInfo": {"name": "compare", "version": "1.0.0"}
        }
    })
    .to_string()
}

/// Writes an id over another.
pub(crate) fn put_id(request: &mut [u8], at: usize, id: u64) {
    let digits = id.to_string();
    request[at..at + digits.len()].copy_from_slice(digits.as_bytes());
}

/// Whether an id stands near the beginning or the end of an answer.
pub(crate) fn has_id(answer: &[u8], id: u64) -> bool {
    let id = format!(r#""id":{id}"#);
    let near = answer.len().min(NEAR);
    let has = |part: &[u8]| part.windows(id.len()).any(|part| part == id.as_bytes());
    has(&answer[..near]) || has(&answer[answer.len() - near..])
}

/// Words; long ones have line breaks and quotation marks, as what tools return has.
fn text(length: usize) -> String {
    let words = if length < 1024 { SHORT } else { LONG };
    words.chars().cycle().take(length).collect()
}

pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
pub(crate) const FIRST_ID: u64 = 100_000_000;
const NEAR: usize = 400;
const SHORT: &str = "the quick brown fox jumps over the lazy dog and then tells everyone about it ";
const LONG: &str =
    "the quick brown fox jumps over the lazy dog and then tells \"everyone\" about it\n";
