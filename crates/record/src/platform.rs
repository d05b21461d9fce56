//! What the standard library does not do alike on every system.
//!
//! `--cfg proofmark_portable` chooses the parts for other systems on any, so that they are compiled and tested everywhere.

#[cfg(all(target_os = "linux", not(proofmark_portable)))]
mod linux;
#[cfg(not(all(unix, not(proofmark_portable))))]
mod portable;
#[cfg(all(unix, not(proofmark_portable)))]
mod unix;

#[cfg(all(target_os = "linux", not(proofmark_portable)))]
pub use linux::OrphanReaper;
#[cfg(not(all(unix, not(proofmark_portable))))]
pub use portable::*;
#[cfg(all(unix, not(proofmark_portable)))]
pub use unix::*;

/// Where orphans cannot be found.
#[cfg(not(all(target_os = "linux", not(proofmark_portable))))]
#[derive(Debug)]
pub struct OrphanReaper(std::convert::Infallible);

#[cfg(not(all(target_os = "linux", not(proofmark_portable))))]
impl OrphanReaper {
    /// Always `None`.
    pub fn start() -> Option<Self> {
        None
    }
}
