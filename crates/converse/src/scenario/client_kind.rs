//! What kind of client the checker is, and what it answers when it is asked.

mod forms;

use std::time::Duration;

pub use forms::MISFITS;
use forms::misfit;
use proofmark_core::revision::{ClientCapability, Revision};
use proofmark_record::meta::{RELATED_TASK, TASKS_EXTENSION};
use serde_json::{Value, json};

use proofmark_record::event::EventKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientKind {
    /// Declares all that a client can have, and answers.
    Able,
    /// Declares nothing, and refuses everything but pings.
    Bare,
    /// Declares all that a client can have, and answers nothing but pings.
    Mute,
    /// Declares this and nothing else, and answers.
    Only(ClientCapability),
    /// Declares all that a client can have, tasks included, and answers; as tasks where that is wished.
    Tasking,
    /// Declares no more than the first clients of a feature had, and is no help to those who ask the user.
    Plain(FormHandling),
}

/// What becomes of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormHandling {
    /// It is dismissed.
    Dismissing,
    /// It is filled in with values that do not fit.
    Misfitting,
}

impl ClientKind {
    /// The capabilities of the handshake.
    pub fn capabilities(self, revision: Revision) -> Value {
        if self == Self::Bare {
            return json!({});
        }
        let known = revision.rules().client_capabilities;
        let has = |capability: ClientCapability| match self {
            Self::Only(only) => capability == only,
            _ => known.contains(capability),
        };
        let more = !matches!(self, Self::Only(_) | Self::Plain(_));
        let mut capabilities = json!({});
        if has(ClientCapability::Roots) {
            capabilities["roots"] = if known.contains(ClientCapability::RootsListChanged) {
                json!({ "listChanged": true })
            } else {
                json!({})
            };
        }
        if has(ClientCapability::Sampling) {
            capabilities["sampling"] = json!({});
            if more && known.contains(ClientCapability::SamplingTools) {
                capabilities["sampling"]["tools"] = json!({});
            }
        }
        if has(ClientCapability::Elicitation) {
            capabilities["elicitation"] = json!({});
            if known.contains(ClientCapability::ElicitationForm) {
                capabilities["elicitation"]["form"] = json!({});
            }
            if more && known.contains(ClientCapability::ElicitationUrl) {
                capabilities["elicitation"]["url"] = json!({});
            }
        }
        if self == Self::Tasking {
            if known.contains(ClientCapability::Tasks) {
                capabilities["tasks"] = json!({ "list": {}, "cancel": {}, "requests": {
                    "sampling": { "createMessage": {} }, "elicitation": { "create": {} } } });
            }
            // Where the extension is not defined, it has to be without effect.
            capabilities["extensions"] = json!({ TASKS_EXTENSION: {} });
        }
        capabilities
    }

    /// Answers to the requests in a frame.
    pub(super) fn replies_to(self, what: &EventKind) -> Vec<String> {
        let EventKind::Received { frame, .. } = what else { return Vec::new() };
        let reply = |message: &Value| {
            let (method, id) = (message.get("method")?.as_str()?, message.get("id")?);
            let mut reply = match (self, method) {
                (_, "ping") => json!({ "result": {} }),
                (Self::Mute, _) => return None,
                (Self::Tasking, _) if tasking(message, method, id).is_some() => {
                    tasking(message, method, id)?
                }
                (Self::Able | Self::Only(_) | Self::Plain(_) | Self::Tasking, _)
                    if self.answer(message).is_some() =>
                {
                    json!({ "result": related(message, self.answer(message)?) })
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

    /// What a client of this kind answers to a question. An able one enters nothing, so that nothing comes of it.
    pub(super) fn answer(self, question: &Value) -> Option<Value> {
        let method = question.get("method")?.as_str()?;
        if let Self::Only(only) = self
            && method.split('/').next() != only.as_str().split('.').next()
        {
            return None;
        }
        Some(match method {
            "elicitation/create" => self.decide(&question["params"]),
            "roots/list" if matches!(self, Self::Plain(_)) => json!({ "roots": [] }),
            "roots/list" => {
                json!({ "roots": [{ "uri": "file:///proofmark", "name": "proofmark" }] })
            }
            "sampling/createMessage" => think(&question["params"]),
            _ => return None,
        })
    }

    fn decide(self, params: &Value) -> Value {
        // That a user is willing to visit a page says nothing about what they do there.
        if params["mode"] == "url" {
            return json!({ "action": "accept" });
        }
        match self {
            Self::Plain(FormHandling::Dismissing) => json!({ "action": "cancel" }),
            Self::Plain(FormHandling::Misfitting) => {
                json!({ "action": "accept", "content": misfit(&params["requestedSchema"]) })
            }
            _ => json!({ "action": "decline" }),
        }
    }
}

/// A model that uses the first tool it is given, twice at once, and is content with whatever comes of it.
fn think(params: &Value) -> Value {
    let used = params["messages"].to_string().contains("\"tool_result\"");
    let tool = params.pointer("/tools/0/name").filter(|_| !used);
    let mut message = json!({ "role": "assistant", "model": "proofmark" });
    if let Some(tool) = tool {
        let use_of = |id: &str| json!({ "type": "tool_use", "id": id, "name": tool, "input": {} });
        message["content"] = json!([use_of("use-1"), use_of("use-2")]);
        message["stopReason"] = json!("toolUse");
    } else {
        message["content"] = json!({ "type": "text", "text": "This is a test." });
        message["stopReason"] = json!("endTurn");
    }
    message
}

/// What a client that runs tasks for its server answers. The id of a task says all that there is to know of it.
fn tasking(message: &Value, method: &str, id: &Value) -> Option<Value> {
    let task = |name: &str, status: &str| {
        json!({ "taskId": name, "status": status, "createdAt": LONG_AGO, "lastUpdatedAt": LONG_AGO,
            "ttl": null, "pollInterval": TASK_PAUSE.as_millis() })
    };
    let named = || {
        let name = message.pointer("/params/taskId")?.as_str()?;
        let (method, _) = name.split_once('#')?;
        Some((name, ClientKind::Tasking.answer(&json!({ "method": method, "params": {} }))?))
    };
    let unknown = json!({ "error": { "code": -32602, "message": "there is no such task" } });
    Some(match method {
        "elicitation/create" | "sampling/createMessage" => {
            message.pointer("/params/task")?;
            json!({ "result": { "task": task(&format!("{method}#{id}"), "working") } })
        }
        // A user who is asked has to be waited for; a server that wants the result gets it.
        "tasks/get" => named().map_or(unknown, |(name, _)| {
            let asks = name.starts_with("elicitation/");
            let status = if asks { "input_required" } else { "completed" };
            json!({ "result": task(name, status) })
        }),
        "tasks/result" => named().map_or(unknown, |(name, mut answer)| {
            answer["_meta"] = json!({ RELATED_TASK: { "taskId": name } });
            json!({ "result": answer })
        }),
        "tasks/cancel" => unknown,
        "tasks/list" => json!({ "result": { "tasks": [] } }),
        _ => return None,
    })
}

/// An answer belongs to the task that the question belongs to.
pub(super) fn related(question: &Value, mut answer: Value) -> Value {
    let task = question.pointer("/params/_meta").and_then(|meta| meta.get(RELATED_TASK));
    if let Some(task) = task {
        answer["_meta"] = json!({ RELATED_TASK: task });
    }
    answer
}

/// How often a server may look at a task of the checker.
pub const TASK_PAUSE: Duration = Duration::from_millis(500);
const LONG_AGO: &str = "2026-01-01T00:00:00Z";
