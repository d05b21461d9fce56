//! Stands between a client and a server, changes nothing, and writes down what both say.
//!
//! What is heard is written to the transcript before it is passed on, so that a tap that is killed has lost nothing that the other
//! side ever saw.

mod http;
mod sniff;
mod stdio;

use std::io::{self, Write};

pub use http::{Allowed, HttpTap};
pub use stdio::StdioTap;

use crate::text::Untrusted;

/// To the people who run it, on standard error: standard output may belong to the client.
fn tell(what: &str) {
    let _ = writeln!(io::stderr(), "proofmark tap: {}", Untrusted(what));
}
