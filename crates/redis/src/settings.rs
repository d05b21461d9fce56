//! How the store is used, with a bound on everything.

use std::time::Duration;

use proofmark_sdk::store::{BusSettings, EventLogSettings, SessionSettings, TaskSettings};

/// How the store is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisSettings {
    /// What all keys begin with. Servers with the same prefix share everything.
    pub prefix: String,
    /// How long the store may take for one step.
    pub timeout: Duration,
    /// How long it may take to connect.
    pub connect_timeout: Duration,
    /// Failures in a row after which the store is left alone for a while.
    pub failures: u32,
    /// How long it is left alone.
    pub pause: Duration,
    pub sessions: SessionSettings,
    pub events: EventLogSettings,
    pub tasks: TaskSettings,
    pub bus: BusSettings,
    /// How long a stream is kept that was neither ended nor written to, as when its server broke down.
    pub open_stream: Duration,
    /// How long a server is taken to be alive after its last sign of life. The tasks of one that is not have failed.
    pub lease: Duration,
}

impl Default for RedisSettings {
    fn default() -> Self {
        Self {
            prefix: "proofmark".into(),
            timeout: Duration::from_millis(500),
            connect_timeout: Duration::from_millis(500),
            failures: 5,
            pause: Duration::from_secs(1),
            sessions: SessionSettings::default(),
            events: EventLogSettings::default(),
            tasks: TaskSettings::default(),
            bus: BusSettings::default(),
            open_stream: Duration::from_secs(24 * 60 * 60),
            lease: Duration::from_secs(15),
        }
    }
}
