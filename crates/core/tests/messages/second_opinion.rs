//! What we write, read by an implementation that others generated from the official schemas.
//!
//! It drops members that it does not know, so a message that it writes again without a difference has no misspelt member.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// For each revision, which of the other implementation's types reads which kind of message.
macro_rules! opinions {
    ($function:ident, $schema:path, $($name:literal $kind:literal => $type:ident,)+) => {
        pub(crate) fn $function(name: &str, kind: &str, message: &Value) -> Opinion {
            use $schema as schema;
            match kind {
                $($kind if super::is_of(name, $name) => judge::<schema::$type>(kind, message),)+
                _ => Opinion::None,
            }
        }
    };
}

/// Hands the rows that all legacy revisions share, and those given, to [`opinions`].
macro_rules! legacy_opinions {
    ($function:ident, $schema:path, $($name:literal $kind:literal => $type:ident,)*) => {
        opinions! {
            $function, $schema,
            $($name $kind => $type,)*
            "completion-complete" "request" => CompleteRequest,
            "completion-complete" "result" => CompleteResult,
            "initialize" "request" => InitializeRequest,
            "initialize" "result" => InitializeResult,
            "logging-setLevel" "request" => SetLevelRequest,
            "logging-setLevel" "result" => Result,
            "notifications-cancelled" "notification" => CancelledNotification,
            "notifications-initialized" "notification" => InitializedNotification,
            "notifications-message" "notification" => LoggingMessageNotification,
            "notifications-progress" "notification" => ProgressNotification,
            "notifications-prompts-list_changed" "notification" => PromptListChangedNotification,
            "notifications-resources-list_changed" "notification" => ResourceListChangedNotification,
            "notifications-resources-updated" "notification" => ResourceUpdatedNotification,
            "notifications-roots-list_changed" "notification" => RootsListChangedNotification,
            "notifications-tools-list_changed" "notification" => ToolListChangedNotification,
            "ping" "request" => PingRequest,
            "ping" "result" => Result,
            "prompts-get" "request" => GetPromptRequest,
            "prompts-get" "result" => GetPromptResult,
            "prompts-list" "request" => ListPromptsRequest,
            "prompts-list" "result" => ListPromptsResult,
            "resources-list" "request" => ListResourcesRequest,
            "resources-list" "result" => ListResourcesResult,
            "resources-read" "request" => ReadResourceRequest,
            "resources-read" "result" => ReadResourceResult,
            "resources-subscribe" "request" => SubscribeRequest,
            "resources-subscribe" "result" => Result,
            "resources-templates-list" "request" => ListResourceTemplatesRequest,
            "resources-templates-list" "result" => ListResourceTemplatesResult,
            "resources-unsubscribe" "request" => UnsubscribeRequest,
            "resources-unsubscribe" "result" => Result,
            "roots-list" "request" => ListRootsRequest,
            "roots-list" "result" => ListRootsResult,
            "sampling-createMessage" "request" => CreateMessageRequest,
            "sampling-createMessage" "result" => CreateMessageResult,
            "tools-call" "request" => CallToolRequest,
            "tools-call" "result" => CallToolResult,
            "tools-list" "request" => ListToolsRequest,
            "tools-list" "result" => ListToolsResult,
        }
    };
}

legacy_opinions! { of_2024_11_05, schema_2024_11_05::mcp_2024_11_05, }

legacy_opinions! { of_2025_03_26, schema_2025_03_26::mcp_2025_03_26, }

legacy_opinions! {
    of_2025_06_18, schema_2025_06_18::mcp_2025_06_18,
    "elicitation-create" "request" => ElicitRequest,
    "elicitation-create" "result" => ElicitResult,
}

legacy_opinions! {
    of_2025_11_25, schema_2025_11_25::mcp_2025_11_25,
    "elicitation-create.task" "result" => CreateTaskResult,
    "elicitation-create" "request" => ElicitRequest,
    "elicitation-create" "result" => ElicitResult,
    "notifications-elicitation-complete" "notification" => ElicitationCompleteNotification,
    "notifications-tasks-status" "notification" => TaskStatusNotification,
    "sampling-createMessage.task" "result" => CreateTaskResult,
    "tasks-cancel" "request" => CancelTaskRequest,
    "tasks-cancel" "result" => CancelTaskResult,
    "tasks-get" "request" => GetTaskRequest,
    "tasks-get" "result" => GetTaskResult,
    "tasks-list" "request" => ListTasksRequest,
    "tasks-list" "result" => ListTasksResult,
    "tasks-result" "request" => GetTaskPayloadRequest,
    "tasks-result" "result" => GetTaskPayloadResult,
    "tools-call.task" "result" => CreateTaskResult,
}

