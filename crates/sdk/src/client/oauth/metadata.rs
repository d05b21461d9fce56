//! What servers publish about themselves, checked before it is used.

use serde::Deserialize;
use url::Url;

use super::{AddressPolicy, OAuthError, Party};
use crate::auth::Scopes;

/// What the MCP server says about itself (RFC 9728).
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ResourceMetadata {
    pub(super) resource: String,
    #[serde(default)]
    pub(super) authorization_servers: Vec<String>,
    scopes_supported: Option<Vec<String>>,
    dpop_bound_access_tokens_required: Option<bool>,
}

impl ResourceMetadata {
    /// Reads the document; it must be about the server that was asked, or about a place that contains it.
    pub(super) fn read(json: &[u8], url: &Url, server: &Url) -> Result<Self, OAuthError> {
        let bad = |why: String| OAuthError::Metadata {
            party: Party::ResourceServer,
            url: url.to_string(),
            why,
        };
        let metadata: Self = serde_json::from_slice(json).map_err(|why| bad(why.to_string()))?;
        let covers = Url::parse(&metadata.resource).is_ok_and(|resource| {
            resource.fragment().is_none()
                && resource.origin() == server.origin()
                && contains(resource.path(), server.path())
        });
        if !covers {
            let server = server.to_string();
            return Err(OAuthError::ResourceMismatch { resource: metadata.resource, server });
        }
        if metadata.authorization_servers.is_empty() {
            return Err(bad("it names no authorization server".into()));
        }
        Ok(metadata)
    }

    pub(super) fn scopes(&self) -> Option<Scopes> {
        let scopes = self.scopes_supported.as_ref()?;
        Some(Scopes::granted(scopes.iter().map(String::as_str)))
    }

    pub(super) fn wants_dpop(&self) -> bool {
        self.dpop_bound_access_tokens_required == Some(true)
    }
}

/// Whether a path is the other or above it.
fn contains(above: &str, path: &str) -> bool {
    let above = above.trim_end_matches('/');
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// An authorization server whose metadata may be acted on.
#[derive(Clone, Debug)]
pub(crate) struct AuthorizationServer {
    /// As it names itself, byte for byte; what it issues is kept under this name.
    pub(crate) issuer: String,
    pub(crate) authorization_endpoint: Option<Url>,
    pub(crate) token_endpoint: Url,
    pub(crate) registration_endpoint: Option<Url>,
    pub(crate) scopes: Option<Scopes>,
    pub(crate) pkce: Pkce,
    /// `None`: it does not say.
    pub(crate) authentication: Option<Vec<String>>,
    /// It has promised to say who it is in every authorization response.
    pub(crate) sends_iss: bool,
    pub(crate) metadata_documents: bool,
    pub(crate) dpop_algorithms: Vec<String>,
}

/// What an authorization server says about proof keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pkce {
    Other,
    S256,
    Unstated,
}

#[derive(Deserialize)]
struct Document {
    issuer: Option<String>,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    registration_endpoint: Option<String>,
    scopes_supported: Option<Vec<String>>,
    code_challenge_methods_supported: Option<Vec<String>>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    authorization_response_iss_parameter_supported: Option<bool>,
    client_id_metadata_document_supported: Option<bool>,
    dpop_signing_alg_values_supported: Option<Vec<String>>,
}

/// Who the metadata has to be of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Issuer<'a> {
    /// Not named by a document: the metadata was found at the MCP server's own origin.
    Own(&'a Url),
    /// Byte for byte.
    Named(&'a str),
}

impl AuthorizationServer {
    /// Whether bytes are a document at all: many sites answer everything with a page.
    pub(super) fn is_document(json: &[u8]) -> bool {
        serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(json).is_ok()
    }

    /// Reads (RFC 8414 or OpenID) metadata that lay at `url`.
    pub(super) fn read(
        json: &[u8],
        url: &Url,
        issuer: Issuer<'_>,
        policy: &AddressPolicy,
    ) -> Result<Self, OAuthError> {
        let bad = |why: String| OAuthError::Metadata {
            party: Party::AuthorizationServer,
            url: url.to_string(),
            why,
        };
        let document: Document =
            serde_json::from_slice(json).map_err(|why| bad(why.to_string()))?;
        let issuer = match (issuer, document.issuer) {
            (Issuer::Named(expected), found) if found.as_deref() != Some(expected) => {
                let found = found.unwrap_or_default();
                return Err(OAuthError::IssuerMismatch { expected: expected.to_owned(), found });
            }
            (Issuer::Named(expected), _) => expected.to_owned(),
            (Issuer::Own(origin), found) => found.unwrap_or_else(|| bare(origin)),
        };
        let endpoint = |text: Option<String>| match text {
            None => Ok(None),
            Some(text) => match policy.check(&text) {
                Ok(url) => Ok(Some(url)),
                Err(why) => Err(OAuthError::Blocked { url: text, why }),
            },
        };
        let pkce = match document.code_challenge_methods_supported {
            None => Pkce::Unstated,
            Some(methods) if methods.iter().any(|method| method == "S256") => Pkce::S256,
            Some(_) => Pkce::Other,
        };
        let scopes = document.scopes_supported;
        Ok(Self {
            issuer,
            authorization_endpoint: endpoint(document.authorization_endpoint)?,
            token_endpoint: endpoint(document.token_endpoint)?
                .ok_or_else(|| bad("it names no token endpoint".into()))?,
            registration_endpoint: endpoint(document.registration_endpoint)?,
            scopes: scopes.map(|scopes| Scopes::granted(scopes.iter().map(String::as_str))),
            pkce,
            authentication: document.token_endpoint_auth_methods_supported,
            sends_iss: document.authorization_response_iss_parameter_supported == Some(true),
            metadata_documents: document.client_id_metadata_document_supported == Some(true),
            dpop_algorithms: document.dpop_signing_alg_values_supported.unwrap_or_default(),
        })
    }

    /// One that publishes nothing: its endpoints are at the root of the MCP server's origin.
    pub(super) fn unpublished(origin: &Url) -> Self {
        let at = |path: &str| {
            let mut url = origin.clone();
            url.set_path(path);
            url
        };
        Self {
            issuer: bare(origin),
            authorization_endpoint: Some(at("/authorize")),
            token_endpoint: at("/token"),
            registration_endpoint: Some(at("/register")),
            scopes: None,
            pkce: Pkce::Unstated,
            authentication: None,
            sends_iss: false,
            metadata_documents: false,
            dpop_algorithms: Vec::new(),
        }
    }
}

/// An origin without the slash that URLs end in.
fn bare(origin: &Url) -> String {
    origin.origin().ascii_serialization()
}
