//! One job, done by a process of its own.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use proofmark_check::record::transport::Transport;
use tokio::sync::mpsc;

use super::{child, now};
use crate::{
    inventory::{Fleet, HeldTo, Limits, Wanted},
    job::answer,
    outcome::{Outcome, Verdict},
    store::{Job, Trial},
};

/// What a task needs to know to do a job.
pub(super) struct Order {
    program: PathBuf,
    file: PathBuf,
    wanted: Wanted,
    transport: Transport,
    held_to: HeldTo,
    limits: Limits,
}

impl Order {
    /// `None` if the server or the way is not in the fleet any more.
    pub(super) fn of(fleet: &Fleet, job: &Job, program: &Path) -> Option<Self> {
        let member = fleet.members.get(&job.server)?;
        let transport: Transport = job.transport.parse().ok()?;
        let wanted = Wanted::parse(&job.wanted)?;
        member.route(transport)?;
        member.held_to.revisions.contains(&wanted).then(|| Self {
            program: program.to_owned(),
            file: fleet.path.clone(),
            wanted,
            transport,
            held_to: member.held_to.clone(),
            limits: member.limits,
        })
    }

    /// Once more if the peer failed and not its verdict.
    pub(super) async fn carry_out(
        self,
        job: Job,
        again: mpsc::Sender<(Job, Outcome)>,
    ) -> (Outcome, Trial) {
        let (started, began) = (now(), Instant::now());
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
        (outcome, Trial { started, took, attempts })
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