opinions! {
    of_2026_07_28, schema_2026_07_28::mcp_2026_07_28,
    "completion-complete" "request" => CompleteRequest,
    "completion-complete" "result" => CompleteResult,
    "notifications-cancelled" "notification" => CancelledNotification,
    "notifications-message" "notification" => LoggingMessageNotification,
    "notifications-progress" "notification" => ProgressNotification,
    "notifications-prompts-list_changed" "notification" => PromptListChangedNotification,
    "notifications-resources-list_changed" "notification" => ResourceListChangedNotification,
    "notifications-resources-updated" "notification" => ResourceUpdatedNotification,
    "notifications-subscriptions-acknowledged" "notification" => SubscriptionsAcknowledgedNotification,
    "notifications-tools-list_changed" "notification" => ToolListChangedNotification,
    "prompts-get.input-required" "result" => InputRequiredResult,
    "prompts-get" "request" => GetPromptRequest,
    "prompts-get" "result" => GetPromptResult,
    "prompts-list" "request" => ListPromptsRequest,
    "prompts-list" "result" => ListPromptsResult,
    "resources-list" "request" => ListResourcesRequest,
    "resources-list" "result" => ListResourcesResult,
    "resources-read.input-required" "result" => InputRequiredResult,
    "resources-read" "request" => ReadResourceRequest,
    "resources-read" "result" => ReadResourceResult,
    "resources-templates-list" "request" => ListResourceTemplatesRequest,
    "resources-templates-list" "result" => ListResourceTemplatesResult,
    "server-discover" "request" => DiscoverRequest,
    "server-discover" "result" => DiscoverResult,
    "subscriptions-listen" "request" => SubscriptionsListenRequest,
    "subscriptions-listen" "result" => SubscriptionsListenResult,
    "tools-call.input-required" "result" => InputRequiredResult,
    "tools-call" "request" => CallToolRequest,
    "tools-call" "result" => CallToolResult,
    "tools-list" "request" => ListToolsRequest,
    "tools-list" "result" => ListToolsResult,
}

pub(crate) enum Opinion {
    /// It has no type for such a message.
    None,
    Refused(String),
    /// It understood this much.
    Understood(Value),
}

fn judge<T: DeserializeOwned + Serialize>(kind: &str, message: &Value) -> Opinion {
    let part = if kind == "result" { &message["result"] } else { message };
    // From text, because that is what goes over the wire.
    match serde_json::from_str::<T>(&part.to_string()) {
        Ok(theirs) => Opinion::Understood(serde_json::to_value(theirs).unwrap()),
        Err(error) => Opinion::Refused(error.to_string()),
    }
}

/// The members of ours, as JSON pointers, that theirs lacks or has with another value; 1 and 1.0 are the same here.
pub(crate) fn lost(ours: &Value, theirs: &Value) -> Vec<String> {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => lost_parts(
            ours.iter().map(|(key, value)| (key.clone(), value, theirs.get(key))).collect(),
        ),
        (Value::Array(ours), Value::Array(theirs)) => lost_parts(
            ours.iter()
                .enumerate()
                .map(|(i, value)| (i.to_string(), value, theirs.get(i)))
                .collect(),
        ),
        (Value::Number(ours), Value::Number(theirs)) if ours.as_f64() == theirs.as_f64() => vec![],
        _ if ours == theirs => vec![],
        _ => vec![String::new()],
    }
}

fn lost_parts(parts: Vec<(String, &Value, Option<&Value>)>) -> Vec<String> {
    let mut all = Vec::new();
    for (key, ours, theirs) in parts {
        let below = theirs.map_or_else(|| vec![String::new()], |theirs| lost(ours, theirs));
        all.extend(below.into_iter().map(|rest| format!("/{key}{rest}")));
    }
    all
}

#[test]
fn a_misspelt_member_is_noticed() {
    let ours = serde_json::json!({"tools": [], "nextcursor": "x"});
    let Opinion::Understood(theirs) = of_2026_07_28(
        "tools-list",
        "result",
        &serde_json::json!({"result": {
            "tools": [], "nextcursor": "x", "resultType": "complete", "ttlMs": 1, "cacheScope": "public"
        }}),
    ) else {
        panic!("refused");
    };
    assert_eq!(lost(&ours, &theirs), ["/nextcursor"]);
}

#[test]
fn a_missing_member_is_refused() {
    let message = serde_json::json!({"result": {"tools": [], "resultType": "complete"}});
    assert!(matches!(of_2026_07_28("tools-list", "result", &message), Opinion::Refused(_)));
}
