//! What can be said about a server that is used by hand, besides calls, lists and resources.

use clap::{ArgGroup, Args};

use super::Peer;

/// Say who a server is, what it speaks and what it can do
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("server").args(["url", "command"]).required(true)))]
#[command(after_help = "Example:
  proofmark info -- my-server")]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) peer: Peer,
}

/// Get a prompt of a server
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("server").args(["url", "command"]).required(true)))]
#[command(after_help = "Example:
  proofmark prompt review language=rust -- my-server")]
pub(crate) struct Prompt {
    /// The prompt
    pub(crate) name: String,
    /// Its arguments
    #[arg(value_name = "NAME=VALUE", value_parser = super::checking::pair)]
    pub(crate) arguments: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) peer: Peer,
}

/// Ask a server to complete an argument of a prompt or a resource template
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("server").args(["url", "command"]).required(true)))]
#[command(group(ArgGroup::new("reference").args(["prompt", "template"]).required(true)))]
#[command(after_help = "Examples:
  proofmark complete --prompt review language=ru -- my-server
  proofmark complete --template file:///{path} path=src/ --with branch=main -- my-server")]
pub(crate) struct Complete {
    /// The argument, and what was typed of it
    #[arg(value_name = "NAME=VALUE", value_parser = super::checking::pair)]
    pub(crate) argument: (String, String),
    /// The prompt whose argument it is
    #[arg(long, value_name = "NAME")]
    pub(crate) prompt: Option<String>,
    /// The resource template whose argument it is
    #[arg(long, value_name = "URI")]
    pub(crate) template: Option<String>,
    /// An argument that is filled already
    #[arg(long, value_name = "NAME=VALUE", value_parser = super::checking::pair)]
    pub(crate) with: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) peer: Peer,
}

/// Show what a server tells on its own account, as it comes
///
/// Changes of lists, of the resources that are named, and log messages, until it is interrupted.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("server").args(["url", "command"]).required(true)))]
#[command(after_help = "Examples:
  proofmark subscribe file:///notes.txt --url http://127.0.0.1:3000/mcp
  proofmark subscribe --count 1 --json -- my-server")]
pub(crate) struct Subscribe {
    /// Resources whose changes are wanted
    #[arg(value_name = "URI")]
    pub(crate) uris: Vec<String>,
    /// End after so many notifications
    #[arg(long, value_name = "NUMBER")]
    pub(crate) count: Option<u64>,
    /// End after so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) seconds: Option<u64>,
    #[command(flatten)]
    pub(crate) peer: Peer,
}
