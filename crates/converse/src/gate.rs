//! The ways in which a hosted server demands a token.
//!
//! Each is the usual one but for one thing, so that what a client does can be laid at the door of that thing.

mod terms;

use proofmark_core::revision::{
    AuthorizationRules, AuthorizationServerDiscovery as Discovery, Level, MetadataForm,
};

pub use self::terms::{
    Challenge, Documents, Hazard, Iss, Lasting, Pkce, Place, Registering, StepUp, Terms,
};

/// One way to demand a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The challenge names metadata and a scope; clients register themselves.
    Usual,
    /// The server is its own authorization server, and publishes what that is like.
    Own,
    /// The server is its own authorization server, and publishes nothing.
    Defaults,
    /// The metadata of the resource lies where only the challenge tells.
    Elsewhere,
    /// The challenge says nothing; the metadata of the resource lies at the root.
    Unhinted,
    /// Nobody says a word about scopes.
    Scopeless,
    /// The metadata of the authorization server has the form of OpenID Connect.
    OpenId,
    /// The issuer has a path, and its metadata lies below it.
    Tenant,
    /// Clients may be known by a document about them.
    Documents,
    /// The client was told under which id it is known.
    Known,
    /// The authorization server does not announce PKCE.
    NoPkce,
    /// The same in metadata of OpenID Connect.
    NoPkceOpenId,
    /// The metadata is that of another issuer.
    Forged,
    /// People come back with the name of another issuer.
    OtherIss,
    /// People come back without the name of the issuer, although it was promised.
    ForgottenIss,
    /// People come back with a name of the issuer that means the same and is spelt in another way.
    SlashedIss,
    /// People come back with another state.
    OtherState,
    /// Calls need one more scope.
    StepUp,
    /// Calls need one more scope whatever the client has.
    Insatiable,
    /// Calls need one more scope, and the client was told that it acts for itself.
    Credentials,
    /// The token is good until the first call, and can be refreshed.
    Expiring,
    /// The authorization server is another one from the first call on.
    Moved,
    /// The authorization server does not like the client's redirect URIs.
    Choosy,
    /// The server shouts its own name.
    Shouting,
    /// People are to be sent to an address that is neither secure nor on this machine.
    Unsafe,
    /// The issuer is at such an address.
    UnsafeIssuer,
    /// The metadata of the issuer redirects to such an address.
    Astray,
}

impl Gate {
    pub const ALL: [Self; 27] = [
        Self::Usual,
        Self::Own,
        Self::Defaults,
        Self::Elsewhere,
        Self::Unhinted,
        Self::Scopeless,
        Self::OpenId,
        Self::Tenant,
        Self::Documents,
        Self::Known,
        Self::NoPkce,
        Self::NoPkceOpenId,
        Self::Forged,
        Self::OtherIss,
        Self::ForgottenIss,
        Self::SlashedIss,
        Self::OtherState,
        Self::StepUp,
        Self::Insatiable,
        Self::Credentials,
        Self::Expiring,
        Self::Moved,
        Self::Choosy,
        Self::Shouting,
        Self::Unsafe,
        Self::UnsafeIssuer,
        Self::Astray,
    ];

