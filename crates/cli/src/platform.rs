//! Signals, priorities and exit codes, which systems do not have alike.
//!
//! `--cfg proofmark_portable` chooses the part for other systems on any, so that it is compiled everywhere.

use std::fmt;

#[cfg(not(all(unix, not(proofmark_portable))))]
mod portable;
#[cfg(all(unix, not(proofmark_portable)))]
mod unix;

#[cfg(not(all(unix, not(proofmark_portable))))]
pub(crate) use portable::*;
#[cfg(all(unix, not(proofmark_portable)))]
pub(crate) use unix::*;

/// Why the process is to end before its work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Interrupted,
    #[cfg_attr(
        not(all(unix, not(proofmark_portable))),
        expect(
            dead_code,
            reason = "where there are no signals a process is ended without being told"
        )
    )]
    Terminated,
}

impl Ending {
    /// As a shell would put it: 128 and the number of the signal.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self {
            Self::Interrupted => "interrupted",
            Self::Terminated => "told to terminate",
        };
        write!(f, "{why}: what was started has been ended, and nothing is reported")
    }
}

impl std::error::Error for Ending {}
