//! 2026-07-28: the modern era. No handshake, no sessions, no requests from servers; every request explains itself, and what a server
//! needs to ask comes back as a result.

use super::{
    AuthorizationRules, ClientCapability, Disconnect, EarlyClose, ElicitationRules, Era, HttpRules,
    LoggingRules, MetaRules, NotificationMethod as N, Notifications, PostedNotifications,
    RequestMethod as R, Requests, ResultRules, Resumption, Revision, Rules, ServerCancels,
    ServerCapability, SseFallback, Statuses, Structured, SubscriptionStyle, TaskCancel,
    TaskCarrier, TaskEnvelope, TaskInput, TaskOptIn, TaskRules, TaskStyle, ToolRules,
    VersionHeader, v2025_11_25::RULES as BEFORE,
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
    result: ResultRules {
        result_type: true,
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
    server_cancels: ServerCancels::Subscriptions,
    resource_not_found: ErrorCode::INVALID_PARAMS,
    error_codes: &[
        ErrorCode::HEADER_MISMATCH,
        ErrorCode::MISSING_CLIENT_CAPABILITY,
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
    ],
    tools: ToolRules {
        structured: Structured::AnyValue,
        execution: false,
        header_parameters: true,
        ..BEFORE.tools
    },
    logging: LoggingRules::PerRequest,
    subscriptions: SubscriptionStyle::Listen,
    elicitation: Some(ElicitationRules {
        pattern_shown: false,
        completion: false,
        ..super::features::elicitation_of(&BEFORE)
    }),
    tasks: Some(TaskRules {
        style: TaskStyle::Extension,
        opt_in: TaskOptIn::Server,
        created: TaskEnvelope::Flat,
        carrier: TaskCarrier::Get,
        input: TaskInput::Update,
        cancel: TaskCancel::Acknowledged,
        augmentable: Requests::of(&[R::ToolsCall]),
        related_metadata: false,
        capability_enforced: true,
    }),
    http: HttpRules {
        get_stream: false,
        sessions: false,
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
        client_notifications: PostedNotifications::None,
        sse_fallback: SseFallback::ListedUnlessModern,
        unbuffered: true,
        status: Statuses {
            response_accepted: 400,
            method_not_found: 404,
            version_header_missing: 400,
            deleted: 405,
            ..BEFORE.http.status
        },
    },
    authorization: Some(AuthorizationRules {
        issuer_checked: true,
        iss_checked: true,
        application_type: true,
        credentials_by_issuer: true,
        ..super::authorization::of(&BEFORE)
    }),
    ..BEFORE
};
