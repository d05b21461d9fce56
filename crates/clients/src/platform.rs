//! Locks and private files, which systems do not have alike.
//!
//! `--cfg proofmark_portable` chooses the part for other systems on any, so that it is compiled everywhere.

#[cfg(not(all(unix, not(proofmark_portable))))]
mod portable;
#[cfg(all(unix, not(proofmark_portable)))]
mod unix;

#[cfg(not(all(unix, not(proofmark_portable))))]
pub use portable::Lock;
#[cfg(not(all(unix, not(proofmark_portable))))]
pub(crate) use portable::*;
#[cfg(all(unix, not(proofmark_portable)))]
pub use unix::Lock;
#[cfg(all(unix, not(proofmark_portable)))]
pub(crate) use unix::*;
