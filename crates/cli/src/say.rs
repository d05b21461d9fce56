//! Words for a person who may have stopped listening, which is no reason to stop working.
//!
//! Whatever a peer put into them is shown and not obeyed. A name, and all else that is one line, is made
//! [`Untrusted`](proofmark_check::record::text::Untrusted) before it gets here, because line breaks pass.

use std::{
    fmt::Display,
    io::{self, Write},
};

use proofmark_check::record::text::UntrustedLines;

/// For what was asked for.
pub(crate) fn on_stdout(text: impl Display) {
    report(&UntrustedLines(&text.to_string()).to_string());
}

/// For complaints, and for all else while standard output carries messages.
pub(crate) fn on_stderr(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", UntrustedLines(&text.to_string()));
}

/// Why something was not done. What a peer adds to it stands apart from our own lines.
pub(crate) fn error(error: impl Display) {
    on_stderr(format_args!("error: {error:#}").to_string().replace('\n', "\n  "));
}

/// What is made for a terminal or a program as it is, colours and commands included: its writer has seen to the peer's strings.
pub(crate) fn report(text: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
