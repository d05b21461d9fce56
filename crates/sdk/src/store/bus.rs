//! The way between servers that share sessions, and from all of them to the one stream that a client listens on.

mod memory;

use std::time::Duration;

use bytes::Bytes;

pub use self::memory::MemoryBus;
use super::{Event, EventId, Principal, SessionId, StoreError, StreamKey};
use crate::BoxFuture;

/// Carries letters from server to server, and what belongs to no request to wherever the client of a session listens.
///
/// What a letter says is the servers' own business. One that was sent comes to its addressee at least once, in the order in which it was
/// sent, unless the addressee is gone; one that could not be sent is an error of its sender.
pub trait Bus: Send + Sync {
    /// The number of this server, which no other one has while it is alive, nor for long after.
    fn server(&self) -> ServerNumber;

    fn send(&self, to: Addressee, letter: Bytes) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Waits for letters, and gives those that came since the last time.
    ///
    /// Called by one reader at a time. Nothing is lost if it is dropped.
    fn receive(&self) -> BoxFuture<'_, Result<Letters, StoreError>>;

    /// Keeps a message for the client of a session until it is listened to. Beyond the bounds the oldest give way.
    ///
    /// All servers that hold a session tell its client of the same news: with a mark it is kept once.
    fn say<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        message: Bytes,
        mark: Option<NewsMark>,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Begins to listen to what is said to the client of a session, and takes that over from any other listener.
    ///
    /// `after` is the last message that the client has seen, on whichever stream; without it a new stream begins, and
    /// what no listener has taken comes first.
    /// [`StoreError::Unknown`] if there was no such message, [`StoreError::Forgotten`] if one after it is gone.
    fn listen<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        after: Option<EventId>,
    ) -> BoxFuture<'a, Result<Listening, StoreError>>;

    /// What was said and not taken yet. [`StoreError::Unknown`] if another listener took over, or the session is over.
    fn take<'a>(
        &'a self,
        listening: &'a Listening,
    ) -> BoxFuture<'a, Result<Vec<Event>, StoreError>>;

    /// Waits until [`Self::take`] would give something, or fail.
    fn spoken<'a>(&'a self, listening: &'a Listening) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Drops what was said in a session that has ended.
    fn forget<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<(), StoreError>>;
}

/// Tells servers apart. Below 2^21, so that it fits into the ids of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServerNumber(pub u32);

/// Whom a letter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// All servers but the sender.
    Others,
    One(ServerNumber),
}

/// What came for a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Letters {
    pub letters: Vec<Bytes>,
    /// Some that came before these are lost, as when the server did not read for too long.
    pub missed: bool,
}

/// One listener to what is said to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    pub stream: StreamKey,
    /// Who listens. A listener that comes later has another one.
    pub turn: u64,
    /// What the client has seen, to come back with.
    pub after: EventId,
}

/// Which news a message is about: the server where it happened, and a number that grows there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NewsMark {
    pub server: ServerNumber,
    pub number: u64,
}

impl Listening {
    /// So many of the latest listeners to a session can be come back to.
    pub const REMEMBERED: usize = 32;
}

impl NewsMark {
    /// So many of the latest marks of each server are known again.
    pub const REMEMBERED: usize = 64;
}

/// How much waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusSettings {
    /// Messages, and bytes of them, that are kept for one client.
    pub messages: usize,
    pub bytes: usize,
    /// How long they are kept.
    pub age: Duration,
    /// Letters that wait for one server.
    pub letters: usize,
}

impl Default for BusSettings {
    fn default() -> Self {
        Self {
            messages: 1000,
            bytes: 1024 * 1024,
            age: Duration::from_secs(30 * 60),
            letters: 10_000,
        }
    }
}
