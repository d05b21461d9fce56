//! What several MCP servers share, on Redis 7 or Valkey 8 and newer: sessions, event streams, tasks,
//! and the way between them.
//!
//! ```no_run
//! # async fn begin() -> Result<(), proofmark_redis::ConnectError> {
//! use proofmark_redis::{RedisSettings, RedisStores};
//!
//! let stores = RedisStores::connect("redis://127.0.0.1", RedisSettings::default()).await?;
//! # drop(stores);
//! # Ok(())
//! # }
//! ```
//!
//! Every command has a time limit; a store that does not answer is not asked again for a moment. Every key has a time to live, and
//! every record the version of its form. Scripts in the store make each step one step. The store's clock decides what is over, so
//! that the clocks of the servers need not agree.

mod address;
mod breaker;
mod bus;
mod connection;
mod event_log;
mod hints;
mod keys;
mod link;
mod reply;
mod sessions;
mod settings;
mod stores;
mod tasks;

pub use self::{
    bus::RedisBus,
    event_log::RedisEventLog,
    sessions::RedisSessionStore,
    settings::RedisSettings,
    stores::{ConnectError, RedisStores},
    tasks::RedisTaskStore,
};
