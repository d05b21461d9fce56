//! The whole set, on one connection.

use std::{sync::Arc, time::Duration};

use redis::RedisError;

use crate::{
    RedisEventLog, RedisSessionStore, RedisSettings, RedisTaskStore,
    link::{self, Link},
};

/// Everything that servers share. Cheap to clone.
#[derive(Clone)]
pub struct RedisStores {
    link: Link,
    pub sessions: Arc<RedisSessionStore>,
    pub events: Arc<RedisEventLog>,
    pub tasks: Arc<RedisTaskStore>,
}

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("the address of the store is none: {0}")]
    Address(#[source] RedisError),
    #[error("the store does not answer")]
    Away(#[source] proofmark_sdk::store::StoreError),
}

impl RedisStores {
    /// Connects to `redis://[user:password@]host[:port][/database]`, `redis+unix:///path`, or with the feature `tls` to `rediss://…`.
    pub async fn connect(address: &str, settings: RedisSettings) -> Result<Self, ConnectError> {
        let client = link::client(address).map_err(ConnectError::Address)?;
        let link = Link::new(client, settings).map_err(ConnectError::Address)?;
        let () = link.command(&redis::cmd("PING")).await.map_err(ConnectError::Away)?;
        Ok(Self {
            sessions: Arc::new(RedisSessionStore::new(link.clone())),
            events: Arc::new(RedisEventLog::new(link.clone())),
            tasks: Arc::new(RedisTaskStore::new(link.clone())),
            link,
        })
    }

    /// Whether the store answered when it was last asked.
    pub fn is_well(&self) -> bool {
        self.link.is_well()
    }

    /// Reads the store's clock as so much later from now on, for tests of what is over after a while.
    #[doc(hidden)]
    pub fn advance(&self, time: Duration) {
        self.link.advance(time);
    }
}
