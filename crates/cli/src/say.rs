//! Words for a person who may have stopped listening, which is no reason to stop working.

use std::{
    fmt::Display,
    io::{self, Write},
};

/// For what was asked for.
pub(crate) fn on_stdout(text: impl Display) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// For complaints, and for all else while standard output carries messages.
pub(crate) fn on_stderr(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
