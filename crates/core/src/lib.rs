//! What MCP says, in every revision, without touching the world.

pub mod cursor;
pub mod fit;
pub mod framing;
pub mod json;
pub mod jsonrpc;
pub mod revision;
pub mod seal;
pub mod session;
pub mod streamable_http;
pub mod types;
pub mod uri_template;
