//! A server's session, one message at a time.

mod agreements;
mod asks;
mod batches;
mod changes;
mod eras;
mod limits;
mod notifications;
mod requests;

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::*;
use crate::{
    json::Raw,
    jsonrpc::{Limits, parse},
    types::{
        Implementation, PromptsCapability, ResourcesCapability, SKILLS_EXTENSION,
        ServerCapabilities, TASKS_EXTENSION, ToolsCapability,
    },
};

/// A session and what it needs to be talked to in JSON.
struct Bench {
    session: ServerSession,
    offer: Arc<Offer>,
    now: Time,
}

/// What came of one input.
#[derive(Debug, PartialEq)]
struct Seen {
    /// What was transmitted, as JSON.
    sent: Vec<Value>,
    /// The HTTP status of each.
    statuses: Vec<u16>,
    /// Everything else, in few words.
    events: Vec<String>,
}

impl Seen {
    /// The code of the only message, which must be an error.
    #[track_caller]
    fn code(&self) -> i64 {
        let [error] = &self.sent[..] else { panic!("not one message: {self:?}") };
        error["error"]["code"].as_i64().unwrap_or_else(|| panic!("not an error: {error}"))
    }

    #[track_caller]
    fn only(&self) -> &Value {
        let [message] = &self.sent[..] else { panic!("not one message: {self:?}") };
        message
    }

    fn is_nothing(&self) -> bool {
        self.sent.is_empty() && self.events.is_empty()
    }
}

impl Bench {
    fn new() -> Self {
        Self::with(offer())
    }

    fn with(offer: Offer) -> Self {
        let offer = Arc::new(offer);
        Self { session: ServerSession::new(offer.clone()), offer, now: Time::default() }
    }

    /// A session whose handshake is complete.
    fn agreed(version: &str, capabilities: &Value) -> Self {
        Self::agreed_with(offer(), version, capabilities)
    }

    fn agreed_with(offer: Offer, version: &str, capabilities: &Value) -> Self {
        let mut bench = Self::with(offer);
        bench.receive(&initialize(version, capabilities));
        bench.receive(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        bench
    }

    fn receive(&mut self, message: &Value) -> Seen {
        self.receive_text(&message.to_string())
    }

    fn receive_text(&mut self, text: &str) -> Seen {
        let input = match parse(text.as_bytes(), &Limits::default()) {
            Ok(incoming) => Input::Received(incoming),
            Err(refused) => Input::Refused(refused),
        };
        self.input(input)
    }

    fn input(&mut self, input: Input<'_>) -> Seen {
        let mut seen = Seen { sent: vec![], statuses: vec![], events: vec![] };
        for output in self.session.handle(self.now, input) {
            match output {
                Output::Transmit(transmit) => {
                    seen.statuses.push(transmit.status);
                    let mut bytes = Vec::new();
                    transmit.write(&self.offer, &mut bytes).unwrap();
                    seen.sent.push(serde_json::from_slice(&bytes).unwrap());
                }
                Output::Breach(breach) => seen.events.push(format!("breach: {breach}")),
                Output::Cancel(id) => seen.events.push(format!("cancel {id}")),
                Output::Dispatch(call) => seen.events.push(format!("dispatch {}", call.id)),
                Output::Initialized => seen.events.push("initialized".into()),
                Output::Negotiated(revision) => seen.events.push(format!("negotiated {revision}")),
                Output::RootsChanged => seen.events.push("roots changed".into()),
                Output::Settled { ask, outcome } => seen.events.push(match outcome {
                    Ok(answer) => format!("settled {}: {}", ask.0, answer.as_str()),
                    Err(error) => format!("settled {}: {error}", ask.0),
                }),
            }
        }
        seen
    }

    fn finish(&mut self, id: i64) -> Seen {
        let outcome = Ok(ServerResult::empty());
        self.input(Input::Finished { id: Id::Integer(id), outcome })
    }

    fn pass(&mut self, seconds: u64) -> Seen {
        self.now = self.now + Duration::from_secs(seconds);
        self.input(Input::TimePassed)
    }
}

/// A server with everything but tasks.
fn offer() -> Offer {
    Offer::new(Implementation::new("bench", "1"), capabilities())
}

fn capabilities() -> ServerCapabilities {
    let object = crate::types::JsonObject::new;
    ServerCapabilities {
        completions: Some(object()),
        logging: Some(object()),
        prompts: Some(PromptsCapability { list_changed: Some(true) }),
        resources: Some(ResourcesCapability { subscribe: Some(true), list_changed: Some(true) }),
        tools: Some(ToolsCapability { list_changed: Some(true) }),
        ..ServerCapabilities::default()
    }
}

/// The same server with the tasks extension.
fn offer_with_tasks() -> Offer {
    let settings = Raw::from_json("{}").unwrap();
    let extensions = Some([(TASKS_EXTENSION.to_owned(), settings)].into());
    Offer::new(
        Implementation::new("bench", "1"),
        ServerCapabilities { extensions, ..capabilities() },
    )
}

fn initialize(version: &str, capabilities: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": {"name": "client", "version": "1"},
    }})
}

fn legacy(id: i64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A modern request from a client that declares `declared`.
fn modern(id: i64, method: &str, mut params: Value, declared: &Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = modern_version().into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = declared.clone();
    legacy(id, method, &params)
}

fn call(id: i64) -> Value {
    legacy(id, "tools/call", &json!({"name": "t"}))
}

fn cancel(id: i64) -> Value {
    let params = json!({"requestId": id});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
}

fn modern_version() -> &'static str {
    Revision::newest(Era::Modern).as_str()
}

fn newest_legacy() -> &'static str {
    Revision::newest(Era::Legacy).as_str()
}

/// A legacy revision whose rules answer yes.
fn legacy_where(rule: impl Fn(&Rules) -> bool) -> &'static str {
    let mut revisions = Revision::of(Era::Legacy);
    revisions.find(|revision| rule(revision.rules())).expect("a revision has it").as_str()
}

/// What a client declares that can be asked everything.
fn everything() -> Value {
    json!({"roots": {"listChanged": true}, "sampling": {"tools": {}},
        "elicitation": {"form": {}, "url": {}}})
}
