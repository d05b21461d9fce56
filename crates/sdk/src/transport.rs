//! What carries messages: pipes, HTTP, memory.

mod lines;
mod memory;
mod stdio;

pub use lines::{LineSettings, serve_lines};
pub use memory::connect_in_memory;
pub use stdio::serve_stdio;
