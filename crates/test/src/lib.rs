//! Tests of MCP servers: those that people write, those that are generated from schemas, and those that were recorded.

mod act;
mod connection;
mod diff;
mod expectation;
pub mod file;
pub mod generate;
pub mod history;
pub mod import;
pub mod interface;
pub mod matcher;
mod memory;
pub mod mock;
pub mod outcome;
pub mod random;
pub mod recorded;
pub mod redaction;
pub mod report;
pub mod run;
pub mod schema;
pub mod snapshot;
mod value;
pub mod yaml;

pub use connection::{Judging, Unreachable};
pub use memory::MemoryServer;
