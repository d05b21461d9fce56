//! The connection on which the store is asked, wherever the store is at the moment.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, Pipeline, PushInfo, RedisError, RedisFuture,
    ServerErrorKind, Value,
    aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig, MultiplexedConnection},
};

use crate::{
    address::{Address, Sentinels},
    hints::Hints,
    settings::RedisSettings,
};

/// A connection of any kind. Cheap to clone.
#[derive(Clone)]
pub(crate) enum Connection {
    /// Mends itself.
    Kept(ConnectionManager),
    /// Does not.
    Plain(MultiplexedConnection),
    #[cfg(feature = "cluster")]
    Cluster(redis::cluster_async::ClusterConnection),
}

/// The connections of one server to the store.
pub(crate) struct Connections {
    address: Address,
    hints: Hints,
    timeout: Duration,
    connect_timeout: Duration,
    current: Mutex<Current>,
    /// Held by the one that looks where the store is.
    looking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Current {
    connection: Option<Connection>,
    /// The primary that the sentinels named.
    primary: Option<Client>,
    /// The primary does not do its work: another may have taken its place.
    doubted: bool,
}

impl Connections {
    pub(crate) fn new(
        address: Address,
        hints: Hints,
        settings: &RedisSettings,
    ) -> Result<Self, RedisError> {
        let connections = Self {
            hints,
            timeout: settings.timeout,
            connect_timeout: settings.connect_timeout,
            current: Mutex::default(),
            looking: tokio::sync::Mutex::default(),
            address,
        };
        if let Address::One(client) = &connections.address {
            let kept = connections.kept(client.clone())?;
            connections.lock().connection = Some(kept);
        }
        Ok(connections)
    }

    /// The connection to the store, where it is now.
    pub(crate) async fn current(&self) -> Result<Connection, RedisError> {
        if let Some(connection) = self.undoubted() {
            return Ok(connection);
        }
        let _looking = self.looking.lock().await;
        // Another step may have found it meanwhile.
        if let Some(connection) = self.undoubted() {
            return Ok(connection);
        }
        match &self.address {
            Address::One(client) => self.kept(client.clone()),
            Address::Sentinels(sentinels) => self.follow(sentinels).await,
            #[cfg(feature = "cluster")]
            Address::Cluster(nodes) => {
                let connection = self.cluster(nodes, self.timeout, true).await?;
                self.lock().connection = Some(connection.clone());
                Ok(connection)
            }
        }
    }

    /// A connection of its own, for a command that waits for so long.
    pub(crate) async fn separate(&self, waits: Duration) -> Result<Connection, RedisError> {
        let client = match &self.address {
            Address::One(client) => client.clone(),
            Address::Sentinels(_) => {
                self.current().await?;
                let primary = self.lock().primary.clone();
                primary.ok_or_else(|| RedisError::from((ErrorKind::Io, "there is no primary")))?
            }
            #[cfg(feature = "cluster")]
            Address::Cluster(nodes) => {
                return self.cluster(nodes, waits + self.timeout, false).await;
            }
        };
        let config = self.config().set_response_timeout(Some(waits + self.timeout));
        let connect = client.get_multiplexed_async_connection_with_config(&config);
        connect.await.map(Connection::Plain)
    }

    /// A step failed like this.
    pub(crate) fn failed(&self, error: &RedisError) {
        let demoted = error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly);
        if matches!(self.address, Address::Sentinels(_)) && (demoted || error.is_io_error()) {
            self.lock().doubted = true;
        }
    }

    fn undoubted(&self) -> Option<Connection> {
        let current = self.lock();
        current.connection.clone().filter(|_| !current.doubted)
    }

