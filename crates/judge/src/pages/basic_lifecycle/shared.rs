//! What several judges of `basic/lifecycle` use.

use proofmark_converse::mutation::Mutation;
use serde_json::{Value, json};

use crate::mutant::Mutant;

pub(super) const NO_HANDSHAKE: &str = "the client never sent initialize";

pub(super) const USES_RESOURCES: Mutant = Mutant::new(
    "lists resources whatever the server has",
    Mutation::Writes(|_, message: &Value| {
        let mut texts = vec![message.to_string()];
        if message["method"] == "tools/call" {
            let list = json!({ "jsonrpc": "2.0", "id": format!("undeclared {}", message["id"]), "method": "resources/list" });
            texts.push(list.to_string());
        }
        texts
    }),
);
