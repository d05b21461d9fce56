//! Talk MCP over real pipes and sockets.
//!
//! A [`server::Server`] is put together from handlers and served by one of the [`transport`]s. The examples of the project's README are
//! compiled with this crate's tests.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

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
