//! What can be said about a fleet.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use proofmark_check::record::transport::Transport;
use proofmark_fleet::{inventory::Wanted, selection::Filter};

/// Look after many servers: an inventory, runs, history, stages, reports
///
/// The file names servers, their owners, and what they are held to; docs/fleet.md has all of it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark fleet lint                              whether fleet.yaml is right
  proofmark fleet run                               check and test every server
  proofmark fleet run 'tag:core & !owner:ann' --no-new-findings
  proofmark fleet run --resume                      finish a run that was interrupted
  proofmark fleet diff                              what the last run changed
  proofmark fleet why my-server M022                since when, and with which bytes

Exit codes:
  0  all gates hold
  1  a gate does not hold
  2  the file, the filter or the command line makes no sense
  3  a server could not be started or reached, and no gate fails besides
  130, 143  interrupted or told to terminate: `fleet run --resume` goes on")]
pub(crate) struct Fleet {
    /// The inventory
    #[arg(long, short = 'f', global = true, value_name = "FILE", default_value = "fleet.yaml")]
    pub(crate) file: PathBuf,
    /// The history; without it the file with the inventory's name and the ending `.db`
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) database: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: FleetCommand,
}

impl Fleet {
    pub(crate) fn database(&self) -> PathBuf {
        self.database.clone().unwrap_or_else(|| self.file.with_extension("db"))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommand {
    Diff(FleetDiff),
    History(FleetHistory),
    /// Do one job of a run, for the program that runs it
    #[command(hide = true)]
    Job(FleetJob),
    /// Say what is wrong with the inventory, with line and column
    Lint,
    List(FleetList),
    Run(FleetRun),
    Why(FleetWhy),
}

/// Check and test servers, side by side, and write down what came of it
#[derive(Args, Debug)]
pub(crate) struct FleetRun {
    /// Only servers that fit: a pattern for names, `tag:NAME`, `owner:NAME` or `stage:NAME`; `!` in front turns it around, `&` joins
    /// several. May be given several times, and then one of them has to fit
    #[arg(value_name = "FILTER", conflicts_with = "resume")]
    pub(crate) filter: Vec<Filter>,
    /// Finish the last run that was interrupted
    #[arg(long)]
    pub(crate) resume: bool,
    /// Jobs at the same time; without it as many as the machine has cores
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Fail if a score is below this; findings alone do not fail the run then
    #[arg(long, value_name = "SCORE", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) min_score: Option<u8>,
    /// Fail if there is a finding that the result before did not have; others do not fail the run then
    #[arg(long)]
    pub(crate) no_new_findings: bool,
    /// Fail if a server is below the gates of its stage; findings alone do not fail the run then
    #[arg(long)]
    pub(crate) stage: bool,
    /// Print what would be done, and do nothing
    #[arg(long, conflicts_with = "resume")]
    pub(crate) dry_run: bool,
    /// Say what came of it as
    #[arg(long, value_enum, default_value_t = FleetFormat::Pretty)]
    pub(crate) format: FleetFormat,
}

/// List the servers of the inventory
#[derive(Args, Debug)]
pub(crate) struct FleetList {
    #[arg(value_name = "FILTER")]
    pub(crate) filter: Vec<Filter>,
    #[arg(long, value_enum, default_value_t = FleetFormat::Pretty)]
    pub(crate) format: FleetFormat,
}

/// Say what changed: what is new, gone and still broken
///
/// Without runs: what the last run changed. With one: what that run changed. With two: from the first to the second.
#[derive(Args, Debug)]
pub(crate) struct FleetDiff {
    #[arg(num_args = 0..=2, value_name = "RUN")]
    pub(crate) runs: Vec<i64>,
    #[arg(long, value_enum, default_value_t = FleetFormat::Pretty)]
    pub(crate) format: FleetFormat,
}

/// Say how a server came along, or which runs there were
#[derive(Args, Debug)]
pub(crate) struct FleetHistory {
    /// The server; without it all runs are listed
    pub(crate) server: Option<String>,
    /// So many results, newest first
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    pub(crate) last: u32,
    #[arg(long, value_enum, default_value_t = FleetFormat::Pretty)]
    pub(crate) format: FleetFormat,
}

/// Say why a requirement is broken: since when, in which version, and with which bytes
#[derive(Args, Debug)]
pub(crate) struct FleetWhy {
    pub(crate) server: String,
    /// The id of a requirement, or file and name of a test
    pub(crate) requirement: String,
    #[arg(long, value_enum, default_value_t = FleetFormat::Pretty)]
    pub(crate) format: FleetFormat,
}

#[derive(Args, Debug)]
pub(crate) struct FleetJob {
    #[arg(long, value_parser = wanted)]
    pub(crate) revision: Wanted,
    #[arg(long)]
    pub(crate) transport: Transport,
    #[arg(last = true)]
    pub(crate) server: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FleetFormat {
    /// For other programs
    Json,
    /// For the summary of a job
    Markdown,
    /// For a terminal
    Pretty,
}

fn wanted(text: &str) -> Result<Wanted, String> {
    Wanted::parse(text).ok_or_else(|| "a revision or newest is wanted".to_owned())
}
