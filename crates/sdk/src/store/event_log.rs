//! What was sent on the streams of legacy sessions, so that a client that lost the connection gets the rest.

mod memory;
mod stream;

use std::time::Duration;

use bytes::Bytes;

pub use self::memory::MemoryEventLog;
use super::{EventId, Principal, SessionId, StoreError, StreamNumber};
use crate::BoxFuture;

/// Keeps, in order and for a while, what was sent on each stream.
///
/// Append first, then send: an event that a client has seen is then in the log, with everything before it. An answer that goes out as
/// one JSON body has no stream and never comes here.
pub trait EventLog: Send + Sync {
    /// Begins a stream. Fails with [`StoreError::Full`] when the session has too many that have not ended, or the store is full; those
    /// that have ended make room before their time.
    fn open<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        kind: StreamKind,
    ) -> BoxFuture<'a, Result<StreamKey, StoreError>>;

    /// Gives an event its id, and keeps it as long as the bounds allow. Only the one server that opened the stream appends to it.
    ///
    /// An event that is larger than the bounds has an id like any other but is not kept, and nor is anything before it.
    fn append<'a>(
        &'a self,
        stream: &'a StreamKey,
        event: Bytes,
    ) -> BoxFuture<'a, Result<EventId, StoreError>>;

    /// The same for the event that a stream ends with. Where servers share a log it is one step, so that no last words come after it.
    fn append_last<'a>(
        &'a self,
        stream: &'a StreamKey,
        event: Bytes,
    ) -> BoxFuture<'a, Result<EventId, StoreError>> {
        Box::pin(async move {
            let id = self.append(stream, event).await?;
            self.finish(stream).await?;
            Ok(id)
        })
    }

    /// Leaves an event that ends the stream should this server break down before it does. Where servers share a log, another one appends it
    /// then; a log that ends with its server has no use for it.
    fn leave_last_words<'a>(
        &'a self,
        _stream: &'a StreamKey,
        _event: Bytes,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Says that nothing more comes. What is there stays for [`EventLogSettings::age`].
    fn finish<'a>(&'a self, stream: &'a StreamKey) -> BoxFuture<'a, Result<(), StoreError>>;

    /// What came on the stream of this event after it, and nothing of any other stream.
    ///
    /// [`StoreError::Unknown`] unless the event was sent on this session to this principal; [`StoreError::Forgotten`] when something in
    /// between is gone.
    fn replay<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> BoxFuture<'a, Result<Replay, StoreError>>;

    /// Waits until [`Self::replay`] would give something new: an event after this one, or the end. The same errors come at once.
    ///
    /// A hint, to be used in turns with `replay`: no event is missed however the two are interleaved.
    fn grown<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Drops everything about a session that has ended, also one that was never here.
    fn forget<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<(), StoreError>>;
}

/// One stream of one session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StreamKey {
    pub session: SessionId,
    pub number: StreamNumber,
}

/// What a stream is for, which decides what follows when it is resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamKind {
    /// It ends with the answer to a request.
    #[default]
    Request,
    /// It carries what belongs to no request, and goes on with whatever is to be said next.
    Standalone,
}

/// An event as it was appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub id: EventId,
    pub data: Bytes,
}

/// The rest of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    pub stream: StreamKey,
    pub kind: StreamKind,
    pub events: Vec<Event>,
    pub end: StreamEnd,
}

/// Whether more can come on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    Ended,
    Open,
}

/// How much is kept. Beyond any of these bounds the oldest events go first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLogSettings {
    /// Events on one stream.
    pub events: usize,
    /// Bytes of the events on one stream.
    pub bytes: usize,
    /// How long an event is kept, and a stream after its end.
    pub age: Duration,
    /// Streams of one session, those that have ended included.
    pub streams: usize,
    /// Bytes in the whole store, what it costs to keep streams and events included.
    pub total_bytes: usize,
}

impl StreamKey {
    /// The id before every event: to resume from it is to get the whole stream. An event that only announces an id can carry it, and
    /// needs no place in the log.
    pub fn beginning(&self) -> EventId {
        self.id(0)
    }

    fn id(&self, sequence: u64) -> EventId {
        EventId { stream: self.number, sequence }
    }
}

impl Default for EventLogSettings {
    fn default() -> Self {
        Self {
            events: 1000,
            bytes: 1024 * 1024,
            age: Duration::from_secs(600),
            streams: 64,
            total_bytes: 128 * 1024 * 1024,
        }
    }
}

#[cfg(test)]
mod tests;
