//! 2025-03-26: Streamable HTTP and OAuth arrive; batches must be accepted; audio, tool annotations and the completions capability.

use super::{
    AuthorizationRules, AuthorizationServerDiscovery, Batches, ClientRegistration,
    ContentKind::{Audio, Image, Resource, Text},
    ErrorWithoutId, HttpRules, HttpSse, Level, MetadataForm, OfflineAccess, PromptRules, Revision,
    Rules, SamplingRules, ServerCapability, ServerRole, Status, Statuses, TokenRotation, ToolRules,
    VersionHeader,
    v2024_11_05::RULES as BEFORE,
};

pub(super) const RULES: Rules = Rules {
    revision: Revision::V2025_03_26,
    name: "2025-03-26",
    server_capabilities: BEFORE.server_capabilities.with(&[ServerCapability::Completions]),
    batches: Batches::Accepted,
    error_without_id: ErrorWithoutId::HttpRejection,
    utf8: Level::Must,
    progress_message: true,
    timeout_cancels: Level::Should,
    tools: ToolRules {
        content: &[Text, Image, Audio, Resource],
        annotations: true,
        ..BEFORE.tools
    },
    prompts: PromptRules { content: &[Text, Image, Audio, Resource], ..BEFORE.prompts },
    sampling: SamplingRules { content: &[Text, Image, Audio], ..BEFORE.sampling },
    http: HttpRules {
        defined: true,
        version_header: VersionHeader::MetadataDiscovery,
        status: Statuses {
            notification_accepted: Status::must(202),
            response_accepted: Status::must(202),
            session_missing: Status::should(400),
            session_unknown: Status::must(404),
            notification_refused: Status::any_error(400),
            get_unsupported: Status::must(405),
            delete_unsupported: Status::may(405),
            unauthorized: Status::must(401),
            scope_insufficient: Status::must(403),
            authorization_malformed: Status::must(400),
            batch_refused: Status::absent(400),
            ..BEFORE.http.status
        },
        ..BEFORE.http
    },
    http_sse: HttpSse::Deprecated,
    authorization: Some(AuthorizationRules {
        server_role: ServerRole::Either,
        discovery: AuthorizationServerDiscovery::ServerOrigin,
        metadata: &[MetadataForm::OAuthAtRoot, MetadataForm::DefaultEndpoints],
        registration: &[
            ClientRegistration::Dynamic,
            ClientRegistration::PreRegistered,
            ClientRegistration::AskUser,
        ],
        dynamic_registration: Level::Should,
        dynamic_registration_deprecated: false,
        metadata_documents: Level::Unstated,
        resource_metadata: Level::Unstated,
        server_metadata: Level::Should,
        challenge_required: false,
        pkce_announced: false,
        resource_indicator: Level::Unstated,
        no_passthrough: false,
        issuer_checked: false,
        iss_checked: false,
        iss_sent: Level::Unstated,
        scope_in_challenge: Level::Unstated,
        step_up: Level::Unstated,
        step_up_keeps_scopes: false,
        all_scopes_at_once: Level::Unstated,
        token_rotation: TokenRotation::Recommended,
        offline_access: OfflineAccess::Unstated,
        third_party_flow: true,
        application_type: false,
        credentials_by_issuer: false,
    }),
    ..BEFORE
};
