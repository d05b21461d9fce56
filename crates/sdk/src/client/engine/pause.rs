//! Time that does not count: while a token is got, perhaps from a person, no call runs out of patience.

use std::{sync::Arc, time::Duration};

use proofmark_core::session::Time;
use tokio::time::Instant;

use super::Engine;
use crate::clock;

/// The sessions' time stands still while there is one of these.
pub(in crate::client) struct Pause(Arc<Engine>);

impl Pause {
    pub(super) fn begin(engine: Arc<Engine>) -> Self {
        engine.lock().pauses.begin(clock::now());
        Self(engine)
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        self.0.lock().pauses.end(clock::now());
        // The driver has to look at the clock again.
        self.0.work.notify_one();
    }
}

#[derive(Debug, Default)]
pub(super) struct Pauses {
    /// How many there are, and since when there is one.
    open: usize,
    since: Time,
    /// By how much the sessions are behind the clock.
    behind: Duration,
}

impl Pauses {
    pub(super) fn now(&self) -> Time {
        let now = if self.open > 0 { self.since } else { clock::now() };
        Time(now.0.saturating_sub(self.behind))
    }

    /// When the sessions' time will be this; never while it stands still.
    pub(super) fn instant(&self, time: Time) -> Option<Instant> {
        (self.open == 0).then(|| clock::instant(Time(time.0.saturating_add(self.behind))))
    }

    fn begin(&mut self, now: Time) {
        if self.open == 0 {
            self.since = now;
        }
        self.open += 1;
    }

    fn end(&mut self, now: Time) {
        self.open -= 1;
        if self.open == 0 {
            self.behind += now.0.saturating_sub(self.since.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stands_still_until_the_last_pause_is_over() {
        let at = |seconds| Time(Duration::from_secs(seconds));
        let mut pauses = Pauses::default();
        pauses.begin(at(10));
        pauses.begin(at(20));
        pauses.end(at(30));
        assert_eq!(pauses.now(), at(10));
        assert_eq!(pauses.instant(at(50)), None);
        pauses.end(at(100));
        assert_eq!(pauses.behind, Duration::from_secs(90));
        assert_eq!(pauses.instant(at(50)), Some(clock::instant(at(140))));
    }
}
