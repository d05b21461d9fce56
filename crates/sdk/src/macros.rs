//! Attributes for servers: sugar over the builder.
//!
//! `#[tool]`, `#[resource]` and `#[prompt]` stand on async functions. Each adds a function beside it, named after it with `_tool`, `_resource` or
//! `_prompt` behind, that gives the entry for the builder:
//!
//! ```
//! use proofmark_sdk::{macros::tool, server::Server};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Sum { a: i64, b: i64 }
//!
//! /// Adds two numbers
//! #[tool(read_only)]
//! async fn add(Sum { a, b }: Sum) -> i64 {
//!     a + b
//! }
//!
//! let server = Server::builder("calculator", "1.0.0").add_tool(add_tool()).build();
//! # assert!(server.is_ok());
//! ```
//!
//! which is the same as
//!
//! ```
//! # use proofmark_sdk::server::{Server, ToolEntry, tool};
//! # #[derive(serde::Deserialize, schemars::JsonSchema)]
//! # struct Sum { a: i64, b: i64 }
//! # async fn add(Sum { a, b }: Sum) -> i64 { a + b }
//! fn add_tool() -> ToolEntry {
//!     tool("add").description("Adds two numbers").read_only().handler(add)
//! }
//! # let server = Server::builder("calculator", "1.0.0").add_tool(add_tool()).build();
//! # assert!(server.is_ok());
//! ```
//!
//! `#[server]` stands on an `impl` block whose methods have these attributes, and may then be `async` or not. The value is the state of the server, and `into_server` builds it:
//!
//! ```
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use proofmark_sdk::macros::{prompt, resource, server, tool};
//!
//! #[derive(Default)]
//! struct Counter(AtomicU64);
//!
//! #[server(name = "counter", version = "1.0.0", instructions = "Counts.")]
//! impl Counter {
//!     /// Counts one more
//!     #[tool]
//!     fn count(&self) -> u64 {
//!         self.0.fetch_add(1, Ordering::Relaxed) + 1
//!     }
//!
//!     /// How far it is
//!     #[resource(uri = "counter://now", mime_type = "text/plain")]
//!     async fn now(&self) -> String {
//!         self.0.load(Ordering::Relaxed).to_string()
//!     }
//!
//!     /// Asks for more
//!     #[prompt]
//!     fn more(&self) -> &'static str {
//!         "Count further."
//!     }
//! }
//!
//! let server = Counter::default().into_server();
//! # assert!(server.is_ok());
//! ```
//!
//! | attribute | on | may have |
//! |---|---|---|
//! | `#[tool]` | a tool | `name`, `title`, `description`, `hidden_without`, and the words `read_only`, `destructive`, `idempotent`, `open_world`, `task` |
//! | `#[resource(uri = "…")]` | a resource, or a template if the URI has variables | `name`, `title`, `description`, `mime_type`, `hidden_without` |
//! | `#[prompt]` | a prompt | `name`, `title`, `description`, `hidden_without` |
//! | `#[server]` | an `impl` block | `name`, `version`, `title`, `description`, `instructions` |
//!
//! Without `name` it is the function's, without `description` the documentation comment. Arguments, and what is returned, are those of the
//! builder's handlers.

pub use proofmark_macros::{prompt, resource, server, tool};
