//! What can be said on the command line.

use std::{ffi::OsString, num::NonZeroUsize, path::PathBuf};

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use http::{HeaderName, HeaderValue};
use proofmark_check::record::transport::Transport;
use proofmark_sdk::core::{revision::Revision, streamable_http::AllowedHost};

use crate::{address::Address, environment, log::Level};

mod authorization;
mod by_hand;
mod checking;
mod clients;
mod fleet;
mod generated;
mod inspecting;
mod judging;
mod linting;
mod listening;
mod mocking;
mod reports;
mod testing;

pub(crate) use authorization::CheckAuthorization;
pub(crate) use by_hand::{Complete, Info, Prompt, Subscribe};
pub(crate) use checking::{
    Check, CheckClient, CheckServer, ProfileName, Requirements, Revisions, SelfTest,
};
pub(crate) use clients::{ALL, Add, Consent, Place, Remove, Undo};
pub(crate) use fleet::{
    Fleet, FleetAdd, FleetBackup, FleetCommand, FleetDiff, FleetFormat, FleetHistory, FleetImport,
    FleetJob, FleetList, FleetPromote, FleetPrune, FleetRemove, FleetReport, FleetReportFormat,
    FleetRun, FleetServe, FleetWhy, FleetWorker,
};
pub(crate) use generated::{Completions, ManPages, Schema, SchemaName, Suggest};
pub(crate) use inspecting::{Doctor, Inspect};
pub(crate) use judging::Judging;
pub(crate) use linting::{Lint, LintFormat};
pub(crate) use listening::{Replay, Tap};
pub(crate) use mocking::Mock;
pub(crate) use reports::{Format, Reports};
pub(crate) use testing::{Generate, GeneratedTarget, Generating, Judge, Test, TestFormat};

/// MCP in Rust: serve it, speak it, and check that others do it right.
#[derive(Debug, Parser)]
#[command(name = "proofmark", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Examples:
  proofmark check server          a first report, about the built-in Everything Server
  proofmark everything            an MCP server with every feature, on http://127.0.0.1:3000/mcp
  proofmark everything --stdio    the same, on standard input and output
  proofmark everything --help     more about one command
  proofmark list -- my-server     what a server has to offer
  proofmark call add '{\"a\": 1, \"b\": 2}' --url http://127.0.0.1:3000/mcp

Exit codes:
  0  all is well
  1  a check found a requirement broken, or a tool reported an error
  2  the command line or a configuration makes no sense
  3  a peer could not be started or reached, or the way to it broke")]
pub(crate) struct Arguments {
    /// How much to log, on standard error [default: warn; off for self-test, whose peers are wrong on purpose]
    #[arg(long, global = true, value_name = "LEVEL", value_enum)]
    pub(crate) log: Option<Level>,
    /// Where options are that are not repeated here [default: proofmark.toml, if there is one here]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    pub(crate) fn log_level(&self) -> Level {
        let usual = match self.command {
            Command::SelfTest(_) => Level::Off,
            _ => Level::Warn,
        };
        self.log.unwrap_or(usual)
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Add(Add),
    Call(Call),
    /// Check whether a peer keeps the specification
    #[command(subcommand)]
    Check(Box<Check>),
    Complete(Complete),
    Completions(Completions),
    Doctor(Doctor),
    Everything(Everything),
    EverythingClient(EverythingClient),
    Fleet(Box<Fleet>),
    Generate(Box<Generate>),
    /// Reach the checker from a client that is checked
    #[command(hide = true)]
    HostedServer(HostedServer),
    Info(Info),
    Inspect(Box<Inspect>),
    Lint(Box<Lint>),
    List(List),
    Mock(Mock),
    ManPages(ManPages),
    Prompt(Prompt),
    Read(Read),
    Remove(Remove),
    Replay(Replay),
    Requirements(Requirements),
    Schema(Schema),
    SelfTest(SelfTest),
    Subscribe(Subscribe),
    #[command(hide = true)]
    Suggest(Suggest),
    Tap(Tap),
    Test(Box<Test>),
    Undo(Undo),
}

