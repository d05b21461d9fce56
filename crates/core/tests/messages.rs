//! Whole messages of every revision, read into our types and written again without a difference.
//!
//! `messages/<revision>/<method>[.<variant>].<kind>.json` holds one message; `/` in the method is `-` in the name, and the kind is
//! `request`, `notification` or `result`.

use std::{fs, path::Path};

use proofmark_core::types::{
    CallToolParams, CallToolResult, CancelledParams, CompleteParams, CompleteResult,
    DiscoverResult, EmptyResult, GetPromptParams, GetPromptResult, InitializeParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, LoggingMessageParams, NotificationParams, PaginatedParams, ProgressParams,
    ReadResourceParams, ReadResourceResult, RequestParams, ResourceUpdatedParams, SetLevelParams,
    SubscribeParams,
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

/// Gives each kind of message its type. A line for `method.variant` goes before the line for `method`.
macro_rules! kinds {
    ($($name:literal $kind:literal => $type:ty,)+) => {
        /// Reads the payload as the type of its message and writes it again.
        fn rewrite(name: &str, kind: &str, payload: &str) -> Option<serde_json::Result<Value>> {
            let is = |row: &str| {
                name.strip_prefix(row).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            match kind {
                $($kind if is($name) => Some(
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
    "initialize" "request" => InitializeParams<'_>,
    "initialize" "result" => InitializeResult,
    "logging-setLevel" "request" => SetLevelParams<'_>,
    "logging-setLevel" "result" => EmptyResult,
    "notifications-cancelled" "notification" => CancelledParams<'_>,
    "notifications-initialized" "notification" => NotificationParams,
    "notifications-message" "notification" => LoggingMessageParams,
    "notifications-progress" "notification" => ProgressParams<'_>,
    "notifications-prompts-list_changed" "notification" => NotificationParams,
    "notifications-resources-list_changed" "notification" => NotificationParams,
    "notifications-resources-updated" "notification" => ResourceUpdatedParams,
    "notifications-tools-list_changed" "notification" => NotificationParams,
    "ping" "request" => RequestParams<'_>,
    "ping" "result" => EmptyResult,
    "prompts-get" "request" => GetPromptParams<'_>,
    "prompts-get" "result" => GetPromptResult,
    "prompts-list" "request" => PaginatedParams<'_>,
    "prompts-list" "result" => ListPromptsResult,
    "resources-list" "request" => PaginatedParams<'_>,
    "resources-list" "result" => ListResourcesResult,
    "resources-read" "request" => ReadResourceParams<'_>,
    "resources-read" "result" => ReadResourceResult,
    "resources-subscribe" "request" => SubscribeParams<'_>,
    "resources-subscribe" "result" => EmptyResult,
    "resources-templates-list" "request" => PaginatedParams<'_>,
    "resources-templates-list" "result" => ListResourceTemplatesResult,
    "resources-unsubscribe" "request" => SubscribeParams<'_>,
    "resources-unsubscribe" "result" => EmptyResult,
    "server-discover" "request" => RequestParams<'_>,
    "server-discover" "result" => DiscoverResult,
    "tools-call" "request" => CallToolParams<'_>,
    "tools-call" "result" => CallToolResult,
    "tools-list" "request" => PaginatedParams<'_>,
    "tools-list" "result" => ListToolsResult,
}

#[test]
fn messages_of_2024_11_05_survive() {
    check("2024-11-05");
}

#[test]
fn messages_of_2025_03_26_survive() {
    check("2025-03-26");
}

#[test]
fn messages_of_2025_06_18_survive() {
    check("2025-06-18");
}

#[test]
fn messages_of_2025_11_25_survive() {
    check("2025-11-25");
}

#[test]
fn messages_of_2026_07_28_survive() {
    check("2026-07-28");
}

#[track_caller]
fn check(revision: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages").join(revision);
    let mut seen = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap();
        check_file(&format!("{revision}/{file}"), file, &fs::read_to_string(&path).unwrap());
        seen += 1;
    }
    assert!(seen > 0, "{} is empty", folder.display());
}

#[track_caller]
fn check_file(at: &str, file: &str, text: &str) {
    let message: Message<'_> = serde_json::from_str(text).expect(at);
    let (name, kind) = file.strip_suffix(".json").and_then(|s| s.rsplit_once('.')).expect(at);
    let method = name.split('.').next().unwrap_or(name).replace('-', "/");
    let payload = match kind {
        "result" => message.result.expect(at),
        _ => message.params.unwrap_or(RawValue::NULL),
    };
    if kind != "result" {
        assert_eq!(message.method, Some(method.as_str()), "{at}: the name says another method");
    }
    assert_eq!(message.id.is_none(), kind == "notification", "{at}: only notifications lack an id");
    if payload.get() == "null" {
        return;
    }
    let written = rewrite(name, kind, payload.get())
        .unwrap_or_else(|| panic!("{at}: no line in the table"))
        .unwrap_or_else(|error| panic!("{at}: {error}"));
    let read: Value = serde_json::from_str(payload.get()).unwrap();
    assert_eq!(written, read, "{at}");
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
