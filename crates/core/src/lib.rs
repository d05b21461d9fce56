//! What MCP says, in every revision, without touching the world.
