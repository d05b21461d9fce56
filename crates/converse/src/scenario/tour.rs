//! Everything that a well-behaved client could ask, as far as the peer declared it.

mod arguments;

use std::time::Duration;

use arguments::made_up;
use proofmark_core::revision::ServerCapability;
use serde_json::{Value, json};

use super::{
    LEAST_DURATION, Probe, Scenario, Talk, TourLength, Turn, is_read_only, modern::modern_tour,
};
use proofmark_record::topic::Topic;
use proofmark_record::{
    event::{Event, EventKind},
    evidence::list_key,
};

/// What may be called.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Tools to be called with these arguments, whatever they say of themselves.
    pub calls: Vec<(String, Value)>,
    /// Whether tools that do not call themselves read-only are called too.
    pub call_all: bool,
}

impl Scenario {
    pub const TOUR: Self = Self {
        name: "tour",
        title: "a tour of everything declared",
        turn: Turn::First,
        alongside: Some(&Self::LISTS),
        needs_tour: true,
        talk: |talk| Box::pin(tour(talk)),
        ..Self::USUAL
    };
}

/// What a well-behaved client of the server's era could ask.
async fn tour(talk: &mut Talk<'_>) {
    if talk.tour == TourLength::Handshake {
        let version = talk.probe.settings().revision.as_str();
        talk.handshake = talk.probe.initialize(Topic::Initialize, version).await;
        if talk.handshake.is_some() && !talk.probe.is_modern() {
            talk.probe.tell(Topic::Initialized, "notifications/initialized", None).await;
        }
        return;
    }
    talk.handshake = if talk.probe.is_modern() {
        modern_tour(&mut talk.probe, talk.policy).await
    } else {
        legacy_tour(&mut talk.probe, talk.policy).await
    };
}

/// Gives the result of the handshake.
async fn legacy_tour(probe: &mut Probe, policy: &Policy) -> Option<Value> {
    let version = probe.settings().revision.as_str();
    let result = probe.initialize(Topic::Initialize, version).await?;
    // Whatever comes now comes too early.
    probe.listen(probe.settings().quiet).await;
    probe.tell(Topic::Initialized, "notifications/initialized", None).await;
    if let Some((http, recorder)) = probe.http_and_recorder()
        && http.is_streamable()
    {
        http.open_stream(recorder).await;
    }
    probe.ask(Topic::Ping, "ping", None).await;
    probe.ask_as(Topic::PingByString, json!("ping-by-string"), "ping", None).await;
    let capabilities = &result["capabilities"];
    let has = |name: &str| capabilities.get(name).is_some_and(Value::is_object);
    if has("logging") {
        probe.ask(Topic::SetLevel, "logging/setLevel", Some(json!({ "level": "debug" }))).await;
        let odd = json!({ "level": "proofmark-no-such-level" });
        probe.ask(Topic::UnknownLevel, "logging/setLevel", Some(odd)).await;
    }
    let mut calls = Vec::new();
    if has("tools") {
        calls = tools(probe, policy).await;
    } else {
        probe.ask(Topic::Undeclared, "tools/list", None).await;
    }
    let mut subscribed = Vec::new();
    if has("resources") {
        subscribed = resources(probe, capabilities).await;
    } else {
        probe.ask(Topic::Undeclared, "resources/list", None).await;
    }
    if has("prompts") {
        prompts(probe, capabilities).await;
    } else {
        probe.ask(Topic::Undeclared, "prompts/list", None).await;
    }
    // Last, because calls may change what was listed and subscribed to.
    for (index, (name, arguments)) in calls.into_iter().enumerate() {
        let token = format!("call-{index}");
        let params =
            json!({ "name": name, "arguments": arguments, "_meta": { "progressToken": token } });
        probe.ask(Topic::Call, "tools/call", Some(params)).await;
    }
    for (capability, method) in LISTS {
        if has(capability) {
            list_again(probe, method).await;
        }
    }
    read_again(probe, &subscribed).await;
    for uri in subscribed {
        probe.ask(Topic::Unsubscribe, "resources/unsubscribe", Some(json!({ "uri": uri }))).await;
    }
    if let Some(call) = updating(probe.events()) {
        let id = json!("after-unsubscribe");
        probe.ask_as(Topic::AfterUnsubscribe, id, "tools/call", Some(call)).await;
        probe.listen(probe.settings().quiet).await;
    }
    oddities(probe).await;
    Some(result)
}

