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
    planned: AtomicUsize,
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
            Step::Planned(more) => {
                self.planned.fetch_add(more, Ordering::Relaxed);
            }
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
        let now = running.last().copied().unwrap_or("the peer starts");
        let done = self.done.load(Ordering::Relaxed);
        let planned = self.planned.load(Ordering::Relaxed).max(done);
        format!("{:>4} s  {done} of {planned} conversations over; now: {now}", elapsed.as_secs())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_many_conversations_there_are() {
        let state = State::default();
        for step in [Step::Planned(1), Step::Began("the tour"), Step::Ended("the tour")] {
            state.take(step);
        }
        state.take(Step::Planned(20));
        state.take(Step::Began("noise"));
        let line = state.line(Duration::from_secs(3));
        assert_eq!(line, "   3 s  1 of 21 conversations over; now: noise");
    }
}
