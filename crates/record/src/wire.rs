//! The checker's own wire: it can say anything, and forgets nothing.
//!
//! Nothing here knows what a message means; it moves bytes, cuts them where the transport does, and writes down what happened.

pub mod http;
pub mod line_splitter;
pub mod lines;
pub mod message_splitter;
pub mod process;
mod recorder;
pub mod stream;
mod url;

pub use recorder::{MemoryBudget, Recorder};
pub use url::{Scheme, Url, UrlError};

/// Bytes of memory that what a peer says in a run may take; who says more is cut off.
pub const MOST_BYTES: usize = 48 * 1024 * 1024;
/// Bytes of one line, event or body.
pub const MOST_FRAME: usize = 8 * 1024 * 1024;
