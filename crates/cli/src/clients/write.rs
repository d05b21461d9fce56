//! Shows what would change, asks, and says what was done.

use std::io::{self, BufRead, IsTerminal, Write, stdin};

use proofmark_clients::{Change, Plan};

use crate::{arguments::Consent, say};

/// Shows the differences, and what to know about each; whether there are any.
pub(super) fn show(plans: &[Plan], unchanged: &str) -> bool {
    for plan in plans {
        if plan.changes() {
            say::on_stdout(plan.diff().trim_end());
        } else {
            say::on_stderr(format_args!(
                "{} {unchanged}: {} stays as it is",
                plan.client.name,
                plan.path.display()
            ));
        }
        for note in &plan.notes {
            say::on_stderr(format_args!("note: {note}"));
        }
    }
    plans.iter().any(Plan::changes)
}

/// Whether to go on: a person says so, or the command line did.
pub(super) fn confirmed(consent: &Consent) -> io::Result<bool> {
    if consent.dry_run {
        say::on_stderr("Nothing was written.");
        return Ok(false);
    }
    if consent.yes {
        return Ok(true);
    }
    if !stdin().is_terminal() {
        say::error("nothing was written: --yes writes it");
        return Ok(false);
    }
    let mut out = io::stderr();
    let _ = write!(out, "Write this? [y/N] ").and_then(|()| out.flush());
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer)?;
    let yes = matches!(answer.trim(), "y" | "Y" | "yes");
    if !yes {
        say::on_stderr("Nothing was written.");
    }
    Ok(yes)
}

pub(super) fn tell(change: &Change, plans: &[Plan]) {
    for plan in plans.iter().filter(|plan| plan.changes()) {
        say::on_stderr(format_args!("{}: wrote {}", plan.client.name, plan.path.display()));
    }
    say::on_stderr(format_args!(
        "The backup is {}; `proofmark undo` takes the change back.",
        change.backup.display()
    ));
}
