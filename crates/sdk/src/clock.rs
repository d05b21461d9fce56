//! The one clock that sessions are told the time by.

use std::{sync::OnceLock, time::Duration};

use proofmark_core::session::Time;
use tokio::time::Instant;

/// The time since this process first asked.
pub(crate) fn now() -> Time {
    Time(Instant::now().saturating_duration_since(beginning()))
}

/// The moment of a session's time.
pub(crate) fn instant(time: Time) -> Instant {
    beginning().checked_add(time.0).unwrap_or_else(|| Instant::now() + FAR)
}

fn beginning() -> Instant {
    static BEGINNING: OnceLock<Instant> = OnceLock::new();
    *BEGINNING.get_or_init(Instant::now)
}

const FAR: Duration = Duration::from_secs(86_400);
