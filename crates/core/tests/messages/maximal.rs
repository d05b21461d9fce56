//! One message of each kind with every member that any revision gives it, fitted to one revision and written as a whole.

use proofmark_core::{
    fit::Fit,
    jsonrpc::{Id, write},
    revision::Revision,
    session::server::{Offer, Outgoing, Transmit},
    types::{
        CallToolParams, CompleteParams, CreateMessageResult, ElicitResult, GetPromptParams,
        Implementation, InitializeParams, ListRootsResult, PaginatedParams, ReadResourceParams,
        ServerCapabilities, ServerNotification as N, ServerRequest as Q, ServerResult as R,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::values;

/// The answers of a server, by the method that was asked, and a variant after a dot.
pub(crate) fn results(revision: Revision) -> Vec<(&'static str, Value)> {
    let all = [
        ("completion-complete", R::Complete(of(&values::completion()))),
        ("initialize", R::Initialize(of(&values::initialized()))),
        ("ping", R::Empty(of(&values::finished(json!({}))))),
        ("prompts-get", R::GetPrompt(of(&values::prompt_messages()))),
        ("prompts-list", R::ListPrompts(of(&values::page("prompts", &values::prompt())))),
        ("resources-list", R::ListResources(of(&values::page("resources", &values::resource())))),
        ("resources-read", R::ReadResource(of(&values::contents()))),
        (
            "resources-templates-list",
            R::ListResourceTemplates(of(&values::page("resourceTemplates", &values::template()))),
        ),
        ("server-discover", R::Discover(of(&values::discovered()))),
        ("subscriptions-listen", R::Listen(of(&values::ended_subscription()))),
        ("tasks-get", R::Task(of(&values::task()))),
        ("tasks-list", R::ListTasks(of(&values::page("tasks", &values::task())))),
        ("tools-call.input-required", R::InputRequired(of(&values::input_required()))),
        ("tools-call.task", R::CreateTask(of(&values::finished(json!({"task": values::task()}))))),
        ("tools-call", R::CallTool(of(&values::tool_result()))),
        ("tools-list", R::ListTools(of(&values::page("tools", &values::tool())))),
    ];
    all.into_iter()
        .map(|(name, result)| {
            (name, sent(revision, Outgoing::Response { id: Id::from(1), result }))
        })
        .collect()
}

/// The requests of a server.
pub(crate) fn server_requests(revision: Revision) -> Vec<(&'static str, Value)> {
    let all = [
        ("elicitation-create", Q::Elicit(of(&values::form()))),
        ("elicitation-create.choices", Q::Elicit(of(&values::choices()))),
        ("elicitation-create.url", Q::Elicit(of(&values::url()))),
        ("roots-list", Q::ListRoots(of(&json!({"_meta": {"progressToken": 1}})))),
        ("sampling-createMessage", Q::CreateMessage(of(&values::conversation()))),
    ];
    all.into_iter()
        .map(|(name, request)| {
            (name, sent(revision, Outgoing::Request { id: Id::from(1), request }))
        })
        .collect()
}

/// The notifications of a server.
pub(crate) fn notifications(revision: Revision) -> Vec<(&'static str, Value)> {
    const PROGRESS: &str = r#"{"progressToken":1,"progress":1,"total":2,"message":"m"}"#;
    let all = [
        (
            "notifications-message",
            N::Message(of(&json!({"level": "info", "logger": "l", "data": 1}))),
        ),
        ("notifications-progress", N::Progress(serde_json::from_str(PROGRESS).unwrap())),
        ("notifications-resources-updated", N::ResourceUpdated(of(&json!({"uri": "a:b"})))),
        ("notifications-tasks-status", N::TaskStatus(of(&values::task()))),
    ];
    all.into_iter()
        .map(|(name, notification)| (name, sent(revision, Outgoing::Notification(notification))))
        .collect()
}

/// The requests of a client.
pub(crate) fn client_requests(revision: Revision) -> Vec<(&'static str, Value)> {
    /// Reads the params, fits them and writes the request.
    macro_rules! request {
        ($name:literal $type:ident $params:expr) => {{
            let text = $params.to_string();
            let mut params: $type<'_> = serde_json::from_str(&text).unwrap();
            params.fit(revision.rules());
            let mut out = Vec::new();
            write::request(&mut out, &Id::from(1), &$name.replace('-', "/"), &params).unwrap();
            ($name, serde_json::from_slice(&out).unwrap())
        }};
    }

    vec![
        request!("completion-complete" CompleteParams values::completion_params()),
        request!("initialize" InitializeParams values::initialize_params()),
        request!("prompts-get" GetPromptParams values::retry(json!({"name": "p", "arguments": {"a": "b"}}))),
        request!("resources-read" ReadResourceParams values::retry(json!({"uri": "a:b"}))),
        request!("tools-call" CallToolParams values::retry(json!({"name": "t", "arguments": {"a": 1}, "task": {"ttl": 1}}))),
        request!("tools-list" PaginatedParams json!({"cursor": "c", "_meta": values::request_meta()})),
    ]
}

/// The answers of a client.
pub(crate) fn client_results(revision: Revision) -> Vec<(&'static str, Value)> {
    vec![
        ("elicitation-create", answer::<ElicitResult>(&values::filled_form(), revision)),
        ("roots-list", answer::<ListRootsResult>(&values::roots(), revision)),
        ("sampling-createMessage", answer::<CreateMessageResult>(&values::said(), revision)),
    ]
}

fn answer<T: Fit + DeserializeOwned + Serialize>(value: &Value, revision: Revision) -> Value {
    let mut result: T = of(value);
    result.fit(revision.rules());
    let mut out = Vec::new();
    write::response(&mut out, &Id::from(1), &result).unwrap();
    serde_json::from_slice(&out).unwrap()
}

fn sent(revision: Revision, message: Outgoing) -> Value {
    let offer = Offer::new(Implementation::new("s", "1"), ServerCapabilities::default());
    let mut out = Vec::new();
    Transmit { revision, about: None, status: 200, message }.write(&offer, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// Read from text, because raw JSON inside a value can be read from nothing else.
pub(crate) fn of<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_str(&value.to_string()).unwrap()
}
