//! `proofmark test --interface`: what servers offer, compared with what they offered.

use std::time::Instant;

use proofmark_check::record::platform::OrphanReaper;
use proofmark_test::{file::Suite, interface, outcome::RunOutcome, snapshot::Snapshots};

use super::{code, publish, update};
use crate::{
    arguments::{Judge, Test},
    check,
};

pub(super) fn run(arguments: &Test, suite: &Suite, seed: u64) -> anyhow::Result<u8> {
    let snapshots = Snapshots::beside(&arguments.file, update(arguments));
    let runtime = check::event_loop()?;
    let began = Instant::now();
    let mut outcome = RunOutcome { seed, ..RunOutcome::default() };
    let _orphans = OrphanReaper::start();
    runtime.block_on(check::unless_told(async {
        for server in suite.servers.values() {
            match interface::check(server, &snapshots).await {
                Ok((test, notes)) => {
                    outcome.tests.push(test);
                    outcome.notes.extend(notes);
                }
                Err(unreachable) => outcome.unreachable.push((unreachable.server, unreachable.why)),
            }
        }
    }))?;
    outcome.duration = began.elapsed();
    publish(&arguments.reports, &outcome, &arguments.file)?;
    Ok(code(&outcome, Judge::Off))
}
