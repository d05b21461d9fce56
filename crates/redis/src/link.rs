//! The connection to the store: each step has a time limit, and a store that does not answer is left alone for a while.

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use proofmark_sdk::store::StoreError;
use redis::{FromRedisValue, RedisError, Script};
use tokio::time::{Instant, timeout};

use crate::{
    address::Address,
    breaker::Breaker,
    connection::{Connection, Connections},
    hints::{Hints, Reader},
    keys::Keys,
    settings::RedisSettings,
};

/// What all parts of the store have in common. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Link(Arc<Shared>);

struct Shared {
    connections: Connections,
    settings: RedisSettings,
    keys: Keys,
    hints: Hints,
    breaker: Mutex<Breaker>,
    begun: Instant,
    /// Milliseconds by which the store's clock is read as later than it is, for tests.
    shift: AtomicI64,
}

impl Link {
    pub(crate) fn new(address: Address, settings: RedisSettings) -> Result<Self, RedisError> {
        let hints = Hints::default();
        let connections = Connections::new(address, hints.clone(), &settings)?;
        let shared = Shared {
            connections,
            keys: Keys::new(&settings.prefix),
            hints,
            breaker: Mutex::new(Breaker::new(settings.failures, settings.pause)),
            begun: Instant::now(),
            shift: AtomicI64::new(0),
            settings,
        };
        Ok(Self(Arc::new(shared)))
    }

    pub(crate) fn settings(&self) -> &RedisSettings {
        &self.0.settings
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.0.keys
    }

    /// Whether the store answered when it was last asked.
    pub(crate) fn is_well(&self) -> bool {
        !self.breaker().is_open()
    }

    /// Reads the store's clock as so much later from now on.
    pub(crate) fn advance(&self, time: Duration) {
        let time = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        self.0.shift.fetch_add(time, Ordering::SeqCst);
    }

    /// One step in the store. The script's first argument is by how much its clock is to be read as later.
    pub(crate) async fn run<T: FromRedisValue>(
        &self,
        script: &Script,
        keys: &[&str],
        arguments: &[&[u8]],
    ) -> Result<T, StoreError> {
        let mut invocation = script.prepare_invoke();
        for key in keys {
            invocation.key(*key);
        }
        invocation.arg(self.0.shift.load(Ordering::SeqCst));
        for argument in arguments {
            invocation.arg(*argument);
        }
        self.limited(async |mut connection| invocation.invoke_async(&mut connection).await).await
    }

    /// One command.
    pub(crate) async fn command<T: FromRedisValue>(
        &self,
        command: &redis::Cmd,
    ) -> Result<T, StoreError> {
        self.limited(async |mut connection| command.query_async(&mut connection).await).await
    }

    /// Some commands at once, whose answers are of no interest.
    pub(crate) async fn commands(&self, commands: &redis::Pipeline) -> Result<(), StoreError> {
        self.limited(async |mut connection| commands.query_async(&mut connection).await).await
    }

    /// Begins to listen to a channel.
    pub(crate) async fn watch(&self, channel: String) -> Result<Reader, StoreError> {
        for left in self.0.hints.take_left() {
            self.limited(async |mut connection| connection.unsubscribe(&left).await).await?;
        }
        let reader = self.0.hints.read(channel.clone());
        if reader.is_first {
            self.limited(async |mut connection| connection.subscribe(&channel).await).await?;
        }
        Ok(reader)
    }

    /// A connection of its own, for commands that wait for so long.
    pub(crate) async fn separate(&self, waits: Duration) -> Result<Connection, RedisError> {
        self.0.connections.separate(waits).await
    }

    /// A step on another connection failed like this.
    pub(crate) fn doubt(&self, error: &RedisError) {
        self.0.connections.failed(error);
    }

    async fn limited<T>(
        &self,
        step: impl AsyncFnOnce(Connection) -> Result<T, RedisError>,
    ) -> Result<T, StoreError> {
        if !self.breaker().admits(self.0.begun.elapsed()) {
            return Err(unavailable(io::Error::other("the store did not answer a moment ago")));
        }
        // Connecting anew may be part of it.
        let limit = self.0.settings.timeout + self.0.settings.connect_timeout;
        let step = async { step(self.0.connections.current().await?).await };
        let outcome = match timeout(limit, step).await {
            Ok(outcome) => outcome,
            Err(elapsed) => Err(RedisError::from(io::Error::from(elapsed))),
        };
        match outcome {
            Ok(value) => {
                self.breaker().succeeded();
                Ok(value)
            }
            Err(error) => {
                self.0.connections.failed(&error);
                if error.is_io_error() || error.is_unrecoverable_error() {
                    self.breaker().failed(self.0.begun.elapsed());
                }
                tracing::debug!(%error, "the store does not do its work");
                Err(unavailable(error))
            }
        }
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.0.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn unavailable(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::Unavailable(Arc::new(error))
}

/// A script that keeps nothing more than was kept before, or next to nothing, so that a full store carries it out too.
pub(crate) fn script(code: &str) -> Script {
    Script::new(&format!("#!lua flags=allow-oom\n{}\n{code}", include_str!("link/clock.lua")))
}

/// A script that a full store refuses, before its first step.
pub(crate) fn growing_script(code: &str) -> Script {
    Script::new(&format!("#!lua\n{}\n{code}", include_str!("link/clock.lua")))
}
