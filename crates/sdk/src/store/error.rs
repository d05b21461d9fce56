//! Why a store did not do what it was asked to.

use std::{fmt, sync::Arc};

use proofmark_core::types::BadTransition;

use super::{BadEventId, NoRandomness};

/// Why a store did not do what it was asked to.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The task has ended, or cannot go there from where it is.
    #[error(transparent)]
    BadTransition(#[from] BadTransition),
    /// Another writer changed the record since it was read, or there already is one under this id. Read it again.
    #[error("the {what} was changed by another writer since it was read")]
    Conflict { what: What },
    /// The event was there, but what came after it is not all there any more: to replay the rest would hide a gap.
    #[error("the log no longer has everything after this event")]
    Forgotten,
    /// Nothing more fits until something ends or expires.
    #[error("no room for more: the limit is {limit} {cap}")]
    Full { cap: Cap, limit: usize },
    #[error("the {what} has {size} bytes, more than the {limit} allowed")]
    TooLarge { what: What, size: usize, limit: usize },
    /// The store cannot be asked: a broken connection, a time-out, no randomness.
    #[error("the store is unavailable")]
    Unavailable(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// Not there, not there any more, or another principal's; the caller does not learn which.
    #[error("unknown {0}")]
    Unknown(What),
}

/// What a store keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    Event,
    Session,
    Stream,
    Task,
}

/// A bound that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cap {
    /// Bytes in the whole store.
    Bytes,
    Sessions,
    SessionsPerPrincipal,
    /// Streams of one session that have not ended.
    Streams,
    Tasks,
    TasksPerPrincipal,
}

impl StoreError {
    pub fn is_bad_transition(&self) -> bool {
        matches!(self, Self::BadTransition(_))
    }

    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict { .. })
    }

    pub fn is_forgotten(&self) -> bool {
        matches!(self, Self::Forgotten)
    }

    /// Whether it may work later without anything being changed about the request, as with 503 and `Retry-After`.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full { .. })
    }

    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::TooLarge { .. })
    }

    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }

    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }
}

impl From<BadEventId> for StoreError {
    /// What is no id is the id of nothing.
    fn from(BadEventId: BadEventId) -> Self {
        Self::Unknown(What::Event)
    }
}

impl From<NoRandomness> for StoreError {
    fn from(error: NoRandomness) -> Self {
        Self::Unavailable(Arc::new(error))
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Event => "event",
            Self::Session => "session",
            Self::Stream => "stream",
            Self::Task => "task",
        })
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "bytes",
            Self::Sessions => "sessions",
            Self::SessionsPerPrincipal => "sessions of one principal",
            Self::Streams => "open streams of one session",
            Self::Tasks => "tasks",
            Self::TasksPerPrincipal => "tasks of one principal",
        })
    }
}
