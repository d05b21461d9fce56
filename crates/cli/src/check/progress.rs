//! A line that tells a person what the checker is at, where there is a terminal.

use std::{
    io::{Write, stderr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use proofmark_check::{Progress, Step};

use crate::colour;

/// Draws on standard error, so that a report on standard output stays a report.
pub(super) struct Bar {
    state: Option<Arc<State>>,
}

#[derive(Default)]
struct State {
    /// Titles of the conversations that are going on.
    running: Mutex<Vec<&'static str>>,
    done: AtomicUsize,
}

/// A bar and what moves it.
pub(super) fn bar() -> (Bar, Progress) {
    if !colour::moves_on_stderr() {
        return (Bar { state: None }, Progress::default());
    }
    let state = Arc::new(State::default());
    let told = Arc::clone(&state);
    let progress = Progress::new(move |step| told.take(step));
    (Bar { state: Some(state) }, progress)
}

impl State {
    fn take(&self, step: Step) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        match step {
            Step::Began(title) => running.push(title),
            Step::Ended(title) => {
                self.done.fetch_add(1, Ordering::Relaxed);
                if let Some(at) = running.iter().position(|it| *it == title) {
                    running.remove(at);
                }
            }
        }
    }

    fn line(&self, elapsed: Duration) -> String {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let now = running.last().copied().unwrap_or("the server starts");
        let done = self.done.load(Ordering::Relaxed);
        format!("{:>4} s  {done} conversations over; now: {now}", elapsed.as_secs())
    }
}

impl Bar {
    pub(super) async fn show_while<T>(&self, work: impl Future<Output = T>) -> T {
        let Some(state) = &self.state else { return work.await };
        let began = Instant::now();
        let mut ticks = tokio::time::interval(TICK);
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => {
                    draw("");
                    return done;
                }
                _ = ticks.tick() => draw(&state.line(began.elapsed())),
            }
        }
    }
}

/// In place of the line that was there.
fn draw(line: &str) {
    let mut out = stderr().lock();
    let _ = write!(out, "\r\u{1b}[K{line}").and_then(|()| out.flush());
}

const TICK: Duration = Duration::from_millis(250);
