//! What a revision demands of authorization over HTTP.

use super::{Level, Rules};

/// How a client gets a token and a server checks it.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationRules {
    pub discovery: AuthorizationServerDiscovery,
    /// Where the authorization server's metadata may lie, in the order a client asks.
    pub metadata: &'static [MetadataForm],
    /// A client may be known by the URL of a document about itself.
    pub metadata_documents: Level,
    /// A client refuses an authorization server that does not announce its PKCE methods, and uses S256 where it can. PKCE itself is needed
    /// wherever there is authorization.
    pub pkce_announced: bool,
    /// The issuer in the metadata must be the one that was asked.
    pub issuer_checked: bool,
    /// `iss` in the authorization response is compared, byte for byte, where it is present, and missed where it is promised.
    pub iss_checked: bool,
    /// A 403 for want of scope carries an `insufficient_scope` challenge, and the client asks for more.
    pub step_up: Level,
    /// Dynamic registration must say what kind of application it is for.
    pub application_type: bool,
    /// Credentials are kept for the issuer that gave them, and for no other.
    pub credentials_by_issuer: bool,
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

/// The rules a later revision builds on.
pub(super) const fn of(rules: &Rules) -> AuthorizationRules {
    match rules.authorization {
        Some(rules) => rules,
        None => panic!("the revision before has authorization"),
    }
}
