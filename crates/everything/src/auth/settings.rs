//! What an operator decides about the authorization server.

use std::fmt;
use std::time::Duration;

use super::Variant;

/// How the authorization server behaves. The defaults suit a server on the local machine.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its identifier, and the URL under which it is reached: `https`, or `http` on this machine; no query, no fragment.
    pub issuer: String,
    /// What tokens may be asked for. A client that names none means the first.
    pub resources: Vec<String>,
    /// What may be granted; a client that names no scope gets all of them. `offline_access` is known besides.
    pub scopes: Vec<String>,
    /// Clients that need not register.
    pub clients: Vec<KnownClient>,
    pub code_lifetime: Duration,
    pub access_lifetime: Duration,
    pub refresh_lifetime: Duration,
    pub limits: Limits,
    pub variant: Variant,
}

/// How much is remembered of each kind; the oldest goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Clients that registered themselves, and likewise documents of clients.
    pub clients: usize,
    pub codes: usize,
    pub refresh_tokens: usize,
    /// Documents of clients that are fetched at the same time.
    pub fetches: usize,
}

/// A client that the operator has entered by hand.
#[derive(Clone, PartialEq, Eq)]
pub struct KnownClient {
    pub id: String,
    /// `None`: a public client. Otherwise it may be given in the header or in the body.
    pub secret: Option<String>,
    pub redirect_uris: Vec<String>,
}

impl Settings {
    /// `resource` is the URL of the MCP endpoint that the tokens are for.
    pub fn new(issuer: impl Into<String>, resource: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            resources: vec![resource.into()],
            scopes: vec!["mcp".into()],
            clients: Vec::new(),
            code_lifetime: Duration::from_secs(60),
            access_lifetime: Duration::from_secs(5 * 60),
            refresh_lifetime: Duration::from_secs(24 * 60 * 60),
            limits: Limits::default(),
            variant: Variant::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { clients: 1_000, codes: 1_000, refresh_tokens: 10_000, fetches: 4 }
    }
}

impl fmt::Debug for KnownClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownClient")
            .field("id", &self.id)
            .field("redirect_uris", &self.redirect_uris)
            .finish_non_exhaustive()
    }
}
