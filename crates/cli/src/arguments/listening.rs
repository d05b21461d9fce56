//! What can be said about traffic between others.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use proofmark_check::record::wire::Url;

use super::{Reports, judging::Selection};
use crate::address::Address;

/// Listen to a real client and a real server, and judge both
///
/// Stands in between, changes nothing, and writes what both say to a transcript. Findings are told on standard error while it runs, and
/// all of them at the end. Secrets are not written: credentials in headers, and tokens, codes and passwords in known fields.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark tap -- my-server --its-option              in a client's configuration, in place of the server
  proofmark tap --listen 127.0.0.1:4000 --url http://127.0.0.1:3000/mcp
                                                       clients then use http://127.0.0.1:4000/mcp

Over HTTP every byte passes as it is, but for the header Host, which has to name the server.
Requests that name another host, or come from pages of another origin, are answered with 403 by the tap
itself: the server could not tell. To listen for other machines, say with --allow-host how they call it.
A server that is started this way decides the exit code.")]
pub(crate) struct Tap {
    /// Where clients connect to
    #[arg(
        long,
        value_name = "ADDR",
        requires = "url",
        default_value_if("url", clap::builder::ArgPredicate::IsPresent, "127.0.0.1:0")
    )]
    pub(crate) listen: Option<Address>,
    /// The server that they are to reach
    #[arg(long, conflicts_with = "command", required_unless_present = "command")]
    pub(crate) url: Option<Url>,
    /// Pass on requests to this host, too, with a port or for all; otherwise only requests to this machine under a name of its own
    /// (localhost, 127.0.0.1 and the like) are
    #[arg(long, value_name = "HOST", requires = "url")]
    pub(crate) allow_host: Vec<String>,
    /// Pass on requests by pages of this origin, too; otherwise only those by pages of this machine are
    #[arg(long, value_name = "ORIGIN", requires = "url")]
    pub(crate) allow_origin: Vec<String>,
    /// The transcript: a file, which is appended to, or a directory for a new one; without it a new one is made here
    #[arg(long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// Show every message on standard error, shortly after it passed; secrets are covered as in the transcript
    #[arg(long, conflicts_with = "no_judge")]
    pub(crate) show: bool,
    /// Only record; `proofmark replay` judges later
    #[arg(long)]
    pub(crate) no_judge: bool,
    /// The command that starts the server, after --
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Judge transcripts again, without any peer
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark replay proofmark-tap-1.jsonl
  proofmark replay --side client --format html --output client.html proofmark-tap-1.jsonl
  proofmark replay --diff last-week.json check.jsonl    what changed since a report in JSON

Exit codes are those of `proofmark check`; with --diff, 0 if nothing changed and 1 if something did.")]
pub(crate) struct Replay {
    /// Transcripts, of `proofmark tap` or of `proofmark check --record`
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only what is about this side
    #[arg(long, value_enum)]
    pub(crate) side: Option<Side>,
    /// Say what is different from an earlier report in JSON, as pretty, json or markdown
    #[arg(long, value_name = "REPORT")]
    pub(crate) diff: Option<PathBuf>,
    // With several reports, the files of the later ones get a number.
    #[command(flatten)]
    pub(crate) reports: Reports,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    Client,
    Server,
}

impl From<Side> for proofmark_check::record::side::Side {
    fn from(side: Side) -> Self {
        match side {
            Side::Client => Self::Client,
            Side::Server => Self::Server,
        }
    }
}
