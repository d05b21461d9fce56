//! Talk MCP over real pipes and sockets.
//!
//! A [`server::Server`] is put together from handlers, which are written once and served in every revision:
//!
//! ```
//! use proofmark_sdk::server::{Context, Server};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Greeting { name: String }
//!
//! let server = Server::builder("greeter", "1.0.0")
//!     .tool("greet", "Says hello", async |_: Context, Greeting { name }: Greeting| format!("Hello, {name}."))
//!     .build();
//! # assert!(server.is_ok());
//! ```
//!
//! | where | what |
//! |---|---|
//! | [`server`] | tools, resources, templates, prompts, completion, skills, tasks, and what a handler can do while it runs ([`server::Context`]) |
//! | [`transport`] | standard input and output, any pair of streams, memory, [HTTP](transport::http), also as a `tower` service, and [transports of your own](transport::serve_messages) |
//! | [`client`] | the other side, for servers of any revision |
//! | [`proxy`] | servers elsewhere as part of a server |
//! | [`store`] | sessions, events and tasks, for several servers that share them |
//! | [`caller`] | to whom things belong, and what a token proved |
//! | `auth` | servers that demand OAuth access tokens (feature `oauth`) |
//! | `macros` | attributes that write what a builder takes (feature `macros`) |
//! | [`schema`] | the check of arguments, with bounds |
//! | [`core`] | the protocol itself, without I/O |
//!
//! The README of the project is a tour; its examples are compiled with this crate's tests.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(feature = "oauth")]
pub mod auth;
mod body;
pub mod caller;
pub mod client;
mod clock;
mod ids;
#[cfg(feature = "macros")]
pub mod macros;
mod platform;
pub mod proxy;
pub mod schema;
pub mod server;
pub mod store;
pub mod transport;
mod woken;

use std::pin::Pin;

pub use proofmark_core as core;

/// A future of unknown type.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
