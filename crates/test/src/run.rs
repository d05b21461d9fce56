//! Runs tests: those of one server one after the other, servers side by side.

mod one;
mod selection;

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use futures_util::{StreamExt, stream};

use one::Attempt;
pub use selection::{Filter, NothingSelected, Selection, Shard};

use crate::{
    connection::{self, Connection, Judging, Overheard, Unreachable},
    file::{self, ClientAnswers, Server, Suite, Test},
    outcome::{Breach, Failure, RunOutcome, TestOutcome, Verdict},
    snapshot::Snapshots,
};

/// How tests are run.
pub struct Options<'o> {
    pub seed: u64,
    /// Servers at the same time.
    pub jobs: usize,
    pub fail_fast: bool,
    pub judging: Judging,
    /// Connections to one server at the same time. With more than one, tests must not depend on each other.
    pub lanes: usize,
    /// How long tests may take altogether; what is not begun by then is not run.
    pub budget: Option<Duration>,
    pub snapshots: &'o Snapshots,
    /// Told about each test when it is over.
    pub told: &'o (dyn Fn(&TestOutcome) + Sync),
}

/// Runs the selected tests.
pub async fn run(suite: &Suite, selected: &[&Test], options: &Options<'_>) -> RunOutcome {
    let began = Instant::now();
    let stop = AtomicBool::new(false);
    let mut lanes: BTreeMap<(&str, usize), Vec<(usize, &Test)>> = BTreeMap::new();
    for (number, test) in selected.iter().enumerate() {
        lanes
            .entry((&test.server, number % options.lanes.max(1)))
            .or_default()
            .push((number, test));
    }
    let until = options.budget.map(|budget| began + budget);
    let running = lanes.into_iter().filter_map(|((name, _), tests)| {
        let server = suite.servers.get(name)?;
        let declared = declared(suite, server);
        Some(Turn { server, declared, options, stop: &stop, until }.run(tests))
    });
    let parts: Vec<Part> =
        stream::iter(running).buffer_unordered(options.jobs.max(1)).collect().await;
    let mut outcome = RunOutcome { seed: options.seed, ..RunOutcome::default() };
    let mut tests = Vec::new();
    for part in parts {
        tests.extend(part.tests);
        for breach in part.breaches {
            let known = |it: &Breach| it.server == breach.server && it.id == breach.id;
            if !outcome.breaches.iter().any(known) {
                outcome.breaches.push(breach);
            }
        }
        outcome.unreachable.extend(part.unreachable);
        outcome.notes.extend(part.notes);
    }
    tests.sort_by_key(|(number, _)| *number);
    outcome.tests = tests.into_iter().map(|(_, test)| test).collect();
    outcome.unreachable.sort();
    outcome.unreachable.dedup_by(|one, other| one.0 == other.0);
    outcome.notes.sort();
    outcome.notes.dedup();
    outcome.written =
        options.snapshots.written().iter().map(|it| it.display().to_string()).collect();
    let all = suite.tests.iter().map(|test| (test.server.as_str(), test.name.as_str()));
    outcome.unused =
        options.snapshots.unused(all).iter().map(|it| it.display().to_string()).collect();
    outcome.duration = began.elapsed();
    outcome
}

/// A result as it stands in a snapshot.
pub fn for_snapshot(mut value: serde_json::Value) -> serde_json::Value {
    one::leave_out_era(&mut value);
    value
}

/// What a client has to be able to answer, whichever tests of the server are selected.
fn declared(suite: &Suite, server: &Server) -> ClientAnswers {
    let mut declared = server.client.clone();
    for test in suite.tests.iter().filter(|test| test.server == server.name) {
        declared.elicitation.extend(test.client.elicitation.iter().cloned());
        declared.sampling.extend(test.client.sampling.iter().cloned());
        declared.roots = declared.roots.or_else(|| test.client.roots.clone());
    }
    declared
}

/// The tests of one server.
struct Turn<'r> {
    server: &'r Server,
    declared: ClientAnswers,
    options: &'r Options<'r>,
    stop: &'r AtomicBool,
    until: Option<Instant>,
}

#[derive(Default)]
struct Part {
    tests: Vec<(usize, TestOutcome)>,
    breaches: Vec<Breach>,
    unreachable: Vec<(String, String)>,
    notes: Vec<String>,
}

/// The connection that tests share, and what was heard on those before it.
#[derive(Default)]
struct Shared {
    connection: Option<Connection>,
    recordings: Vec<Overheard>,
    /// Why there is none, as often as that was tried in a row.
    failed: Option<(Unreachable, u32)>,
    unjudged: bool,
}

