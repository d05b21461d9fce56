//! Times for people and programs.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proofmark_check::report::Timing;

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Milliseconds since 1970 as RFC 3339 has it, to the second and in UTC.
pub fn rfc3339(milliseconds: i64) -> String {
    let since = Duration::from_millis(u64::try_from(milliseconds).unwrap_or_default());
    Timing { started: UNIX_EPOCH + since, duration: Duration::ZERO }.started_rfc3339()
}

/// The day and the minute, for a table.
pub fn minute(milliseconds: i64) -> String {
    let text = rfc3339(milliseconds);
    text.get(..16).map_or_else(|| text.clone(), |it| it.replace('T', " "))
}
