//! Every way to demand a token.

use proofmark_core::revision::{
    AuthorizationRules, AuthorizationServerDiscovery as Discovery, Level, MetadataForm,
};

use super::{
    AuthorizationVariant, Challenge, IssParameter, IssuerMetadata, Pkce, Registration,
    ResourceMetadata, StepUp, TokenLifetime, UnsafeAddress,
};

impl AuthorizationVariant {
    pub const ALL: &'static [&'static Self] = &[
        Self::USUAL,
        Self::OWN,
        Self::DEFAULTS,
        Self::ELSEWHERE,
        Self::UNHINTED,
        Self::SCOPELESS,
        Self::OPEN_ID,
        Self::TENANT,
        Self::DOCUMENTS,
        Self::KNOWN,
        Self::NO_PKCE,
        Self::NO_PKCE_OPEN_ID,
        Self::FORGED,
        Self::OTHER_ISS,
        Self::FORGOTTEN_ISS,
        Self::SLASHED_ISS,
        Self::OTHER_STATE,
        Self::STEP_UP,
        Self::INSATIABLE,
        Self::CREDENTIALS,
        Self::EXPIRING,
        Self::MOVED,
        Self::CHOOSY,
        Self::SHOUTING,
        Self::UNSAFE,
        Self::UNSAFE_ISSUER,
        Self::ASTRAY,
    ];

    /// The challenge names metadata and a scope; clients register themselves.
    pub const USUAL: &'static Self = &Self {
        name: "auth",
        title: "a server that wants tokens",
        official: "auth/metadata-default",
        suits: has_metadata,
        tells_credentials: false,
        challenge: Challenge::Telling,
        scope: Some("hosted:use"),
        resource_metadata: ResourceMetadata::OfPath,
        scopes_supported: Some(&["hosted:use", "hosted:more"]),
        issuer: "",
        successor: None,
        claimed_issuer: None,
        issuer_metadata: IssuerMetadata::OAuth,
        endpoints: "/as",
        pkce: Pkce::Announced,
        registration: Registration::Open,
        iss: IssParameter::Absent,
        state: None,
        lifetime: TokenLifetime::Always,
        step_up: StepUp::No,
        upper_case_scheme: false,
        unsafe_address: UnsafeAddress::Nothing,
    };

    /// The server is its own authorization server, and publishes what that is like.
    pub const OWN: &'static Self = &Self {
        name: "auth-own",
        title: "a server that issues its own tokens",
        official: "auth/2025-03-26-oauth-metadata-backcompat",
        suits: |rules| !has_metadata(rules),
        challenge: Challenge::Bare,
        scope: None,
        resource_metadata: ResourceMetadata::Nowhere,
        scopes_supported: None,
        ..*Self::USUAL
    };

    /// The server is its own authorization server, and publishes nothing.
    pub const DEFAULTS: &'static Self = &Self {
        name: "auth-defaults",
        title: "a server that issues tokens and does not say where",
        official: "auth/2025-03-26-oauth-endpoint-fallback",
        issuer_metadata: IssuerMetadata::Nowhere,
        endpoints: "",
        ..*Self::OWN
    };

    /// The metadata of the resource lies where only the challenge tells.
    pub const ELSEWHERE: &'static Self = &Self {
        name: "auth-elsewhere",
        title: "a server with metadata in an odd place",
        official: "auth/metadata-var3",
        resource_metadata: ResourceMetadata::Elsewhere,
        ..*Self::USUAL
    };

    /// The challenge says nothing; the metadata of the resource lies at the root.
    pub const UNHINTED: &'static Self = &Self {
        name: "auth-unhinted",
        title: "a server that wants tokens and does not say which",
        official: "auth/scope-from-scopes-supported",
        suits: |rules| rules.discovery == Discovery::ChallengeOrWellKnown,
        resource_metadata: ResourceMetadata::AtRoot,
        challenge: Challenge::Bare,
        scope: None,
        ..*Self::USUAL
    };

    /// Neither the challenge nor the metadata mention scopes.
    pub const SCOPELESS: &'static Self = &Self {
        name: "auth-scopeless",
        title: "a server that knows no scopes",
        official: "auth/scope-omitted-when-undefined",
        scope: None,
        scopes_supported: None,
        ..*Self::USUAL
    };

    /// The metadata of the authorization server has the form of OpenID Connect.
    pub const OPEN_ID: &'static Self = &Self {
        name: "auth-openid",
        title: "a server with an OpenID provider",
        official: "auth/metadata-var1",
        suits: knows_open_id,
        issuer_metadata: IssuerMetadata::OpenId,
        ..*Self::USUAL
    };

    /// The issuer has a path, and its metadata lies below it.
    pub const TENANT: &'static Self = &Self {
        name: "auth-tenant",
        title: "a server whose issuer has a path",
        official: "auth/metadata-var2",
        suits: knows_open_id,
        issuer: "/tenant",
        issuer_metadata: IssuerMetadata::OpenIdBelow,
        ..*Self::USUAL
    };

    /// Clients may be known by a document about them.
    pub const DOCUMENTS: &'static Self = &Self {
        name: "auth-documents",
        title: "a server that knows clients by documents",
        official: "auth/basic-cimd",
        suits: |rules| has_metadata(rules) && rules.metadata_documents >= Level::Should,
        registration: Registration::OpenOrDocuments,
        ..*Self::USUAL
    };

    /// The client was told under which id it is known.
    pub const KNOWN: &'static Self = &Self {
        name: "auth-known",
        title: "a server that knows the client",
        official: "auth/pre-registration",
        suits: |rules| has_metadata(rules) && rules.metadata_documents >= Level::Should,
        tells_credentials: true,
        registration: Registration::OpenOrDocuments,
        ..*Self::USUAL
    };

    /// The authorization server does not announce PKCE.
    pub const NO_PKCE: &'static Self = &Self {
        name: "auth-no-pkce",
        title: "a server without PKCE",
        suits: |rules| has_metadata(rules) && rules.pkce_announced,
        pkce: Pkce::Unannounced,
        ..*Self::USUAL
    };

    /// The same in metadata of OpenID Connect.
    pub const NO_PKCE_OPEN_ID: &'static Self = &Self {
        name: "auth-no-pkce-openid",
        title: "a server with an OpenID provider without PKCE",
        suits: knows_open_id,
        pkce: Pkce::Unannounced,
        issuer_metadata: IssuerMetadata::OpenId,
        ..*Self::USUAL
    };

    /// The metadata is that of another issuer.
    pub const FORGED: &'static Self = &Self {
        name: "auth-forged",
        title: "a server with the metadata of another issuer",
        official: "auth/metadata-issuer-mismatch",
        suits: |rules| has_metadata(rules) && rules.issuer_checked,
        claimed_issuer: Some("https://honest.example"),
        ..*Self::USUAL
    };

    /// People come back with the name of another issuer.
    pub const OTHER_ISS: &'static Self = &Self {
        name: "auth-other-iss",
        title: "a server whose codes are from another issuer",
        official: "auth/iss-wrong-issuer",
        suits: |rules| has_metadata(rules) && rules.iss_checked,
        iss: IssParameter::Other("https://honest.example"),
        ..*Self::USUAL
    };

    /// People come back without the name of the issuer, although it was promised.
    pub const FORGOTTEN_ISS: &'static Self = &Self {
        name: "auth-forgotten-iss",
        title: "a server whose codes are from no issuer",
        official: "auth/iss-supported-missing",
        suits: |rules| has_metadata(rules) && rules.iss_checked,
        iss: IssParameter::Forgotten,
        ..*Self::USUAL
    };

    /// People come back with a name of the issuer that means the same and is spelt in another way.
    pub const SLASHED_ISS: &'static Self = &Self {
        name: "auth-slashed-iss",
        title: "a server whose codes are from almost the same issuer",
        official: "auth/iss-normalized",
        suits: |rules| has_metadata(rules) && rules.iss_checked,
        iss: IssParameter::With("/"),
        ..*Self::USUAL
    };

    /// People come back with another state.
    pub const OTHER_STATE: &'static Self = &Self {
        name: "auth-other-state",
        title: "a server that mixes people up",
        state: Some("of-somebody-else"),
        ..*Self::USUAL
    };

    /// Calls need one more scope.
    pub const STEP_UP: &'static Self = &Self {
        name: "auth-step-up",
        title: "a server that wants more scopes for calls",
        official: "auth/scope-step-up",
        suits: |rules| has_metadata(rules) && rules.step_up >= Level::Should,
        step_up: StepUp::Once,
        ..*Self::USUAL
    };

    /// Calls need one more scope whatever the client has.
    pub const INSATIABLE: &'static Self = &Self {
        name: "auth-insatiable",
        title: "a server that always wants more scopes",
        official: "auth/scope-retry-limit",
        suits: |rules| has_metadata(rules) && rules.step_up >= Level::Should,
        step_up: StepUp::Always,
        ..*Self::USUAL
    };

    /// Calls need one more scope, and the client was told that it acts for itself.
    pub const CREDENTIALS: &'static Self = &Self {
        name: "auth-credentials",
        title: "a server that wants more scopes of programs",
        official: "auth/client-credentials-basic",
        suits: |rules| has_metadata(rules) && rules.step_up >= Level::Should,
        tells_credentials: true,
        step_up: StepUp::Once,
        ..*Self::USUAL
    };

    /// The token is good until the first call, and can be refreshed.
    pub const EXPIRING: &'static Self = &Self {
        name: "auth-expiring",
        title: "a server whose tokens expire",
        lifetime: TokenLifetime::UntilCalled,
        ..*Self::USUAL
    };

    /// The authorization server is another one from the first call on.
    pub const MOVED: &'static Self = &Self {
        name: "auth-moved",
        title: "a server that changes its authorization server",
        official: "auth/authorization-server-migration",
        suits: |rules| has_metadata(rules) && rules.credentials_by_issuer,
        issuer: "/first",
        successor: Some("/second"),
        lifetime: TokenLifetime::UntilCalled,
        ..*Self::USUAL
    };

    /// The authorization server does not like the client's redirect URIs.
    pub const CHOOSY: &'static Self = &Self {
        name: "auth-choosy",
        title: "a server that registers nobody",
        suits: |rules| has_metadata(rules) && rules.application_type,
        registration: Registration::Refused,
        ..*Self::USUAL
    };

    /// The server writes its own name in upper case.
    pub const SHOUTING: &'static Self = &Self {
        name: "auth-shouting",
        title: "a server with a name in upper case",
        upper_case_scheme: true,
        ..*Self::USUAL
    };

    /// People are to be sent to an address that is neither secure nor on this machine.
    pub const UNSAFE: &'static Self = &Self {
        name: "auth-unsafe",
        title: "a server that sends people to an unsafe place",
        unsafe_address: UnsafeAddress::AuthorizationEndpoint,
        ..*Self::USUAL
    };

    /// The issuer is at such an address.
    pub const UNSAFE_ISSUER: &'static Self = &Self {
        name: "auth-unsafe-issuer",
        title: "a server with an unsafe issuer",
        unsafe_address: UnsafeAddress::Issuer,
        ..*Self::USUAL
    };

    /// The metadata of the issuer redirects to such an address.
    pub const ASTRAY: &'static Self = &Self {
        name: "auth-astray",
        title: "a server whose metadata leads to an unsafe place",
        unsafe_address: UnsafeAddress::Redirect,
        ..*Self::USUAL
    };
}

/// Whether resources have metadata of their own. In the beginning servers issued their own tokens.
fn has_metadata(rules: &AuthorizationRules) -> bool {
    rules.discovery != Discovery::ServerOrigin
}

fn knows_open_id(rules: &AuthorizationRules) -> bool {
    has_metadata(rules) && rules.metadata.contains(&MetadataForm::OpenIdInserted)
}
