//! What differs between operating systems, all of it: everything else compiles everywhere.
//!
//! `--cfg proofmark_portable` chooses the portable sibling on Unix too, so that it is built and tested where this project is.

#[cfg_attr(all(unix, not(proofmark_portable)), path = "platform/unix.rs")]
#[cfg_attr(not(all(unix, not(proofmark_portable))), path = "platform/portable.rs")]
mod system;

pub(crate) use self::system::{Blocked, PipeReader, PipeWriter, piped_stdio};