/// Call a tool of a server
///
/// Prints what the tool answers. Exits with 1 if the tool reports an error.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("server").args(["url", "command"]).required(true)))]
#[command(after_help = "Examples:
  proofmark call add a=1 b=2 -- my-server --some-option
  proofmark call picture --save picture.png -- my-server
  proofmark call add '{\"a\": 1, \"b\": 2}' --url http://127.0.0.1:3000/mcp --json")]
pub(crate) struct Call {
    /// The tool
    pub(crate) tool: String,
    /// Its arguments: a JSON object, or each as NAME=VALUE with its type from the tool's schema
    #[arg(value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,
    /// Save what the tool answers, pictures and sound too; several contents are numbered
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) save: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) peer: Peer,
}

/// List what a server has to offer
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("server").args(["url", "command", "clients"]).required(true)))]
#[command(after_help = "Examples:
  proofmark list -- my-server
  proofmark list tools --url http://127.0.0.1:3000/mcp --json
  proofmark list --clients")]
pub(crate) struct List {
    /// What to list; all that the server has if nothing is said
    #[arg(value_enum)]
    pub(crate) what: Option<ListKind>,
    /// The clients on this machine instead, and the servers that each has
    #[arg(long, conflicts_with_all = ["what", "url", "command"])]
    pub(crate) clients: bool,
    #[command(flatten)]
    pub(crate) peer: Peer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListKind {
    Prompts,
    Resources,
    Templates,
    Tools,
}

/// Read a resource of a server
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("server").args(["url", "command"]).required(true)))]
#[command(after_help = "Example:
  proofmark read file:///notes.txt -- my-server")]
pub(crate) struct Read {
    pub(crate) uri: String,
    /// Save what the resource has; several contents are numbered
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) save: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) peer: Peer,
}

/// A server to talk to, and how.
#[derive(Args, Debug, Default)]
pub(crate) struct Peer {
    /// The address of a server
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// Print the server's answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Speak this revision and no other
    #[arg(long, value_name = "DATE", value_parser = revision)]
    pub(crate) revision: Option<Revision>,
    /// Give up when nothing was heard for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
    /// Send this with every HTTP request
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    pub(crate) header: Vec<(HeaderName, HeaderValue)>,
    /// The environment variable that has a bearer token
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    pub(crate) token_env: Option<String>,
    /// http, which finds out whether the server speaks the older HTTP+SSE, or sse
    #[arg(long, conflicts_with = "command")]
    pub(crate) transport: Option<Transport>,
    /// An environment variable for the command, as NAME=VALUE; NAME alone passes on one that is set here
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = environment::variable, conflicts_with = "url")]
    pub(crate) env: Vec<(String, String)>,
    /// Pass on every variable of this environment to the command, also those that look like credentials
    #[arg(long, conflicts_with = "url")]
    pub(crate) inherit_env: bool,
    /// The working directory of the command
    #[arg(long, value_name = "DIRECTORY", value_parser = checking::folder, conflicts_with = "url")]
    pub(crate) cwd: Option<PathBuf>,
    /// Log in where the server demands it, in the browser that this command opens; its words are separated by
    /// spaces, and the page's address is added. Without it the usual browser is opened, if this runs in a terminal
    #[arg(long, value_name = "COMMAND", value_parser = words)]
    pub(crate) browser: Option<Words>,
    /// Where logins are kept; without it in `proofmark/credentials.json` of the state folder (`$XDG_STATE_HOME`)
    #[arg(long, value_name = "FILE")]
    pub(crate) credentials: Option<PathBuf>,
    /// Answers to what the server asks: a JSON object for every form, or a list with an object, "accept", "decline" or "cancel" for
    /// each question. Without it a person is asked, if this runs in a terminal
    #[arg(long, value_name = "FILE")]
    pub(crate) answer: Option<PathBuf>,
    /// A server to start, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// A command and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words(pub(crate) Vec<String>);

