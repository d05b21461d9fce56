//! Everything that a well-behaved client of the modern era could ask, as far as the peer declared it.

use serde_json::{Map, Value, json};

use super::{
    Policy, Probe,
    client_kind::ClientKind,
    request_metadata::MarkedArgument,
    tour::{list_again, oddities, prompts, read_again, resources, tools},
};
use proofmark_record::{meta::LOG_LEVEL, topic::Topic};

/// Gives the result of `server/discover`.
pub(super) async fn modern_tour(probe: &mut Probe, policy: &Policy) -> Option<Value> {
    let version = probe.settings().revision.as_str();
    let result = probe.initialize(Topic::Initialize, version).await?;
    let capabilities = &result["capabilities"];
    let has = |name: &str| capabilities.get(name).is_some_and(Value::is_object);
    let mut calls = Vec::new();
    if has("tools") {
        calls = tools(probe, policy).await;
    } else {
        probe.ask(Topic::Undeclared, "tools/list", None).await;
    }
    if has("resources") {
        resources(probe, capabilities).await;
    } else {
        probe.ask(Topic::Undeclared, "resources/list", None).await;
    }
    if has("prompts") {
        prompts(probe, capabilities).await;
    } else {
        probe.ask(Topic::Undeclared, "prompts/list", None).await;
    }
    let filter = whole_filter(probe);
    probe.subscribe(json!("listen-all"), &filter).await;
    for (index, (name, arguments)) in calls.into_iter().enumerate() {
        let meta = json!({ "progressToken": format!("call-{index}"), LOG_LEVEL: "debug" });
        let params = json!({ "name": name, "arguments": arguments, "_meta": meta });
        in_rounds(probe, "tools/call", params).await;
    }
    for (capability, method) in super::tour::LISTS {
        if has(capability) {
            list_again(probe, method).await;
        }
    }
    if capabilities.pointer("/resources/subscribe") == Some(&Value::Bool(true)) {
        read_again(probe, &super::listed_uris(probe.events())).await;
    }
    for (method, params) in removed() {
        probe.ask(Topic::Removed, method, Some(params)).await;
    }
    let meta = json!({ "_meta": { LOG_LEVEL: "proofmark-no-such-level" } });
    probe.ask(Topic::UnknownLevel, "server/discover", Some(meta)).await;
    oddities(probe).await;
    Some(result)
}

/// Asks, and gives whatever the peer wants to know, until there is an end to it.
async fn in_rounds(probe: &mut Probe, method: &str, params: Value) {
    let mut topic = Topic::Call;
    let mut next = params.clone();
    for _ in 0..MOST_ROUNDS {
        let Some(message) = probe.ask(topic, method, Some(next)).await else { return };
        let Some(result) = message.get("result").filter(|it| wants_input(it)) else { return };
        next = retried(&params, result, probe.settings().client_kind);
        topic = Topic::Round;
    }
}

pub(super) fn wants_input(result: &Value) -> bool {
    result.get("resultType").and_then(Value::as_str) == Some("input_required")
}

/// The request once more, with answers to everything.
pub(super) fn retried(params: &Value, result: &Value, client_kind: ClientKind) -> Value {
    let mut next = params.clone();
    next["inputResponses"] = Value::Object(responses(result, client_kind));
    if let Some(state) = result.get("requestState") {
        next["requestState"] = state.clone();
    }
    next
}

pub(super) fn responses(result: &Value, client_kind: ClientKind) -> Map<String, Value> {
    let requests = result.get("inputRequests").and_then(Value::as_object);
    let requests = requests.into_iter().flatten();
    requests
        .filter_map(|(key, request)| Some((key.clone(), client_kind.answer(request)?)))
        .collect()
}

/// Methods of the handshake era, with params that were right there.
fn removed() -> [(&'static str, Value); 5] {
    let uri = json!({ "uri": "proofmark://no/such/resource" });
    [
        ("ping", json!({})),
        ("logging/setLevel", json!({ "level": "info" })),
        ("resources/subscribe", uri.clone()),
        ("resources/unsubscribe", uri),
        ("tasks/result", json!({ "taskId": "proofmark-no-such-task" })),
    ]
}

/// Asks for everything that can be listened for.
fn whole_filter(probe: &Probe) -> Value {
    let uris: Vec<Value> = super::listed_uris(probe.events());
    json!({ "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": uris })
}

/// Marked arguments of the listed tools, for the headers.
pub(super) fn marked(tools: &[Value]) -> Vec<MarkedArgument> {
    tools.iter().flat_map(MarkedArgument::of).collect()
}

const MOST_ROUNDS: usize = 6;
