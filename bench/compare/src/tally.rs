//! What was answered so far, and how fast.

use std::{
    cell::{Cell, RefCell},
    time::Duration,
};

/// Answers since the measuring began.
#[derive(Default)]
pub(crate) struct Tally {
    answered: Cell<u32>,
    /// Microseconds from a request to its answer, where one follows the other.
    latencies: RefCell<Vec<f64>>,
}

impl Tally {
    pub(crate) fn add(&self, count: u32) {
        self.answered.set(self.answered.get() + count);
    }

    /// One request was answered, after this time.
    pub(crate) fn add_after(&self, latency: Duration) {
        self.add(1);
        self.latencies.borrow_mut().push(latency.as_secs_f64() * 1e6);
    }

    /// Forgets what was before.
    pub(crate) fn begin(&self) {
        self.answered.set(0);
        self.latencies.borrow_mut().clear();
    }

    pub(crate) fn answered(&self) -> u32 {
        self.answered.get()
    }

    /// The latency that this part of all requests stays below; not a number where none was taken.
    pub(crate) fn quantile(&self, part: f64) -> f64 {
        let mut latencies = self.latencies.borrow_mut();
        latencies.sort_by(f64::total_cmp);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place in a list"
        )]
        let place = (latencies.len() as f64 * part) as usize;
        latencies.get(place).copied().unwrap_or(f64::NAN)
    }
}
