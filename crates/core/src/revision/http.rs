//! What a revision demands over HTTP.

use super::{Requests, Revision};

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
    /// How the text spells the session's header; names are compared without regard to case.
    pub session_header: &'static str,
    pub resumption: Resumption,
    pub early_close: EarlyClose,
    pub disconnect: Disconnect,
    pub version_header: VersionHeader,
    /// `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` repeat what the body says.
    pub routing_headers: bool,
    /// Requests that need `Mcp-Name`.
    pub name_header: Requests,
    /// Requests from the server may travel on streams.
    pub server_requests: bool,
    /// Clients may post responses.
    pub client_responses: bool,
    pub client_notifications: PostedNotifications,
    pub sse_fallback: SseFallback,
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
    /// Nothing is said, and nothing can be resumed: a stream that ends before its response has lost the request.
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
    /// On every POST, equal to the revision in `_meta`. A server of older revisions may take a request without it to speak
    /// [`Revision::ASSUMED_OVER_HTTP`].
    Always,
    /// Only, and only as a recommendation, when a client asks for the authorization server's metadata.
    MetadataDiscovery,
    /// Nowhere.
    Unstated,
}

/// Which notifications a client may post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostedNotifications {
    /// All that a client may send.
    All,
    /// None: what a client may send is for other transports.
    None,
}

/// When a client that failed to post its first request tries HTTP+SSE at the same URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SseFallback {
    /// After any status from 400 to 499.
    AnyClientError,
    /// After 400, 404 or 405.
    Listed,
    /// After 400, 404 or 405 whose body is not an error that only the modern era knows.
    ListedUnlessModern,
}

/// The deprecated transport with an event stream and a separate endpoint for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpSse {
    Defined,
    /// Servers may host it for old clients, and a handshake over it may still agree on this revision.
    Deprecated,
    /// Servers may host it for old clients, but this revision is never spoken over it.
    OldClientsOnly,
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
    /// The version header is missing and nothing else tells the revision; 200 means that the request is served as an older one.
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
    /// The text demands an error status, and names this one as an example.
    AnyError,
    /// The text leaves it open; this is our choice, and a peer that chooses otherwise breaks nothing.
    Chosen,
    /// The text allows it.
    May,
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

    pub(super) const fn may(code: u16) -> Self {
        Self { code, basis: Basis::May }
    }

    pub(super) const fn any_error(code: u16) -> Self {
        Self { code, basis: Basis::AnyError }
    }

    pub(super) const fn chosen(code: u16) -> Self {
        Self { code, basis: Basis::Chosen }
    }

    pub(super) const fn absent(code: u16) -> Self {
        Self { code, basis: Basis::Absent }
    }
}
