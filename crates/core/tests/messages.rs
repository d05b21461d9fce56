//! Whole messages of every revision, read into our types and written again without a difference.
//!
//! `messages/<revision>/<method>[.<variant>].<kind>.json` holds one message; `/` in the method is `-` in the name, and the kind is
//! `request`, `notification` or `result`. What we write is then shown to another implementation, which must lose nothing of it either.
//!
//! Messages with every member that any revision has are then fitted to each revision, and judged in the same way.

#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{fs, path::Path};

use proofmark_core::types::{
    CallToolParams, CallToolResult, CancelTaskResult, CancelledParams, CompleteParams,
    CompleteResult, CreateMessageParams, CreateMessageResult, CreateTaskResult, DetailedTask,
    DiscoverResult, ElicitParams, ElicitResult, ElicitationCompleteParams, EmptyResult,
    ExtensionTask, GetPromptParams, GetPromptResult, GetTaskResult, InitializeParams,
    InitializeResult, InputRequiredResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListRootsParams, ListRootsResult, ListTasksResult, ListToolsResult,
    LoggingMessageParams, NotificationParams, PaginatedParams, ProgressParams, ReadResourceParams,
    ReadResourceResult, RequestParams, ResourceUpdatedParams, SetLevelParams, SubscribeParams,
    SubscriptionsAcknowledgedParams, SubscriptionsListenParams, SubscriptionsListenResult,
    TaskParams, TaskPayloadResult, TaskStatusParams, UpdateTaskParams,
};
use second_opinion::Opinion;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

#[path = "messages/fitted.rs"]
mod fitted;
#[path = "messages/idempotent.rs"]
mod idempotent;
#[path = "messages/maximal.rs"]
mod maximal;
#[path = "messages/second_opinion.rs"]
mod second_opinion;
#[path = "messages/survivors.rs"]
mod survivors;
#[path = "messages/values.rs"]
mod values;

/// Gives each kind of message its type. A line for `method.variant` goes before the line for `method`.
macro_rules! kinds {
    ($($name:literal $kind:literal => $type:ty,)+) => {
        /// Reads the payload as the type of its message and writes it again.
        fn rewrite(name: &str, kind: &str, payload: &str) -> Option<serde_json::Result<Value>> {
            match kind {
                $($kind if is_of(name, $name) => Some(
                    serde_json::from_str::<$type>(payload).and_then(|typed| reread(&typed)),
                ),)+
                _ => None,
            }
        }
    };
}

