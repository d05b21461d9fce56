//! A run: every job in a process of its own, side by side within limits, and each result written as soon as it is there.

mod child;
mod crew;
mod order;

use std::{collections::BTreeSet, path::PathBuf};

use crate::{
    compare::Comparison,
    inventory::Fleet,
    outcome::Outcome,
    stages,
    store::{Job, RunRow, Store, StoreError, Trial},
};
use crew::Crew;

pub use crate::time::now;

/// How a run is done.
pub struct Settings<'s> {
    /// This program, which does the jobs.
    pub program: PathBuf,
    /// Jobs at the same time.
    pub jobs: usize,
    /// By which the claims of this program are known; no other has it.
    pub worker: String,
    /// Told what happens.
    pub told: &'s dyn Fn(Event<'_>),
}

/// What happens in a run.
#[derive(Debug)]
pub enum Event<'e> {
    Began(&'e Job),
    /// The peer failed, and is tried once more.
    Again(&'e Job, &'e Outcome),
    Done(&'e Job, &'e Outcome, Trial),
}

/// Does everything that a run has left to do, beside others that may do so. What is done is written down, whenever this is dropped.
pub async fn carry_out(
    store: &mut Store,
    fleet: &Fleet,
    run: &RunRow,
    settings: &Settings<'_>,
) -> Result<RunRow, StoreError> {
    let mut crew = Crew::new(store, fleet, settings);
    loop {
        crew.hire(store, Some(run.id))?;
        if crew.is_idle() && store.remaining(run.id)?.is_empty() {
            return conclude(store, fleet, run.id);
        }
        crew.step(store).await?;
    }
}

/// Does the jobs of any run, until it is dropped or there is nothing to do.
pub async fn work(
    store: &mut Store,
    fleet: &Fleet,
    until: Until,
    settings: &Settings<'_>,
) -> Result<(), StoreError> {
    let mut crew = Crew::new(store, fleet, settings);
    loop {
        crew.hire(store, None)?;
        for run in store.done_runs()? {
            conclude(store, fleet, run)?;
        }
        if crew.is_idle() && until == Until::Idle && store.unfinished()?.is_none() {
            return Ok(());
        }
        crew.step(store).await?;
    }
}

/// When a worker ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// When no run has anything left to do.
    Idle,
    Told,
}

/// Finishes a run that has nothing left to do, and counts what it changed. Doing it twice changes nothing.
pub fn conclude(store: &mut Store, fleet: &Fleet, run: i64) -> Result<RunRow, StoreError> {
    store.finish(run, now())?;
    let changes = Comparison::of(store, None, run)?.counted();
    store.note_changes(run, changes)?;
    let results = store.results_of_run(run)?;
    let servers: BTreeSet<&str> = results.iter().map(|it| it.server.as_str()).collect();
    stages::note_slipping(store, fleet, servers.into_iter())?;
    store.run(run)
}
