//! What can be asked of the program about itself.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

/// Print a script that completes this program's commands and options in a shell
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  proofmark completions bash > ~/.local/share/bash-completion/completions/proofmark
  proofmark completions zsh > \"${fpath[1]}/_proofmark\"
  proofmark completions fish > ~/.config/fish/completions/proofmark.fish")]
pub(crate) struct Completions {
    #[arg(value_enum)]
    pub(crate) shell: Shell,
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
    /// A line of what `--record` and `tap` write
    Transcript,
}