/// The params of a call during which an update of a resource was told of.
fn updating(events: &[Event]) -> Option<Value> {
    let told = |event: &Event| match &event.kind {
        EventKind::Received { frame, .. } => {
            let mut messages = frame.messages().iter();
            messages.any(|it| it["method"] == "notifications/resources/updated")
        }
        _ => false,
    };
    let at = events.iter().position(told)?;
    let mut calls = events[..at].iter().rev().filter_map(|event| match &event.kind {
        EventKind::Sent { topic: Topic::Call, exchange, frame } => {
            Some((event.at, *exchange, frame.json.as_ref().ok()?.get("params")?))
        }
        _ => None,
    });
    let (sent, exchange, last) = calls.next()?;
    // On a stream of its own the news may be overtaken by the next call, if that is one that takes its time.
    let answered = events[at..].iter().find(
        |event| matches!(event.kind, EventKind::Received { exchange: it, .. } if it == exchange),
    );
    let slow = answered.is_none_or(|it| it.at.saturating_sub(sent) >= LEAST_DURATION);
    let overtaken = slow && events[at].at.saturating_sub(sent) < OVERTAKEN;
    let call = calls.next().filter(|_| overtaken).map_or(last, |(_, _, call)| call);
    Some(json!({ "name": call["name"], "arguments": call["arguments"] }))
}

/// The page after page of a list, and a page that does not exist.
async fn list(probe: &mut Probe, method: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let (mut cursor, mut second) = (None, None);
    for _ in 0..MOST_PAGES {
        let params = cursor.map(|cursor: Value| json!({ "cursor": cursor }));
        let Some(answer) = probe.ask(Topic::List, method, params).await else { break };
        let Some(result) = answer.get("result") else { break };
        let key = list_key(method).unwrap_or_default();
        items.extend(result.get(key).and_then(Value::as_array).cloned().unwrap_or_default());
        cursor = result.get("nextCursor").filter(|cursor| cursor.is_string()).cloned();
        if cursor.is_none() {
            break;
        }
        second = second.or_else(|| cursor.clone());
    }
    if let Some(cursor) = second {
        let params = Some(json!({ "cursor": cursor }));
        probe.ask_as(Topic::CursorAgain, json!("cursor-again"), method, params).await;
    }
    let odd = json!({ "cursor": "proofmark-no-such-cursor" });
    probe.ask(Topic::BogusCursor, method, Some(odd)).await;
    items
}

/// Every page of a list once more.
pub(super) async fn list_again(probe: &mut Probe, method: &str) {
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let params = cursor.map(|cursor: Value| json!({ "cursor": cursor }));
        let answer = probe.ask(Topic::ListAgain, method, params).await;
        let next = answer.as_ref().and_then(|it| it.pointer("/result/nextCursor"));
        cursor = next.filter(|cursor| cursor.is_string()).cloned();
        if cursor.is_none() {
            return;
        }
    }
}

/// Reads resources after everything else, and at once a second time: some are never the same.
pub(super) async fn read_again(probe: &mut Probe, uris: &[Value]) {
    let reads = |time: usize| {
        uris.iter().take(MOST_REREADS).enumerate().map(move |(index, uri)| {
            let id = json!(format!("read-again-{index}-{time}"));
            (id, "resources/read", Some(json!({ "uri": uri })))
        })
    };
    for time in 0..2 {
        probe.ask_all(Topic::ReadAgain, &reads(time).collect::<Vec<_>>()).await;
    }
}

