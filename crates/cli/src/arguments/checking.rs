//! What can be said about checks.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use proofmark_check::{
    judge::catalogue::frozen::{self, Frozen},
    record::{transport::Transport, wire::Url},
};
use proofmark_core::revision::Revision;

use super::{CheckAuthorization, Judging};
use crate::environment;

#[derive(Debug, Subcommand)]
pub(crate) enum Check {
    Authorization(CheckAuthorization),
    Client(CheckClient),
    Server(CheckServer),
}

/// Check whether an MCP server keeps the specification, requirement by requirement
///
/// Without a target it checks the built-in Everything Server. By default no tool is called that does not say of itself that it is
/// read-only, and whatever the server does not declare is not held against it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark check server                                    the built-in Everything Server
  proofmark check server -- npx -y some-mcp-server          a server that is started for it
  proofmark check server --url http://localhost:3000/mcp    a server that runs already
  proofmark check server --format junit --output a.xml --format markdown --output a.md
  proofmark check server --revision all -- my-server        every revision that it speaks, in one report

Exit codes:
  0  conformant: nothing observed is broken
  1  a requirement is broken, or the baseline has a stale entry
  2  the command line or a configuration makes no sense
  3  the server could not be started or reached, said nothing like MCP, or the run broke off with nothing found
  130, 143  interrupted or told to terminate: what was started has been ended")]
pub(crate) struct CheckServer {
    /// The server's URL
    #[arg(long, conflicts_with = "command")]
    pub(crate) url: Option<Url>,
    /// The command that starts the server, after --
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// The revision to hold the server to, or `all` for each that it speaks; without it, the newest it speaks, with a handshake or without
    #[arg(long, value_name = "DATE", value_parser = revisions)]
    pub(crate) revision: Option<Revisions>,
    /// stdio, http or sse; by default stdio for commands and http for URLs
    #[arg(long)]
    pub(crate) transport: Option<Transport>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    /// Only the requirements of a frozen set, whose result does not change when the catalogue grows. A set is of one revision
    #[arg(long, value_name = "SET", value_parser = frozen_set)]
    pub(crate) requirements: Option<Frozen>,
    /// Seconds that an answer may take
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) timeout: u16,
    /// Seconds that a server may take to answer initialize after it was started; at least the timeout
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) start_timeout: u16,
    /// Seconds that the whole run may take, in each revision; then the report is about what was seen so far, and has no score
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) max_time: u16,
    /// A header for every HTTP request, as NAME: VALUE
    #[arg(long, value_name = "HEADER", value_parser = header)]
    pub(crate) header: Vec<(String, String)>,
    /// The environment variable that has a bearer token
    #[arg(long, value_name = "NAME")]
    pub(crate) token_env: Option<String>,
    /// The environment variable that has a bearer token of another user, who is to see nothing of the first one
    #[arg(long, value_name = "NAME", requires = "url")]
    pub(crate) other_token_env: Option<String>,
    /// An environment variable for the command, as NAME=VALUE; NAME alone passes on one that is set here
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = environment::variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Pass on every variable of this environment, also those that look like credentials
    #[arg(long)]
    pub(crate) inherit_env: bool,
    /// The working directory of the command
    #[arg(long, value_name = "DIRECTORY", value_parser = folder)]
    pub(crate) cwd: Option<PathBuf>,
    /// A tool to call, with its arguments: NAME=JSON
    #[arg(long, value_name = "NAME=JSON", value_parser = call)]
    pub(crate) call: Vec<(String, serde_json::Value)>,
    /// Call every tool, whatever it may do
    #[arg(long)]
    pub(crate) call_all: bool,
    /// What the server is expected to have
    #[arg(long, value_enum, default_value_t = ProfileName::Any)]
    pub(crate) profile: ProfileName,
}

/// Check whether an MCP client keeps the specification, requirement by requirement
///
/// The checker hosts servers of several kinds, and runs the client against each. {url} in the command is replaced by the URL of the
/// hosted server, {command} by a command that the client is to start; with neither, the URL is appended. A client that can be told
/// what to do finds the name of the scenario in `PROOFMARK_SCENARIO`, and in the variables of the official suite. Without a command
/// the built-in Everything Client is checked.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark check client                                    the built-in Everything Client
  proofmark check client -- node my-client.js               its last argument is the server's URL
  proofmark check client -- my-client --server={url}
  proofmark check client -- my-client --stdio {command}     it starts the server itself

Exit codes:
  0  conformant: nothing observed is broken
  1  a requirement is broken, or the baseline has a stale entry
  2  the command line or a configuration makes no sense
  3  the client could not be started, said nothing like MCP, or the run broke off with nothing found
  130, 143  interrupted or told to terminate: what was started has been ended")]
