//! When a run was, and how long it took.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    pub started: SystemTime,
    pub duration: Duration,
}

impl Timing {
    /// Does the work and looks at the clock before and after.
    pub(crate) async fn of<T>(work: impl Future<Output = T>) -> (T, Self) {
        let (started, began) = (SystemTime::now(), Instant::now());
        let done = work.await;
        (done, Self { started, duration: began.elapsed() })
    }

    /// As RFC 3339 has it, to the second and in UTC.
    pub fn started_rfc3339(&self) -> String {
        let seconds = self.started.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let (days, rest) = (seconds / DAY, seconds % DAY);
        let (year, month, day) = date(days);
        let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// Year, month and day, by days since 1970. Years are counted from March, so that the day that is not always there is the last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_UNTIL_1970;
    let (era, day) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    // Leap days that have gone by: one in 4 years, none in 100, one in 400.
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + later, month, day)
}

const DAY: u64 = 24 * 60 * 60;
const DAYS_OF_400_YEARS: u64 = 146_097;
/// Since the first of March of the year 0.
const DAYS_UNTIL_1970: u64 = 719_468;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_rfc_3339_has_it() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            let started = UNIX_EPOCH + Duration::from_secs(seconds);
            let timing = Timing { started, duration: Duration::ZERO };
            assert_eq!(timing.started_rfc3339(), expected);
        }
    }
}
