//! Talk MCP over real pipes and sockets.
