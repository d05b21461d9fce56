//! What carries messages: pipes, HTTP, memory.

pub mod http;
mod lines;
mod memory;
mod queue;
mod stdio;

pub use lines::{LineSettings, serve_lines};
pub use memory::connect_in_memory;
pub use stdio::serve_stdio;
