//! 2025-11-25: the last with a handshake. Tasks as an experiment, sampling with tools, elicitation by URL, icons, and streams that are
//! polled.

use super::{
    AuthorizationRules, AuthorizationServerDiscovery, BadArguments, CancellationRules,
    ClientCapability, ClientRegistration,
    ContentKind::{Audio, Image, Text, ToolResult, ToolUse},
    Dialect, EarlyClose, ElicitationRules, EnumForms, ErrorWithoutId, Fields, HttpRules,
    ImplementationFields, IncludeContext, InputSchema, Level, MetaRules, MetadataForm,
    NotificationMethod as N, PromptRules, RequestMethod as R, Requests, ReservedPrefix,
    ResourceRules, Resumption, Revision, Rules, SamplingRules, Secrets, ServerCapability,
    SseFallback, Status, Statuses, StdioRules, TaskCancel, TaskCarrier, TaskEnvelope, TaskInput,
    TaskOptIn, TaskRules, TaskStyle, ToolRules,
    v2025_06_18::RULES as BEFORE,
};
use crate::jsonrpc::ErrorCode;

pub(super) const RULES: Rules = Rules {
    revision: Revision::V2025_11_25,
    name: "2025-11-25",
    client_requests: BEFORE.client_requests.with(TASK_METHODS),
    server_requests: BEFORE.server_requests.with(TASK_METHODS),
    client_notifications: BEFORE.client_notifications.with(&[N::TasksStatus]),
    server_notifications: BEFORE
        .server_notifications
        .with(&[N::TasksStatus, N::ElicitationComplete]),
    server_capabilities: BEFORE.server_capabilities.with(&[
        ServerCapability::Tasks,
        ServerCapability::TasksCancel,
        ServerCapability::TasksList,
        ServerCapability::TasksToolsCall,
    ]),
    client_capabilities: BEFORE.client_capabilities.with(&[
        ClientCapability::ElicitationForm,
        ClientCapability::ElicitationUrl,
        ClientCapability::SamplingContext,
        ClientCapability::SamplingTools,
        ClientCapability::Tasks,
        ClientCapability::TasksCancel,
        ClientCapability::TasksElicitationCreate,
        ClientCapability::TasksList,
        ClientCapability::TasksSamplingCreateMessage,
    ]),
    implementation: ImplementationFields {
        title: true,
        icons: true,
        description: true,
        website_url: true,
    },
    error_without_id: ErrorWithoutId::UnreadableId,
    meta: MetaRules {
        reserved_prefix: ReservedPrefix::Second,
        reverse_dns: Level::Should,
        ..BEFORE.meta
    },
    cancellation: CancellationRules {
        not_for_tasks: true,
        id_optional_in_schema: true,
        ..BEFORE.cancellation
    },
    paginated: BEFORE.paginated.with(&[R::TasksList]),
    error_codes: &[
        ErrorCode::RESOURCE_NOT_FOUND,
        ErrorCode::URL_ELICITATION_REQUIRED,
        ErrorCode::USER_REJECTED,
    ],
    schema_dialect: Dialect::Draft2020_12,
    tools: ToolRules {
        fields: WITH_ICONS,
        input_schema: InputSchema::Valid,
        bad_arguments: BadArguments::ToolError,
        name_rule: true,
        execution: true,
        ..BEFORE.tools
    },
    resources: ResourceRules { fields: WITH_ICONS, ..BEFORE.resources },
    prompts: PromptRules { fields: WITH_ICONS, ..BEFORE.prompts },
    elicitation: Some(ElicitationRules {
        url_mode: true,
        all_defaults: true,
        enums: EnumForms::Titled,
        pattern_shown: true,
        string_lists: true,
        completion: true,
        url_required_error: true,
        undeclared_mode_answered: true,
        secrets: Secrets::ByUrlOnly,
    }),
    sampling: SamplingRules {
        content: &[Text, Image, Audio, ToolUse, ToolResult],
        tools: true,
        include_context: IncludeContext::Discouraged,
        ..BEFORE.sampling
    },
    tasks: Some(TaskRules {
        style: TaskStyle::Experimental,
        client_tasks: true,
        opt_in: TaskOptIn::Parameter,
        created: TaskEnvelope::Wrapped,
        ttl_field: "ttl",
        poll_interval_field: "pollInterval",
        carrier: TaskCarrier::Result,
        input: TaskInput::SideChannel,
        cancel: TaskCancel::Returned,
        augmentable: Requests::of(&[R::ToolsCall, R::SamplingCreateMessage, R::ElicitationCreate]),
        tool_error_fails: true,
        related_metadata: true,
        progress: true,
        capability_enforced: false,
    }),
    stdio: StdioRules { stderr_is_no_failure: Level::Should, ..BEFORE.stdio },
    http: HttpRules {
        session_header: "MCP-Session-Id",
        resumption: Resumption::Pollable,
        early_close: EarlyClose::WithRetry,
        sse_fallback: SseFallback::Listed,
        status: Statuses { origin_refused: Status::must(403), ..BEFORE.http.status },
        ..BEFORE.http
    },
    authorization: Some(AuthorizationRules {
        discovery: AuthorizationServerDiscovery::ChallengeOrWellKnown,
        metadata: &[
            MetadataForm::OAuth,
            MetadataForm::OpenIdInserted,
            MetadataForm::OpenIdAppended,
        ],
        registration: &[
            ClientRegistration::PreRegistered,
            ClientRegistration::MetadataDocument,
            ClientRegistration::Dynamic,
            ClientRegistration::AskUser,
        ],
        dynamic_registration: Level::May,
        metadata_documents: Level::Should,
        challenge_required: false,
        pkce_announced: true,
        scope_in_challenge: Level::Should,
        step_up: Level::Should,
        ..super::authorization::of(&BEFORE)
    }),
    ..BEFORE
};

const TASK_METHODS: &[R] = &[R::TasksGet, R::TasksResult, R::TasksList, R::TasksCancel];
const WITH_ICONS: Fields = Fields { title: true, icons: true, meta: true };
