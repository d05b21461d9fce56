//! What is told while a fleet is checked: each result that is not as it should be at once, and how far it is.

use std::{
    cell::RefCell,
    io::{Write, stderr},
    time::{Duration, Instant},
};

use proofmark_check::record::text::Untrusted;
use proofmark_fleet::{
    outcome::{Outcome, Verdict},
    run::Event,
    store::Job,
};

use crate::{colour, say};

/// Written to standard error, so that a report on standard output stays one.
pub(super) struct Progress {
    state: RefCell<State>,
    terminal: bool,
}

struct State {
    all: usize,
    done: usize,
    bad: usize,
    running: Vec<String>,
    last: Instant,
}

impl Progress {
    pub(super) fn new(all: usize) -> Self {
        let state = State { all, done: 0, bad: 0, running: Vec::new(), last: Instant::now() };
        Self { state: RefCell::new(state), terminal: colour::moves_on_stderr() }
    }

    pub(super) fn tell(&self, event: &Event<'_>) {
        let mut state = self.state.borrow_mut();
        match event {
            Event::Began(job) => state.running.push(name(job)),
            Event::Again(job, outcome) => {
                let why = outcome.why.as_deref().unwrap_or_default();
                let why = why.lines().next().unwrap_or_default();
                self.line(&format!("once more: {}: {}", name(job), Untrusted(why)));
            }
            Event::Done(job, outcome, trial) => {
                let name = name(job);
                state.running.retain(|it| *it != name);
                state.done += 1;
                if outcome.verdict != Verdict::Conformant {
                    state.bad += 1;
                    let failed =
                        outcome.found.iter().filter(|it| it.severity.as_str() == "fail").take(8);
                    let ids: Vec<String> =
                        failed.map(|it| Untrusted(&it.subject.id).to_string()).collect();
                    let why = outcome.why.as_deref().unwrap_or_default();
                    let why = Untrusted(why.lines().next().unwrap_or_default()).to_string();
                    let detail = [ids.join(" "), why].join(" ");
                    let seconds = Duration::from_millis(trial.took.unsigned_abs()).as_secs_f32();
                    let verdict = outcome.verdict.as_str();
                    self.line(&format!("{verdict}: {name}: {} ({seconds:.1} s)", detail.trim()));
                }
            }
        }
        self.draw(&mut state);
    }

    fn draw(&self, state: &mut State) {
        let pause = if self.terminal { REDRAWN } else { NOW_AND_THEN };
        if state.last.elapsed() < pause {
            return;
        }
        state.last = Instant::now();
        let running: Vec<&str> = state.running.iter().take(3).map(String::as_str).collect();
        let line = format!(
            "{} of {} done, {} not conformant; running: {}",
            state.done,
            state.all,
            state.bad,
            running.join(", ")
        );
        if self.terminal {
            let line: String = line.chars().take(WIDTH).collect();
            let _ = write!(stderr(), "\r\u{1b}[K{line}").and_then(|()| stderr().flush());
        } else {
            say::on_stderr(line);
        }
    }

    fn line(&self, text: &str) {
        self.clear();
        say::on_stderr(text);
    }

    pub(super) fn clear(&self) {
        if self.terminal {
            let _ = write!(stderr(), "\r\u{1b}[K").and_then(|()| stderr().flush());
        }
    }
}

/// What came of a job, for those who see many of them.
pub(super) fn line(job: &Job, outcome: &Outcome) -> String {
    format!("{}: {}", outcome.verdict.as_str(), name(job))
}

fn name(job: &Job) -> String {
    format!("{} {} {}", Untrusted(&job.server), job.wanted, job.transport)
}

const REDRAWN: Duration = Duration::from_millis(100);
const NOW_AND_THEN: Duration = Duration::from_secs(15);
/// Of a line that is drawn again and again, so that it does not wrap.
const WIDTH: usize = 100;