kinds! {
    "completion-complete" "request" => CompleteParams<'_>,
    "completion-complete" "result" => CompleteResult,
    "elicitation-create" "request" => ElicitParams,
    "elicitation-create" "result" => ElicitResult,
    "initialize" "request" => InitializeParams<'_>,
    "initialize" "result" => InitializeResult,
    "logging-setLevel" "request" => SetLevelParams<'_>,
    "logging-setLevel" "result" => EmptyResult,
    "notifications-cancelled" "notification" => CancelledParams<'_>,
    "notifications-elicitation-complete" "notification" => ElicitationCompleteParams,
    "notifications-initialized" "notification" => NotificationParams,
    "notifications-message" "notification" => LoggingMessageParams,
    "notifications-progress" "notification" => ProgressParams<'_>,
    "notifications-prompts-list_changed" "notification" => NotificationParams,
    "notifications-resources-list_changed" "notification" => NotificationParams,
    "notifications-resources-updated" "notification" => ResourceUpdatedParams,
    "notifications-roots-list_changed" "notification" => NotificationParams,
    "notifications-subscriptions-acknowledged" "notification" => SubscriptionsAcknowledgedParams,
    "notifications-tasks" "notification" => DetailedTask,
    "notifications-tasks-status" "notification" => TaskStatusParams,
    "notifications-tools-list_changed" "notification" => NotificationParams,
    "ping" "request" => RequestParams<'_>,
    "ping" "result" => EmptyResult,
    "prompts-get" "request" => GetPromptParams<'_>,
    "prompts-get.input-required" "result" => InputRequiredResult,
    "prompts-get" "result" => GetPromptResult,
    "prompts-list" "request" => PaginatedParams<'_>,
    "prompts-list" "result" => ListPromptsResult,
    "resources-list" "request" => PaginatedParams<'_>,
    "resources-list" "result" => ListResourcesResult,
    "resources-read" "request" => ReadResourceParams<'_>,
    "resources-read.input-required" "result" => InputRequiredResult,
    "resources-read" "result" => ReadResourceResult,
    "resources-subscribe" "request" => SubscribeParams<'_>,
    "resources-subscribe" "result" => EmptyResult,
    "resources-templates-list" "request" => PaginatedParams<'_>,
    "resources-templates-list" "result" => ListResourceTemplatesResult,
    "resources-unsubscribe" "request" => SubscribeParams<'_>,
    "resources-unsubscribe" "result" => EmptyResult,
    "roots-list" "request" => ListRootsParams,
    "roots-list" "result" => ListRootsResult,
    "sampling-createMessage" "request" => CreateMessageParams,
    "sampling-createMessage.task" "result" => CreateTaskResult,
    "sampling-createMessage" "result" => CreateMessageResult,
    "server-discover" "request" => RequestParams<'_>,
    "server-discover" "result" => DiscoverResult,
    "subscriptions-listen" "request" => SubscriptionsListenParams,
    "subscriptions-listen" "result" => SubscriptionsListenResult,
    "tasks-cancel" "request" => TaskParams,
    "tasks-cancel.extension" "result" => EmptyResult,
    "tasks-cancel" "result" => CancelTaskResult,
    "tasks-get" "request" => TaskParams,
    "tasks-get.extension" "result" => DetailedTask,
    "tasks-get" "result" => GetTaskResult,
    "tasks-list" "request" => PaginatedParams<'_>,
    "tasks-list" "result" => ListTasksResult,
    "tasks-result" "request" => TaskParams,
    "tasks-result" "result" => TaskPayloadResult,
    "tasks-update" "request" => UpdateTaskParams,
    "tasks-update" "result" => EmptyResult,
    "tools-call" "request" => CallToolParams<'_>,
    "tools-call.extension-task" "result" => ExtensionTask,
    "tools-call.input-required" "result" => InputRequiredResult,
    "tools-call.task" "result" => CreateTaskResult,
    "tools-call" "result" => CallToolResult,
    "tools-list" "request" => PaginatedParams<'_>,
    "tools-list" "result" => ListToolsResult,
}

#[test]
fn messages_of_2024_11_05_survive() {
    check("2024-11-05", second_opinion::of_2024_11_05);
}

#[test]
fn messages_of_2025_03_26_survive() {
    check("2025-03-26", second_opinion::of_2025_03_26);
}

#[test]
fn messages_of_2025_06_18_survive() {
    check("2025-06-18", second_opinion::of_2025_06_18);
}

#[test]
fn messages_of_2025_11_25_survive() {
    check("2025-11-25", second_opinion::of_2025_11_25);
}

#[test]
fn messages_of_2026_07_28_survive() {
    check("2026-07-28", second_opinion::of_2026_07_28);
}

#[track_caller]
fn check(revision: &str, second: fn(&str, &str, &Value) -> Opinion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages").join(revision);
    let mut seen = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap();
        let (name, kind) = file.strip_suffix(".json").unwrap().rsplit_once('.').expect(file);
        let written = check_file(name, kind, &fs::read_to_string(&path).unwrap());
        seen += 1;
        if has(NO_OPINION, revision, name) {
            continue;
        }
        let complaint = complaint(kind, &written, second(name, kind, &written));
        if has(MISREAD, revision, name) {
            assert!(complaint.is_some(), "{revision}/{file}: no longer misread");
        } else if let Some(complaint) = complaint {
            panic!("{revision}/{file}: {complaint}");
        }
    }
    assert!(seen > 0, "{} is empty", folder.display());
}

