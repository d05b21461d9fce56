//! What kind of client the checker is, and what it answers when it is asked.

use proofmark_core::revision::{ClientCapability, Revision};
use serde_json::{Value, json};

use crate::evidence::What;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Declares all that a client can have, and answers.
    Able,
    /// Declares nothing, and refuses everything but pings.
    Bare,
    /// Declares all that a client can have, and answers nothing but pings.
    Mute,
}

impl Manner {
    /// The capabilities of the handshake.
    pub fn capabilities(self, revision: Revision) -> Value {
        if self == Self::Bare {
            return json!({});
        }
        let known = revision.rules().client_capabilities;
        let mut capabilities = json!({});
        if known.contains(ClientCapability::Roots) {
            capabilities["roots"] = if known.contains(ClientCapability::RootsListChanged) {
                json!({ "listChanged": true })
            } else {
                json!({})
            };
        }
        if known.contains(ClientCapability::Sampling) {
            capabilities["sampling"] = json!({});
        }
        if known.contains(ClientCapability::Elicitation) {
            capabilities["elicitation"] = if known.contains(ClientCapability::ElicitationForm) {
                json!({ "form": {} })
            } else {
                json!({})
            };
        }
        capabilities
    }

    /// Answers to the requests in a frame.
    pub(super) fn replies_to(self, what: &What) -> Vec<String> {
        let What::Received { frame, .. } = what else { return Vec::new() };
        let reply = |message: &Value| {
            let (method, id) = (message.get("method")?.as_str()?, message.get("id")?);
            let mut reply = match (self, method) {
                (_, "ping") => json!({ "result": {} }),
                (Self::Mute, _) => return None,
                (Self::Able, _) if answer(method).is_some() => {
                    json!({ "result": answer(method) })
                }
                _ => json!({ "error": { "code": -32601,
                    "message": format!("this client does not offer {method}") } }),
            };
            reply["jsonrpc"] = json!("2.0");
            reply["id"] = id.clone();
            Some(reply.to_string())
        };
        frame.messages().iter().filter_map(reply).collect()
    }
}

/// What a client that has everything answers. It enters nothing, so that nothing comes of it.
pub(super) fn answer(method: &str) -> Option<Value> {
    Some(match method {
        "elicitation/create" => json!({ "action": "decline" }),
        "roots/list" => json!({ "roots": [{ "uri": "file:///proofmark", "name": "proofmark" }] }),
        "sampling/createMessage" => json!({ "role": "assistant", "model": "proofmark",
            "content": { "type": "text", "text": "This is a test." }, "stopReason": "endTurn" }),
        _ => return None,
    })
}
