//! 2025-03-26: Streamable HTTP and OAuth arrive; batches must be accepted; audio, tool annotations and the completions capability.

use super::{
    AuthorizationRules, AuthorizationServerDiscovery, Batches,
    ContentKind::{Audio, Image, Resource, Text},
    HttpRules, Level, MetadataForm, PromptRules, Revision, Rules, SamplingRules, ServerCapability,
    ToolRules, VersionHeader,
    v2024_11_05::RULES as BEFORE,
};

pub(super) const RULES: Rules = Rules {
    revision: Revision::V2025_03_26,
    name: "2025-03-26",
    server_capabilities: BEFORE.server_capabilities.with(&[ServerCapability::Completions]),
    batches: Batches::Accepted,
    progress_message: true,
    tools: ToolRules {
        content: &[Text, Image, Audio, Resource],
        annotations: true,
        ..BEFORE.tools
    },
    prompts: PromptRules { content: &[Text, Image, Audio, Resource], ..BEFORE.prompts },
    sampling: SamplingRules { content: &[Text, Image, Audio], ..BEFORE.sampling },
    http: HttpRules { version_header: VersionHeader::MetadataDiscovery, ..BEFORE.http },
    authorization: Some(AuthorizationRules {
        discovery: AuthorizationServerDiscovery::ServerOrigin,
        metadata: &[MetadataForm::OAuthAtRoot, MetadataForm::DefaultEndpoints],
        metadata_documents: Level::Unstated,
        pkce_announced: false,
        issuer_checked: false,
        iss_checked: false,
        step_up: Level::Unstated,
        application_type: false,
        credentials_by_issuer: false,
    }),
    ..BEFORE
};
