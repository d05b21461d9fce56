//! What a revision demands over HTTP.

use super::{Requests, Revision};

/// Streamable HTTP.
///
/// Revision and transport are two axes: a client may negotiate any legacy revision over Streamable HTTP, so even the revision that came
/// before this transport has an answer here.
#[derive(Clone, Copy, Debug)]
pub struct HttpRules {
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
    /// Requests that need `Mcp-Name`.
    pub name_header: Requests,
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

/// The status for every situation.
#[derive(Clone, Copy, Debug)]
pub struct Statuses {
    pub answered: u16,
    pub notification_accepted: u16,
    pub response_accepted: u16,
    /// A notification or response that the server cannot accept.
    pub notification_refused: u16,
    /// A JSON-RPC error that no other row names.
    pub error: u16,
    pub method_not_found: u16,
    pub meta_missing: u16,
    pub capability_missing: u16,
    pub version_unsupported: u16,
    /// The version header is missing and nothing else tells the revision; 200 means that the request is served as an older one.
    pub version_header_missing: u16,
    pub header_mismatch: u16,
    pub session_missing: u16,
    pub session_unknown: u16,
    pub get_unsupported: u16,
    pub delete_unsupported: u16,
    pub deleted: u16,
    pub origin_refused: u16,
    pub not_acceptable: u16,
    pub wrong_content_type: u16,
    pub parse_error: u16,
    pub batch_refused: u16,
}
