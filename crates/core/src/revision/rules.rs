//! What a revision can demand, as a table with one answer for each question that revisions answer differently.

use super::{
    AuthorizationRules, ClientCapabilities, ElicitationRules, Era, HttpRules, HttpSse,
    ImplementationFields, LoggingRules, MetaRules, Notifications, PromptRules, Refusals, Requests,
    ResourceRules, Revision, SamplingRules, ServerCapabilities, StdioRules, SubscriptionStyle,
    TaskRules, ToolRules,
};
use crate::jsonrpc::ErrorCode;

/// Everything about a revision that differs from another one.
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
    /// Capabilities that still work but that new servers should not take up.
    pub deprecated_server_capabilities: ServerCapabilities,
    /// Capabilities that still work but that new clients should not take up.
    pub deprecated_client_capabilities: ClientCapabilities,
    pub implementation: ImplementationFields,

    pub batches: Batches,
    pub id_reuse: IdReuse,
    pub error_without_id: ErrorWithoutId,
    /// How firmly the text asks for UTF-8.
    pub utf8: Level,
    /// Whether every request needs `params`, because `_meta` is required there.
    pub params_required: bool,
    /// How firmly each side is held to what was negotiated.
    pub negotiated_only: Level,

    pub result: ResultRules,
    pub meta: MetaRules,
    pub cancellation: CancellationRules,
    /// `message` in progress notifications.
    pub progress_message: bool,
    /// Whether a cursor may be the empty string.
    pub empty_cursor: bool,
    /// Requests whose results come in pages.
    pub paginated: Requests,
    /// Whether what a server lists may depend on the connection.
    pub lists_per_connection: PerConnection,
    /// How firmly a requester that gives up waiting is asked to cancel; setting a time limit is recommended in every revision.
    pub timeout_cancels: Level,
    pub resource_not_found: ErrorCode,
    /// Codes that the specification itself gives a meaning, beside the five of JSON-RPC.
    pub error_codes: &'static [ErrorCode],
    /// Codes that must not be sent any more.
    pub retired_error_codes: &'static [ErrorCode],
    pub code_ranges: CodeRanges,
    pub refusals: Refusals,
    /// The dialect of JSON Schemas that name none.
    pub schema_dialect: Dialect,
    pub schema_limits: SchemaLimits,

    pub tools: ToolRules,
    pub resources: ResourceRules,
    pub prompts: PromptRules,
    pub completion_context: bool,
    /// Whether the limit on the number of completion values is in the schema.
    pub completion_limit_in_schema: bool,
    pub logging: LoggingRules,
    pub subscriptions: SubscriptionStyle,
    pub elicitation: Option<ElicitationRules>,
    pub sampling: SamplingRules,
    pub tasks: Option<TaskRules>,

    pub stdio: StdioRules,
    pub http: HttpRules,
    pub http_sse: HttpSse,
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

/// When a requester may use an id again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdReuse {
    /// Never within a session.
    Never,
    /// As soon as the request that had it is answered.
    OnceAnswered,
}

/// When an error response may lack an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorWithoutId {
    Never,
    /// As the body of an HTTP rejection.
    HttpRejection,
    /// Whenever the id could not be read.
    UnreadableId,
}

/// What every result carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultRules {
    /// `resultType` is required.
    pub result_type: bool,
    /// The server's identity is expected in `_meta`.
    pub server_info: bool,
    /// Complete results of these must say how long and for whom they may be kept.
    pub cache_hints: Requests,
}

/// Who may cancel what, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancellationRules {
    pub by_server: ServerCancels,
    /// Tasks have a method of their own for it.
    pub not_for_tasks: bool,
    /// `requestId` is optional in the schema, though a cancellation without it means nothing.
    pub id_optional_in_schema: bool,
    /// Nothing at all may be sent for a request once it is cancelled, its notifications included.
    pub silences_request: bool,
}

/// What a server's `notifications/cancelled` may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerCancels {
    /// Requests that the server sent itself.
    OwnRequests,
    /// Subscriptions of the client that the server ends, and nothing else.
    Subscriptions,
}

/// Whether lists differ between connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerConnection {
    Forbidden,
    Unstated,
}

/// Whether the range that JSON-RPC leaves to servers is divided up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeRanges {
    /// -32000 to -32019 mean nothing in particular and should not be used; -32020 to -32099 belong to the specification; an application's
    /// own codes should lie outside -32768 to -32000.
    Partitioned,
    Unstated,
}

/// What keeps a hostile schema from doing harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaLimits {
    /// A `$ref` into the network is not followed unasked, and the work of composed schemas should be bounded.
    Guarded,
    Unstated,
}

/// The JSON Schema dialect of a schema without `$schema`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Draft2020_12,
    Unstated,
}