/// Gives what is to be called.
pub(super) async fn tools(probe: &mut Probe, policy: &Policy) -> Vec<(String, Value)> {
    let listed = list(probe, "tools/list").await;
    if let Some((http, _)) = probe.http_and_recorder() {
        http.marked = super::modern::marked(&listed);
    }
    let unknown = json!({ "name": "proofmark-no-such-tool", "arguments": {} });
    probe.ask(Topic::UnknownTool, "tools/call", Some(unknown)).await;
    let mut calls = policy.calls.clone();
    for tool in &listed {
        let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
        let known = calls.iter().any(|(known, _)| known == name);
        if known || calls.len() >= MOST_CALLS || !(policy.call_all || is_read_only(tool)) {
            continue;
        }
        calls.push((name.to_owned(), made_up(&tool["inputSchema"])));
    }
    let other_case = calls
        .iter()
        .map(|(name, _)| swapped(name))
        .find(|name| listed.iter().all(|tool| tool["name"] != **name));
    if let Some(name) = other_case {
        let params = json!({ "name": name, "arguments": {} });
        probe.ask_as(Topic::OtherCase, json!("other-case"), "tools/call", Some(params)).await;
    }
    let demanding = calls.iter().find(|(name, _)| {
        let tool = listed.iter().find(|tool| tool["name"] == **name);
        let required = tool.and_then(|tool| tool.pointer("/inputSchema/required")?.as_array());
        required.is_some_and(|required| !required.is_empty())
    });
    if let Some((name, _)) = demanding {
        let params = json!({ "name": name, "arguments": {} });
        let id = json!("wrong-arguments");
        probe.ask_as(Topic::WrongArguments, id, "tools/call", Some(params)).await;
    }
    calls
}

/// Gives what was subscribed to.
pub(super) async fn resources(probe: &mut Probe, capabilities: &Value) -> Vec<Value> {
    let listed = list(probe, "resources/list").await;
    let uris: Vec<&Value> = listed.iter().filter_map(|item| item.get("uri")).collect();
    for uri in uris.iter().take(MOST_READS) {
        probe.ask(Topic::Read, "resources/read", Some(json!({ "uri": uri }))).await;
    }
    let unknown = json!({ "uri": "proofmark://no/such/resource" });
    probe.ask(Topic::UnknownResource, "resources/read", Some(unknown)).await;
    let odd = Some(json!({ "uri": "::no uri::" }));
    probe.ask_as(Topic::OddUri, json!("odd-uri"), "resources/read", odd).await;
    if let Some(uri) = uris.iter().find_map(|uri| above(uri.as_str()?)) {
        let params = json!({ "uri": uri });
        probe.ask(Topic::Traversal, "resources/read", Some(params)).await;
    }
    let templates = list(probe, "resources/templates/list").await;
    let subscribes = capabilities.pointer("/resources/subscribe") == Some(&Value::Bool(true));
    let mut watched = Vec::new();
    if probe.is_modern() {
        // There are other ways to be told.
    } else if subscribes {
        for uri in uris.into_iter().take(MOST_READS) {
            let params = json!({ "uri": uri });
            probe.ask(Topic::Subscribe, "resources/subscribe", Some(params)).await;
            watched.push(uri.clone());
        }
    } else if let Some(uri) = uris.first() {
        let params = json!({ "uri": uri });
        probe.ask(Topic::Undeclared, "resources/subscribe", Some(params)).await;
    }
    let template = templates.iter().find_map(|item| item.get("uriTemplate")?.as_str());
    if let Some(template) = template
        && let Some(name) = first_variable(template)
    {
        let reference = json!({ "type": "ref/resource", "uri": template });
        complete(probe, capabilities, &reference, name).await;
    }
    watched
}

pub(super) async fn prompts(probe: &mut Probe, capabilities: &Value) {
    let listed = list(probe, "prompts/list").await;
    for prompt in listed.iter().take(MOST_READS) {
        let arguments: serde_json::Map<_, _> =
            names(prompt).map(|name| (name.to_owned(), json!("test"))).collect();
        let params = json!({ "name": prompt["name"], "arguments": arguments });
        probe.ask(Topic::GetPrompt, "prompts/get", Some(params)).await;
    }
    let unknown = json!({ "name": "proofmark-no-such-prompt" });
    probe.ask(Topic::UnknownPrompt, "prompts/get", Some(unknown)).await;
    let demanding = listed.iter().find(|prompt| {
        let arguments = prompt.get("arguments").and_then(Value::as_array);
        arguments.is_some_and(|it| it.iter().any(|it| it["required"] == Value::Bool(true)))
    });
    if let Some(prompt) = demanding {
        let params = json!({ "name": prompt["name"], "arguments": {} });
        probe.ask(Topic::MissingArgument, "prompts/get", Some(params)).await;
    }
    let completable = listed.iter().find_map(|prompt| Some((prompt, names(prompt).next()?)));
    if let Some((prompt, argument)) = completable {
        let reference = json!({ "type": "ref/prompt", "name": prompt["name"] });
        complete(probe, capabilities, &reference, argument).await;
    }
    if capabilities.get("completions").is_some() {
        complete_others(probe, &listed).await;
        let unknown = json!({ "ref": { "type": "ref/prompt", "name": "proofmark-no-such-prompt" },
            "argument": { "name": "a", "value": "" } });
        probe.ask(Topic::CompleteUnknown, "completion/complete", Some(unknown)).await;
        if let Some((prompt, argument)) = completable {
            let reference = json!({ "type": "ref/prompt", "name": prompt["name"] });
            let nothing = json!({ "ref": reference });
            probe.ask(Topic::CompleteNothing, "completion/complete", Some(nothing)).await;
            let number = json!({ "ref": reference, "argument": { "name": argument, "value": 7 } });
            probe.ask(Topic::CompleteNumber, "completion/complete", Some(number)).await;
        }
    }
}

