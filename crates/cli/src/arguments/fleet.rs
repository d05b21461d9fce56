//! What can be said about a fleet.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use proofmark_check::record::transport::Transport;
use proofmark_fleet::{inventory::Wanted, selection::Filter, store::Place};

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
    /// The history: a file, or `postgres://user@host/database` where several machines share it (its password in PGPASSWORD); without it the
    /// file with the inventory's name and the ending `.db`
    #[arg(long, global = true, value_name = "PLACE")]
    pub(crate) database: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: FleetCommand,
}

impl Fleet {
    pub(crate) fn database(&self) -> Place {
        match &self.database {
            Some(written) => Place::parse(written),
            None => Place::File(self.file.with_extension("db")),
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommand {
    Add(FleetAdd),
    Backup(FleetBackup),
    Diff(FleetDiff),
    History(FleetHistory),
    Import(FleetImport),
    /// Do one job of a run, for the program that runs it
    #[command(hide = true)]
    Job(FleetJob),
    /// Say what is wrong with the inventory, with line and column
    Lint,
    List(FleetList),
    Promote(FleetPromote),
    Prune(FleetPrune),
    Remove(FleetRemove),
    Report(FleetReport),
    Run(FleetRun),
    Serve(FleetServe),
    Why(FleetWhy),
    Worker(FleetWorker),
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
    /// A job whose worker gives no sign of life for so many seconds is taken by another
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) lease: u16,
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

/// Do the jobs of runs that were begun elsewhere, side by side with other workers
///
/// Each job is taken by one worker at a time. A worker that dies loses nothing: its jobs are taken by others after half a minute. It needs the
/// inventory, and the history that it shares with the others.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark fleet --database postgres://fleet@db/fleet worker
  proofmark fleet --database postgres://fleet@db/fleet worker --until-idle --jobs 8")]
pub(crate) struct FleetWorker {
    /// Jobs at the same time; without it as many as the machine has cores
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// A job whose worker gives no sign of life for so many seconds is taken by another
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) lease: u16,
    /// End when no run has anything left to do
    #[arg(long)]
    pub(crate) until_idle: bool,
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

/// Move a server to its next stage, if the gates of that hold
///
/// Says which gates do not hold, and exits with 1 then. Who moved it, and when, is written into the history; the stage into the inventory.
#[derive(Args, Debug)]
pub(crate) struct FleetPromote {
    pub(crate) server: String,
    /// The stage; without it the next one
    #[arg(long, value_name = "STAGE")]
    pub(crate) to: Option<String>,
    /// Who moves it; without it the user's name on this machine
    #[arg(long, value_name = "NAME")]
    pub(crate) who: Option<String>,
    /// Say whether the gates hold, and move nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Write a report about the last results, or about a run
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark fleet report --format html --output public
  proofmark fleet report --format openmetrics --output /var/lib/node_exporter/fleet.prom
  proofmark fleet report --format badge --server my-server --output badge.svg")]
pub(crate) struct FleetReport {
    #[arg(long, value_enum)]
    pub(crate) format: FleetReportFormat,
    /// Where it goes: a file, or a folder for html; standard output without it
    #[arg(long, value_name = "PATH", required_if_eq("format", "html"))]
    pub(crate) output: Option<PathBuf>,
    /// The run; the last without it
    #[arg(long)]
    pub(crate) run: Option<i64>,
    /// The server that a badge is about
    #[arg(long, required_if_eq("format", "badge"))]
    pub(crate) server: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FleetReportFormat {
    /// The verdict about one server, as SVG
    Badge,
    /// For spreadsheets
    Csv,
    /// A folder of pages that need no server
    Html,
    /// For other programs
    Json,
    Junit,
    Markdown,
    /// For Prometheus and its kin
    Openmetrics,
    /// For code hosts that show findings
    Sarif,
}

/// Show the fleet in a browser: what got worse, why, and whose it is
///
/// Prints a link that opens once. Every page reads the history and changes nothing. An address that other machines can reach needs a
/// token and the names by which they call it; put a proxy with TLS in front of it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark fleet serve
  FLEET_TOKEN=… proofmark fleet serve --listen 0.0.0.0:8080 --token-env FLEET_TOKEN --name fleet.example.com")]
pub(crate) struct FleetServe {
    /// Where to listen; with port 0 the system chooses one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(crate) listen: std::net::SocketAddr,
    /// The environment variable with a token, which lets in whom the link does not
    #[arg(long, value_name = "NAME")]
    pub(crate) token_env: Option<String>,
    /// How browsers call this machine; may be given several times
    #[arg(long, value_name = "HOST")]
    pub(crate) name: Vec<String>,
}

/// Add a server to the inventory; comments stay
#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("target").args(["url", "words"]).required(true)))]
pub(crate) struct FleetAdd {
    pub(crate) name: String,
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// sse for the older HTTP+SSE
    #[arg(long, requires = "url")]
    pub(crate) transport: Option<Transport>,
    #[arg(long)]
    pub(crate) owner: Option<String>,
    #[arg(long)]
    pub(crate) stage: Option<String>,
    /// May be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// The command that starts it, after --
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) words: Vec<String>,
}

/// Take a server out of the inventory; its history stays
#[derive(Args, Debug)]
pub(crate) struct FleetRemove {
    pub(crate) name: String,
}

/// Add the servers of other files: clients' configurations, a registry's server.json, lists of URLs, or folders with such files
#[derive(Args, Debug)]
pub(crate) struct FleetImport {
    #[arg(required = true)]
    pub(crate) path: Vec<PathBuf>,
    /// Say what would be added, and add nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Copy the history, whether or not a run goes on
#[derive(Args, Debug)]
pub(crate) struct FleetBackup {
    /// The copy, which must not be there yet
    pub(crate) to: PathBuf,
}

/// Throw away what is old; the last result of each server stays
#[derive(Args, Debug)]
pub(crate) struct FleetPrune {
    /// Runs that are kept
    #[arg(long, value_name = "RUNS", default_value_t = 400)]
    pub(crate) keep: u32,
    /// Megabytes of compressed reports that are kept
    #[arg(long, value_name = "MB", default_value_t = 256)]
    pub(crate) reports: u64,
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
