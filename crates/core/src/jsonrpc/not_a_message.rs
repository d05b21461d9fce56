//! Why bytes are not a message.

use super::{BadId, ErrorCode, ErrorObject, Id};

/// Bytes that are not a message, and under which id the refusal belongs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotAMessage {
    /// The id, if one could be read.
    pub id: Option<Id<'static>>,
    pub reason: Reason,
}

impl NotAMessage {
    /// The error to answer with.
    pub fn to_error(&self) -> ErrorObject {
        let kind = if self.reason.code() == ErrorCode::PARSE_ERROR {
            "parse error"
        } else {
            "invalid request"
        };
        ErrorObject::quoting(self.reason.code(), format!("{kind}: {}", self.reason))
    }
}

impl From<Reason> for NotAMessage {
    fn from(reason: Reason) -> Self {
        Self { id: None, reason }
    }
}

/// The rule that the bytes break.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    #[error("a batch of more than {limit} messages")]
    BatchTooLong { limit: usize },
    #[error("`error` is not an object with an integer `code` and a string `message`")]
    BadError,
    #[error(transparent)]
    BadId(#[from] BadId),
    #[error("both a result and an error")]
    BothOutcomes,
    #[error("a byte order mark stands before the message")]
    ByteOrderMark,
    #[error("`{0}` occurs twice")]
    DuplicateKey(&'static str),
    #[error("nothing but white space")]
    Empty,
    #[error("an empty batch")]
    EmptyBatch,
    #[error("`method` is a string with a lone surrogate")]
    LoneSurrogate,
    #[error("both a method and an outcome")]
    MethodAndOutcome,
    #[error("`method` is not a string")]
    MethodNotAString,
    #[error("a response without an id")]
    MissingId,
    #[error("`jsonrpc` is missing")]
    MissingVersion,
    #[error("neither a method nor a result nor an error")]
    NoKind,
    #[error("not a JSON object")]
    NotAnObject,
    #[error("not UTF-8 from byte {valid_up_to} on")]
    NotUtf8 { valid_up_to: usize },
    #[error("`params` is not an object")]
    ParamsNotAnObject,
    #[error("`result` is not an object")]
    ResultNotAnObject,
    #[error("not JSON: {detail}")]
    Syntax { detail: String },
    #[error("nested deeper than {limit} levels")]
    TooDeep { limit: usize },
    #[error("longer than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("something follows the message")]
    TrailingBytes,
    #[error("`jsonrpc` is not \"2.0\"")]
    WrongVersion,
}

impl Reason {
    /// What is no JSON is a parse error; JSON of the wrong shape is an invalid request.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::ByteOrderMark
            | Self::Empty
            | Self::NotUtf8 { .. }
            | Self::Syntax { .. }
            | Self::TrailingBytes => ErrorCode::PARSE_ERROR,
            _ => ErrorCode::INVALID_REQUEST,
        }
    }
}
