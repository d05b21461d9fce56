//! Leaves a store alone that does not answer, so that requests fail at once instead of one time limit later.

use std::time::Duration;

/// What is known of the store's health. Time is the time since some fixed moment.
#[derive(Debug)]
pub(crate) struct Breaker {
    failures: u32,
    open_until: Option<Duration>,
    limit: u32,
    pause: Duration,
}

impl Breaker {
    pub(crate) fn new(limit: u32, pause: Duration) -> Self {
        Self { failures: 0, open_until: None, limit: limit.max(1), pause }
    }

    /// Whether the store may be asked now. After a pause one request may try; if it fails, the next pause begins.
    pub(crate) fn admits(&mut self, now: Duration) -> bool {
        match self.open_until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                self.open_until = Some(now + self.pause);
                true
            }
        }
    }

    pub(crate) fn succeeded(&mut self) {
        (self.failures, self.open_until) = (0, None);
    }

    pub(crate) fn failed(&mut self, now: Duration) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= self.limit {
            self.open_until = Some(now + self.pause);
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open_until.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_store_that_fails_often_is_left_alone_and_tried_by_one() {
        let mut breaker = Breaker::new(3, SECOND);
        for _ in 0..2 {
            breaker.failed(Duration::ZERO);
            assert!(breaker.admits(Duration::ZERO));
        }
        breaker.failed(Duration::ZERO);
        assert!(!breaker.admits(SECOND / 2));
        assert!(breaker.admits(SECOND));
        assert!(!breaker.admits(SECOND));
        breaker.failed(SECOND);
        assert!(!breaker.admits(SECOND * 3 / 2));
        assert!(breaker.admits(SECOND * 2));
        breaker.succeeded();
        assert!(breaker.admits(SECOND * 2) && breaker.admits(SECOND * 2));
    }

    #[test]
    fn failures_that_are_not_in_a_row_do_no_harm() {
        let mut breaker = Breaker::new(2, SECOND);
        for _ in 0..10 {
            breaker.failed(Duration::ZERO);
            breaker.succeeded();
        }
        assert!(breaker.admits(Duration::ZERO));
    }
}
