//! The one clock that sessions are told the time by.

use std::{future::pending, pin::Pin, sync::OnceLock, time::Duration};

use proofmark_core::session::Time;
use tokio::time::{Instant, Sleep, sleep_until};

/// The time since this process first asked.
pub(crate) fn now() -> Time {
    Time(Instant::now().saturating_duration_since(beginning()))
}

/// The moment of a session's time.
pub(crate) fn instant(time: Time) -> Instant {
    beginning().checked_add(time.0).unwrap_or_else(|| Instant::now() + FAR)
}

/// Goes off at a time that is mostly put off before it comes.
///
/// To be put off costs nothing: it is set anew only to go off sooner, or when it went off and it was too early.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Alarm {
    /// Waits until then, or for ever. Nothing is lost if this is dropped.
    pub(crate) async fn wait(&mut self, until: Option<Instant>) {
        let Some(until) = until else { return pending().await };
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(until)));
        loop {
            if until < sleep.deadline() || sleep.is_elapsed() {
                sleep.as_mut().reset(until);
            }
            sleep.as_mut().await;
            if until <= Instant::now() {
                return;
            }
        }
    }
}

fn beginning() -> Instant {
    static BEGINNING: OnceLock<Instant> = OnceLock::new();
    *BEGINNING.get_or_init(Instant::now)
}

const FAR: Duration = Duration::from_secs(86_400);

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn an_alarm_goes_off_when_it_was_last_set_to() {
        let mut alarm = Alarm::default();
        let start = Instant::now();
        for (first, then) in [(5, 2), (2, 5), (1, 1)] {
            let from = Instant::now();
            let _put_off = timeout(SECOND / 2, alarm.wait(Some(from + SECOND * first))).await;
            alarm.wait(Some(from + SECOND * then)).await;
            assert_eq!(from.elapsed(), SECOND * then);
        }
        alarm.wait(Some(start)).await;
        assert!(timeout(SECOND * 10, alarm.wait(None)).await.is_err());
    }
}
