//! What can be said about judgements of any peer.

use std::path::PathBuf;

use clap::Args;
use proofmark_check::report::Strictness;

use super::Reports;

/// What becomes of a run.
#[derive(Args, Debug)]
pub(crate) struct Judging {
    #[command(flatten)]
    pub(crate) reports: Reports,
    /// Append the transcript of the run to this file; `proofmark replay` judges it again
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Known findings with reasons: a line for each, with an id and a reason
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write what is broken today into a baseline, which excuses it from now on; that of --baseline is carried over
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
}

/// What counts.
#[derive(Args, Debug)]
pub(crate) struct Selection {
    /// Only these requirements: ids, names or pages (M022, basic/lifecycle), also with *
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Not these requirements: ids, names or pages, also with *
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) skip: Vec<String>,
    /// Warnings count as broken too
    #[arg(long)]
    strict: bool,
}

impl Selection {
    pub(crate) fn strictness(&self) -> Strictness {
        if self.strict { Strictness::Warnings } else { Strictness::Failures }
    }
}
