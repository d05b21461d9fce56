//! Talk MCP over real pipes and sockets.

pub mod store;
