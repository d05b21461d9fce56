//! Why there is no token, and who is to blame for that.

use std::{fmt, io, sync::Arc};

use super::{Blocked, NotFetched};

/// Why a client is not authorized. Says who broke which rule, and never shows a token or a secret.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    #[error("{} is not followed: {why}", Quoted(.url))]
    Blocked { url: String, why: Blocked },
    #[error("the authorization server refused: {}{}", Plain(.error), Described(.description))]
    Denied { error: String, description: Option<String> },
    #[error("the response is of {} and not of {}, who was asked", Quoted(.found), Quoted(.expected))]
    IssMismatch { expected: String, found: String },
    #[error("the response has no issuer, though {} has promised to name itself", Quoted(.expected))]
    IssMissing { expected: String },
    #[error("the metadata of {} says that its issuer is {}", Quoted(.expected), Quoted(.found))]
    IssuerMismatch { expected: String, found: String },
    #[error("the {party}'s metadata at {} cannot be used: {why}", Quoted(.url))]
    Metadata { party: Party, url: String, why: String },
    #[error("no metadata says where tokens come from: {0}")]
    NoMetadata(String),
    #[error("{} does not support proof keys with S256, so that codes can be stolen", Quoted(.0))]
    NoPkce(String),
    #[error("the client is not known to {}: {why}", Quoted(.issuer))]
    NotRegistered { issuer: String, why: String },
    #[error("no authorization by a person: {0}")]
    Person(String),
    #[error("the server refuses a token that was issued for it just now{}", Described(.description))]
    Refused { description: Option<String> },
    /// A pre-registered client belongs to one authorization server, and the MCP server now names another.
    #[error("the client is known to {}, but tokens come from {}", Quoted(.registered), Quoted(.found))]
    RegisteredElsewhere { registered: String, found: String },
    #[error("the authorization server did not register the client: {}", Plain(.why))]
    RegistrationRefused { why: String },
    #[error("the server's metadata is about {} and not about {}", Quoted(.resource), Quoted(.server))]
    ResourceMismatch { resource: String, server: String },
    #[error("the authorization response cannot be used: {0}")]
    Response(String),
    #[error("the client's own settings do not fit: {0}")]
    Settings(String),
    #[error("the authorization response belongs to another request")]
    StateMismatch,
    /// Asking again would not help: these scopes were asked for before.
    #[error("the server still wants more scopes than it was given: {}", Plain(.scopes))]
    StepUpLimit { scopes: String },
    #[error("credentials could not be kept: {0}")]
    Store(Arc<io::Error>),
    #[error(
        "the token endpoint of {} refused: {}{}",
        Quoted(.issuer), Plain(.error), Described(.description),
    )]
    TokenRefused { issuer: String, error: String, description: Option<String> },
    #[error("the token endpoint of {} cannot be understood: {}", Quoted(.issuer), Plain(.why))]
    TokenUnusable { issuer: String, why: String },
    #[error("{} could not be fetched: {why}", Quoted(.url))]
    Unreachable { url: String, why: NotFetched },
}

/// Someone who takes part in an authorization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Party {
    AuthorizationServer,
    /// This program: its settings, its store.
    Client,
    /// The person who is asked to agree.
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

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AuthorizationServer => "authorization server",
            Self::Client => "client",
            Self::Person => "person",
            Self::ResourceServer => "server",
            Self::World => "network",
        })
    }
}

/// An address, which a stranger may have made as long as they like.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0.chars().take(LONGEST_QUOTE).collect::<String>())
    }
}

/// The words of a stranger: on one line, and not many.
struct Plain<'a>(&'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = self.0.chars().map(|c| if c.is_control() { ' ' } else { c });
        f.write_str(&plain.take(LONGEST_QUOTE).collect::<String>())
    }
}

struct Described<'a>(&'a Option<String>);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |text| write!(f, " ({})", Plain(text)))
    }
}

const LONGEST_QUOTE: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_have_few_words_and_no_control_over_the_terminal() {
        let error = OAuthError::TokenRefused {
            issuer: "https://as.example/\u{1b}[2J".into(),
            error: "x\u{1b}[31m\r\n".repeat(1000),
            description: Some("y\n".repeat(1000)),
        };
        let said = error.to_string();
        assert!(!said.chars().any(char::is_control), "{said:?}");
        assert!(said.len() < 600, "{}", said.len());
    }
}
