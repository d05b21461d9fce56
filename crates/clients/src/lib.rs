//! Clients' configuration files, edited without harm.
//!
//! ```text
//! Server + Client -> Entry -> Plan (the text before and after) -> Change (backed up, written at once, can be undone)
//! ```
//!
//! A [`Client`] is a row of [`CLIENTS`]. What it cannot do is said before anything is written; everything in its file but the entry of
//! the server stays as it is, byte for byte.

mod client;
mod diff;
mod document;
mod edit;
mod entry;
mod file;
mod journal;
mod machine;
mod plan;
mod platform;
mod secret;
mod server;
mod table;
mod template;
mod text;
mod value;

pub use client::*;
pub use diff::unified;
pub use document::{read_document, remove_from_document, replace_file, set_in_document};
pub use edit::EditError;
pub use entry::{Cannot, Secrets};
pub use file::{FileError, MAX_BYTES, Privacy};
pub use journal::{Change, Journal, Restored, Undone};
pub use machine::{Machine, Place, System};
pub use plan::{Plan, PlanError, Replace, Servers, add, read_servers, remove};
pub use platform::Lock;
pub use secret::{is_secret, mask};
pub use server::{RemoteKind, Server, Transport};
pub use table::CLIENTS;
pub use template::{Part, Template};
pub use value::Value;
