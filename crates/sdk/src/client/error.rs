//! Why a client has no answer, in words that say what happened.

use std::{fmt, io, process::ExitStatus, sync::Arc};

use proofmark_core::{
    jsonrpc::ErrorObject,
    revision::RequestMethod,
    session::client::{CallError, Failure},
};

use super::http::SCOPES_NEEDED;
use crate::schema::Violation;

/// Why a call has no result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server made a task of the call, and the caller wanted a result.
    #[error("the server made a task of `{}`: {task}", .method.as_str())]
    BecameTask { method: RequestMethod, task: String },
    #[error("`{}` has no result: {why}{}", .method.as_str(), Detail(.detail.as_deref()))]
    Call {
        method: RequestMethod,
        why: CallError,
        /// What the transport knows about it.
        detail: Option<Arc<str>>,
    },
    #[error("{0}")]
    Lost(Arc<Lost>),
    /// Arguments that headers have to repeat cannot be repeated there.
    #[error("the arguments of `{tool}` cannot be sent: {why}")]
    NotMirrorable { tool: String, why: String },
    #[error("`{tool}` promises structured output and gave none")]
    OutputMissing { tool: String },
    #[error("the output of `{tool}` is not what its schema promises: {why}")]
    OutputMismatch { tool: String, why: Violation },
    #[error("`{}` cannot be asked: {why}", .method.as_str())]
    Params { method: RequestMethod, why: String },
    /// A file of a skill is not the one that the skill lists.
    #[error("`{uri}` must not be used: {why}")]
    SkillRefused { uri: String, why: String },
    #[error("the list still goes on after {limit} pages")]
    TooManyPages { limit: usize },
    /// The tool ran, and says that it failed.
    #[error("`{tool}` failed: {message}")]
    ToolFailed { tool: String, message: String },
    /// The tool marks its arguments in a way that a client must refuse.
    #[error("`{tool}` must not be called: {why}")]
    ToolRefused { tool: String, why: String },
    #[error("the result of `{}` could not be read: {why}", .method.as_str())]
    Unreadable { method: RequestMethod, why: String },
}

impl Error {
    /// The error that the server answered with, if it is the server's.
    pub fn refusal(&self) -> Option<&ErrorObject> {
        match self {
            Self::Call { why: CallError::Refused(error), .. } => Some(error),
            Self::Lost(lost) => match &**lost {
                Lost::Handshake(Failure::Refused(error)) => Some(error),
                _ => None,
            },
            _ => None,
        }
    }

    /// The scopes that a server over HTTP named when it refused the call (401 or 403); none where it named none.
    pub fn needed_scopes(&self) -> Vec<&str> {
        let detail = match self {
            Self::Call { detail, .. } => detail.as_deref(),
            Self::Lost(lost) => match &**lost {
                Lost::HandshakeOverHttp { detail, .. } => Some(&**detail),
                _ => None,
            },
            _ => None,
        };
        let scopes = detail.and_then(|detail| detail.strip_prefix(SCOPES_NEEDED));
        scopes.map_or_else(Vec::new, |scopes| scopes.split(' ').collect())
    }

    /// Nothing was heard in time.
    pub fn is_timeout(&self) -> bool {
        match self {
            Self::Call { why, .. } => *why == CallError::TimedOut,
            Self::Lost(lost) => matches!(**lost, Lost::Handshake(Failure::TimedOut)),
            _ => false,
        }
    }

    /// The server was reached, and no conversation came of it.
    pub(super) fn is_misunderstanding(&self) -> bool {
        let Self::Lost(lost) = self else { return false };
        matches!(**lost, Lost::Handshake(_) | Lost::HandshakeOverHttp { .. })
    }

    /// The connection is gone, so that no other call will fare better.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Lost(_))
    }
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Lost {
    #[error("the client was closed")]
    Closed,
    #[error("the server closed the connection{}", Stderr(.stderr))]
    Ended { stderr: String },
    #[error("the server ended with {status}{}", Stderr(.stderr))]
    Exited {
        status: ExitStatus,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    #[error("no conversation with the server: {0}")]
    Handshake(Failure),
    #[error("no conversation with the server: {why} ({detail})")]
    HandshakeOverHttp { why: Failure, detail: Arc<str> },
    #[error("the connection to the server broke: {0}")]
    Io(io::Error),
    #[error("no connection to the server: {0}")]
    NotConnected(io::Error),
    #[error("`{program}` could not be started: {why}")]
    NotStarted { program: String, why: io::Error },
    #[error("the server does not read: nothing could be written for {seconds} s")]
    Stalled { seconds: u64 },
    /// The server wants a token that could not be had. With the feature `oauth`, the reason is an `OAuthError`.
    #[error("not authorized: {0}")]
    Unauthorized(Arc<dyn std::error::Error + Send + Sync>),
    #[error("{url} cannot be reached: {why}")]
    Unreachable { url: String, why: String },
    #[error("{url} is no address of a server: {why}")]
    Url { url: String, why: String },
}

struct Detail<'a>(Option<&'a str>);

impl fmt::Display for Detail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |detail| write!(f, " ({detail})"))
    }
}

struct Stderr<'a>(&'a str);

impl fmt::Display for Stderr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = self.0.trim_end();
        if said.is_empty() { Ok(()) } else { write!(f, "; it said last: {said}") }
    }
}