/// A peer of a revision without the capability can only be tried.
async fn complete(probe: &mut Probe, capabilities: &Value, reference: &Value, argument: &str) {
    let declared = capabilities.get("completions").is_some();
    let topic = if declared { Topic::Complete } else { Topic::Undeclared };
    let known = probe.settings().revision.rules().server_capabilities;
    let could_declare = known.contains(ServerCapability::Completions);
    for value in ["t", ""] {
        let params = json!({ "ref": reference, "argument": { "name": argument, "value": value } });
        probe.ask(topic, "completion/complete", Some(params)).await;
        if !declared && could_declare {
            return;
        }
    }
}

/// Everything that there is for the other arguments of prompts, of which there may be much.
async fn complete_others(probe: &mut Probe, prompts: &[Value]) {
    for params in completions(prompts).into_iter().skip(1).take(MOST_COMPLETED) {
        probe.ask(Topic::Complete, "completion/complete", Some(params)).await;
    }
}

fn completions(prompts: &[Value]) -> Vec<Value> {
    let of = |prompt: &Value, name: &str| {
        json!({ "ref": { "type": "ref/prompt", "name": prompt["name"] },
            "argument": { "name": name, "value": "" } })
    };
    prompts.iter().flat_map(|it| names(it).map(move |name| of(it, name))).collect()
}

/// What no peer knows, and what every peer ignores.
pub(super) async fn oddities(probe: &mut Probe) {
    probe.ask(Topic::UnknownMethod, "proofmark/no-such-method", Some(json!({}))).await;
    probe.tell(Topic::UnknownNotification, "notifications/proofmark/unknown", None).await;
    let unknown = json!({ "requestId": "never-sent", "reason": "nothing to cancel" });
    probe.tell(Topic::CancelUnknown, "notifications/cancelled", Some(unknown)).await;
    probe.listen(probe.settings().quiet).await;
    probe.ask_as(Topic::StillThere, json!("last-ping"), "ping", None).await;
}

/// The name with its letters in the other case.
fn swapped(name: &str) -> String {
    let other = |c: char| {
        if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    };
    name.chars().map(other).collect()
}

/// A file far above the directory of a file that is a resource.
fn above(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    let (directory, _) = path.rsplit_once('/')?;
    Some(format!("file://{directory}/{}etc/passwd", "../".repeat(STEPS_UP)))
}

fn names(prompt: &Value) -> impl Iterator<Item = &str> {
    let arguments = prompt.get("arguments").and_then(Value::as_array);
    arguments.into_iter().flatten().filter_map(|argument| argument.get("name")?.as_str())
}

fn first_variable(template: &str) -> Option<&str> {
    let (_, rest) = template.split_once('{')?;
    let (inside, _) = rest.split_once('}')?;
    let name = inside.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']);
    name.split([',', ':', '*']).next()
}

pub(super) const LISTS: [(&str, &str); 3] =
    [("tools", "tools/list"), ("resources", "resources/list"), ("prompts", "prompts/list")];
const MOST_CALLS: usize = 64;
const MOST_COMPLETED: usize = 4;
/// How much later than what was said before it something on another stream may come.
const OVERTAKEN: Duration = Duration::from_millis(5);
/// More than a path has.
const STEPS_UP: usize = 16;
const MOST_PAGES: usize = 8;
const MOST_READS: usize = 8;
const MOST_REREADS: usize = 4;
