//! `inspect` and `doctor`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::Peer;

/// Look at servers in a browser: call, read, answer, and see of every message whether it is right
///
/// A page on this machine, for the person who starts it: the link that is printed is good once. Nothing is loaded from
/// elsewhere.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark inspect -- my-server --flag
  proofmark inspect --url http://127.0.0.1:3000/mcp
  proofmark inspect --config ~/.cursor/mcp.json     all servers of a client; each command is confirmed in the page
  proofmark inspect --import cursor,codex           the same, found by the names of clients
  proofmark inspect --no-open                       prints the link, and opens no browser

Press Enter for another link. Ctrl-C ends it, and every server that it started.")]
pub(crate) struct Inspect {
    /// The configuration of a client, whose servers are shown
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The servers that a client of this machine has; may be given several times. `proofmark list --clients` shows them
    #[arg(long, value_name = "CLIENT", value_delimiter = ',', value_parser = super::clients::known())]
    pub(crate) import: Vec<String>,
    /// Print the link, and open no browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// The port of the page; without it the system chooses one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) peer: Peer,
}

/// Find out why a server cannot be reached: step by step, with what was seen and what to try
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("server").args(["url", "command"]).required(true)))]
#[command(after_help = "Examples:
  proofmark doctor -- my-server --flag
  proofmark doctor --url https://example.com/mcp --json

Exit codes: 0 the server can be talked to, 2 the command line makes no sense, 3 a step failed.")]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) peer: Peer,
}
