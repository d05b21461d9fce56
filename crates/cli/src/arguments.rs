//! What can be said on the command line.

use std::num::NonZeroUsize;

use clap::{Args, Parser, Subcommand};

use crate::{address::Address, log::Level};

mod checking;

pub(crate) use checking::{Check, CheckServer, Format, ProfileName, Requirements, SelfTest};

/// MCP in Rust: serve it, speak it, and check that others do it right.
#[derive(Debug, Parser)]
#[command(name = "proofmark", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Examples:
  proofmark check server          a first report, about the built-in Everything Server
  proofmark everything            an MCP server with every feature, on http://127.0.0.1:3000/mcp
  proofmark everything --stdio    the same, on standard input and output
  proofmark everything --help     more about one command

Exit codes:
  0  all is well
  1  a check found a requirement broken
  2  the command line or a configuration makes no sense
  3  a peer could not be started or reached, or the way to it broke")]
pub(crate) struct Arguments {
    /// How much to log, on standard error
    #[arg(long, global = true, value_name = "LEVEL", value_enum, default_value_t = Level::Warn)]
    pub(crate) log: Level,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check whether a peer keeps the specification
    #[command(subcommand)]
    Check(Box<Check>),
    Everything(Everything),
    Requirements(Requirements),
    SelfTest(SelfTest),
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

Over HTTP it answers at /mcp (Streamable HTTP) and at /sse (the older HTTP+SSE), until it is
interrupted. On standard input and output it ends when its input ends.")]
pub(crate) struct Everything {
    /// Serve one client, on standard input and output
    #[arg(long, conflicts_with = "http")]
    pub(crate) stdio: bool,
    /// Serve over HTTP on this host and port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:3000")]
    pub(crate) http: Address,
    /// Give out lists in pages of this many; without it each list is one page
    #[arg(long, value_name = "NUMBER")]
    pub(crate) page_size: Option<NonZeroUsize>,
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
        assert_eq!(parse(&["--log", "debug", "everything"]).log, Level::Debug);
        assert_eq!(parse(&["everything", "--log", "off"]).log, Level::Off);
    }

    #[track_caller]
    fn parse(words: &[&str]) -> Arguments {
        Arguments::try_parse_from([&["proofmark"], words].concat()).unwrap()
    }
}
