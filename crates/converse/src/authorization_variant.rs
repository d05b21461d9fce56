//! The ways in which a hosted server demands a token.
//!
//! Each is the usual one but for one thing, so that what a client does can be traced back to that thing.

mod variants;

use proofmark_core::revision::AuthorizationRules;

/// One way to demand a token: what the server and its authorization server are like. Each is a constant in `variants`, and in
/// [`AuthorizationVariant::ALL`].
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationVariant {
    /// What the client finds in `PROOFMARK_SCENARIO`.
    pub name: &'static str,
    pub title: &'static str,
    /// The scenario of the official suite that makes a client authorize itself, and do what is needed.
    pub official: &'static str,
    /// Whether the rules of a revision have clients meet such a server.
    pub suits: fn(&AuthorizationRules) -> bool,
    /// Whether the client is told beforehand under which id and with which secret it is known.
    pub tells_credentials: bool,
    pub challenge: Challenge,
    /// In the challenge.
    pub scope: Option<&'static str>,
    /// Where the metadata of the resource lies.
    pub resource_metadata: ResourceMetadata,
    /// Scopes in the metadata of the resource.
    pub scopes_supported: Option<&'static [&'static str]>,
    /// The path of the issuer.
    pub issuer: &'static str,
    /// The path of the issuer that takes its place.
    pub successor: Option<&'static str>,
    /// Who the authorization server says that it is, if that is not true.
    pub claimed_issuer: Option<&'static str>,
    pub issuer_metadata: IssuerMetadata,
    /// Where the endpoints are, below the issuer.
    pub endpoints: &'static str,
    pub pkce: Pkce,
    pub registration: Registration,
    /// What comes back beside a code.
    pub iss: IssParameter,
    /// The `state` that comes back, if it is not the client's.
    pub state: Option<&'static str>,
    pub lifetime: TokenLifetime,
    pub step_up: StepUp,
    /// Whether the server writes the scheme of its own URI in upper case.
    pub upper_case_scheme: bool,
    pub unsafe_address: UnsafeAddress,
}

/// What a 401 says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// Nothing but the scheme.
    Bare,
    /// Where the metadata of the resource lies.
    Telling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceMetadata {
    AtRoot,
    /// At a path that clients cannot guess.
    Elsewhere,
    Nowhere,
    /// At the well-known place for the path of the endpoint.
    OfPath,
}

/// Where the metadata of the authorization server lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssuerMetadata {
    Nowhere,
    OAuth,
    OpenId,
    /// Below the path of the issuer.
    OpenIdBelow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pkce {
    Announced,
    Unannounced,
}

/// How clients become known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registration {
    Open,
    /// Open, and by documents too.
    OpenOrDocuments,
    /// There is an endpoint, and it refuses every client.
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssParameter {
    /// Not there, and not promised.
    Absent,
    /// Promised, and not there.
    Forgotten,
    /// Promised, and there with this at its end.
    With(&'static str),
    /// Promised, and this one.
    Other(&'static str),
}

/// How long a token is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenLifetime {
    Always,
    /// The first token is good until the first call. There are refresh tokens if the issuer stays the same.
    UntilCalled,
}

/// Whether calls need another scope than everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepUp {
    No,
    Once,
    /// And nothing is ever enough.
    Always,
}

/// What leads to an address that is neither secure nor on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsafeAddress {
    AuthorizationEndpoint,
    Issuer,
    Nothing,
    Redirect,
}

impl AuthorizationVariant {
    /// Whether there are refresh tokens.
    pub fn can_refresh(&self) -> bool {
        self.lifetime == TokenLifetime::UntilCalled && self.successor.is_none()
    }

    /// What the client may be told beforehand, as JSON.
    pub fn context(&self) -> Option<String> {
        self.tells_credentials.then(|| {
            format!("{{\"client_id\":\"{KNOWN_CLIENT}\",\"client_secret\":\"hosted-secret\"}}")
        })
    }
}

impl PartialEq for AuthorizationVariant {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for AuthorizationVariant {}

/// The client that the authorization server knows beforehand, where it does.
pub const KNOWN_CLIENT: &str = "hosted-known-client";
