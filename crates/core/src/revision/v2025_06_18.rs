//! 2025-06-18: batches leave; elicitation, structured tool output, resource links, titles and the version header; servers are OAuth
//! resource servers only.

use super::{
    AuthorizationRules, AuthorizationServerDiscovery, Batches, ClientCapability,
    ContentKind::{Audio, Image, Resource, ResourceLink, Text},
    ElicitationRules, EnumForms, Fields, HttpRules, ImplementationFields, Level, MetaRules,
    MetadataForm, PromptRules, RequestMethod, ReservedPrefix, ResourceRules, Revision, Rules,
    Secrets, ServerRole, Status, Statuses, Structured, TokenRotation, ToolRules, VersionHeader,
    v2025_03_26::RULES as BEFORE,
};

pub(super) const RULES: Rules = Rules {
    revision: Revision::V2025_06_18,
    name: "2025-06-18",
    server_requests: BEFORE.server_requests.with(&[RequestMethod::ElicitationCreate]),
    client_capabilities: BEFORE.client_capabilities.with(&[ClientCapability::Elicitation]),
    implementation: ImplementationFields { title: true, ..BEFORE.implementation },
    batches: Batches::Removed,
    negotiated_only: Level::Must,
    meta: MetaRules {
        on_objects: true,
        reserved_prefix: ReservedPrefix::LastButOne,
        ..BEFORE.meta
    },
    tools: ToolRules {
        content: &[Text, Image, Audio, ResourceLink, Resource],
        fields: TITLED,
        structured: Structured::Object,
        ..BEFORE.tools
    },
    resources: ResourceRules { fields: TITLED, last_modified: true, ..BEFORE.resources },
    prompts: PromptRules { content: &[Text, Image, Audio, ResourceLink, Resource], fields: TITLED },
    completion_context: true,
    elicitation: Some(ElicitationRules {
        url_mode: false,
        all_defaults: false,
        enums: EnumForms::Names,
        pattern_shown: false,
        string_lists: false,
        completion: false,
        url_required_error: false,
        undeclared_mode_answered: false,
        secrets: Secrets::Never,
    }),
    http: HttpRules {
        version_header: VersionHeader::AfterInitialize { assumed: Revision::ASSUMED_OVER_HTTP },
        status: Statuses {
            version_unsupported: Status::must(400),
            version_header_missing: Status::should(200),
            header_mismatch: Status::chosen(400),
            batch_refused: Status::chosen(400),
            ..BEFORE.http.status
        },
        ..BEFORE.http
    },
    authorization: Some(AuthorizationRules {
        server_role: ServerRole::ResourceServer,
        discovery: AuthorizationServerDiscovery::Challenge,
        metadata: &[MetadataForm::OAuth],
        resource_metadata: Level::Must,
        server_metadata: Level::Must,
        challenge_required: true,
        resource_indicator: Level::Must,
        no_passthrough: true,
        token_rotation: TokenRotation::PublicClients,
        third_party_flow: false,
        ..super::authorization::of(&BEFORE)
    }),
    ..BEFORE
};

const TITLED: Fields = Fields { title: true, icons: false, meta: true };