/// What the other implementation has against a message as we write it.
fn complaint(kind: &str, written: &Value, opinion: Opinion) -> Option<String> {
    match opinion {
        Opinion::None => Some("no second opinion".to_owned()),
        Opinion::Refused(error) => Some(format!("{error} in {written}")),
        Opinion::Understood(theirs) => {
            let ours = if kind == "result" { &written["result"] } else { written };
            let mut lost = second_opinion::lost(ours, &theirs);
            lost.retain(|pointer| !OUT_OF_SIGHT.contains(&pointer.as_str()));
            (!lost.is_empty()).then(|| format!("lost {lost:?} in {theirs}"))
        }
    }
}

/// Reads the message into our type and gives back the message as we write it.
#[track_caller]
fn check_file(name: &str, kind: &str, text: &str) -> Value {
    let at = format!("{name}.{kind}");
    let message: Message<'_> = serde_json::from_str(text).expect(&at);
    let (part, payload) = match kind {
        "result" => ("result", message.result),
        _ => ("params", message.params),
    };
    let method = name.split('.').next().unwrap_or(name).replace('-', "/");
    let named = (kind != "result").then_some(method.as_str());
    assert_eq!(message.method, named, "{at}: the name of the file says something else");
    assert_eq!(message.id.is_none(), kind == "notification", "{at}: only notifications lack an id");

    let read: Value = serde_json::from_str(text).unwrap();
    let Some(payload) = payload else {
        assert_ne!(kind, "result", "{at}: no result");
        return read;
    };
    let payload = rewrite(name, kind, payload.get())
        .unwrap_or_else(|| panic!("{at}: no line in the table"))
        .unwrap_or_else(|error| panic!("{at}: {error}"));
    let mut written = read.clone();
    written[part] = payload;
    assert_eq!(written, read, "{at}");
    written
}

fn has(list: &[(&str, &str)], revision: &str, name: &str) -> bool {
    list.iter().any(|(at, row)| *at == revision && is_of(name, row))
}

/// Whether a file name without its kind is that of the row, in any variant.
fn is_of(name: &str, row: &str) -> bool {
    name.strip_prefix(row).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'a> {
    #[serde(rename = "jsonrpc")]
    _jsonrpc: &'a str,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

fn reread<T: serde::Serialize>(typed: &T) -> serde_json::Result<Value> {
    serde_json::from_str(&serde_json::to_string(typed)?)
}

/// Messages of extensions, which the official schemas do not describe.
const NO_OPINION: &[(&str, &str)] = &[
    ("2026-07-28", "notifications-subscriptions-acknowledged.tasks"),
    ("2026-07-28", "notifications-tasks"),
    ("2026-07-28", "subscriptions-listen.tasks"),
    ("2026-07-28", "tasks-cancel"),
    ("2026-07-28", "tasks-get"),
    ("2026-07-28", "tasks-update"),
    ("2026-07-28", "tools-call.extension-task"),
];

/// Messages that the official schemas allow and the other implementation misreads.
const MISREAD: &[(&str, &str)] = &[
    // It takes only whole numbers, as the generated form of the schemas says; their source says any number.
    ("2025-06-18", "elicitation-create.fraction"),
    ("2025-11-25", "elicitation-create.fraction"),
    // It takes a choice for a plain string and drops the options, and it drops an empty `required`.
    ("2025-06-18", "elicitation-create.fields"),
    ("2025-11-25", "elicitation-create.choices"),
    ("2025-11-25", "elicitation-create.defaults"),
    // It has no null for a lifetime without an end, again after the generated form.
    ("2025-11-25", "tasks-get.unlimited"),
];

/// What the other implementation's types for older revisions leave to their caller.
const OUT_OF_SIGHT: [&str; 3] = ["/id", "/jsonrpc", "/params/_meta"];
