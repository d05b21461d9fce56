//! Moments that a driver gives to a session.

use std::{ops::Add, time::Duration};

/// A moment, as the time since some beginning of the driver's choice. It never runs backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(pub Duration);

impl Add<Duration> for Time {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }
}
