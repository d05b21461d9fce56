//! The keys of `_meta` that the protocol itself defines.

pub const PROGRESS_TOKEN: &str = "progressToken";

pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// On results: the server that answered.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// On everything that belongs to a subscription: the id of the request that opened it, in its JSON form.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// On everything that belongs to a task of the first, experimental kind.
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// W3C Trace Context and Baggage, exempt from the rule that keys have a prefix.
pub const TRACEPARENT: &str = "traceparent";
pub const TRACESTATE: &str = "tracestate";
pub const BAGGAGE: &str = "baggage";
