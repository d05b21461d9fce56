//! What carries messages: pipes, HTTP, memory, and transports of other crates.

pub mod http;
mod lines;
mod lines_fast;
mod memory;
mod messages;
mod queue;
mod stdio;

pub(crate) use lines::{Client as LineClient, serve_lines_of};
pub use lines::{LineSettings, serve_lines};
pub use memory::connect_in_memory;
pub use messages::{MessageReceiver, MessageSender, MessageSettings, serve_messages};
pub use stdio::{serve_stdio, serve_stdio_until};
