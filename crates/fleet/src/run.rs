//! A run: every job in a process of its own, side by side within limits, and each result written as soon as it is there.

mod child;

use std::{
    collections::VecDeque,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use proofmark_check::record::transport::Transport;
use tokio::task::JoinSet;

use crate::{
    inventory::{Fleet, HeldTo, Limits, Wanted},
    job::answer,
    outcome::{Outcome, Verdict},
    store::{Job, RunRow, Store, StoreError, Trial},
};

/// How a run is done.
pub struct Settings<'s> {
    /// This program, which does the jobs.
    pub program: PathBuf,
    /// Jobs at the same time.
    pub jobs: usize,
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

/// Does everything that a run has left to do. What is done is written down, whenever this is dropped.
pub async fn carry_out(
    store: &mut Store,
    fleet: &Fleet,
    run: &RunRow,
    settings: &Settings<'_>,
) -> Result<RunRow, StoreError> {
    let mut waiting: VecDeque<Job> = store.remaining(run.id)?.into();
    let mut running: JoinSet<(Job, Outcome, Trial)> = JoinSet::new();
    let (tell, mut told) = tokio::sync::mpsc::channel::<(Job, Outcome)>(64);
    loop {
        while running.len() < settings.jobs.max(1)
            && let Some(job) = waiting.pop_front()
        {
            let Some(order) = order(fleet, &job, &settings.program) else {
                store.drop_job(run.id, job.way)?;
                continue;
            };
            (settings.told)(Event::Began(&job));
            running.spawn(order.carry_out(job, tell.clone()));
        }
        tokio::select! {
            done = running.join_next() => {
                let Some(done) = done else { break };
                let Ok((job, outcome, trial)) = done else { continue };
                (settings.told)(Event::Done(&job, &outcome, trial));
                store.record(run.id, job.way, &outcome, trial)?;
            }
            Some((job, outcome)) = told.recv() => {
                (settings.told)(Event::Again(&job, &outcome));
            }
        }
    }
    store.finish(run.id, now())
}

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// What a task needs to know to do a job.
struct Order {
    program: PathBuf,
    file: PathBuf,
    wanted: Wanted,
    transport: Transport,
    held_to: HeldTo,
    limits: Limits,
}

/// `None` if the server or the way is not in the fleet any more.
fn order(fleet: &Fleet, job: &Job, program: &std::path::Path) -> Option<Order> {
    let member = fleet.members.get(&job.server)?;
    let transport: Transport = job.transport.parse().ok()?;
    let wanted = Wanted::parse(&job.wanted)?;
    member.route(transport)?;
    member.held_to.revisions.contains(&wanted).then(|| Order {
        program: program.to_owned(),
        file: fleet.path.clone(),
        wanted,
        transport,
        held_to: member.held_to.clone(),
        limits: member.limits,
    })
}

impl Order {
    /// Once more if the peer failed and not its verdict.
    async fn carry_out(
        self,
        job: Job,
        again: tokio::sync::mpsc::Sender<(Job, Outcome)>,
    ) -> (Job, Outcome, Trial) {
        let (started, began) = (now(), std::time::Instant::now());
        let mut outcome = self.once(&job).await;
        let mut attempts = 1;
        // What used too much of the machine does not get it twice.
        let worth_it = matches!(outcome.verdict, Verdict::Unreachable | Verdict::NotObserved);
        if worth_it {
            let _ = again.send((job.clone(), outcome.clone())).await;
            tokio::time::sleep(PAUSE).await;
            outcome = self.once(&job).await;
            attempts = 2;
        }
        let took = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
        (job, outcome, Trial { started, took, attempts })
    }

    async fn once(&self, job: &Job) -> Outcome {
        let words = [
            "fleet",
            "job",
            "--file",
            &self.file.to_string_lossy(),
            "--revision",
            self.wanted.as_str(),
            "--transport",
            self.transport.as_str(),
            "--",
            &job.server,
        ]
        .map(str::to_owned);
        match child::run(&self.program, &words, self.limits.time + GRACE).await {
            Ok(said) => answer::read(&said, &self.held_to),
            Err(why) => Outcome::failed(Verdict::Exceeded, why),
        }
    }
}

/// Before a peer is tried again.
const PAUSE: Duration = Duration::from_millis(500);
/// For a job to end by itself when its time is over.
const GRACE: Duration = Duration::from_secs(10);
