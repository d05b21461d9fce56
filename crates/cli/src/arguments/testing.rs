//! What can be said about tests.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use proofmark_test::run::{Filter, Shard};

use super::Reports;

/// Test servers: what a file says about them
///
/// The file names servers and what they have to answer; docs/testing.md has all of it. Without a name it is
/// `proofmark.yaml` in this folder.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark test                                 the tests of proofmark.yaml
  proofmark test servers.yaml --filter 'tag:quick & !server:slow'
  proofmark test --failed                        those that failed the last time
  proofmark test --update                        take what the servers say now as right
  proofmark test --review                        the same, snapshot by snapshot
  proofmark test --watch                         again whenever something changes
  proofmark test --import .vscode/mcp.json       a first proofmark.yaml for the servers of a client
  proofmark test --interface                     what a server offers, compared with its snapshot
  proofmark test --format junit --output report.xml --format pretty
  proofmark test --schema > proofmark.schema.json

Exit codes:
  0  all tests passed
  1  a test failed
  2  the file, the filter or the command line makes no sense
  3  a server could not be started or reached, and nothing else failed")]
pub(crate) struct Test {
    /// The file with servers and tests
    #[arg(default_value = "proofmark.yaml")]
    pub(crate) file: PathBuf,
    /// Only tests that fit: a pattern for names, `tag:NAME` or `server:NAME`; `!` in front turns it around, `&` joins
    /// several. May be given several times, and then one of them has to fit
    #[arg(long, short = 'k', value_name = "FILTER")]
    pub(crate) filter: Vec<Filter>,
    /// Only tests that failed when they were last run
    #[arg(long)]
    pub(crate) failed: bool,
    /// Only one part of several, such as 2/5
    #[arg(long, value_name = "PART")]
    pub(crate) shard: Option<Shard>,
    /// Stop after the first test that fails
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Run in an order that the seed decides
    #[arg(long)]
    pub(crate) shuffle: bool,
    /// Of everything that is drawn by lot; one is chosen and shown without it
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Servers that are tested at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    pub(crate) jobs: usize,
    /// What becomes of rules of the protocol that a server breaks while it is tested
    #[arg(long, value_enum, default_value_t = Judge::List)]
    pub(crate) judge: Judge,
    /// Take what the servers say now as the right snapshots
    #[arg(long)]
    pub(crate) update: bool,
    /// Show snapshots that are missing or different one by one after the run, and ask which to take
    #[arg(long, conflicts_with_all = ["update", "watch", "generated", "interface"])]
    pub(crate) review: bool,
    /// Run again what a change of the file or of a server's sources concerns, until it is told to stop
    #[arg(long, conflicts_with_all = ["generated", "interface", "list"])]
    pub(crate) watch: bool,
    /// Write the file from a configuration of Claude, Cursor, VS Code, MCP Inspector or mcp-jest, and run nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) import: Option<PathBuf>,
    /// Compare what each server offers (names, schemas, annotations, instructions) with its snapshot instead of running tests
    #[arg(long)]
    pub(crate) interface: bool,
    /// Run tests that are made from the schemas of the tools, instead of those of the file; of the file's servers, or of the one given
    /// by --url or as a command
    #[arg(long)]
    pub(crate) generated: bool,
    #[command(flatten)]
    pub(crate) generating: Generating,
    /// Print the JSON Schema of the file, for editors
    #[arg(long)]
    pub(crate) schema: bool,
    /// Print which tests would run, and run none
    #[arg(long)]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) reports: Reports<TestFormat>,
    #[command(flatten)]
    pub(crate) target: GeneratedTarget,
}

/// Write tests for a server, made from the schemas of its tools or from a transcript
///
/// A file that is there is brought up to date: tests that people wrote or changed stay as they are.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark generate -- my-server                        tests of its read-only tools, in proofmark.yaml
  proofmark generate --tool add --url http://127.0.0.1:3000/mcp --file add.yaml
  proofmark generate --dry-run -- my-server              what would be called, and what not
  proofmark generate --from heard.jsonl -- my-server     what `tap` heard becomes tests with snapshots")]
pub(crate) struct Generate {
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "proofmark.yaml")]
    pub(crate) file: PathBuf,
    /// The name of the server in the file
    #[arg(long, value_name = "NAME", default_value = "server")]
    pub(crate) name: String,
    /// A transcript of `tap` or `check --record`, whose calls become tests with snapshots
    #[arg(long, value_name = "TRANSCRIPT")]
    pub(crate) from: Option<PathBuf>,
    /// Written into the file
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) generating: Generating,
    #[command(flatten)]
    pub(crate) target: GeneratedTarget,
}

/// A server that need not be in a file.
#[derive(Args, Debug)]
pub(crate) struct GeneratedTarget {
    /// The address of the server
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// A server to start, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// What generated tests may do.
#[derive(Args, Debug)]
pub(crate) struct Generating {
    /// Call this tool although it does not say that it is read-only; may be given several times
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: Vec<String>,
    /// Call all tools, whatever they change
    #[arg(long)]
    pub(crate) all_tools: bool,
    /// Arguments that are right, so that the tool may report no error
    #[arg(long, value_name = "TOOL=JSON", value_parser = call)]
    pub(crate) call: Vec<(String, serde_json::Value)>,
    /// A call that shows the state of the server, to see whether tools that say they are idempotent are
    #[arg(long, value_name = "TOOL=JSON", value_parser = call)]
    pub(crate) observe: Option<(String, serde_json::Value)>,
    /// How long one generated call may take
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) case_timeout: u64,
    /// How long the generated tests of a server may take altogether; what is not begun by then is reported as not run
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,
    /// Print what would be called, and call nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

fn call(text: &str) -> Result<(String, serde_json::Value), String> {
    let (tool, arguments) = text.split_once('=').unwrap_or((text, "{}"));
    let arguments = serde_json::from_str(arguments)
        .map_err(|error| format!("a tool and JSON are wanted: {error}"))?;
    Ok((tool.to_owned(), arguments))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Judge {
    /// They fail the run
    Fail,
    /// They are listed after the failures
    List,
    /// Nothing is judged
    Off,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// Annotations of a GitHub job
    Github,
    /// One page that needs nothing else
    Html,
    /// For other programs
    Json,
    Junit,
    /// For the summary of a job
    Markdown,
    /// For a terminal
    #[default]
    Pretty,
    /// TAP, version 14
    Tap,
}