    /// Asks which server is the primary, and goes there.
    async fn follow(&self, sentinels: &Sentinels) -> Result<Connection, RedisError> {
        let primary = sentinels.primary(&self.config()).await?;
        let address = primary.get_connection_info().addr().to_string();
        let known = {
            let mut current = self.lock();
            let before = current.primary.as_ref().map(|it| it.get_connection_info().addr());
            if before.is_some_and(|before| before.to_string() == address) {
                current.doubted = false;
            }
            current.connection.clone().filter(|_| !current.doubted)
        };
        if let Some(connection) = known {
            return Ok(connection);
        }
        tracing::info!("the primary of the store is another server now");
        let mut connection = self.kept(primary.clone())?;
        *self.lock() = Current {
            connection: Some(connection.clone()),
            primary: Some(primary),
            doubted: false,
        };
        for channel in self.hints.channels() {
            connection.subscribe(&channel).await?;
        }
        self.hints.wake_all();
        Ok(connection)
    }

    fn kept(&self, client: Client) -> Result<Connection, RedisError> {
        let pushed = self.hints.clone();
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(self.timeout))
            .set_connection_timeout(Some(self.connect_timeout))
            .set_number_of_retries(1)
            .set_min_delay(Duration::from_millis(20))
            .set_max_delay(Duration::from_millis(100))
            .set_push_sender(move |push: PushInfo| -> Result<(), ()> {
                pushed.push(&push);
                Ok(())
            })
            .set_automatic_resubscription();
        ConnectionManager::new_lazy_with_config(client, config).map(Connection::Kept)
    }

    #[cfg(feature = "cluster")]
    async fn cluster(
        &self,
        nodes: &[redis::ConnectionInfo],
        timeout: Duration,
        listens: bool,
    ) -> Result<Connection, RedisError> {
        let mut builder = redis::cluster::ClusterClientBuilder::new(nodes.iter().cloned())
            .connection_timeout(self.connect_timeout)
            .response_timeout(timeout)
            .retries(1)
            .min_retry_wait(20)
            .max_retry_wait(100)
            .use_protocol(redis::ProtocolVersion::RESP3);
        if listens {
            let pushed = self.hints.clone();
            builder = builder.push_sender(move |push: PushInfo| -> Result<(), ()> {
                pushed.push(&push);
                Ok(())
            });
        }
        builder.build()?.get_async_connection().await.map(Connection::Cluster)
    }

    fn config(&self) -> AsyncConnectionConfig {
        AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.connect_timeout))
            .set_response_timeout(Some(self.timeout))
    }

    fn lock(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    pub(crate) async fn subscribe(&mut self, channel: &str) -> Result<(), RedisError> {
        match self {
            Self::Kept(connection) => connection.subscribe(channel).await,
            Self::Plain(connection) => connection.subscribe(channel).await,
            #[cfg(feature = "cluster")]
            Self::Cluster(connection) => connection.subscribe(channel).await,
        }
    }

    pub(crate) async fn unsubscribe(&mut self, channel: &str) -> Result<(), RedisError> {
        match self {
            Self::Kept(connection) => connection.unsubscribe(channel).await,
            Self::Plain(connection) => connection.unsubscribe(channel).await,
            #[cfg(feature = "cluster")]
            Self::Cluster(connection) => connection.unsubscribe(channel).await,
        }
    }
}

impl ConnectionLike for Connection {
    fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::Kept(connection) => connection.req_packed_command(command),
            Self::Plain(connection) => connection.req_packed_command(command),
            #[cfg(feature = "cluster")]
            Self::Cluster(connection) => connection.req_packed_command(command),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        commands: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::Kept(connection) => connection.req_packed_commands(commands, offset, count),
            Self::Plain(connection) => connection.req_packed_commands(commands, offset, count),
            #[cfg(feature = "cluster")]
            Self::Cluster(connection) => connection.req_packed_commands(commands, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::Kept(connection) => connection.get_db(),
            Self::Plain(connection) => connection.get_db(),
            #[cfg(feature = "cluster")]
            Self::Cluster(connection) => connection.get_db(),
        }
    }
}
