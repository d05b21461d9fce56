//! 2026-07-28: the modern era. No handshake, no sessions, no requests from servers; every request explains itself, and what a server
//! needs to ask comes back as a result.

use super::{
    AuthorizationRules, CancellationRules, ClientCapabilities, ClientCapability, CodeRanges,
    Disconnect, EarlyClose, ElicitationRules, Era, HttpRules, HttpSse, IdReuse, IncludeContext,
    InputSchema, Level, LoggingRules, MetaRules, NotificationMethod as N, Notifications,
    OfflineAccess, PerConnection, PostedNotifications, Refusals, RequestMethod as R, Requests,
    ResourceRules, ResultRules, Resumption, Revision, Rules, SamplingRules, SchemaLimits,
    ServerCancels, ServerCapabilities, ServerCapability, SseFallback, Status, Statuses, StdioRules,
    Structured, SubscriptionStyle, TaskCancel, TaskCarrier, TaskEnvelope, TaskInput, TaskOptIn,
    TaskRules, TaskStyle, Termination, ToolRules, VersionHeader, VersionRefusal,
    v2025_11_25::RULES as BEFORE,
};
use crate::jsonrpc::ErrorCode;

pub(super) const RULES: Rules = Rules {
    revision: Revision::V2026_07_28,
    name: "2026-07-28",
    era: Era::Modern,
    client_requests: BEFORE
        .client_requests
        .without(&[
            R::Initialize,
            R::Ping,
            R::ResourcesSubscribe,
            R::ResourcesUnsubscribe,
            R::LoggingSetLevel,
            R::TasksResult,
            R::TasksList,
        ])
        .with(&[
            R::ServerDiscover,
            R::SubscriptionsListen,
            R::TasksUpdate,
            R::SkillsList,
            R::SkillsGet,
            R::ResourcesDirectoryRead,
        ]),
    server_requests: Requests::NONE,
    input_requests: Requests::of(&[R::RootsList, R::SamplingCreateMessage, R::ElicitationCreate]),
    client_notifications: Notifications::of(&[N::Cancelled]),
    server_notifications: BEFORE
        .server_notifications
        .without(&[N::ElicitationComplete, N::TasksStatus])
        .with(&[N::SubscriptionsAcknowledged, N::Tasks]),
    may_require_input: Requests::of(&[R::ToolsCall, R::PromptsGet, R::ResourcesRead]),
    server_capabilities: BEFORE
        .server_capabilities
        .without(&[
            ServerCapability::Tasks,
            ServerCapability::TasksCancel,
            ServerCapability::TasksList,
            ServerCapability::TasksToolsCall,
        ])
        .with(&[ServerCapability::Extensions]),
    client_capabilities: BEFORE
        .client_capabilities
        .without(&[
            ClientCapability::RootsListChanged,
            ClientCapability::Tasks,
            ClientCapability::TasksCancel,
            ClientCapability::TasksElicitationCreate,
            ClientCapability::TasksList,
            ClientCapability::TasksSamplingCreateMessage,
        ])
        .with(&[ClientCapability::Extensions]),
    deprecated_server_capabilities: ServerCapabilities::of(&[ServerCapability::Logging]),
    deprecated_client_capabilities: ClientCapabilities::of(&[
        ClientCapability::Roots,
        ClientCapability::Sampling,
        ClientCapability::SamplingContext,
        ClientCapability::SamplingTools,
    ]),
    id_reuse: IdReuse::OnceAnswered,
    params_required: true,
    result: ResultRules {
        result_type: true,
        server_info: true,
        cache_hints: Requests::of(&[
            R::ServerDiscover,
            R::ToolsList,
            R::ResourcesList,
            R::ResourcesTemplatesList,
            R::PromptsList,
            R::ResourcesRead,
            R::SkillsList,
            R::SkillsGet,
        ]),
    },
    meta: MetaRules {
        required: &[
            "io.modelcontextprotocol/protocolVersion",
            "io.modelcontextprotocol/clientCapabilities",
        ],
        recommended: &["io.modelcontextprotocol/clientInfo"],
        optional: &["progressToken", "io.modelcontextprotocol/logLevel"],
        trace_context: &["traceparent", "tracestate", "baggage"],
        ..BEFORE.meta
    },
    cancellation: CancellationRules {
        by_server: ServerCancels::Subscriptions,
        not_for_tasks: true,
        id_optional_in_schema: false,
        silences_request: true,
    },
    empty_cursor: true,
    paginated: BEFORE
        .paginated
        .without(&[R::TasksList])
        .with(&[R::SkillsList, R::ResourcesDirectoryRead]),
    lists_per_connection: PerConnection::Forbidden,
    resource_not_found: ErrorCode::INVALID_PARAMS,
    error_codes: &[
        ErrorCode::HEADER_MISMATCH,
        ErrorCode::MISSING_CLIENT_CAPABILITY,
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
    ],
    retired_error_codes: &[ErrorCode::RESOURCE_NOT_FOUND, ErrorCode::URL_ELICITATION_REQUIRED],
    code_ranges: CodeRanges::Partitioned,
    refusals: Refusals {
        version_unsupported: VersionRefusal::Error(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION),
        meta_missing: Some(ErrorCode::INVALID_PARAMS),
        capability_missing: Some(ErrorCode::MISSING_CLIENT_CAPABILITY),
        header_mismatch: Some(ErrorCode::HEADER_MISMATCH),
    },
    schema_limits: SchemaLimits::Guarded,
    tools: ToolRules {
        input_schema: InputSchema::AnyKeyword,
        structured: Structured::AnyValue,
        execution: false,
        header_parameters: true,
        stable_order: true,
        ..BEFORE.tools
    },
    resources: ResourceRules {
        not_found: Level::Must,
        several_contents: Level::May,
        paths_sanitised: Level::Must,
        ..BEFORE.resources
    },
    completion_limit_in_schema: true,
    logging: LoggingRules::PerRequest,
    subscriptions: SubscriptionStyle::Listen,
    elicitation: Some(ElicitationRules {
        pattern_shown: false,
        completion: false,
        url_required_error: false,
        undeclared_mode_answered: false,
        ..super::features::elicitation_of(&BEFORE)
    }),
    sampling: SamplingRules {
        include_context: IncludeContext::Deprecated,
        rejection_is_error: false,
        ..BEFORE.sampling
    },
    tasks: Some(TaskRules {
        style: TaskStyle::Extension,
        client_tasks: false,
        opt_in: TaskOptIn::Server,
        created: TaskEnvelope::Flat,
        ttl_field: "ttlMs",
        poll_interval_field: "pollIntervalMs",
        carrier: TaskCarrier::Get,
        input: TaskInput::Update,
        cancel: TaskCancel::Acknowledged,
        augmentable: Requests::of(&[R::ToolsCall]),
        tool_error_fails: false,
        related_metadata: false,
        progress: false,
        capability_enforced: true,
    }),
    stdio: StdioRules {
        exits_on_end_of_input: Level::Should,
        termination: Termination::Platform,
        restarts: Level::Should,
        ..BEFORE.stdio
    },
    http: HttpRules {
        get_stream: false,
        sessions: false,
        session_header: "Mcp-Session-Id",
        resumption: Resumption::Gone,
        early_close: EarlyClose::Never,
        disconnect: Disconnect::Cancels,
        version_header: VersionHeader::Always,
        routing_headers: true,
        name_header: Requests::of(&[
            R::ToolsCall,
            R::PromptsGet,
            R::ResourcesRead,
            R::TasksGet,
            R::TasksUpdate,
            R::TasksCancel,
        ]),
        server_requests: false,
        client_responses: false,
        client_notifications: PostedNotifications::None,
        sse_fallback: SseFallback::ListedUnlessModern,
        unbuffered: true,
        status: Statuses {
            response_accepted: Status::absent(400),
            method_not_found: Status::must(404),
            meta_missing: Status::must(400),
            capability_missing: Status::must(400),
            version_unsupported: Status::must(400),
            version_header_missing: Status::must(400),
            header_mismatch: Status::must(400),
            session_missing: Status::absent(400),
            session_unknown: Status::absent(404),
            get_unsupported: Status::should(405),
            delete_unsupported: Status::should(405),
            deleted: Status::absent(405),
            ..BEFORE.http.status
        },
        ..BEFORE.http
    },
    http_sse: HttpSse::OldClientsOnly,
    authorization: Some(AuthorizationRules {
        dynamic_registration_deprecated: true,
        issuer_checked: true,
        iss_checked: true,
        iss_sent: Level::Should,
        step_up_keeps_scopes: true,
        all_scopes_at_once: Level::Should,
        offline_access: OfflineAccess::ClientsOnly,
        application_type: true,
        credentials_by_issuer: true,
        ..super::authorization::of(&BEFORE)
    }),
    ..BEFORE
};
