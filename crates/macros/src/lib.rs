//! Attributes for servers of `proofmark-sdk`: sugar over its builder.
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

mod entry;
mod impl_block;
mod options;

use proc_macro::TokenStream;
use syn::parse_macro_input;

use self::{entry::Kind, options::Options};

/// Makes a tool of an async function. See the [crate](crate).
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    function(Kind::Tool, options, item)
}

/// Makes a resource, or a template of resources, of an async function. See the [crate](crate).
#[proc_macro_attribute]
pub fn resource(options: TokenStream, item: TokenStream) -> TokenStream {
    function(Kind::Resource, options, item)
}

/// Makes a prompt of an async function. See the [crate](crate).
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, item: TokenStream) -> TokenStream {
    function(Kind::Prompt, options, item)
}

/// Makes a server of the methods of an `impl` block. See the [crate](crate).
#[proc_macro_attribute]
pub fn server(options: TokenStream, item: TokenStream) -> TokenStream {
    let options = parse_macro_input!(options as Options);
    let block = parse_macro_input!(item as syn::ItemImpl);
    impl_block::expand(&options, block).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn function(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let options = parse_macro_input!(options as Options);
    let function = parse_macro_input!(item as syn::ItemFn);
    entry::expand(kind, &options, &function).unwrap_or_else(syn::Error::into_compile_error).into()
}
