//! What can be said about the configurations of clients.

use std::path::PathBuf;

use clap::{Args, builder::PossibleValuesParser};
use proofmark_clients::{CLIENTS, Template};

/// Add a server to the configuration of MCP clients
///
/// The server is started and asked for its tools first. What would change is shown as a diff, and written when it is confirmed:
/// at once, with a backup that `proofmark undo` takes back. Comments, order, indentation and unknown keys of the file stay. A value that
/// looks like a secret is written as a reference to a variable (or to what the client asks for) where the client has such a thing.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark add notes --to cursor -- npx -y @example/notes-server
  proofmark add notes --to cursor,claude-code https://notes.example/mcp
  proofmark add notes --to vscode --project --env NOTES_TOKEN -- notes-server
  proofmark add notes --to codex --header 'Authorization: Bearer ${NOTES_TOKEN}' https://notes.example/mcp
  proofmark add notes --to all --dry-run -- notes-server
  proofmark add notes --to zed --replace --tap -- notes-server    what both say is recorded and judged

Exit codes:
  0  it is there now, or was before
  1  --check found that the server breaks a requirement
  2  a client cannot do it, a file does not parse, or it was not confirmed; nothing was written
  3  the server could not be started or reached, or a file not be written")]
pub(crate) struct Add {
    /// What the clients call the server
    #[arg(value_parser = name)]
    pub(crate) name: String,
    /// The server's address
    #[arg(required_unless_present = "command", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) place: Place,
    /// A variable for the command: NAME=VALUE, or NAME for the client's own. ${OTHER} in a value stands for a variable, too
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = variable, conflicts_with = "url")]
    pub(crate) env: Vec<(String, Template)>,
    /// A header for every request. ${NAME} in a value stands for a variable
    #[arg(long, value_name = "NAME: VALUE", value_parser = header, conflicts_with = "command")]
    pub(crate) header: Vec<(String, Template)>,
    /// The URL speaks the older HTTP+SSE
    #[arg(long, conflicts_with = "command")]
    pub(crate) sse: bool,
    /// Put `proofmark tap` in front of the command, which records and judges what both say
    #[arg(long, conflicts_with = "url")]
    pub(crate) tap: bool,
    /// Change a server of the same name; keys that are not ours stay
    #[arg(long)]
    pub(crate) replace: bool,
    /// Write secrets into files of clients that cannot refer to them
    #[arg(long)]
    pub(crate) allow_secrets: bool,
    /// Judge the server first, as `proofmark check server` does; one that is broken is not added
    #[arg(long, conflicts_with = "no_try")]
    pub(crate) check: bool,
    /// Do not start the server first
    #[arg(long)]
    pub(crate) no_try: bool,
    /// Give up when the server says nothing for this long
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) timeout: u16,
    /// The command that starts the server, after --
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Remove a server from the configuration of MCP clients
///
/// Without --to it is removed from every client that has it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark remove notes
  proofmark remove notes --to cursor --dry-run")]
pub(crate) struct Remove {
    /// What the clients call the server
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Undo the last `add` or `remove`
///
/// The files become what they were, byte for byte. If one of them was changed since, nothing is done. Called again it undoes the
/// change before.
#[derive(Args, Debug)]
pub(crate) struct Undo {
    #[command(flatten)]
    pub(crate) consent: Consent,
}

/// Which clients, and which of their files.
#[derive(Args, Debug)]
pub(crate) struct Place {
    /// The clients, or `all` that are on this machine; `proofmark list --clients` shows them
    #[arg(long, value_name = "CLIENT", value_delimiter = ',', value_parser = clients())]
    pub(crate) to: Vec<String>,
    /// Into the file of this project, for everyone who works on it
    #[arg(long)]
    pub(crate) project: bool,
    /// For this project only, in the user's file (Claude Code)
    #[arg(long, conflicts_with = "project")]
    pub(crate) local: bool,
    /// Into this file, whatever the usual place is
    #[arg(long, value_name = "FILE", requires = "to", conflicts_with_all = ["project", "local"])]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) consent: Consent,
}

#[derive(Args, Debug)]
pub(crate) struct Consent {
    /// Only show what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask. Needed where no person is at the terminal
    #[arg(long, short, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
}

/// Every client that there is.
pub(crate) const ALL: &str = "all";

/// Each client that is known.
pub(super) fn known() -> PossibleValuesParser {
    CLIENTS.iter().map(|client| client.id).collect::<Vec<_>>().into()
}

fn clients() -> PossibleValuesParser {
    CLIENTS.iter().map(|client| client.id).chain([ALL]).collect::<Vec<_>>().into()
}

/// What every client takes for a name.
fn name(text: &str) -> Result<String, String> {
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    if text.is_empty() || text.len() > 64 || !text.chars().all(fits) {
        return Err("a name has letters, digits, `-`, `_` and `.`, at most 64".to_owned());
    }
    Ok(text.to_owned())
}

fn variable(text: &str) -> Result<(String, Template), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Template::parse(value)),
        None => (text, Template::variable(text)),
    };
    let fits = |it: char| it.is_ascii_alphanumeric() || it == '_';
    if name.is_empty() || !name.chars().all(fits) {
        return Err(format!("{name:?} is no name of a variable"));
    }
    Ok((name.to_owned(), value))
}

fn header(text: &str) -> Result<(String, Template), String> {
    let (name, value) = text.split_once(':').ok_or("a header is NAME: VALUE")?;
    let is_token = |it: u8| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&it);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!("{name:?} is no name of a header"));
    }
    if value.contains(['\r', '\n']) {
        return Err("a header has one line".to_owned());
    }
    Ok((name.to_owned(), Template::parse(value.trim())))
}