pub(crate) struct CheckClient {
    /// The command that runs the client once, after --
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// The revision to hold the client to, or `all` for each that it speaks; without it, the one that it offers
    #[arg(long, value_name = "DATE", value_parser = revisions)]
    pub(crate) revision: Option<Revisions>,
    /// stdio, http or sse; by default stdio if the command has {command}
    #[arg(long)]
    pub(crate) transport: Option<Transport>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    /// Seconds that an answer may take, and that a client may do nothing before it is ended
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) timeout: u16,
    /// Seconds that a client may take to say something after it was started; at least the timeout
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) start_timeout: u16,
    /// Seconds that the whole run may take, in each revision; then the report is about what was seen so far, and has no score
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) max_time: u16,
    /// An environment variable for the command, as NAME=VALUE; NAME alone passes on one that is set here
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = environment::variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Pass on every variable of this environment, also those that look like credentials
    #[arg(long)]
    pub(crate) inherit_env: bool,
    /// The working directory of the command
    #[arg(long, value_name = "DIRECTORY", value_parser = folder)]
    pub(crate) cwd: Option<PathBuf>,
}

/// List the requirements of the specification, or explain one
#[derive(Args, Debug)]
pub(crate) struct Requirements {
    /// The requirement to explain
    pub(crate) id: Option<String>,
    /// Say which requirements are observed and why others are not
    #[arg(long, conflicts_with = "id")]
    pub(crate) coverage: bool,
    /// What the second revision demands and the first does not, and the other way round
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], value_parser = revision, conflicts_with_all = ["id", "coverage"])]
    pub(crate) diff: Vec<Revision>,
    /// The ids that a frozen set of this revision would have today
    #[arg(long, value_name = "DATE", value_parser = revision, conflicts_with_all = ["id", "coverage", "diff"])]
    pub(crate) freeze: Option<Revision>,
    /// Write the catalogue as pages into this directory
    #[arg(long, value_name = "DIRECTORY", conflicts_with_all = ["id", "coverage", "diff", "freeze"])]
    pub(crate) pages: Option<PathBuf>,
}

/// Run every check against every mutant, to prove that each can fail
///
/// A few rows that are not as they should be are tried once more, because some hang on time and a busy machine is slow.
#[derive(Args, Debug)]
pub(crate) struct SelfTest {
    /// Only mutants of these requirements, of this side of one ("M001 client"), or with this in their name
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Instead of those mutants: everything that the Everything peers say, varied by operators, legally and illegally;
    /// --only then names what has all of these words in its label
    #[arg(long)]
    pub(crate) generated: bool,
    /// Which sample is taken; of mutants, seeds that follow on each other take what follows on each other
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "sample")]
    pub(crate) seed: u64,
    /// So many mutants, or with --generated so many of each class; without it all are run
    #[arg(long, value_name = "NUMBER")]
    pub(crate) sample: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileName {
    /// Whatever it declares
    Any,
    /// The fixtures of the Everything Server
    Everything,
}

/// In which revisions a peer is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Revisions {
    /// Each that it speaks.
    All,
    One(Revision),
}

impl Revisions {
    pub(crate) fn one(self) -> Option<Revision> {
        match self {
            Self::All => None,
            Self::One(revision) => Some(revision),
        }
    }
}

fn revisions(text: &str) -> Result<Revisions, String> {
    if text == "all" {
        return Ok(Revisions::All);
    }
    revision(text).map(Revisions::One).map_err(|why| format!("{why}, and `all`"))
}

fn frozen_set(text: &str) -> Result<Frozen, String> {
    let known = || frozen::sets().iter().map(|set| set.name).collect::<Vec<_>>().join(", ");
    frozen::find(text).ok_or_else(|| format!("no frozen set: {} are", known()))
}

fn revision(text: &str) -> Result<Revision, String> {
    let known: Vec<&str> = Revision::ALL.iter().map(|revision| revision.as_str()).collect();
    text.parse().map_err(|_| format!("no revision: {} are", known.join(", ")))
}

pub(super) fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("a header is NAME: VALUE")?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!("{name:?} is no name of a header"));
    }
    if value.contains(['\r', '\n']) {
        return Err("a header has one line".to_owned());
    }
    Ok((name.to_ascii_lowercase(), value.trim().to_owned()))
}

pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=VALUE is wanted")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(super) fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err("there is no such folder".to_owned()) }
}

fn call(text: &str) -> Result<(String, serde_json::Value), String> {
    let (name, arguments) = text.split_once('=').ok_or("NAME=JSON is wanted")?;
    let arguments: serde_json::Value = serde_json::from_str(arguments)
        .map_err(|error| format!("the arguments of {name} are no JSON: {error}"))?;
    if !arguments.is_object() {
        return Err(format!("the arguments of {name} are no JSON object"));
    }
    Ok((name.to_owned(), arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_a_name_and_one_line() {
        assert_eq!(header("X-A: b"), Ok(("x-a".to_owned(), "b".to_owned())));
        assert!(header("no colon").is_err());
        assert!(header("a b: c").is_err());
        assert!(header("a: b\r\nc: d").is_err());
    }

    #[test]
    fn a_call_has_an_object_as_arguments() {
        assert!(call("add={\"a\":1}").is_ok());
        for text in ["add", "add=[1]", "add={"] {
            assert!(call(text).is_err(), "{text}");
        }
    }
}
