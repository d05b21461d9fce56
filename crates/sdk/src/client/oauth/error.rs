//! Why there is no token, and who is to blame for that.

use std::{io, sync::Arc};

use super::{Blocked, NotFetched};

/// Why a client is not authorized. Says who broke which rule, and never shows a token or a secret.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    #[error("{url:?} is not followed: {why}")]
    Blocked { url: String, why: Blocked },
    #[error("the authorization server refused: {error}{}", Described(.description.as_deref()))]
    Denied { error: String, description: Option<String> },
    #[error("the client is not known to {issuer}: {why}")]
    NotRegistered { issuer: String, why: String },
    #[error(
        "the authorization response has no issuer, though {expected} has promised to name itself"
    )]
    IssMissing { expected: String },
    #[error("the authorization response is of {found:?} and not of {expected:?}, who was asked")]
    IssMismatch { expected: String, found: String },
    #[error("the metadata of {expected:?} says that its issuer is {found:?}")]
    IssuerMismatch { expected: String, found: String },
    #[error("the {party}'s metadata at {url} cannot be used: {why}")]
    Metadata { party: Party, url: String, why: String },
    #[error("{0} does not support proof keys with S256, without which codes can be stolen")]
    NoPkce(String),
    #[error("no metadata says where tokens come from: {0}")]
    NoMetadata(String),
    #[error("no authorization by a person: {0}")]
    Person(String),
    /// A pre-registered client belongs to one authorization server, and the MCP server now names another.
    #[error(
        "the client is registered with {registered:?}, but the server's tokens come from {found:?}"
    )]
    RegisteredElsewhere { registered: String, found: String },
    #[error("the server refuses a token that was issued for it just now{}", Described(.description.as_deref()))]
    Refused { description: Option<String> },
    #[error("the authorization server did not register the client: {why}")]
    RegistrationRefused { why: String },
    #[error("the server's metadata is about {resource:?} and not about {server:?}")]
    ResourceMismatch { resource: String, server: String },
    #[error("the authorization response cannot be used: {0}")]
    Response(String),
    #[error("the authorization response belongs to another request")]
    StateMismatch,
    /// Asking again would not help: these scopes were asked for before.
    #[error("the server still wants more scopes than it was given: {scopes}")]
    StepUpLimit { scopes: String },
    #[error("credentials could not be kept: {0}")]
    Store(Arc<io::Error>),
    #[error("the token endpoint of {issuer} refused: {error}{}", Described(.description.as_deref()))]
    TokenRefused { issuer: String, error: String, description: Option<String> },
    #[error("the answer of the token endpoint of {issuer} cannot be used: {why}")]
    TokenUnusable { issuer: String, why: String },
    #[error("{url} could not be fetched: {why}")]
    Unreachable { url: String, why: NotFetched },
    #[error("the client's own settings do not fit: {0}")]
    Settings(String),
}

/// Someone who takes part in an authorization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Party {
    AuthorizationServer,
    /// This program: its settings, its store.
    Client,
    /// Whoever is asked to agree.
    Person,
    /// The MCP server.
    ResourceServer,
    /// The network between them.
    World,
}

impl OAuthError {
    /// Who has to do something about it.
    pub fn blame(&self) -> Party {
        match self {
            Self::Blocked { .. }
            | Self::NoMetadata(_)
            | Self::Refused { .. }
            | Self::ResourceMismatch { .. }
            | Self::StepUpLimit { .. } => Party::ResourceServer,
            Self::IssMissing { .. }
            | Self::IssMismatch { .. }
            | Self::IssuerMismatch { .. }
            | Self::NoPkce(_)
            | Self::RegistrationRefused { .. }
            | Self::Response(_)
            | Self::StateMismatch
            | Self::TokenRefused { .. }
            | Self::TokenUnusable { .. } => Party::AuthorizationServer,
            Self::Metadata { party, .. } => *party,
            Self::Denied { .. } | Self::Person(_) => Party::Person,
            Self::NotRegistered { .. }
            | Self::RegisteredElsewhere { .. }
            | Self::Settings(_)
            | Self::Store(_) => Party::Client,
            Self::Unreachable { .. } => Party::World,
        }
    }
}

impl From<io::Error> for OAuthError {
    fn from(error: io::Error) -> Self {
        Self::Store(Arc::new(error))
    }
}

impl std::fmt::Display for Party {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::AuthorizationServer => "authorization server",
            Self::Client => "client",
            Self::Person => "person",
            Self::ResourceServer => "server",
            Self::World => "network",
        })
    }
}

struct Described<'a>(Option<&'a str>);

impl std::fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            None => Ok(()),
            // The words are a stranger's: on one line, and not many.
            Some(text) => {
                let plain: String = text
                    .chars()
                    .map(|c| if c.is_control() { ' ' } else { c })
                    .take(LONGEST_QUOTE)
                    .collect();
                write!(f, " ({plain})")
            }
        }
    }
}

const LONGEST_QUOTE: usize = 200;
