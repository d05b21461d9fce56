//! Which caller may do what on this server, and what to answer the others.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;

use super::bearer::{self, Presented};
use super::challenge::{Challenger, Problem};
use super::metadata::Metadata;
use super::{BadUrl, Challenge, Identity, Scopes, TokenError, TokenVerifier, url};

/// An MCP server as a resource: its name, where its tokens come from, and what they must allow.
#[derive(Clone)]
pub struct Authorization {
    metadata: Metadata,
    challenger: Challenger,
    verifier: Arc<dyn TokenVerifier>,
    required: Scopes,
    required_for: Option<Arc<ScopesFor>>,
    implies: Option<Arc<Implies>>,
}

/// What a request asks for, as far as it decides about scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation<'a> {
    pub method: &'a str,
    /// The tool's or prompt's name, or the resource's URI, where the method has one.
    pub name: Option<&'a str>,
}

impl Authorization {
    /// `resource` is the URL under which clients reach the MCP endpoint, seen from outside any proxy. It is published
    /// as it is written here. The verifier must accept only tokens made for it.
    pub fn new(
        resource: impl Into<String>,
        authorization_servers: impl IntoIterator<Item = impl Into<String>>,
        verifier: impl TokenVerifier + 'static,
    ) -> Result<Self, BadUrl> {
        let resource = resource.into();
        let resource_url = url::identifier(&resource)?;
        let servers: Vec<String> = authorization_servers.into_iter().map(Into::into).collect();
        if servers.is_empty() {
            return Err(BadUrl::NoAuthorizationServer);
        }
        for server in &servers {
            url::identifier(server)?;
        }
        let origin = resource_url.origin().ascii_serialization();
        let metadata = Metadata::new(resource, &resource_url, servers);
        let metadata_url = format!("{origin}{}", metadata.path());
        Ok(Self {
            metadata,
            challenger: Challenger { realm: None, metadata_url },
            verifier: Arc::new(verifier),
            required: Scopes::default(),
            required_for: None,
            implies: None,
        })
    }

    /// Scopes without which nothing is served.
    pub fn require(self, scopes: Scopes) -> Self {
        Self { required: scopes, ..self }
    }

    /// Scopes that an operation needs beyond those that all need.
    pub fn require_for(
        self,
        scopes: impl Fn(&Operation<'_>) -> Scopes + Send + Sync + 'static,
    ) -> Self {
        Self { required_for: Some(Arc::new(scopes)), ..self }
    }

    /// Whether a granted scope, the first, stands for a needed one, the second, which it is not equal to: for
    /// authorization servers whose broader scopes include narrower ones.
    pub fn implies(self, implies: impl Fn(&str, &str) -> bool + Send + Sync + 'static) -> Self {
        Self { implies: Some(Arc::new(implies)), ..self }
    }

    /// The scopes that the metadata names: the few that basic use needs. `offline_access` is never among them.
    pub fn scopes_supported(self, scopes: &Scopes) -> Self {
        Self { metadata: self.metadata.with(|fields| fields.support(scopes)), ..self }
    }

    /// A name of the protection space, shown in challenges.
    pub fn realm(mut self, realm: impl Into<String>) -> Self {
        self.challenger.realm = Some(realm.into());
        self
    }

    /// A name of the server for people, shown in the metadata.
    pub fn resource_name(self, name: impl Into<String>) -> Self {
        let name = Some(name.into());
        Self { metadata: self.metadata.with(|fields| fields.resource_name = name), ..self }
    }

    /// Where developers read about the server, shown in the metadata.
    pub fn resource_documentation(self, page: impl Into<String>) -> Self {
        let page = Some(page.into());
        Self { metadata: self.metadata.with(|fields| fields.resource_documentation = page), ..self }
    }

    pub fn resource(&self) -> &str {
        &self.metadata.fields.resource
    }

    /// The protected resource metadata, `application/json`, if `path` is one of the two where it lies. It is for
    /// everyone: serve it without a token.
    pub fn metadata_response(&self, path: &str) -> Option<Bytes> {
        self.metadata.at(path)
    }

    /// The paths where [`metadata_response`](Self::metadata_response) lies.
    pub fn metadata_paths(&self) -> Vec<String> {
        self.metadata.paths().map(str::to_owned).to_vec()
    }

    /// Finds out who sends a request. Ask it for every request: a session id proves nothing.
    pub async fn check(&self, headers: &HeaderMap) -> Result<Identity, Challenge> {
        let token = match bearer::token(headers) {
            Ok(Presented::Token(token)) => token,
            Ok(Presented::Nothing) => return Err(self.challenge(Problem::NoToken)),
            Err(bad) => return Err(self.challenge(Problem::InvalidRequest(bad.reason()))),
        };
        let identity = match self.verifier.verify(token).await {
            Ok(identity) => identity,
            Err(TokenError::Keys(_) | TokenError::Unavailable) => {
                return Err(Challenge::unavailable());
            }
            Err(_) => return Err(self.challenge(Problem::InvalidToken)),
        };
        let granted: Vec<String> = identity.scopes.iter().map(str::to_owned).collect();
        self.demand(&granted, &self.required)?;
        Ok(identity)
    }

    /// Decides whether a caller that passed [`check`](Self::check) may do this. The challenge names all scopes that the
    /// operation needs, held or not, so that one more authorization is enough.
    pub fn check_operation(
        &self,
        identity: &Identity,
        operation: &Operation<'_>,
    ) -> Result<(), Challenge> {
        let granted: Vec<String> = identity.scopes.iter().map(str::to_owned).collect();
        self.check_scopes(&granted, operation)
    }

    /// The same for a caller of which only the scopes are kept.
    pub(crate) fn check_scopes(
        &self,
        granted: &[String],
        operation: &Operation<'_>,
    ) -> Result<(), Challenge> {
        let Some(required_for) = &self.required_for else { return Ok(()) };
        self.demand(granted, &self.required.union(&required_for(operation)))
    }

    fn demand(&self, granted: &[String], needed: &Scopes) -> Result<(), Challenge> {
        if needed.of_the_resource().iter().all(|scope| self.holds(granted, scope)) {
            return Ok(());
        }
        Err(self.challenger.challenge(Problem::InsufficientScope, needed))
    }

    fn holds(&self, granted: &[String], needed: &str) -> bool {
        let stands_for =
            |scope: &String| self.implies.as_ref().is_some_and(|implies| implies(scope, needed));
        granted.iter().any(|scope| scope == needed || stands_for(scope))
    }

    fn challenge(&self, problem: Problem) -> Challenge {
        self.challenger.challenge(problem, &self.required)
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorization")
            .field("metadata", &self.metadata.fields)
            .field("required", &self.required)
            .finish_non_exhaustive()
    }
}

type ScopesFor = dyn Fn(&Operation<'_>) -> Scopes + Send + Sync;
type Implies = dyn Fn(&str, &str) -> bool + Send + Sync;
