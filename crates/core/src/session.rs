//! Conversations without a wire: messages and time go in, decisions come out.
//!
//! A session is told everything that happens, one [`server::Input`] or [`client::Input`] at a time, and answers with what is to be done about
//! it. It holds no socket, reads no clock and starts no task. A driver moves bytes and runs handlers; it needs no knowledge of the
//! protocol to do so.

mod asks;
mod capability;
pub mod client;
pub mod server;
mod time;

pub use capability::{Declared, missing_capability};
pub use time::Time;
