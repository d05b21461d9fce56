//! Jobs side by side: taken, done, written down, and kept from others while they last.

use std::{collections::HashMap, time::Duration};

use tokio::{
    sync::mpsc,
    task::{Id, JoinSet},
    time::{Interval, interval, sleep},
};

use super::{Event, Settings, order::Order};
use crate::{
    inventory::Fleet,
    outcome::{Outcome, Verdict},
    store::{Claim, Job, Store, StoreError, Trial},
};

pub(super) struct Crew<'c> {
    fleet: &'c Fleet,
    settings: &'c Settings<'c>,
    running: JoinSet<(Outcome, Trial)>,
    claims: HashMap<Id, Claim>,
    again: mpsc::Receiver<(Job, Outcome)>,
    tell: mpsc::Sender<(Job, Outcome)>,
    beat: Interval,
}

impl<'c> Crew<'c> {
    pub(super) fn new(store: &Store, fleet: &'c Fleet, settings: &'c Settings<'c>) -> Self {
        let (tell, again) = mpsc::channel(64);
        let (running, claims) = (JoinSet::new(), HashMap::new());
        Self { fleet, settings, running, claims, again, tell, beat: interval(store.lease / SIGNS) }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Takes as many jobs as may be done at once, of one run or of any.
    pub(super) fn hire(&mut self, store: &mut Store, run: Option<i64>) -> Result<(), StoreError> {
        while self.running.len() < self.settings.jobs.max(1)
            && let Some(claim) = store.claim(run, &self.settings.worker)?
        {
            match Order::of(self.fleet, &claim.job, &self.settings.program) {
                Some(order) => {
                    (self.settings.told)(Event::Began(&claim.job));
                    let task = order.carry_out(claim.job.clone(), self.tell.clone());
                    let id = self.running.spawn(task).id();
                    self.claims.insert(id, claim);
                }
                // The program that began the run has its inventory.
                None if run.is_some() => store.drop_job(claim.run, claim.job.way)?,
                None => store.pass_on(&claim)?,
            }
        }
        Ok(())
    }

    /// Waits for the next thing that happens. A result that was waited for is written down.
    pub(super) async fn step(&mut self, store: &mut Store) -> Result<(), StoreError> {
        let has_room = self.running.len() < self.settings.jobs.max(1);
        tokio::select! {
            Some(done) = self.running.join_next_with_id() => {
                let (id, outcome, trial) = match done {
                    Ok((id, (outcome, trial))) => (id, outcome, trial),
                    Err(error) => {
                        let why = format!("the job was lost: {error}");
                        (error.id(), Outcome::failed(Verdict::Exceeded, why), Trial::default())
                    }
                };
                if let Some(Claim { run, job }) = self.claims.remove(&id) {
                    (self.settings.told)(Event::Done(&job, &outcome, trial));
                    store.record(run, job.way, &outcome, trial)?;
                }
            }
            Some((job, outcome)) = self.again.recv() => {
                (self.settings.told)(Event::Again(&job, &outcome));
            }
            _ = self.beat.tick() => {
                if !self.is_idle() {
                    store.renew(&self.settings.worker)?;
                }
            }
            // There may be more to take then.
            () = sleep(POLL), if has_room => {}
        }
        Ok(())
    }
}

/// Of life, within the time that a claim lasts.
const SIGNS: u32 = 4;
const POLL: Duration = Duration::from_secs(1);
