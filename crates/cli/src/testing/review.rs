//! `proofmark test --review`: snapshots that are missing or different, one by one.

use std::io::{self, BufRead};

use anyhow::Context;
use proofmark_check::record::text::Untrusted;
use proofmark_test::{
    outcome::{RunOutcome, Verdict},
    snapshot::{Pending, Snapshots},
};

use crate::say;

/// Asks about each; what is taken is written, and its test has passed.
pub(super) fn run(snapshots: &Snapshots, outcome: &mut RunOutcome) -> anyhow::Result<()> {
    let pending = snapshots.take_pending();
    let all = pending.len();
    let mut lines = io::stdin().lock().lines();
    for (number, one) in pending.into_iter().enumerate() {
        show(&one, number + 1, all);
        match decided(&mut lines) {
            Decision::Take => {
                let kept = snapshots.keep(&one.server, &one.test, &one.seen);
                kept.context("cannot write the snapshot")?;
                let path = snapshots.path(&one.server, &one.test);
                outcome.written.push(path.display().to_string());
                passed(outcome, &one);
            }
            Decision::Leave => {}
            Decision::Stop => break,
        }
    }
    Ok(())
}

enum Decision {
    Leave,
    Stop,
    Take,
}

fn show(one: &Pending, number: usize, all: usize) {
    let what = if one.kept.is_some() { "is different" } else { "is new" };
    say::on_stderr(format_args!(
        "\n{number} of {all}: {} › {} {what}",
        Untrusted(&one.server),
        Untrusted(&one.test)
    ));
    for line in one.lines() {
        say::on_stderr(format_args!("  {}", Untrusted(&line)));
    }
}

/// At the end of the input nothing more is taken.
fn decided(lines: &mut impl Iterator<Item = io::Result<String>>) -> Decision {
    loop {
        say::on_stderr("take it? [y]es, [n]o, [q]uit");
        let Some(Ok(line)) = lines.next() else { return Decision::Stop };
        match line.trim() {
            "y" | "yes" => return Decision::Take,
            "n" | "no" => return Decision::Leave,
            "q" | "quit" => return Decision::Stop,
            _ => {}
        }
    }
}

fn passed(outcome: &mut RunOutcome, one: &Pending) {
    let same = |name: &str, server: &str| name == one.test && server == one.server;
    for test in outcome.tests.iter_mut().filter(|it| same(&it.name, &it.server)) {
        test.verdict = Verdict::Passed;
    }
}
