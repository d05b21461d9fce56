//! What the standard library does not do alike on every system.
//!
//! `--cfg proofmark_portable` chooses the part for other systems on any, so that it is compiled everywhere.

#[cfg(all(target_os = "linux", not(proofmark_portable)))]
mod linux;
#[cfg(not(all(target_os = "linux", not(proofmark_portable))))]
mod portable;

#[cfg(all(target_os = "linux", not(proofmark_portable)))]
pub use linux::*;
#[cfg(not(all(target_os = "linux", not(proofmark_portable))))]
pub use portable::*;

/// What a process uses together with all that it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Without the process itself.
    pub processes: u32,
    /// Bytes in memory, without the process itself.
    pub memory: u64,
}
