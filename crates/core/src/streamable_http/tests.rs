//! The tables of the specification, and what hostile web pages and odd clients send.

use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use super::*;
use crate::{
    jsonrpc::{self, ErrorCode, Limits},
    revision::{Revision, Revision::*},
};

mod batches;
mod heads;
mod legacy;
mod modern;
mod properties;
mod statuses;
mod streams;

/// A request, as a test writes it down.
#[derive(Clone)]
struct Sent {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: String,
}

/// A POST as a well-behaved client sends it, without anything that tells its revision.
fn post(body: &str) -> Sent {
    let sent = Sent {
        method: Method::POST,
        uri: Uri::from_static("/mcp"),
        headers: HeaderMap::new(),
        body: body.to_owned(),
    };
    sent.with("host", "localhost:3000")
        .with("content-type", "application/json")
        .with("accept", "application/json, text/event-stream")
}

fn verb(method: Method) -> Sent {
    let sent = post("").without("content-type").with("accept", "text/event-stream");
    Sent { method, ..sent }
}

/// A modern request with everything it needs.
fn modern(method: &str, params: &str) -> Sent {
    let comma = if params.is_empty() { "" } else { "," };
    post(&format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{{params}{comma}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    ))
    .with("mcp-protocol-version", "2026-07-28")
    .with("mcp-method", method)
}

fn request(method: &str) -> Sent {
    post(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}"}}"#))
}

fn notification(method: &str) -> Sent {
    post(&format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#))
}

fn response() -> Sent {
    post(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#)
}

impl Sent {
    /// Puts a header in the place of others of its name.
    fn with(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        self.headers.insert(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        self
    }

    fn and(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        self.headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    fn to(self, uri: &'static str) -> Self {
        Self { uri: Uri::from_static(uri), ..self }
    }

    fn head(&self) -> Head<'_> {
        Head { method: &self.method, uri: &self.uri, headers: &self.headers }
    }

    fn admit_head(&self) -> Result<Verb, Rejection> {
        self.admit_head_by(&Policy::default())
    }

    fn admit_head_by(&self, policy: &Policy) -> Result<Verb, Rejection> {
        admit_head(&self.head(), policy)
    }

    /// Both phases of a POST.
    fn admit(&self, session: SessionFact, policy: &Policy) -> Result<Admission, Rejection> {
        self.admit_head_by(policy)?;
        let parsed = jsonrpc::parse(self.body.as_bytes(), &Limits::default());
        admit_post(&self.head(), parsed.as_ref(), session, policy)
    }
}

fn sessions(sessions: Sessions) -> Policy {
    Policy { sessions, ..Policy::default() }
}

fn only(revisions: &'static [Revision]) -> Policy {
    Policy { revisions: revisions.into(), sessions: Sessions::Optional, ..Policy::default() }
}

fn live(revision: Revision) -> SessionFact {
    SessionFact::Live { revision }
}

#[expect(clippy::unnecessary_wraps, reason = "it stands where an outcome is expected")]
fn answered(conversation: Conversation) -> Result<Admission, (u16, i64)> {
    Ok(Admission { conversation, reply: Reply::Answer })
}

#[expect(clippy::unnecessary_wraps, reason = "it stands where an outcome is expected")]
fn accepted(conversation: Conversation) -> Result<Admission, (u16, i64)> {
    let reply = Reply::Accepted(http::StatusCode::ACCEPTED);
    Ok(Admission { conversation, reply })
}

/// The two numbers by which a refusal is recognised.
fn numbers<T>(outcome: Result<T, Rejection>) -> Result<T, (u16, i64)> {
    outcome.map_err(|rejection| {
        let code = rejection.error.map_or(0, |error| error.code.0);
        (rejection.status.as_u16(), code)
    })
}

const INVALID_REQUEST: i64 = ErrorCode::INVALID_REQUEST.0;
const MISMATCH: i64 = ErrorCode::HEADER_MISMATCH.0;
const INVALID_PARAMS: i64 = ErrorCode::INVALID_PARAMS.0;
const UNSUPPORTED: i64 = ErrorCode::UNSUPPORTED_PROTOCOL_VERSION.0;
const NOT_FOUND: i64 = ErrorCode::METHOD_NOT_FOUND.0;
