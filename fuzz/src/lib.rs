//! What must hold whatever bytes arrive, one function per target.
//!
//! Each `run` panics when its property is broken. The fuzzer calls it with bytes of its own, and `crates/core/tests/corpus.rs`, which
//! includes this file, with the seeds.

pub mod admission;
pub mod client_session;
pub mod lines;
pub mod message;
pub mod seal;
pub mod server_session;
pub mod sse;
pub mod types;
pub mod uri_template;

mod cuts;
mod words;
