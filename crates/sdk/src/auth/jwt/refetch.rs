//! When keys may be fetched again: the answer must not depend on how many forged tokens arrive.

use std::time::{Duration, Instant};

use super::KeysUnavailable;
use super::fetch::TIMEOUT;

/// How often keys are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refetch {
    /// From the beginning of one fetch to the next, whatever they are for.
    pub interval: Duration,
    /// After this time keys are fetched again even if they suffice, so that one which the issuer withdrew stops working.
    pub max_age: Duration,
}

impl Default for Refetch {
    fn default() -> Self {
        Self { interval: Duration::from_secs(10), max_age: Duration::from_secs(600) }
    }
}

/// Why one would fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// The keys at hand are good, and perhaps old.
    Newer,
    /// There are no keys at all.
    Nothing,
    /// A token names a key that is not among those at hand.
    UnknownKey,
}

#[derive(Debug)]
pub(super) struct Schedule {
    refetch: Refetch,
    began: Option<Instant>,
    succeeded: Option<Instant>,
    /// How the last fetch failed, if it did.
    failure: Option<KeysUnavailable>,
}

impl Schedule {
    pub(super) const fn new(refetch: Refetch) -> Self {
        Self { refetch, began: None, succeeded: None, failure: None }
    }

    /// Whether a fetch that has not ended may still do so.
    pub(super) fn is_under_way(&self, now: Instant) -> bool {
        self.began.is_some_and(|began| now.saturating_duration_since(began) < TIMEOUT)
    }

    /// Allows a fetch and counts it, or says why there is none.
    pub(super) fn begin(&mut self, need: Need, now: Instant) -> Result<(), KeysUnavailable> {
        let young = |since: Option<Instant>, limit: Duration| {
            since.is_some_and(|since| now.saturating_duration_since(since) < limit)
        };
        let fresh = need == Need::Newer && young(self.succeeded, self.refetch.max_age);
        if fresh || young(self.began, self.refetch.interval) {
            return Err(self.failure.clone().unwrap_or(KeysUnavailable::TooSoon));
        }
        self.began = Some(now);
        Ok(())
    }

    /// Forgets a fetch that stood still beyond its time because all who waited for it left. It does not keep another
    /// from beginning: else a client that asks and leaves, again and again, could keep new keys from being seen.
    pub(super) fn give_up(&mut self) {
        self.began = None;
    }

    pub(super) fn end(&mut self, outcome: Result<(), KeysUnavailable>, now: Instant) {
        match outcome {
            Ok(()) => {
                self.succeeded = Some(now);
                self.failure = None;
            }
            Err(failure) => self.failure = Some(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> (Schedule, Instant) {
        let refetch =
            Refetch { interval: Duration::from_secs(30), max_age: Duration::from_secs(600) };
        (Schedule::new(refetch), Instant::now())
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn unknown_keys_cause_one_fetch_in_an_interval() {
        let (mut schedule, start) = schedule();
        let allowed = (0..3_000)
            .filter(|tenth| {
                let now = start + Duration::from_millis(tenth * 100);
                let began = schedule.begin(Need::UnknownKey, now).is_ok();
                if began {
                    schedule.end(Ok(()), now);
                }
                began
            })
            .count();
        assert_eq!(allowed, 10);
    }

    #[test]
    fn good_keys_are_renewed_when_they_are_old() {
        let (mut schedule, start) = schedule();
        schedule.begin(Need::Nothing, start).unwrap();
        schedule.end(Ok(()), start);
        assert!(schedule.begin(Need::Newer, start + seconds(599)).is_err());
        assert!(schedule.begin(Need::Newer, start + seconds(600)).is_ok());
    }

    #[test]
    fn a_failure_is_told_until_the_next_try() {
        let (mut schedule, start) = schedule();
        schedule.begin(Need::Nothing, start).unwrap();
        schedule.end(Err(KeysUnavailable::Status(500)), start);
        let again = schedule.begin(Need::Nothing, start + seconds(29));
        assert_eq!(again, Err(KeysUnavailable::Status(500)));
        assert!(schedule.begin(Need::Nothing, start + seconds(30)).is_ok());
    }

    #[test]
    fn a_fetch_that_does_not_finish_is_given_up() {
        let (mut schedule, start) = schedule();
        schedule.begin(Need::Nothing, start).unwrap();
        assert!(schedule.is_under_way(start + seconds(9)));
        assert!(!schedule.is_under_way(start + TIMEOUT));
        assert!(schedule.begin(Need::Nothing, start + TIMEOUT).is_err());
        schedule.give_up();
        assert!(schedule.begin(Need::Nothing, start + TIMEOUT).is_ok());
    }
}
