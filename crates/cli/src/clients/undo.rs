//! `proofmark undo`: the last change is taken back.
//!
//! A command of its own, because it undoes `remove` as well as `add`, and because a person who wants it is in no mood to read help.

use proofmark_clients::{Journal, Undone, unified};

use super::{choose, write};
use crate::{arguments::Undo, exit, say};

/// The exit code.
pub(crate) fn run(arguments: &Undo) -> anyhow::Result<u8> {
    let journal = Journal::of(&choose::machine()?);
    let Some((change, files)) = journal.last()? else { return Ok(nothing()) };
    say::on_stderr(format_args!("undo: {}", change.what));
    for file in files {
        let path = file.path.display().to_string();
        let text = |it: Option<String>| it.unwrap_or_default();
        say::on_stdout(unified(&path, &text(file.now), &text(file.then)).trim_end());
    }
    let consent = &arguments.consent;
    if !write::confirmed(consent)? {
        return Ok(if consent.dry_run { exit::SUCCESS } else { exit::USAGE });
    }
    let lock = journal.lock()?;
    Ok(match journal.undo(&lock)? {
        Undone::Done(change) => {
            for file in change.files {
                say::on_stderr(format_args!("{} is as it was", file.display()));
            }
            exit::SUCCESS
        }
        Undone::Nothing => nothing(),
        Undone::Touched(change, files) => {
            for file in files {
                say::error(format_args!(
                    "{} was changed since; nothing was undone",
                    file.display()
                ));
            }
            say::on_stderr(format_args!("What it was is in {}.", change.backup.display()));
            exit::USAGE
        }
    })
}

fn nothing() -> u8 {
    say::error("there is nothing to undo");
    exit::USAGE
}
