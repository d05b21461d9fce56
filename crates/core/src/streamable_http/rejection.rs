//! The answer to a request that is sent away.

use std::fmt;

use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

use super::{Policy, modern::newest_modern, names};
use crate::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject, Id, NotAMessage, Reason, write},
    revision::Revision,
};

/// A refusal, complete as an HTTP answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    pub status: StatusCode,
    pub error: Option<ErrorObject>,
    /// The id of the refused request; absent when none was read or there was none.
    pub id: Option<Id<'static>>,
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl Rejection {
    /// A refusal with its reason as a JSON-RPC error.
    pub fn new(status: StatusCode, error: ErrorObject) -> Self {
        Self { status, error: Some(error), id: None, headers: Vec::new() }
    }

    /// What is no message cannot be accepted in any revision.
    pub fn not_a_message(revision: Revision, why: &NotAMessage) -> Self {
        let status = match why.reason {
            Reason::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            _ => code(revision.rules().http.status.parse_error),
        };
        Self { id: why.id.clone(), ..Self::new(status, why.to_error()) }
    }

    /// A header contradicts the body, or a required one is missing or malformed.
    pub fn header_mismatch(revision: Revision, why: impl fmt::Display) -> Self {
        Self::of(
            revision.rules().http.status.header_mismatch,
            ErrorCode::HEADER_MISMATCH,
            format!("header mismatch: {why}"),
        )
    }

    /// A key without which a modern request cannot be served is missing from `_meta`, or its value is of the wrong kind.
    pub fn meta_missing(revision: Revision, key: &str) -> Self {
        Self::of(
            revision.rules().http.status.meta_missing,
            ErrorCode::INVALID_PARAMS,
            format!("invalid params: `_meta` needs `{key}`"),
        )
    }

    /// The method does not exist in this revision, or the server does not have it.
    pub fn method_not_found(revision: Revision, method: &str) -> Self {
        Self::of(
            revision.rules().http.status.method_not_found,
            ErrorCode::METHOD_NOT_FOUND,
            format!("no such method: {method}"),
        )
    }

    /// The revision is not one of those served; the answer lists the ones that are.
    ///
    /// The list leaves the requested revision out. It is in question only where a legacy revision, served after a handshake, is asked for
    /// without one.
    pub fn version_unsupported(policy: &Policy, requested: &str) -> Self {
        let supported: Vec<_> =
            policy.revisions.iter().map(|it| it.as_str()).filter(|it| *it != requested).collect();
        let quoted: String = requested.chars().take(QUOTED).collect();
        let rejection = Self::of(
            policy.newest().rules().http.status.version_unsupported,
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
            format!("unsupported protocol version {quoted:?}; served: {}", supported.join(", ")),
        );
        let data = Raw::new(&Unsupported { supported, requested: &quoted }).ok();
        Self { error: rejection.error.map(|error| ErrorObject { data, ..error }), ..rejection }
    }

    /// The request tells its revision nowhere, and none is assumed. Old clients can show their users nothing but the message, so it names
    /// the revisions served.
    pub(super) fn version_missing(policy: &Policy) -> Self {
        let served: Vec<_> = policy.revisions.iter().map(|it| it.as_str()).collect();
        Self::of(
            newest_modern(policy).rules().http.status.version_header_missing,
            ErrorCode::HEADER_MISMATCH,
            format!(
                "header mismatch: `{}` is missing; served: {}",
                names::MCP_PROTOCOL_VERSION,
                served.join(", ")
            ),
        )
    }

    /// Puts the refusal under the id of the request it refuses.
    pub fn to(self, id: &Id<'_>) -> Self {
        Self { id: Some(id.clone().into_owned()), ..self }
    }

    /// The JSON body; empty if there is nothing to say.
    pub fn body(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(error) = &self.error {
            write::error(&mut out, self.id.as_ref(), error);
        }
        out
    }

    pub(super) fn of(status: u16, code_: ErrorCode, message: impl Into<String>) -> Self {
        Self::new(code(status), ErrorObject::quoting(code_, message))
    }

    /// A refusal that no code of the specification names.
    pub(super) fn invalid(status: StatusCode, message: impl fmt::Display) -> Self {
        let message = format!("invalid request: {message}");
        Self::new(status, ErrorObject::quoting(ErrorCode::INVALID_REQUEST, message))
    }

    pub(super) fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    pub(super) fn not_allowed(status: u16, allow: &'static str) -> Self {
        Self::invalid(code(status), format_args!("this endpoint allows {allow}"))
            .with(header::ALLOW, allow)
    }
}

/// The status under which a response to a request travels, if it is a plain JSON body.
///
/// Once an event stream has begun, its status has long been sent.
pub fn answer_status(revision: Revision, error: Option<ErrorCode>) -> StatusCode {
    let status = &revision.rules().http.status;
    code(match error {
        None => status.answered,
        Some(ErrorCode::HEADER_MISMATCH) => status.header_mismatch,
        Some(ErrorCode::METHOD_NOT_FOUND) => status.method_not_found,
        Some(ErrorCode::MISSING_CLIENT_CAPABILITY) => status.capability_missing,
        Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION) => status.version_unsupported,
        Some(_) => status.error,
    })
}

/// The tables hold nothing but valid status codes, which a test makes sure of.
pub(super) fn code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

#[derive(Serialize)]
struct Unsupported<'a> {
    supported: Vec<&'a str>,
    requested: &'a str,
}

const QUOTED: usize = 80;
