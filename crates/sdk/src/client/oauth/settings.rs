//! What a client brings to an authorization: who it is, and what it may be asked.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use url::Url;

use super::{
    AssertionSource, AuthorizationServer, ClientProof, CredentialStore, KnownClient, MemoryStore,
    OAuthError, SigningKey, UserAgent,
    agent::{Callback, CallbackError},
    browser::Browser,
    registration::Identity,
    token::Authentication,
};
use crate::{BoxFuture, auth::Scopes};

/// How a client gets the tokens that servers ask for.
///
/// For a person at this machine:
///
/// ```
/// use proofmark_sdk::client::{Client, oauth::{FileStore, OAuth}};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = FileStore::new("my-client/credentials.json");
/// let authorization = OAuth::browser().name("My client").store(store);
/// let client = Client::builder("my-client", "1.0.0")
///     .authorization(authorization)
///     .connect("https://mcp.example.com/mcp")
///     .await?;
/// # Ok(())
/// # }
/// ```
///
/// A server that wants a token answers 401; the client finds out where tokens for it come from, gets one, and asks again. Calls wait
/// meanwhile, and their time does not run. Tokens are sent only to the server they are for.
#[derive(Clone)]
pub struct OAuth {
    pub(crate) settings: Settings,
    pub(crate) agent: Option<Arc<dyn UserAgent>>,
    pub(crate) assertions: Option<Arc<dyn AssertionSource>>,
    pub(crate) store: Arc<dyn CredentialStore>,
}

/// What of it the rules are about.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) grant_type: GrantType,
    pub(crate) name: String,
    pub(crate) clients: Vec<KnownClient>,
    pub(crate) document: Option<Url>,
    /// The key that the document names.
    pub(crate) key: Option<SigningKey>,
    pub(crate) scopes: Option<Scopes>,
    /// Refresh tokens are wanted.
    pub(crate) offline: bool,
    /// The issuer that a client without one was first used with.
    bound: Arc<OnceLock<String>>,
}

/// What is shown to get a token.
#[derive(Clone, Debug)]
pub(crate) enum GrantType {
    /// An assertion that another party has signed.
    Assertion,
    ClientCredentials,
    /// A code that a person was given.
    Code,
    Enterprise(IdentityProvider),
}

/// Where an organization's people sign in, and what decides which servers they may use.
#[derive(Clone, Debug)]
pub struct IdentityProvider {
    pub issuer: String,
    pub token_endpoint: Url,
    /// The client as the provider knows it.
    pub client_id: String,
    pub proof: ClientProof,
}

impl OAuth {
    /// Opens the machine's browser and waits for it on a port that only this machine reaches.
    pub fn browser() -> Self {
        Self::agent(Browser::default())
    }

    /// Asks the program to have a person visit a page and to give back the address they were sent to afterwards, which begins with
    /// `redirect`.
    pub fn callback<F, R>(redirect: Url, visit: F) -> Self
    where
        F: Fn(Url) -> R + Send + Sync + 'static,
        R: Future<Output = Result<String, CallbackError>> + Send + 'static,
    {
        Self::agent(Callback::new(redirect, visit))
    }

    pub fn agent(agent: impl UserAgent + 'static) -> Self {
        Self { agent: Some(Arc::new(agent)), ..Self::with(GrantType::Code) }
    }

    /// For programs that act for themselves: the client's own secret or key is all it takes.
    pub fn client_credentials(client: KnownClient) -> Self {
        Self::with(GrantType::ClientCredentials).client(client)
    }

    /// For workloads that their platform vouches for: the authorization server takes the platform's word, a JWT.
    pub fn workload(client: KnownClient, assertions: impl AssertionSource + 'static) -> Self {
        let assertions: Arc<dyn AssertionSource> = Arc::new(assertions);
        Self { assertions: Some(assertions), ..Self::with(GrantType::Assertion).client(client) }
    }

    /// For people who have signed in with their organization: its identity provider, shown the token that they were given there, vouches
    /// for them.
    pub fn enterprise(
        client: KnownClient,
        provider: IdentityProvider,
        identity: impl AssertionSource + 'static,
    ) -> Self {
        let assertions: Arc<dyn AssertionSource> = Arc::new(identity);
        Self {
            assertions: Some(assertions),
            ..Self::with(GrantType::Enterprise(provider)).client(client)
        }
    }

    /// What people are told that the client is called.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// A client that is registered with an authorization server already.
    pub fn client(mut self, client: KnownClient) -> Self {
        self.settings.clients.push(client);
        self
    }

    /// A document about the client that authorization servers can read, whose address is the client's id wherever that is understood.
    pub fn metadata_document(mut self, url: Url) -> Result<Self, OAuthError> {
        if url.scheme() != "https" || url.path() == "/" || url.fragment().is_some() {
            let why = format!("{url} is no address of a metadata document: https, with a path");
            return Err(OAuthError::Settings(why));
        }
        self.settings.document = Some(url);
        Ok(self)
    }

    /// Signs with this key, which the metadata document names, where the authorization server takes that.
    pub fn key(mut self, key: SigningKey) -> Self {
        self.settings.key = Some(key);
        self
    }

    /// Asks for these scopes, and for those that the server names in its challenges.
    pub fn scopes(mut self, scopes: Scopes) -> Self {
        self.settings.scopes = Some(scopes);
        self
    }

    /// Does not ask for access while the person is away, which is otherwise done where the authorization server offers it.
    pub fn only_online(mut self) -> Self {
        self.settings.offline = false;
        self
    }

    /// Where tokens and registrations are kept; without this, in memory.
    pub fn store(self, store: impl CredentialStore + 'static) -> Self {
        Self { store: Arc::new(store), ..self }
    }

    fn with(grant_type: GrantType) -> Self {
        Self {
            settings: Settings {
                grant_type,
                name: env!("CARGO_PKG_NAME").to_owned(),
                clients: Vec::new(),
                document: None,
                key: None,
                scopes: None,
                offline: true,
                bound: Arc::default(),
            },
            agent: None,
            assertions: None,
            store: Arc::new(MemoryStore::default()),
        }
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Settings {
    /// Whether a client without an issuer may be shown to this one: the first it meets.
    pub(crate) fn may_bind(&self, server: &AuthorizationServer) -> bool {
        self.bound.get_or_init(|| server.issuer.clone()) == &server.issuer
    }
}

impl Settings {
    /// The client of this id, if it belongs to the issuer.
    pub(crate) fn known_as(
        &self,
        id: &str,
        issuer: &str,
        authentication: Authentication,
    ) -> Option<Identity> {
        let client = self.clients.iter().find(|client| {
            client.id == id && client.issuer.as_deref().is_none_or(|own| own == issuer)
        })?;
        Some(client.proof.identity(&client.id, authentication))
    }
}

impl IdentityProvider {
    pub(crate) fn identity(&self) -> Identity {
        let authentication = match &self.proof {
            ClientProof::None => Authentication::None,
            ClientProof::Secret(_) => Authentication::Basic,
            ClientProof::Key(_) => Authentication::PrivateKeyJwt,
        };
        self.proof.identity(&self.client_id, authentication)
    }
}

impl<F, R> AssertionSource for F
where
    F: Fn(String) -> R + Send + Sync,
    R: Future<Output = Result<super::Secret, CallbackError>> + Send + 'static,
{
    fn assertion(&self, audience: String) -> BoxFuture<'_, Result<super::Secret, CallbackError>> {
        Box::pin(self(audience))
    }
}
