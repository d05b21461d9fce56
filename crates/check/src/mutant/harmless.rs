//! Servers that do something unusual which is allowed. Whoever blames them is wrong.
//!
//! Each was a false alarm once, about a server that somebody uses.

use serde_json::Value;

use super::{Mutant, Spoil};
use crate::wire::Transport;

/// None of them breaks anything.
pub const HARMLESS: &[Mutant] = &[
    Mutant {
        transport: Some(Transport::Sse),
        ..Mutant::new(
            "acknowledges in a word what was posted over HTTP+SSE",
            Spoil::Http(|context, reply| {
                if context.method == "POST" && reply.status < 300 {
                    reply.replace(202, "text/plain", "Accepted");
                }
            }),
        )
    },
    Mutant {
        transport: Some(Transport::Http),
        ..Mutant::new(
            "names the character set of its JSON",
            Spoil::Http(|_, reply| {
                let is_json = |(name, value): &(String, String)| {
                    name == "content-type" && value.starts_with("application/json")
                };
                if reply.headers.iter().any(is_json) {
                    reply.set("content-type", "application/json; charset=utf-8");
                }
            }),
        )
    },
    Mutant::new(
        "has answered before the cancellation arrives",
        Spoil::Hears(|message| {
            let token = message.pointer("/params/_meta/progressToken");
            (token.and_then(Value::as_str) == Some("cancelled")).then(|| {
                let answer = serde_json::json!({ "jsonrpc": "2.0", "id": message["id"],
                    "result": { "content": [] } });
                vec![answer.to_string()]
            })
        }),
    ),
];