    /// What the client finds in `PROOFMARK_SCENARIO`.
    pub fn name(self) -> &'static str {
        self.words().0
    }

    pub fn title(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Usual => ("auth", "a server that wants tokens"),
            Self::Own => ("auth-own", "a server that issues its own tokens"),
            Self::Defaults => {
                ("auth-defaults", "a server that issues tokens and does not say where")
            }
            Self::Elsewhere => ("auth-elsewhere", "a server with metadata in an odd place"),
            Self::Unhinted => {
                ("auth-unhinted", "a server that wants tokens and does not say which")
            }
            Self::Scopeless => ("auth-scopeless", "a server that knows no scopes"),
            Self::OpenId => ("auth-openid", "a server with an OpenID provider"),
            Self::Tenant => ("auth-tenant", "a server whose issuer has a path"),
            Self::Documents => ("auth-documents", "a server that knows clients by documents"),
            Self::Known => ("auth-known", "a server that knows the client"),
            Self::NoPkce => ("auth-no-pkce", "a server without PKCE"),
            Self::NoPkceOpenId => {
                ("auth-no-pkce-openid", "a server with an OpenID provider without PKCE")
            }
            Self::Forged => ("auth-forged", "a server with the metadata of another issuer"),
            Self::OtherIss => ("auth-other-iss", "a server whose codes are from another issuer"),
            Self::ForgottenIss => ("auth-forgotten-iss", "a server whose codes are from no issuer"),
            Self::SlashedIss => {
                ("auth-slashed-iss", "a server whose codes are from almost the same issuer")
            }
            Self::OtherState => ("auth-other-state", "a server that mixes people up"),
            Self::StepUp => ("auth-step-up", "a server that wants more scopes for calls"),
            Self::Insatiable => ("auth-insatiable", "a server that always wants more scopes"),
            Self::Credentials => {
                ("auth-credentials", "a server that wants more scopes of programs")
            }
            Self::Expiring => ("auth-expiring", "a server whose tokens expire"),
            Self::Moved => ("auth-moved", "a server that changes its authorization server"),
            Self::Choosy => ("auth-choosy", "a server that registers nobody"),
            Self::Shouting => ("auth-shouting", "a server with a name in upper case"),
            Self::Unsafe => ("auth-unsafe", "a server that sends people to an unsafe place"),
            Self::UnsafeIssuer => ("auth-unsafe-issuer", "a server with an unsafe issuer"),
            Self::Astray => ("auth-astray", "a server whose metadata leads to an unsafe place"),
        }
    }

    /// The scenario of the official suite that makes a client authorize itself, and do what is needed.
    pub fn official(self) -> &'static str {
        match self {
            Self::Own => "auth/2025-03-26-oauth-metadata-backcompat",
            Self::Defaults => "auth/2025-03-26-oauth-endpoint-fallback",
            Self::Unhinted => "auth/scope-from-scopes-supported",
            Self::Scopeless => "auth/scope-omitted-when-undefined",
            Self::OpenId => "auth/metadata-var1",
            Self::Tenant => "auth/metadata-var2",
            Self::Elsewhere => "auth/metadata-var3",
            Self::Documents => "auth/basic-cimd",
            Self::Known => "auth/pre-registration",
            Self::Forged => "auth/metadata-issuer-mismatch",
            Self::OtherIss => "auth/iss-wrong-issuer",
            Self::ForgottenIss => "auth/iss-supported-missing",
            Self::SlashedIss => "auth/iss-normalized",
            Self::StepUp => "auth/scope-step-up",
            Self::Insatiable => "auth/scope-retry-limit",
            Self::Credentials => "auth/client-credentials-basic",
            Self::Moved => "auth/authorization-server-migration",
            _ => "auth/metadata-default",
        }
    }

    /// Whether the rules of a revision have clients meet such a server.
    pub fn suits(self, rules: &AuthorizationRules) -> bool {
        if rules.discovery == Discovery::ServerOrigin {
            return matches!(self, Self::Own | Self::Defaults);
        }
        match self {
            Self::Own | Self::Defaults => false,
            Self::Unhinted => rules.discovery == Discovery::ChallengeOrWellKnown,
            Self::OpenId | Self::Tenant | Self::NoPkceOpenId => {
                rules.metadata.contains(&MetadataForm::OpenIdInserted)
            }
            Self::Documents | Self::Known => rules.metadata_documents >= Level::Should,
            Self::NoPkce => rules.pkce_announced,
            Self::Forged => rules.issuer_checked,
            Self::OtherIss | Self::ForgottenIss | Self::SlashedIss => rules.iss_checked,
            Self::StepUp | Self::Insatiable | Self::Credentials => rules.step_up >= Level::Should,
            Self::Moved => rules.credentials_by_issuer,
            Self::Choosy => rules.application_type,
            _ => true,
        }
    }

    /// What the client may be told beforehand, as JSON.
    pub fn context(self) -> Option<String> {
        matches!(self, Self::Known | Self::Credentials).then(|| {
            format!("{{\"client_id\":\"{KNOWN_CLIENT}\",\"client_secret\":\"hosted-secret\"}}")
        })
    }
}

/// The client that the authorization server knows beforehand, where it does.
pub const KNOWN_CLIENT: &str = "hosted-known-client";
