//! The keys of `_meta`, and the names of extensions, that the specification defines.

pub const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";
