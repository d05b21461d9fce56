//! Moments on the calendar, as records keep them and tasks show them.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

/// A moment in milliseconds since 1970, in UTC. `Display` writes it as RFC 3339 does.
///
/// It is for showing and for other machines; what expires in memory is measured with a clock that never jumps.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl From<SystemTime> for Timestamp {
    /// What lies before 1970 counts as 1970.
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Self(millis(since))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1000;
        let (year, month, day) = civil(seconds / SECONDS_PER_DAY);
        let of_day = seconds % SECONDS_PER_DAY;
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        let milli = self.0 % 1000;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

/// Whole milliseconds; what does not fit is as long as fits.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The Gregorian date that many days after 1970-01-01.
///
/// Counted in years that begin in March, so that the leap day is the last of its year and every month has a fixed offset.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_FROM_MARCH_0000;
    let era = days / DAYS_PER_400_YEARS;
    let of_era = days % DAYS_PER_400_YEARS;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let (month, carry) = if march_month < 10 { (march_month + 3, 0) } else { (march_month - 9, 1) };
    (era * 400 + year_of_era + carry, month, day)
}

const SECONDS_PER_DAY: u64 = 86_400;
const DAYS_PER_400_YEARS: u64 = 146_097;
/// From 0000-03-01 to 1970-01-01.
const DAYS_FROM_MARCH_0000: u64 = 719_468;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn moments_are_written_as_rfc_3339_does() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_785_234_615_042, "2026-07-28T10:30:15.042Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp(millis).to_string(), text);
        }
    }

    #[test]
    fn a_clock_set_before_1970_reads_1970() {
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(5);
        assert_eq!(Timestamp::from(before), Timestamp(0));
        let after = SystemTime::UNIX_EPOCH + Duration::from_micros(1_999);
        assert_eq!(Timestamp::from(after), Timestamp(1));
    }

    #[test]
    fn every_day_follows_the_day_before() {
        let mut before = civil(0);
        for days in 1..200_000 {
            let (year, month, day) = civil(days);
            let expected = match before {
                (y, 12, 31) => (y + 1, 1, 1),
                (y, m, d) if d == length(y, m) => (y, m + 1, 1),
                (y, m, d) => (y, m, d + 1),
            };
            assert_eq!((year, month, day), expected);
            before = expected;
        }
    }

    /// How many days a month has.
    fn length(year: u64, month: u64) -> u64 {
        let leap =
            (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
        match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    proptest! {
        #[test]
        fn any_moment_can_be_written(millis: u64) {
            prop_assert!(Timestamp(millis).to_string().ends_with('Z'));
        }
    }
}
