//! The error half of a response.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::json::Raw;

/// The number that says what kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    pub const PARSE_ERROR: Self = Self(-32700);
    pub const INVALID_REQUEST: Self = Self(-32600);
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    pub const INVALID_PARAMS: Self = Self(-32602);
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// Through 2025-11-25; later revisions answer [`Self::INVALID_PARAMS`].
    pub const RESOURCE_NOT_FOUND: Self = Self(-32002);
    /// A header contradicts the body, or a required one is missing.
    pub const HEADER_MISMATCH: Self = Self(-32020);
    pub const MISSING_CLIENT_CAPABILITY: Self = Self(-32021);
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);
    /// The user must visit a URL first; 2025-11-25 only.
    pub const URL_ELICITATION_REQUIRED: Self = Self(-32042);
    /// The user said no to a sampling request; legacy revisions only.
    pub const USER_REJECTED: Self = Self(-1);
}

/// The `error` member of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorObject {
    pub code: ErrorCode,
    pub message: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Raw>,
}

impl ErrorObject {
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// An error whose message quotes what a peer sent, which is cut short.
    pub fn quoting(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::new(code, shortened(message.into()))
    }

    pub fn with_data(self, data: Raw) -> Self {
        Self { data: Some(data), ..self }
    }
}

/// Cuts a message that quotes what a peer sent to at most 512 bytes and an ellipsis.
pub fn shortened(mut message: String) -> String {
    if message.len() > LONGEST_QUOTE {
        let end = (0..=LONGEST_QUOTE).rev().find(|at| message.is_char_boundary(*at));
        message.truncate(end.unwrap_or_default());
        message.push('…');
        message.shrink_to_fit();
    }
    message
}

const LONGEST_QUOTE: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_whole_up_to_the_limit_and_cut_between_characters_beyond() {
        for (text, expected) in [
            ("a".repeat(512), "a".repeat(512)),
            ("a".repeat(513), "a".repeat(512) + "…"),
            ("é".repeat(300), "é".repeat(256) + "…"),
            ("a".to_owned() + &"é".repeat(300), "a".to_owned() + &"é".repeat(255) + "…"),
        ] {
            let error = ErrorObject::quoting(ErrorCode::INVALID_PARAMS, text);
            assert_eq!(error.message, expected);
        }
    }
}
