//! The authorization server itself: which request goes where.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use proofmark_sdk::auth::{
    Authorization, BadScope, BadUrl, JwtRules, JwtVerifier, Keys, NoKeys, Scopes,
};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::Url;

use super::client::Client;
use super::document;
use super::form::Form;
use super::refusal::Refusal;
use super::reply::{self, Reply};
use super::signing::{NoKey, SigningKey};
use super::store::{Grant, Store};
use super::{Caching, Offer, Settings, authorize, metadata, register, token};

/// An authorization server for tests and demos. Clones are the same server.
#[derive(Clone)]
pub struct AuthorizationServer(Arc<Inner>);

/// Why settings make no server.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("{0} has a redirect URI that is not allowed: {1}")]
    Client(String, &'static str),
    #[error("the issuer {0:?} is not a URL")]
    Issuer(String),
    #[error(transparent)]
    Key(#[from] NoKey),
    #[error(transparent)]
    Keys(#[from] NoKeys),
    #[error("there is no resource that tokens could be for")]
    NoResource,
    #[error("the resource {0:?} is not a URL")]
    Resource(String),
    #[error(transparent)]
    Scope(#[from] BadScope),
    #[error(transparent)]
    Url(#[from] BadUrl),
}

pub(super) struct Inner {
    pub(super) settings: Settings,
    pub(super) key: SigningKey,
    pub(super) fetches: Semaphore,
    issuer: Url,
    known: Vec<Client>,
    store: Mutex<Store>,
}

impl AuthorizationServer {
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        let bad = |_| SetupError::Issuer(settings.issuer.clone());
        let issuer = Url::parse(&settings.issuer).map_err(bad)?;
        if settings.resources.is_empty() {
            return Err(SetupError::NoResource);
        }
        for resource in &settings.resources {
            Url::parse(resource).map_err(|_| SetupError::Resource(resource.clone()))?;
        }
        let known = settings.clients.iter().map(|known| {
            Client::known(known).map_err(|why| SetupError::Client(known.id.clone(), why.why))
        });
        Ok(Self(Arc::new(Inner {
            issuer,
            known: known.collect::<Result<_, _>>()?,
            store: Mutex::new(Store::new(&settings)),
            key: SigningKey::generate()?,
            fetches: Semaphore::new(settings.limits.fetches),
            settings,
        })))
    }

    /// What the MCP server at the first resource needs to accept tokens of this server, and no others.
    pub fn authorization(&self) -> Result<Authorization, SetupError> {
        let Settings { issuer, resources, scopes, .. } = &self.0.settings;
        let resource = resources.first().ok_or(SetupError::NoResource)?;
        let keys = Keys::from_jwks(self.0.key.jwks().to_string().as_bytes())?;
        let verifier = JwtVerifier::new(JwtRules::new(issuer, resource), keys);
        let scopes = Scopes::parse(&scopes.join(" "))?;
        let authorization = Authorization::new(resource, [issuer], verifier)?;
        Ok(authorization.scopes_supported(&scopes).require(scopes))
    }

    pub fn issuer(&self) -> &str {
        &self.0.settings.issuer
    }

    /// Answers any request below the issuer's URL, and those to its well-known documents.
    pub async fn answer(&self, request: Request<Bytes>) -> http::Response<Bytes> {
        self.0.answer(&request).await
    }
}

impl Inner {
    async fn answer(&self, request: &Request<Bytes>) -> Reply {
        let path = request.uri().path();
        let variant = &self.settings.variant;
        if metadata::lies_at(path, &self.issuer, variant.documents) {
            return get_only(request, || reply::public(&metadata::document(&self.settings)));
        }
        let own = self.issuer.path().trim_end_matches('/');
        match path.strip_prefix(own) {
            Some(metadata::JWKS) => get_only(request, || reply::public(&self.key.jwks())),
            Some(metadata::AUTHORIZE) if request.method() == Method::GET => {
                authorize::authorize(self, request.uri().query().unwrap_or_default()).await
            }
            Some(metadata::AUTHORIZE) => reply::not_allowed("GET"),
            Some(metadata::TOKEN) if request.method() == Method::POST => {
                match token::token(self, request.headers(), request.body()).await {
                    Ok(tokens) => reply::private(StatusCode::OK, &tokens),
                    Err(refusal) => reply::refusal(&refusal),
                }
            }
            Some(metadata::REGISTER) if variant.registration == Offer::NotMade => {
                reply::empty(StatusCode::NOT_FOUND)
            }
            Some(metadata::REGISTER) if request.method() == Method::POST => {
                match register::register(self, request.body()) {
                    Ok(registration) => reply::private(StatusCode::CREATED, &registration),
                    Err(refusal) => reply::refusal(&refusal),
                }
            }
            Some(metadata::TOKEN | metadata::REGISTER) => reply::not_allowed("POST"),
            _ => reply::empty(StatusCode::NOT_FOUND),
        }
    }

    /// The client of this id: one that the operator knows, one that has registered, or one that a document is about.
    pub(super) async fn client(&self, id: &str) -> Result<Client, Refusal> {
        if let Some(known) = self.known.iter().find(|client| client.id == id) {
            return Ok(known.clone());
        }
        let id = id.to_owned();
        let now = Instant::now();
        if let Some(client) = self.store().registered.get(&id, now) {
            return Ok(client.clone());
        }
        let is_url = id.starts_with("https://") || id.starts_with("http://");
        if !is_url || self.settings.variant.client_documents == Offer::NotMade {
            return Err(Refusal::invalid_client("the client is not registered here"));
        }
        if let Some(client) = self.store().documented.get(&id, now) {
            return Ok(client.clone());
        }
        let (client, kept) = document::fetch(self, &id).await?;
        let kept = match self.settings.variant.caching {
            Caching::AsTold => kept,
            Caching::Always => Some(Duration::MAX),
            Caching::Never => None,
        };
        let mut store = self.store();
        let now = Instant::now();
        // Another request may have fetched it meanwhile.
        if let Some(kept) = kept
            && store.documented.get(&id, now).is_none()
        {
            store.documented.put_for(kept, id, client.clone(), now);
        }
        Ok(client)
    }

    /// The scopes that are granted to one who asks for these.
    pub(super) fn scopes(&self, asked: Option<&str>) -> Result<Vec<String>, Refusal> {
        let Some(asked) = asked else { return Ok(self.settings.scopes.clone()) };
        let known = |scope: &str| {
            scope == metadata::OFFLINE_ACCESS || self.settings.scopes.iter().any(|s| s == scope)
        };
        let scopes: Vec<String> =
            asked.split(' ').filter(|scope| !scope.is_empty()).map(str::to_owned).collect();
        if scopes.iter().all(|scope| known(scope)) {
            return Ok(scopes);
        }
        Err(Refusal::invalid_scope("a scope is not known here"))
    }

    /// The resource that a request is about (RFC 8707).
    pub(super) fn resource(&self, form: &Form) -> Result<String, Refusal> {
        let several = |_| Refusal::invalid_target("a token is for one resource");
        let resources = &self.settings.resources;
        let unknown = Refusal::invalid_target("the resource is not known here");
        match form.one("resource").map_err(several)? {
            None => resources.first().cloned().ok_or(unknown),
            Some(asked) => {
                let asked = Url::parse(asked).map_err(|_| unknown)?;
                let is_same = |known: &&String| Url::parse(known).is_ok_and(|known| known == asked);
                resources.iter().find(is_same).cloned().ok_or(unknown)
            }
        }
    }

    /// Whether a request stays with the resource that was approved.
    pub(super) fn same_resource(&self, form: &Form, grant: &Grant) -> Result<(), Refusal> {
        let several = |_| Refusal::invalid_target("a token is for one resource");
        let is_silent = form.one("resource").map_err(several)?.is_none();
        if is_silent || self.resource(form)? == grant.resource {
            return Ok(());
        }
        Err(Refusal::invalid_target("another resource was approved"))
    }

    /// Never held across an await. One who panicked has left nothing half-done: every change is complete.
    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn get_only(request: &Request<Bytes>, answer: impl FnOnce() -> Reply) -> Reply {
    if request.method() == Method::GET { answer() } else { reply::not_allowed("GET") }
}
