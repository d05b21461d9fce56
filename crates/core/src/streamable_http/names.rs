//! The names of the headers that MCP adds to HTTP.

use http::HeaderName;

/// The method of the body's request.
pub const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// What the body's request is about: a name, a URI or a task.
pub const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
pub const MCP_PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub const MCP_SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// The last event that a client has seen of a stream that broke.
pub const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// What the names of headers with mirrored arguments begin with.
pub const MCP_PARAM_PREFIX: &str = "mcp-param-";
