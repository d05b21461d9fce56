//! What MCP says, in every revision, without touching the world.

pub mod cursor;
pub mod framing;
pub mod json;
pub mod jsonrpc;
pub mod revision;
pub mod seal;
pub mod types;
pub mod uri_template;
