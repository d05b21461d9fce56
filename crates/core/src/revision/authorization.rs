//! What a revision demands of authorization over HTTP.

use super::{Level, Rules};

/// How a client gets a token and a server checks it.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationRules {
    pub server_role: ServerRole,
    pub discovery: AuthorizationServerDiscovery,
    /// Where the authorization server's metadata may lie, in the order a client asks.
    pub metadata: &'static [MetadataForm],
    /// The ways of being known to an authorization server, in the order a client tries them.
    pub registration: &'static [ClientRegistration],
    pub dynamic_registration: Level,
    /// Dynamic registration is kept for old authorization servers only.
    pub dynamic_registration_deprecated: bool,
    /// A client may be known by the URL of a document about itself.
    pub metadata_documents: Level,
    /// The MCP server publishes protected resource metadata (RFC 9728).
    pub resource_metadata: Level,
    /// The authorization server publishes metadata about itself, in one of the forms of `metadata`.
    pub server_metadata: Level,
    /// A 401 needs `WWW-Authenticate`; otherwise the well-known document may stand in for it.
    pub challenge_required: bool,
    /// A client refuses an authorization server that does not announce its PKCE methods, and uses S256 where it can. PKCE itself is needed
    /// wherever there is authorization.
    pub pkce_announced: bool,
    /// The `resource` parameter in both requests, and the audience check that belongs to it.
    pub resource_indicator: Level,
    /// Tokens are never handed on to another service.
    pub no_passthrough: bool,
    /// The issuer in the metadata must be the one that was asked.
    pub issuer_checked: bool,
    /// `iss` in the authorization response is compared, byte for byte, where it is present, and missed where it is promised.
    pub iss_checked: bool,
    /// The authorization server puts `iss` into its authorization responses.
    pub iss_sent: Level,
    /// The challenge names the scopes needed.
    pub scope_in_challenge: Level,
    /// A 403 for want of scope carries an `insufficient_scope` challenge, and the client asks for more.
    pub step_up: Level,
    /// On stepping up, old scopes are asked for together with the new ones.
    pub step_up_keeps_scopes: bool,
    /// A challenge for want of scope names every scope that the operation needs at once.
    pub all_scopes_at_once: Level,
    pub token_rotation: TokenRotation,
    pub offline_access: OfflineAccess,
    /// The text describes an MCP server that stands between its clients and a third party's authorization server.
    pub third_party_flow: bool,
    /// Dynamic registration must say what kind of application it is for.
    pub application_type: bool,
    /// Credentials are kept for the issuer that gave them, and for no other.
    pub credentials_by_issuer: bool,
}

/// What an MCP server is in OAuth's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerRole {
    /// Often the authorization server as well.
    Either,
    ResourceServer,
}

/// How a client finds the authorization server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorizationServerDiscovery {
    /// The URL in `WWW-Authenticate` leads to the protected resource metadata.
    Challenge,
    /// The challenge, or else the well-known places: with the path first, then at the root.
    ChallengeOrWellKnown,
    /// The server's own URL without its path.
    ServerOrigin,
}

/// A form of authorization server metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataForm {
    /// No metadata: `/authorize`, `/token` and `/register` at the root.
    DefaultEndpoints,
    /// `/.well-known/oauth-authorization-server`, with the issuer's path after it.
    OAuth,
    /// `/.well-known/oauth-authorization-server` at the root.
    OAuthAtRoot,
    /// `/.well-known/openid-configuration`, with the issuer's path after it.
    OpenIdInserted,
    /// `/.well-known/openid-configuration` after the issuer's path.
    OpenIdAppended,
}

/// A way for a client to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientRegistration {
    AskUser,
    Dynamic,
    MetadataDocument,
    PreRegistered,
}

/// Whose refresh tokens are replaced at each use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenRotation {
    /// Recommended for all.
    Recommended,
    /// Demanded for public clients.
    PublicClients,
}

/// Who may speak of the scope `offline_access`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfflineAccess {
    /// A client, where the authorization server lists it; an MCP server should not, neither in challenges nor in its metadata.
    ClientsOnly,
    Unstated,
}

/// The rules a later revision builds on.
pub(super) const fn of(rules: &Rules) -> AuthorizationRules {
    match rules.authorization {
        Some(rules) => rules,
        None => panic!("the revision before has authorization"),
    }
}
