//! Servers that do something unusual which is allowed. A finding about one of them is a mistake of the checker.
//!
//! Each was a false alarm once, about a server in use.

use serde_json::{Value, json};

use crate::mutant::Mutant;
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::{meta::SUBSCRIPTION, transport::Transport};

/// None of them breaks anything.
pub static HARMLESS: &[Mutant] = &[
    Mutant {
        transport: Some(Transport::Sse),
        ..Mutant::new(
            "acknowledges in a word what was posted over HTTP+SSE",
            Mutation::Http(|context, reply| {
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
            Mutation::Http(|_, reply| {
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
        Mutation::Hears(|message| {
            let token = message.pointer("/params/_meta/progressToken");
            (token.and_then(Value::as_str) == Some("cancelled")).then(|| {
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "result": { "content": [] } });
                vec![answer.to_string()]
            })
        }),
    ),
    Mutant::new("has members of its own wherever it may", Mutation::Says(|_, it| adorn(it))),
    Mutant::new("has members of its own wherever it may", Mutation::Says(|_, it| adorn(it)))
        .modern(),
    Mutant::new(
        "has no subscriptions, and does not say that it has any",
        Mutation::Writes(unlistened),
    )
    .modern(),
    Mutant::new(
        "counts its progress anew in each round of a request",
        Mutation::Writes(|context, message| {
            let mut texts = vec![message.to_string()];
            let asks = context.params["name"] == "test_input_required_result_multi_round";
            if let Some(token) = context.params.pointer("/_meta/progressToken")
                && asks
            {
                let params = json!({ "progressToken": token, "progress": 1 });
                let told = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                    "params": params });
                texts.insert(0, told.to_string());
            }
            texts
        }),
    )
    .modern(),
    Mutant::new(
        "has another tool after calls, and only in the process that was called",
        Mutation::Says(|context, message| {
            let later = message["id"].as_u64().is_some_and(|id| id > EARLY_REQUESTS);
            if context.method == Some("tools/list")
                && later
                && let Some(tools) = message["result"]["tools"].as_array_mut()
            {
                tools.pop();
            }
        }),
    )
    .modern(),
    Mutant::new(
        "has no templates, and does not know the method",
        Mutation::Says(|context, message| {
            if context.method == Some("resources/templates/list") {
                let error = json!({ "code": -32601, "message": "there are no templates" });
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
            }
        }),
    ),
];

/// Gives every result, every item of a list, every content block and the params of every message a member that no schema has.
fn adorn(message: &mut Value) {
    let params = message.get_mut("params").filter(|it| it.is_object());
    if let Some(params) = params {
        params["com.example"] = json!([null]);
    }
    let Some(result) = message.get_mut("result").and_then(Value::as_object_mut) else { return };
    // What has to be empty stays so.
    if result.keys().all(|it| it == "_meta" || it == "resultType") {
        return;
    }
    for key in ["completions", "content", "contents", "messages", "prompts", "resources", "tools"] {
        let items = result.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten();
        for item in items.filter(|it| it.is_object()) {
            item["com.example"] = json!({ "a": null });
        }
    }
    result.insert("com.example".to_owned(), Value::Null);
}

fn unlistened(context: &Context<'_>, message: &Value) -> Vec<String> {
    let subscription = message.pointer("/params/_meta").and_then(|meta| meta.get(SUBSCRIPTION));
    let mut message = match (message["method"].as_str(), subscription) {
        (Some("notifications/subscriptions/acknowledged"), Some(id)) => {
            let error = json!({ "code": -32601, "message": "there are no subscriptions" });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
        (_, Some(_)) => return Vec::new(),
        _ if message.get("result").is_some() && context.method == Some("subscriptions/listen") => {
            return Vec::new();
        }
        _ => message.clone(),
    };
    for (capability, part) in DECLARATIONS {
        let declared =
            message.pointer_mut("/result/capabilities").and_then(|it| it.get_mut(capability));
        if let Some(declared) = declared.and_then(Value::as_object_mut) {
            declared.remove(part);
        }
    }
    vec![message.to_string()]
}

/// No tour has called anything with an id up to this, and no other connection gets further.
const EARLY_REQUESTS: u64 = 12;
const DECLARATIONS: [(&str, &str); 4] = [
    ("prompts", "listChanged"),
    ("resources", "listChanged"),
    ("resources", "subscribe"),
    ("tools", "listChanged"),
];
