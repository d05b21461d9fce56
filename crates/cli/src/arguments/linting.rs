//! What can be said about lint.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use super::Peer;
use crate::colour::When;

/// Find what models and hosts trip over in what a server lists
///
/// Names that hosts refuse, keywords of schemas that providers do not take, missing and endless descriptions, hints that contradict names,
/// what the lists cost in tokens, and text that hides from people. None of it is a matter of the specification, and none touches the
/// score of a check. No tool is called.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("server").args(["url", "command", "lists", "rules"]).required(true)))]
#[command(after_help = "Examples:
  proofmark lint -- npx -y some-mcp-server
  proofmark lint --url http://127.0.0.1:3000/mcp --strict
  proofmark lint --allow L031,hints --deny schemas -- my-server
  proofmark lint --format sarif --output lint.sarif -- my-server
  proofmark list --json -- my-server > lists.json && proofmark lint --lists lists.json
  proofmark lint --rules            all rules
  proofmark lint --rules L012       one rule, with its reason, examples and sources

In a proofmark.toml of the current folder, or the file that --config names:
  [lint]
  allow = [\"L031\"]
  deny = [\"security\"]
  strict = true
  max-tokens = 8000

Exit codes:
  0  no errors; with --strict no warnings either
  1  errors, or with --strict warnings
  2  the command line or the configuration makes no sense
  3  the server could not be started or reached, or the way to it broke")]
pub(crate) struct Lint {
    /// A file with the lists, as `proofmark list --json` writes it, in place of a server
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "command"])]
    pub(crate) lists: Option<PathBuf>,
    /// Turn off rules, by id, name or class (names, schemas, descriptions, hints, cost, security)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub(crate) allow: Vec<String>,
    /// Make errors of rules, by id, name or class; a rule that --allow names as well is off
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub(crate) deny: Vec<String>,
    /// Fail on warnings, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// How many tokens tools and instructions may cost; more is an error
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_tokens: Option<usize>,
    /// How to report [default: pretty; --json is short for json]
    #[arg(long, value_name = "FORMAT", value_enum, conflicts_with = "json")]
    pub(crate) format: Option<LintFormat>,
    /// Where the report goes; standard output without it
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Colours on standard output; `NO_COLOR`, `FORCE_COLOR` and TERM=dumb are heeded
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub(crate) color: When,
    /// Show every place, not only the first of each rule
    #[arg(long)]
    pub(crate) all: bool,
    /// Print the rules, or all about one
    #[arg(long, value_name = "RULE", num_args = 0..=1, conflicts_with_all = ["url", "command", "lists"])]
    pub(crate) rules: Option<Option<String>>,
    #[command(flatten)]
    pub(crate) peer: Peer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFormat {
    /// Annotations of a GitHub job
    Github,
    /// For other programs
    Json,
    /// For a terminal
    Pretty,
    /// Findings for code hosts, SARIF 2.1.0
    Sarif,
}
