//! 2025-06-18: batches leave; elicitation, structured tool output, resource links, titles and the version header; servers are OAuth
//! resource servers only.

use super::{
    AuthorizationRules, AuthorizationServerDiscovery, Batches, ClientCapability,
    ContentKind::{Audio, Image, Resource, ResourceLink, Text},
    ElicitationRules, EnumForms, Fields, HttpRules, ImplementationFields, MetaRules, MetadataForm,
    PromptRules, RequestMethod, ResourceRules, Revision, Rules, Structured, ToolRules,
    VersionHeader,
    v2025_03_26::RULES as BEFORE,
};

pub(super) const RULES: Rules = Rules {
    revision: Revision::V2025_06_18,
    name: "2025-06-18",
    server_requests: BEFORE.server_requests.with(&[RequestMethod::ElicitationCreate]),
    client_capabilities: BEFORE.client_capabilities.with(&[ClientCapability::Elicitation]),
    implementation: ImplementationFields { title: true, ..BEFORE.implementation },
    batches: Batches::Removed,
    meta: MetaRules { on_objects: true, ..BEFORE.meta },
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
        pattern_shown: false,
        string_lists: false,
        completion: false,
    }),
    http: HttpRules {
        version_header: VersionHeader::AfterInitialize { assumed: Revision::ASSUMED_OVER_HTTP },
        ..BEFORE.http
    },
    authorization: Some(AuthorizationRules {
        discovery: AuthorizationServerDiscovery::Challenge,
        metadata: &[MetadataForm::OAuth],
        ..super::authorization::of(&BEFORE)
    }),
    ..BEFORE
};

const TITLED: Fields = Fields { title: true, icons: false, meta: true };
