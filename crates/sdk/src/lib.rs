//! Talk MCP over real pipes and sockets.

#[cfg(feature = "oauth")]
pub mod auth;
pub mod caller;
pub mod client;
mod clock;
pub mod schema;
pub mod server;
pub mod store;
pub mod transport;

use std::pin::Pin;

pub use proofmark_core as core;

/// A future of unknown type.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
