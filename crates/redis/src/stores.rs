//! The whole set, on one connection.

use std::{sync::Arc, time::Duration};

use proofmark_sdk::{store::StoreError, transport::http::SharedStores};
use redis::RedisError;

use crate::{
    RedisBus, RedisEventLog, RedisSessionStore, RedisSettings, RedisTaskStore,
    address::Address,
    link::{self, Link},
};

/// Everything that servers share. Cheap to clone.
#[derive(Clone)]
pub struct RedisStores {
    link: Link,
    pub sessions: Arc<RedisSessionStore>,
    pub events: Arc<RedisEventLog>,
    pub tasks: Arc<RedisTaskStore>,
    pub bus: Arc<RedisBus>,
}

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("the address of the store is none: {0}")]
    Address(#[source] RedisError),
    #[error("the store does not answer")]
    Away(#[source] StoreError),
}

impl RedisStores {
    /// Connects to `redis://[user:password@]host[:port][/database]`, `redis+unix:///path`, or with the feature `tls` to `rediss://…`.
    ///
    /// Where sentinels know which server is the primary: `redis+sentinel://[user:password@]host:port,host:port/group[/database]`. With the
    /// feature `cluster`, some nodes of one: `redis+cluster://[user:password@]host:port,host:port`. Both also with `rediss+`.
    pub async fn connect(address: &str, settings: RedisSettings) -> Result<Self, ConnectError> {
        let address = Address::parse(address).map_err(ConnectError::Address)?;
        let link = Link::new(address, settings).map_err(ConnectError::Address)?;
        let bus = RedisBus::join(link.clone()).await.map_err(ConnectError::Away)?;
        let bus = Arc::new(bus);
        Ok(Self {
            sessions: Arc::new(RedisSessionStore::new(link.clone())),
            events: Arc::new(RedisEventLog::new(link.clone(), bus.life())),
            tasks: Arc::new(RedisTaskStore::new(link.clone(), bus.life())),
            bus,
            link,
        })
    }

    /// What [`HttpSettings::shared`](proofmark_sdk::transport::http::HttpSettings::shared) takes. The tasks go to the server
    /// itself.
    pub fn shared(&self) -> SharedStores {
        SharedStores {
            sessions: Arc::clone(&self.sessions) as _,
            events: Arc::clone(&self.events) as _,
            bus: Arc::clone(&self.bus) as _,
        }
    }

    pub fn settings(&self) -> &RedisSettings {
        self.link.settings()
    }

    /// Asks the store whether it is there.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.link.command(&redis::cmd("PING")).await
    }

    /// A key that all servers with this store and prefix have in common, made up by the first of them: for cursors and the state of
    /// unfinished requests. It is the one thing in the store that has no time to live, and as secret as the store is.
    pub async fn key(&self) -> Result<[u8; 32], StoreError> {
        let mut fresh = [0; 32];
        getrandom::fill(&mut fresh).map_err(link::unavailable)?;
        let name = self.link.keys().secret();
        let mut set = redis::cmd("SET");
        let () = self.link.command(set.arg(&name).arg(&fresh[..]).arg("NX")).await?;
        let kept: Vec<u8> = self.link.command(redis::cmd("GET").arg(&name)).await?;
        kept.try_into().map_err(|_| crate::reply::unexpected())
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