impl Turn<'_> {
    async fn run(self, tests: Vec<(usize, &Test)>) -> Part {
        let mut part = Part::default();
        let mut shared = Shared::default();
        for (number, test) in tests {
            let outcome = if let Some(reason) = &test.skip {
                outcome(test, Verdict::Skipped(reason.clone()), 0)
            } else if self.stop.load(Ordering::Relaxed) {
                outcome(test, Verdict::NotRun("an earlier test failed (--fail-fast)".to_owned()), 0)
            } else if self.until.is_some_and(|until| Instant::now() > until) {
                let why = "the time for all tests is over (--budget)".to_owned();
                outcome(test, Verdict::NotRun(why), 0)
            } else {
                self.attempt(test, &mut shared).await
            };
            if self.options.fail_fast && matches!(outcome.verdict, Verdict::Failed(_)) {
                self.stop.store(true, Ordering::Relaxed);
            }
            (self.options.told)(&outcome);
            part.tests.push((number, outcome));
        }
        if let Some(connection) = shared.connection.take() {
            shared.close(connection, self.options.judging).await;
        }
        if let Some((unreachable, _)) = &shared.failed {
            part.unreachable.push((unreachable.server.clone(), unreachable.why.clone()));
        }
        part.breaches =
            connection::judge(&self.server.name, std::mem::take(&mut shared.recordings));
        if shared.unjudged {
            part.notes.push(format!(
                "{}: so much was said that not all of it was judged",
                self.server.name
            ));
        }
        part
    }

    /// Tries a test as often as it may be tried.
    async fn attempt(&self, test: &Test, shared: &mut Shared) -> TestOutcome {
        let began = Instant::now();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let (attempt, stderr) = self.once(test, shared).await;
            let passed = attempt.failures.is_empty();
            if passed || attempts > test.retries {
                let verdict = match attempt.undecided {
                    _ if !passed => Verdict::Failed(attempt.failures),
                    Some(why) => Verdict::Undecided(why),
                    None => Verdict::Passed,
                };
                let duration = began.elapsed();
                return TestOutcome { duration, stderr, ..outcome(test, verdict, attempts) };
            }
        }
    }

    async fn once(&self, test: &Test, shared: &mut Shared) -> (Attempt, String) {
        let own = test.connection == file::Connection::Own;
        let mut connection = match (own, shared.connection.take()) {
            (false, Some(connection)) => connection,
            (_, kept) => {
                shared.connection = kept;
                match self.open(shared).await {
                    Ok(connection) => connection,
                    Err(unreachable) => {
                        let what = unreachable.to_string();
                        let failure =
                            Failure { step: "connect".to_owned(), what, detail: Vec::new() };
                        let attempt = Attempt { failures: vec![failure], ..Attempt::default() };
                        return (attempt, unreachable.stderr);
                    }
                }
            }
        };
        let mark = connection.stderr_mark();
        let runner = one::Runner { test, server: self.server, snapshots: self.options.snapshots };
        let mut attempt = runner.run(&connection).await;
        let mut stderr = String::new();
        if !attempt.failures.is_empty() {
            // What a server says about it may come a little later.
            tokio::time::sleep(STDERR_PAUSE).await;
            stderr = connection.stderr_since(mark);
            if let Some(ended) = connection.ended() {
                attempt.failures.push(Failure {
                    step: "server".to_owned(),
                    what: ended,
                    detail: Vec::new(),
                });
            }
        }
        if own || attempt.lost {
            shared.close(connection, self.options.judging).await;
        } else {
            shared.connection = Some(connection);
        }
        (attempt, stderr)
    }

    /// A server that could not be reached several times in a row is not tried again for each test.
    async fn open(&self, shared: &mut Shared) -> Result<Connection, Unreachable> {
        if let Some((unreachable, times)) = &shared.failed
            && *times >= MOST_TRIES
        {
            return Err(unreachable.clone());
        }
        match Connection::open(self.server, &self.declared, self.options.judging).await {
            Ok(connection) => {
                shared.failed = None;
                Ok(connection)
            }
            Err(unreachable) => {
                let times = shared.failed.as_ref().map_or(0, |(_, times)| *times);
                shared.failed = Some((unreachable.clone(), times + 1));
                Err(unreachable)
            }
        }
    }
}

impl Shared {
    async fn close(&mut self, connection: Connection, judging: Judging) {
        match connection.close().await {
            Some(recording) => self.recordings.push(recording),
            None => self.unjudged |= judging == Judging::On,
        }
    }
}

fn outcome(test: &Test, verdict: Verdict, attempts: u32) -> TestOutcome {
    TestOutcome {
        name: test.name.clone(),
        server: test.server.clone(),
        place: Some(test.place),
        tags: test.tags.clone(),
        verdict,
        attempts,
        duration: Duration::ZERO,
        stderr: String::new(),
    }
}

const STDERR_PAUSE: Duration = Duration::from_millis(20);
const MOST_TRIES: u32 = 2;
