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
    /// Compare what each server offers (names, schemas, annotations, instructions) with its snapshot instead of running tests
    #[arg(long)]
    pub(crate) interface: bool,
    /// Print the JSON Schema of the file, for editors
    #[arg(long)]
    pub(crate) schema: bool,
    /// Print which tests would run, and run none
    #[arg(long)]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) reports: Reports<TestFormat>,
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
