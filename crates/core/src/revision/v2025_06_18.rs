//! 2025-06-18: batches leave; elicitation, structured tool output, resource links, titles and the version header; servers are OAuth
//! resource servers only.

use super::{
    AuthorizationRules, AuthorizationServerDiscovery, Batches, ClientCapability,
    ContentKind::{Audio, Image, Resource, ResourceLink, Text},
    ElicitationRules, EnumForms, Fields, HttpRules, Level, MetaRules, MetadataForm, PromptRules,
    RequestMethod, ReservedPrefix, ResourceRules, Revision, Rules, ServerRole, Status, Statuses,
    Structured, ToolRules, VersionHeader,
    v2025_03_26::RULES as BEFORE,
};

pub(super) const RULES: Rules = Rules {
    revision: Revision::V2025_06_18,
    name: "2025-06-18",
    server_requests: BEFORE.server_requests.with(&[RequestMethod::ElicitationCreate]),
    client_capabilities: BEFORE.client_capabilities.with(&[ClientCapability::Elicitation]),
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
    resources: ResourceRules { fields: TITLED, last_modified: true },
    prompts: PromptRules { content: &[Text, Image, Audio, ResourceLink, Resource], fields: TITLED },
    completion_context: true,
    elicitation: Some(ElicitationRules {
        url_mode: false,
        all_defaults: false,
        enums: EnumForms::Names,
        string_lists: false,
        completion: false,
        url_required_error: false,
        undeclared_mode_answered: false,
    }),
    http: HttpRules {
        version_header: VersionHeader::AfterInitialize { assumed: Revision::ASSUMED_OVER_HTTP },
        status: Statuses {
            version_unsupported: Status::must(400),
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
        challenge_required: true,
        resource_indicator: Level::Must,
        no_passthrough: true,
        ..super::authorization::of(&BEFORE)
    }),
    ..BEFORE
};

const TITLED: Fields = Fields { title: true, icons: false, meta: true };
