//! What a revision demands over standard input and output.

use super::Level;

/// The framing is the same in every revision; what differs is how a process begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StdioRules {
    /// How firmly a server is asked to end when its standard input does.
    pub exits_on_end_of_input: Level,
    pub termination: Termination,
    /// How firmly a client is asked to start a server again that ended on its own.
    pub restarts: Level,
    /// How firmly a client is asked not to take standard error for a sign of failure.
    pub stderr_is_no_failure: Level,
}

/// How a client ends a server that does not end by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// With whatever the operating system has.
    Platform,
    /// With `SIGTERM`, then `SIGKILL`.
    Signals,
}
