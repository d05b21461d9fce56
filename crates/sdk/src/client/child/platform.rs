//! How the processes of a server are started and ended, which is not the same on every system.

#[cfg(not(all(unix, not(proofmark_portable))))]
mod portable;
#[cfg(all(unix, not(proofmark_portable)))]
mod unix;

#[cfg(not(all(unix, not(proofmark_portable))))]
pub(super) use self::portable::Processes;
#[cfg(all(unix, not(proofmark_portable)))]
pub(super) use self::unix::Processes;
