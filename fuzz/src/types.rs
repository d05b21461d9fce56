//! A payload that a type of the protocol accepts is written in a form that the type reads as the same.

use proofmark_core::{
    jsonrpc::{Incoming, Limits, Message, Params, parse},
    revision::RequestMethod,
    types::{
        CallToolParams, CallToolResult, CancelTaskResult, CancelledParams, ClientRequest,
        CompleteParams, CompleteResult, CreateMessageParams, CreateMessageResult, CreateTaskResult,
        DetailedTask, DiscoverResult, ElicitParams, ElicitResult, ElicitationCompleteParams,
        EmptyResult, ExtensionTask, GetPromptParams, GetPromptResult, GetTaskResult,
        InitializeParams, InitializeResult, InputRequiredResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListRootsParams, ListRootsResult,
        ListTasksResult, ListToolsResult, LoggingMessageParams, NotificationParams,
        PaginatedParams, ProgressParams, ReadResourceParams, ReadResourceResult, RequestParams,
        ResourceUpdatedParams, ResultType, SetLevelParams, SubscribeParams,
        SubscriptionsAcknowledgedParams, SubscriptionsListenParams, SubscriptionsListenResult,
        TaskParams, TaskPayloadResult, TaskStatusParams, UpdateTaskParams, request_meta_of,
    },
};
use serde::{Deserialize, Serialize};

pub fn run(data: &[u8]) {
    match parse(data, &Limits::default()) {
        Ok(Incoming::Message(message)) => payload_of(&message),
        Ok(Incoming::Batch(members)) => members.iter().flatten().for_each(payload_of),
        Err(_) => {}
    }
}

fn payload_of(message: &Message<'_>) {
    match message {
        Message::Request(request) => {
            let meta = request_meta_of(request.params.as_ref());
            if let Some(method) = RequestMethod::parse(&request.method)
                && ClientRequest::decode(method, request.params.as_ref()).is_ok()
            {
                meta.expect("a request that is read as a whole has readable `_meta`");
            }
            params(request.params.as_ref().map_or("{}", Params::get));
        }
        Message::Notification(notification) => {
            params(notification.params.as_ref().map_or("{}", Params::get));
        }
        Message::Response(response) => {
            let _ = ResultType::of(response.result);
            result(response.result.get());
        }
        Message::Error(_) => {}
    }
}

/// Reads `text` as each of the types, and writes again what was read.
macro_rules! survive {
    ($text:expr, $($type:ty),+ $(,)?) => {$(
        if let Ok(read) = serde_json::from_str::<$type>($text) {
            let written = write(&read);
            let again: $type = serde_json::from_str(&written)
                .unwrap_or_else(|error| panic!("{}: {error} in {written}", stringify!($type)));
            assert_eq!(write(&again), written, "{}", stringify!($type));
        }
    )+};
}

fn params(text: &str) {
    survive!(
        text,
        CallToolParams<'_>,
        CancelledParams<'_>,
        CompleteParams<'_>,
        CreateMessageParams,
        DetailedTask,
        ElicitParams,
        ElicitationCompleteParams,
        GetPromptParams<'_>,
        InitializeParams<'_>,
        ListRootsParams,
        LoggingMessageParams,
        NotificationParams,
        PaginatedParams<'_>,
        ProgressParams<'_>,
        ReadResourceParams<'_>,
        RequestParams<'_>,
        ResourceUpdatedParams,
        SetLevelParams<'_>,
        SubscribeParams<'_>,
        SubscriptionsAcknowledgedParams,
        SubscriptionsListenParams,
        TaskParams,
        TaskStatusParams,
        UpdateTaskParams,
    );
}

fn result(text: &str) {
    survive!(
        text,
        CallToolResult,
        CancelTaskResult,
        CompleteResult,
        CreateMessageResult,
        CreateTaskResult,
        DetailedTask,
        DiscoverResult,
        ElicitResult,
        EmptyResult,
        ExtensionTask,
        GetPromptResult,
        GetTaskResult,
        InitializeResult,
        InputRequiredResult,
        ListPromptsResult,
        ListResourceTemplatesResult,
        ListResourcesResult,
        ListRootsResult,
        ListTasksResult,
        ListToolsResult,
        ReadResourceResult,
        SubscriptionsListenResult,
        TaskPayloadResult,
    );
}

fn write<'a, T: Serialize + Deserialize<'a>>(value: &T) -> String {
    serde_json::to_string(value).expect("what was read from JSON can be written as JSON")
}
