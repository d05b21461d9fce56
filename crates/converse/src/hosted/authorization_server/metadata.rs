//! What the resource and its authorization server say about themselves, and where.

use serde_json::{Value, json};

use super::AuthorizationServer;
use crate::{
    authorization_variant::{
        Challenge, IssParameter, IssuerMetadata, Pkce, Registration, ResourceMetadata,
        UnsafeAddress,
    },
    hosted::server::ENDPOINT,
};

impl AuthorizationServer {
    /// The value of `WWW-Authenticate`.
    pub(super) fn challenge(&self, scope: Option<&str>, error: Option<&str>) -> String {
        let mut parameters = Vec::new();
        if let Some(error) = error {
            parameters.push(format!(" error=\"{error}\""));
        }
        if self.variant.challenge == Challenge::Telling {
            let url = format!("{}{}", self.origin, self.resource_metadata_path());
            parameters.push(format!(" resource_metadata=\"{url}\""));
        }
        if let Some(scope) = scope {
            parameters.push(format!(" scope=\"{scope}\""));
        }
        format!("Bearer{}", parameters.join(","))
    }

    pub(super) fn has_resource_at(&self, path: &str) -> bool {
        self.variant.resource_metadata != ResourceMetadata::Nowhere
            && path == self.resource_metadata_path()
    }

    /// Where the metadata of the resource lies, if it lies anywhere.
    fn resource_metadata_path(&self) -> String {
        match self.variant.resource_metadata {
            ResourceMetadata::AtRoot => RESOURCE.to_owned(),
            ResourceMetadata::Elsewhere => ODD_PLACE.to_owned(),
            ResourceMetadata::Nowhere | ResourceMetadata::OfPath => format!("{RESOURCE}{ENDPOINT}"),
        }
    }

    pub(super) fn has_issuer_at(&self, path: &str) -> bool {
        let own = self.issuer_path;
        match self.variant.issuer_metadata {
            IssuerMetadata::Nowhere => false,
            IssuerMetadata::OAuth => path == format!("{OAUTH}{own}"),
            IssuerMetadata::OpenId => path == format!("{OPEN_ID}{own}"),
            IssuerMetadata::OpenIdBelow => path == format!("{own}{OPEN_ID}"),
        }
    }

    /// Where a request for metadata is sent on to.
    pub(super) fn leads_astray(&self, path: &str) -> Option<String> {
        (self.variant.unsafe_address == UnsafeAddress::Redirect)
            .then(|| format!("{}{path}", self.elsewhere()))
    }

    pub(super) fn issuer(&self) -> String {
        let origin = match self.variant.unsafe_address {
            UnsafeAddress::Issuer => self.elsewhere(),
            _ => self.origin.clone(),
        };
        format!("{origin}{}", self.issuer_path)
    }

    /// The path of an endpoint.
    pub(super) fn endpoint(&self, name: &str) -> String {
        format!("{}{}/{name}", self.issuer_path, self.variant.endpoints)
    }

    pub(super) fn resource_metadata(&self) -> Value {
        let scheme = if self.variant.upper_case_scheme { "HTTP://" } else { "http://" };
        let origin = self.origin.replace("http://", scheme);
        let mut document = json!({
            "resource": format!("{origin}{ENDPOINT}"),
            "authorization_servers": [self.issuer()],
            "bearer_methods_supported": ["header"],
        });
        if let Some(scopes) = self.variant.scopes_supported {
            document["scopes_supported"] = json!(scopes);
        }
        document
    }

    pub(super) fn issuer_metadata(&self) -> Value {
        let url = |name: &str| format!("{}{}", self.origin, self.endpoint(name));
        let authorize = match self.variant.unsafe_address {
            UnsafeAddress::AuthorizationEndpoint => {
                format!("{}{}", self.elsewhere(), self.endpoint("authorize"))
            }
            _ => url("authorize"),
        };
        let mut document = json!({
            "issuer": self.variant.claimed_issuer.map_or_else(|| self.issuer(), str::to_owned),
            "authorization_endpoint": authorize,
            "token_endpoint": url("token"),
            "registration_endpoint": url("register"),
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "client_credentials", "refresh_token"],
            "token_endpoint_auth_methods_supported":
                ["none", "client_secret_basic", "client_secret_post"],
            // What OpenID Connect Discovery wants to be there.
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "jwks_uri": url("keys"),
        });
        if let Some(scopes) = self.variant.scopes_supported.filter(|_| self.variant.can_refresh()) {
            let scopes: Vec<_> = scopes.iter().chain(&["offline_access"]).collect();
            document["scopes_supported"] = json!(scopes);
        }
        if self.variant.pkce == Pkce::Announced {
            document["code_challenge_methods_supported"] = json!(["S256"]);
        }
        if self.variant.iss != IssParameter::Absent {
            document["authorization_response_iss_parameter_supported"] = json!(true);
        }
        if self.variant.registration == Registration::OpenOrDocuments {
            document["client_id_metadata_document_supported"] = json!(true);
        }
        document
    }

    /// The same server under an address that is neither secure nor a loopback one, although it leads here.
    fn elsewhere(&self) -> String {
        let port = self.origin.rsplit(':').next().unwrap_or_default();
        format!("http://{NOT_LOOPBACK}:{port}")
    }
}

pub(super) const RESOURCE: &str = "/.well-known/oauth-protected-resource";
pub(super) const OAUTH: &str = "/.well-known/oauth-authorization-server";
pub(super) const OPEN_ID: &str = "/.well-known/openid-configuration";
pub(super) const ODD_PLACE: &str = "/about/this-resource";
/// A connection to it ends on this machine, and yet it is none of the addresses that mean this machine.
const NOT_LOOPBACK: &str = "0.0.0.0";
