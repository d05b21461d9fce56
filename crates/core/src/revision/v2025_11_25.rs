//! 2025-11-25: the last with a handshake. Tasks as an experiment, sampling with tools, elicitation by URL, icons, and streams that are
//! polled.

use super::{
    AuthorizationRules, AuthorizationServerDiscovery, BadArguments, ClientCapability,
    ContentKind::{Audio, Image, Text, ToolResult, ToolUse},
    Dialect, EarlyClose, ElicitationRules, EnumForms, Fields, HttpRules, ImplementationFields,
    Level, MetadataForm, NotificationMethod as N, PromptRules, RequestMethod as R, Requests,
    ResourceRules, Resumption, Revision, Rules, SamplingRules, ServerCapability, SseFallback,
    TaskCancel, TaskCarrier, TaskEnvelope, TaskInput, TaskOptIn, TaskRules, TaskStyle, ToolRules,
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
    error_codes: &[
        ErrorCode::RESOURCE_NOT_FOUND,
        ErrorCode::URL_ELICITATION_REQUIRED,
        ErrorCode::USER_REJECTED,
    ],
    schema_dialect: Dialect::Draft2020_12,
    tools: ToolRules {
        fields: WITH_ICONS,
        bad_arguments: BadArguments::ToolError,
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
    }),
    sampling: SamplingRules { content: &[Text, Image, Audio, ToolUse, ToolResult], tools: true },
    tasks: Some(TaskRules {
        style: TaskStyle::Experimental,
        opt_in: TaskOptIn::Parameter,
        created: TaskEnvelope::Wrapped,
        carrier: TaskCarrier::Result,
        input: TaskInput::SideChannel,
        cancel: TaskCancel::Returned,
        augmentable: Requests::of(&[R::ToolsCall, R::SamplingCreateMessage, R::ElicitationCreate]),
        related_metadata: true,
        capability_enforced: false,
    }),
    http: HttpRules {
        resumption: Resumption::Pollable,
        early_close: EarlyClose::WithRetry,
        sse_fallback: SseFallback::Listed,
        ..BEFORE.http
    },
    authorization: Some(AuthorizationRules {
        discovery: AuthorizationServerDiscovery::ChallengeOrWellKnown,
        metadata: &[
            MetadataForm::OAuth,
            MetadataForm::OpenIdInserted,
            MetadataForm::OpenIdAppended,
        ],
        metadata_documents: Level::Should,
        pkce_announced: true,
        step_up: Level::Should,
        ..super::authorization::of(&BEFORE)
    }),
    ..BEFORE
};

const TASK_METHODS: &[R] = &[R::TasksGet, R::TasksResult, R::TasksList, R::TasksCancel];
const WITH_ICONS: Fields = Fields { title: true, icons: true, meta: true };
