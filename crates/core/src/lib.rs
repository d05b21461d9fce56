//! What MCP says, in every revision, without touching the world.

pub mod json;
pub mod jsonrpc;
pub mod revision;
pub mod types;
