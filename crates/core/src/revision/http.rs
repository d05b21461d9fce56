//! What a revision demands over HTTP.

use super::Revision;

/// Streamable HTTP.
///
/// Revision and transport are two axes: a client may negotiate any legacy revision over Streamable HTTP, so even the revision that came
/// before this transport has an answer here.
#[derive(Clone, Copy, Debug)]
pub struct HttpRules {
    /// Whether the revision's own text has this transport.
    pub defined: bool,
    /// GET opens a stream for what belongs to no request.
    pub get_stream: bool,
    /// Sessions exist: `Mcp-Session-Id` is handed out and DELETE ends one.
    pub sessions: bool,
    pub resumption: Resumption,
    pub early_close: EarlyClose,
    pub disconnect: Disconnect,
    pub version_header: VersionHeader,
    /// `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` repeat what the body says.
    pub routing_headers: bool,
    /// Requests from the server may travel on streams.
    pub server_requests: bool,
    /// Clients may post responses and notifications freely; without it, only what the notification table allows.
    pub client_responses: bool,
    /// Event streams tell proxies not to buffer (`X-Accel-Buffering: no`) and keep alive with comments.
    pub unbuffered: bool,
    pub status: Statuses,
}

/// What can be resumed by `Last-Event-ID`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumption {
    /// Nothing; the header is ignored.
    Gone,
    /// Any stream whose events have ids.
    Optional,
    /// As before, and a stream may begin with an id alone, announce `retry` and be polled.
    Pollable,
}

/// What the server may do to a stream before its response was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyClose {
    /// It should not close.
    Discouraged,
    /// It may drop the connection after an event with an id, and should say when to come back.
    WithRetry,
    /// The response ends the stream.
    Never,
}

/// What it means that a client's connection is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disconnect {
    /// The request is cancelled.
    Cancels,
    /// Nothing: the request goes on.
    Continues,
}

/// Where `MCP-Protocol-Version` is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionHeader {
    /// On every request after `initialize`; a request without it is taken to speak this revision, unless the session knows better.
    AfterInitialize { assumed: Revision },
    /// On every POST, equal to the revision in `_meta`.
    Always,
    /// Nowhere.
    Unstated,
}

/// The deprecated transport with an event stream and a separate endpoint for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpSse {
    Defined,
    /// Servers may host it for old clients.
    Deprecated,
    Gone,
}

/// The status for every situation.
#[derive(Clone, Copy, Debug)]
pub struct Statuses {
    pub answered: Status,
    pub notification_accepted: Status,
    pub response_accepted: Status,
    /// A notification or response that the server cannot accept.
    pub notification_refused: Status,
    /// A JSON-RPC error that no other row names.
    pub error: Status,
    pub method_not_found: Status,
    pub meta_missing: Status,
    pub capability_missing: Status,
    pub version_unsupported: Status,
    /// A required version header is missing and nothing else tells the revision.
    pub version_header_missing: Status,
    pub header_mismatch: Status,
    pub session_missing: Status,
    pub session_unknown: Status,
    pub get_unsupported: Status,
    pub delete_unsupported: Status,
    pub deleted: Status,
    pub origin_refused: Status,
    pub unauthorized: Status,
    pub scope_insufficient: Status,
    pub authorization_malformed: Status,
    pub not_acceptable: Status,
    pub wrong_content_type: Status,
    pub parse_error: Status,
    pub batch_refused: Status,
}

/// A status code and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    pub code: u16,
    pub basis: Basis,
}

/// Why a status code is the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The situation cannot arise in this revision; the code is what a server of several revisions answers anyway.
    Absent,
    /// The text leaves it open; this is our choice, and a peer that chooses otherwise breaks nothing.
    Chosen,
    /// The text demands it.
    Must,
    /// The text recommends it.
    Should,
}

impl Status {
    pub(super) const fn must(code: u16) -> Self {
        Self { code, basis: Basis::Must }
    }

    pub(super) const fn should(code: u16) -> Self {
        Self { code, basis: Basis::Should }
    }

    pub(super) const fn chosen(code: u16) -> Self {
        Self { code, basis: Basis::Chosen }
    }

    pub(super) const fn absent(code: u16) -> Self {
        Self { code, basis: Basis::Absent }
    }
}
