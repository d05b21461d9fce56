//! How the program tells scripts what came of it.

/// All is well. From a check: the peer is conformant.
pub(crate) const SUCCESS: u8 = 0;
/// A check found that the peer breaks a requirement, or a tool reported an error.
pub(crate) const BROKEN: u8 = 1;
/// The command line or a configuration makes no sense.
pub(crate) const USAGE: u8 = 2;
/// A peer could not be started or reached, the way to it broke, or a check broke off before anything was found.
pub(crate) const UNREACHABLE: u8 = 3;
