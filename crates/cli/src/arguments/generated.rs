//! What can be asked of the program about itself.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

/// Print a script that completes this program's commands and options in a shell
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark completions bash > ~/.local/share/bash-completion/completions/proofmark
  proofmark completions zsh > \"${fpath[1]}/_proofmark\"
  proofmark completions fish > ~/.config/fish/completions/proofmark.fish
  proofmark completions bash --servers    names of tools, too")]
pub(crate) struct Completions {
    #[arg(value_enum)]
    pub(crate) shell: Shell,
    /// Complete names of tools, prompts, resources and arguments by asking the server on the line; if that is a command, the shell
    /// then starts it while you type. For bash, fish and zsh
    #[arg(long)]
    pub(crate) servers: bool,
}

/// Print what fits at the cursor of a shell, one on each line
#[derive(Args, Debug)]
pub(crate) struct Suggest {
    /// The line up to the cursor
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) before: String,
    /// And behind it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, default_value = "")]
    pub(crate) after: String,
    /// Characters at which the shell begins another word
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, default_value = "")]
    pub(crate) breaks: String,
}

/// Write a man page for each command
#[derive(Args, Debug)]
#[command(after_help = "Example:
  proofmark man-pages ~/.local/share/man/man1 && man proofmark-check-server")]
pub(crate) struct ManPages {
    /// Where the pages go
    pub(crate) directory: PathBuf,
}

/// Print the JSON Schema of a report or a transcript
///
/// Each has a number for its form, which changes when a member changes its meaning or goes. Members may be added under the same number.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  proofmark schema report > report.schema.json")]
pub(crate) struct Schema {
    #[arg(value_enum)]
    pub(crate) name: SchemaName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaName {
    /// Of `lint --format json`
    Lint,
    /// Of `check` and `replay` with `--format json`
    Report,
    /// Of `test --format json`
    Test,
    /// A line of what `--record` and `tap` write
    Transcript,
}
