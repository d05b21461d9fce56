//! What can be said about mocks.

use std::path::PathBuf;

use clap::Args;
use proofmark_test::mock::{Fault, Faults, Latency};

use crate::address::Address;

/// Run a server that answers as was recorded, or as a file says
///
/// For tests of clients and agents without the real server: from a transcript of `tap` or `check --record`, from a file
/// with `answers` (docs/testing.md), or from a file of tests with its snapshots. What was not recorded is told on
/// standard error.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark mock heard.jsonl                             on standard input and output
  proofmark mock heard.jsonl --http 127.0.0.1:3000       at /mcp, and at /sse for older clients
  proofmark mock answers.yaml --strict                   refuses what the file does not have
  proofmark mock heard.jsonl --latency 100ms..2s --fault drop=0.1 --fault error=0.05 --seed 7

Exit codes:
  0  the client has closed the connection
  2  the file or the command line makes no sense
  3  the address is taken, or the connection broke")]
pub(crate) struct Mock {
    /// A transcript, a file of answers, or a file of tests with snapshots
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Serve over HTTP on this host and port, instead of standard input and output
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<Address>,
    /// The server whose tests are meant, where a file has several
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// Refuse what was not recorded, instead of answering as the nearest was
    #[arg(long)]
    pub(crate) strict: bool,
    /// How long answers take: 200ms, or 100ms..2s
    #[arg(long, value_name = "TIME")]
    pub(crate) latency: Option<Latency>,
    /// What goes wrong: close, drop, error or garbage, with =SHARE for a part of the requests. May be given several times
    #[arg(long, value_name = "FAULT", value_parser = Faults::parse)]
    pub(crate) fault: Vec<(Fault, f64)>,
    /// Of latencies and faults that are drawn by lot
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
}
