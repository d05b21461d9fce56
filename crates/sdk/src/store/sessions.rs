//! Legacy HTTP sessions, for as long as their clients use them.

mod memory;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

pub use proofmark_core::session::server::Phase;
use proofmark_core::{
    revision::Revision,
    types::{ClientCapabilities, Implementation, LoggingLevel},
};
use serde::{Deserialize, Serialize};

pub use self::memory::MemorySessionStore;
use super::{Principal, SessionId, StoreError, Timestamp};
use crate::BoxFuture;

/// Keeps what was agreed in a legacy HTTP session, until its client has not used it for a while.
///
/// `now` is for [`Session::last_used`]; when a session expires is the store's own business.
pub trait SessionStore: Send + Sync {
    /// Begins a session, at version one. Fails with [`StoreError::Full`] when there are too many, and with [`StoreError::Conflict`] when
    /// there is one under this id.
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        record: SessionRecord,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Reads a session, which counts as use.
    fn load<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Session, StoreError>>;

    /// Replaces a record that was read at `version`, which counts as use, and gives the new version. The owner of the record must be the
    /// owner of the session: it does not change hands. A session that is gone does not come back.
    fn save<'a>(
        &'a self,
        id: &'a SessionId,
        version: u64,
        record: SessionRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// Counts as use, as while a stream is open.
    fn touch<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Ends a session.
    fn remove<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
    ) -> BoxFuture<'a, Result<(), StoreError>>;
}

/// A session as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub record: Arc<SessionRecord>,
    /// Grows with every [`SessionStore::save`].
    pub version: u64,
    /// Before this reading.
    pub last_used: Timestamp,
}

/// What was agreed in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct SessionRecord {
    pub owner: Principal,
    pub revision: Revision,
    pub client: Implementation,
    pub capabilities: ClientCapabilities,
    pub phase: Phase,
    /// `None` until the client sets one.
    pub log_level: Option<LoggingLevel>,
    /// The URIs of the resources whose changes the client wants to hear of.
    pub watched: BTreeSet<String>,
    pub created: Timestamp,
}

/// How many sessions there may be, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSettings {
    pub sessions: usize,
    /// No principal takes all the room; [`Principal::Anonymous`] is exempt, because it is not one person.
    pub per_principal: usize,
    /// Of one record as JSON: what a client says about itself is not ours to trust.
    pub record_bytes: usize,
    /// How long a session is kept that is not used.
    pub idle: Duration,
    /// The same while it is [`Phase::Initializing`].
    pub idle_initializing: Duration,
}

impl SessionSettings {
    fn idle(&self, phase: Phase) -> Duration {
        match phase {
            Phase::Initializing => self.idle_initializing,
            Phase::Ready => self.idle,
        }
    }
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self {
            sessions: 10_000,
            per_principal: 100,
            record_bytes: 64 * 1024,
            idle: Duration::from_secs(30 * 60),
            idle_initializing: Duration::from_secs(30),
        }
    }
}

#[cfg(test)]
mod tests;
