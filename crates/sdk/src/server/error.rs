//! How a handler says that it could not do what was asked.

use std::fmt;

use proofmark_core::jsonrpc::{ErrorCode, ErrorObject};

/// Why a handler gave up.
///
/// Any `std::error::Error`, `anyhow::Error` or text turns into one with `?`. From a tool, that is a result marked `isError`, which the model gets to see and can
/// react to; from a resource or a prompt it is an internal error. [`Error::protocol`] answers with a JSON-RPC error instead.
pub struct Error(ErrorKind);

#[derive(Debug)]
pub(crate) enum ErrorKind {
    /// The call is to become a task, which runs the handler again.
    BecomeTask,
    /// The client must be asked first; the handler runs again when it has answered.
    InputRequired,
    /// There is no resource at this URI; the code for that depends on the revision.
    NotFound(String),
    Protocol(ErrorObject),
    Text(String),
}

impl Error {
    /// An error for the model to read.
    pub fn text(message: impl Into<String>) -> Self {
        Self(ErrorKind::Text(message.into()))
    }

    /// A JSON-RPC error.
    pub fn protocol(error: ErrorObject) -> Self {
        Self(ErrorKind::Protocol(error))
    }

    /// The params of the request make no sense here; `message` says which and why.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::protocol(ErrorObject::new(ErrorCode::INVALID_PARAMS, message.into()))
    }

    /// There is nothing at this URI. From a resource, the client gets the error that its revision has for that.
    pub fn not_found(uri: impl Into<String>) -> Self {
        Self(ErrorKind::NotFound(uri.into()))
    }

    pub(crate) fn become_task() -> Self {
        Self(ErrorKind::BecomeTask)
    }

    pub(crate) fn input_required() -> Self {
        Self(ErrorKind::InputRequired)
    }

    pub(crate) fn from_kind(kind: ErrorKind) -> Self {
        Self(kind)
    }

    pub(crate) fn into_kind(self) -> ErrorKind {
        self.0
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ErrorKind::BecomeTask => f.write_str("the call becomes a task first"),
            ErrorKind::InputRequired => f.write_str("the client must be asked first"),
            ErrorKind::NotFound(uri) => write!(f, "there is nothing at {uri}"),
            ErrorKind::Protocol(error) => f.write_str(&error.message),
            ErrorKind::Text(message) => f.write_str(message),
        }
    }
}

/// Errors of every kind: what implements `std::error::Error`, `anyhow::Error`, and texts.
impl<'e, E: Into<Box<dyn std::error::Error + 'e>>> From<E> for Error {
    fn from(error: E) -> Self {
        Self::text(error.into().to_string())
    }
}
