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
use redis::{
    Client, FromRedisValue, IntoConnectionInfo, ProtocolVersion, PushInfo, RedisError, Script,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use tokio::time::{Instant, timeout};

use crate::{
    breaker::Breaker,
    hints::{Hints, Reader},
    keys::Keys,
    settings::RedisSettings,
};

/// What all parts of the store have in common. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Link {
    connection: ConnectionManager,
    shared: Arc<Shared>,
}

struct Shared {
    settings: RedisSettings,
    keys: Keys,
    hints: Hints,
    breaker: Mutex<Breaker>,
    begun: Instant,
    /// Milliseconds by which the store's clock is read as later than it is, for tests.
    shift: AtomicI64,
}

impl Link {
    pub(crate) fn new(client: Client, settings: RedisSettings) -> Result<Self, RedisError> {
        let hints = Hints::default();
        let pushed = hints.clone();
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(settings.timeout))
            .set_connection_timeout(Some(settings.connect_timeout))
            .set_number_of_retries(1)
            .set_min_delay(Duration::from_millis(20))
            .set_max_delay(Duration::from_millis(100))
            .set_push_sender(move |push: PushInfo| -> Result<(), ()> {
                pushed.push(&push);
                Ok(())
            })
            .set_automatic_resubscription();
        let connection = ConnectionManager::new_lazy_with_config(client, config)?;
        let shared = Shared {
            keys: Keys::new(&settings.prefix),
            hints,
            breaker: Mutex::new(Breaker::new(settings.failures, settings.pause)),
            begun: Instant::now(),
            shift: AtomicI64::new(0),
            settings,
        };
        Ok(Self { connection, shared: Arc::new(shared) })
    }

    pub(crate) fn settings(&self) -> &RedisSettings {
        &self.shared.settings
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.shared.keys
    }

    /// Whether the store answered when it was last asked.
    pub(crate) fn is_well(&self) -> bool {
        !self.breaker().is_open()
    }

    /// Reads the store's clock as so much later from now on.
    pub(crate) fn advance(&self, time: Duration) {
        let time = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        self.shared.shift.fetch_add(time, Ordering::SeqCst);
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
        invocation.arg(self.shared.shift.load(Ordering::SeqCst));
        for argument in arguments {
            invocation.arg(*argument);
        }
        let mut connection = self.connection.clone();
        self.limited(invocation.invoke_async(&mut connection)).await
    }

    /// One command.
    pub(crate) async fn command<T: FromRedisValue>(
        &self,
        command: &redis::Cmd,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection.clone();
        self.limited(command.query_async(&mut connection)).await
    }

    /// Some commands at once, whose answers are of no interest.
    pub(crate) async fn commands(&self, commands: &redis::Pipeline) -> Result<(), StoreError> {
        let mut connection = self.connection.clone();
        self.limited(commands.query_async(&mut connection)).await
    }

    /// Begins to listen to a channel.
    pub(crate) async fn watch(&self, channel: String) -> Result<Reader, StoreError> {
        let mut connection = self.connection.clone();
        for left in self.shared.hints.take_left() {
            self.limited(connection.unsubscribe(left)).await?;
        }
        let reader = self.shared.hints.read(channel.clone());
        if reader.is_first {
            self.limited(connection.subscribe(channel)).await?;
        }
        Ok(reader)
    }

    async fn limited<T>(
        &self,
        step: impl Future<Output = Result<T, RedisError>>,
    ) -> Result<T, StoreError> {
        if !self.breaker().admits(self.shared.begun.elapsed()) {
            return Err(unavailable(io::Error::other("the store did not answer a moment ago")));
        }
        // Connecting anew may be part of it.
        let limit = self.shared.settings.timeout + self.shared.settings.connect_timeout;
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
                if error.is_io_error() || error.is_unrecoverable_error() {
                    self.breaker().failed(self.shared.begun.elapsed());
                }
                tracing::debug!(%error, "the store does not do its work");
                Err(unavailable(error))
            }
        }
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.shared.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client that is told of news on the connection that it asks on.
pub(crate) fn client(address: &str) -> Result<Client, RedisError> {
    let info = address.into_connection_info()?;
    let redis = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
    Client::open(info.set_redis_settings(redis))
}

pub(crate) fn unavailable(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::Unavailable(Arc::new(error))
}

/// A script with what all of them begin with.
pub(crate) fn script(code: &str) -> Script {
    Script::new(&format!("{}\n{code}", include_str!("link/clock.lua")))
}
