//! What is told while tests run: failures at once, and how far it is where there is a terminal.

use std::{
    io::{Write, stderr},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use proofmark_check::report::pretty::Colours;
use proofmark_test::{
    outcome::{TestOutcome, Verdict},
    report::pretty,
};

use crate::{colour, say};

pub(super) struct Progress {
    all: usize,
    done: AtomicUsize,
    failed: AtomicUsize,
    terminal: bool,
    last: Mutex<Instant>,
}

impl Progress {
    pub(super) fn new(all: usize) -> Self {
        let last = Mutex::new(Instant::now());
        Self {
            all,
            done: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
            terminal: colour::moves_on_stderr(),
            last,
        }
    }

    /// Standard error, so that a report on standard output stays a report.
    pub(super) fn tell(&self, test: &TestOutcome) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Verdict::Failed(failures) = &test.verdict {
            self.failed.fetch_add(1, Ordering::Relaxed);
            self.clear();
            say::on_stderr(pretty::failure(test, failures, Colours::Off).trim_end());
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let pause = if self.terminal { REDRAWN } else { NOW_AND_THEN };
        if last.elapsed() < pause {
            return;
        }
        *last = Instant::now();
        let line = format!(
            "{done} of {} tests, {} failed",
            self.all.max(done),
            self.failed.load(Ordering::Relaxed)
        );
        if self.terminal {
            let _ = write!(stderr(), "\r\u{1b}[K{line}").and_then(|()| stderr().flush());
        } else {
            say::on_stderr(line);
        }
    }

    pub(super) fn end(&self) {
        self.clear();
    }

    fn clear(&self) {
        if self.terminal {
            let _ = write!(stderr(), "\r\u{1b}[K").and_then(|()| stderr().flush());
        }
    }
}

const REDRAWN: Duration = Duration::from_millis(100);
const NOW_AND_THEN: Duration = Duration::from_secs(15);