/// Run the Everything Client: does what a conformance suite asks of clients
///
/// The official suite says what to do by environment variables (`MCP_CONFORMANCE_SCENARIO` and others). Without them the
/// client looks at everything that the server lists.
#[derive(Args, Debug)]
pub(crate) struct EverythingClient {
    /// The address of a server
    #[arg(required_unless_present = "command", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// A server to start, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What a client under check starts.
#[derive(Args, Debug)]
pub(crate) struct HostedServer {
    /// Where the checker is
    #[arg(long)]
    pub(crate) connect: std::net::SocketAddr,
}

/// Run the Everything Server: an MCP server with every feature, to test clients and checkers against
///
/// It has the tools, resources and prompts that conformance suites expect of a server, and speaks every revision of
/// the protocol that a client may ask for. Nothing it offers changes anything outside of it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark everything                          listens on 127.0.0.1:3000
  proofmark everything --http 127.0.0.1:8080    another port; with port 0 the system chooses one
  proofmark everything --stdio                  for clients that start their servers themselves
  proofmark everything --page-size 5            lists come in pages, for clients that should turn them
  proofmark everything --auth                   clients need a token, and get one from the server itself
  proofmark everything --store redis://db       one of several servers, between which clients may move

Over HTTP it answers at /mcp (Streamable HTTP) and at /sse (the older HTTP+SSE), until it is
interrupted. On standard input and output it ends when its input ends.")]
pub(crate) struct Everything {
    /// Serve one client, on standard input and output
    #[arg(long, conflicts_with = "http")]
    pub(crate) stdio: bool,
    /// Serve over HTTP on this host and port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:3000")]
    pub(crate) http: Address,
    /// Demand access tokens, and be the authorization server that gives them out. For tests and demos
    /// only: every client is let in, without a login
    #[arg(long, conflicts_with = "stdio")]
    pub(crate) auth: bool,
    /// Share sessions, streams and tasks with other servers that have the same store, a Redis or Valkey
    #[arg(long, value_name = "URL", conflicts_with = "stdio")]
    pub(crate) store: Option<String>,
    /// Answer to this name, beside those of this machine; for a server behind others. Repeatable
    #[arg(long, value_name = "NAME", conflicts_with = "stdio")]
    pub(crate) host: Vec<AllowedHost>,
    /// Give out lists in pages of this many; without it each list is one page
    #[arg(long, value_name = "NUMBER")]
    pub(crate) page_size: Option<NonZeroUsize>,
}

fn words(text: &str) -> Result<Words, String> {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() { Err("a command is wanted".into()) } else { Ok(Words(words)) }
}

fn revision(text: &str) -> Result<Revision, String> {
    let known = Revision::ALL.iter().find(|revision| revision.as_str() == text);
    known.copied().ok_or_else(|| {
        let names: Vec<_> = Revision::ALL.iter().map(|revision| revision.as_str()).collect();
        format!("there are {}", names.join(", "))
    })
}

fn header(text: &str) -> Result<(HeaderName, HeaderValue), String> {
    let (name, value) = text.split_once(':').ok_or("a name and a value are wanted")?;
    let name = name.trim().parse().map_err(|_| format!("{name:?} is no name of a header"))?;
    let value = value.trim().parse().map_err(|_| "the value has forbidden characters")?;
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn without_options_the_server_listens_on_port_3000_of_this_machine() {
        let Command::Everything(options) = parse(&["everything"]).command else { panic!() };
        assert!(!options.stdio);
        assert_eq!(options.http.to_string(), "127.0.0.1:3000");
        assert_eq!(options.page_size, None);
    }

    #[test]
    fn the_log_level_may_stand_before_and_after_the_command() {
        assert_eq!(parse(&["--log", "debug", "everything"]).log_level(), Level::Debug);
        assert_eq!(parse(&["everything", "--log", "off"]).log_level(), Level::Off);
    }

    #[test]
    fn only_the_self_test_is_silent_about_peers_that_are_wrong() {
        assert_eq!(parse(&["everything"]).log_level(), Level::Warn);
        assert_eq!(parse(&["self-test"]).log_level(), Level::Off);
        assert_eq!(parse(&["self-test", "--log", "warn"]).log_level(), Level::Warn);
    }

    #[track_caller]
    fn parse(words: &[&str]) -> Arguments {
        Arguments::try_parse_from([&["proofmark"], words].concat()).unwrap()
    }
}
