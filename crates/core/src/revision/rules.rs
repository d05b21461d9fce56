//! What a revision can demand, as a table with one answer for each question that revisions answer differently.

use super::{
    AuthorizationRules, ClientCapabilities, ElicitationRules, Era, HttpRules, ImplementationFields,
    LoggingRules, MetaRules, Notifications, PromptRules, Requests, ResourceRules, Revision,
    SamplingRules, ServerCapabilities, SubscriptionStyle, TaskRules, ToolRules,
};
use crate::jsonrpc::ErrorCode;

/// Everything about a revision that differs from another one, and that code asks for.
///
/// What only a requirement of the checker says is not repeated here.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub revision: Revision,
    /// The date, as it stands on the wire.
    pub name: &'static str,
    pub era: Era,

    /// Requests a client may send.
    pub client_requests: Requests,
    /// Requests a server may send as messages of their own.
    pub server_requests: Requests,
    /// Requests a server may put into an `input_required` result.
    pub input_requests: Requests,
    pub client_notifications: Notifications,
    pub server_notifications: Notifications,
    /// Requests whose result may be `input_required`.
    pub may_require_input: Requests,
    pub server_capabilities: ServerCapabilities,
    pub client_capabilities: ClientCapabilities,
    pub implementation: ImplementationFields,

    pub batches: Batches,
    pub result: ResultRules,
    pub meta: MetaRules,
    /// What a server's `notifications/cancelled` may name.
    pub server_cancels: ServerCancels,
    /// `message` in progress notifications.
    pub progress_message: bool,
    pub resource_not_found: ErrorCode,
    /// Codes that the specification itself gives a meaning, beside the five of JSON-RPC.
    pub error_codes: &'static [ErrorCode],
    /// The dialect of JSON Schemas that name none.
    pub schema_dialect: Dialect,

    pub tools: ToolRules,
    pub resources: ResourceRules,
    pub prompts: PromptRules,
    pub completion_context: bool,
    pub logging: LoggingRules,
    pub subscriptions: SubscriptionStyle,
    pub elicitation: Option<ElicitationRules>,
    pub sampling: SamplingRules,
    pub tasks: Option<TaskRules>,

    pub http: HttpRules,
    pub authorization: Option<AuthorizationRules>,
}

/// How firmly the text demands something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Unstated,
    May,
    Should,
    Must,
}

/// What the text says of JSON-RPC batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batches {
    /// Receiving is a must, sending a choice; `initialize` is never inside.
    Accepted,
    Removed,
    Unstated,
}

impl Batches {
    pub fn accepted(self) -> bool {
        self == Self::Accepted
    }
}

/// What every result carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultRules {
    /// It begins with `resultType`, and `_meta` has the server's identity.
    pub result_type: bool,
    /// Complete results of these must say how long and for whom they may be kept.
    pub cache_hints: Requests,
}

/// What a server's `notifications/cancelled` may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerCancels {
    /// Requests that the server sent itself.
    OwnRequests,
    /// Subscriptions of the client that the server ends, and nothing else.
    Subscriptions,
}

/// The JSON Schema dialect of a schema without `$schema`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Draft2020_12,
    Unstated,
}
