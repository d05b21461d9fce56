//! The event log of a single process.

use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::BuildHasher,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::time::Instant;

use super::{
    Event, EventLog, EventLogSettings, Replay, StreamEnd, StreamKey, StreamKind, stream::StreamLog,
};
use crate::BoxFuture;
use crate::store::{
    Cap, EventId, Principal, SessionId, StoreError, StreamNumber, What, lock::lock,
};

/// An event log in memory. Sessions are spread over shards, so that those who append at the same time rarely wait for each other.
#[derive(Debug)]
pub struct MemoryEventLog {
    settings: EventLogSettings,
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
    /// The cost of all streams. Changed only by those who hold the lock of the stream's shard.
    total: AtomicUsize,
    /// When it next makes sense to look through all shards for something to drop.
    next_relief: Mutex<Option<Instant>>,
}

#[derive(Debug, Default)]
struct Shard {
    sessions: HashMap<SessionId, SessionLog>,
    next_sweep: Option<Instant>,
}

#[derive(Debug)]
struct SessionLog {
    owner: Principal,
    streams: HashMap<StreamNumber, StreamLog>,
}

impl MemoryEventLog {
    pub fn new(settings: EventLogSettings) -> Self {
        Self {
            settings,
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
            total: AtomicUsize::new(0),
            next_relief: Mutex::new(None),
        }
    }

    /// What is in use of [`EventLogSettings::total_bytes`].
    pub fn total_bytes(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }

    fn open_at(
        &self,
        now: Instant,
        session: &SessionId,
        owner: &Principal,
        kind: StreamKind,
    ) -> Result<StreamKey, StoreError> {
        let needed = StreamLog::COST + SESSION_COST;
        if !self.has_room_for(needed) {
            self.relieve(now, needed);
        }
        let mut shard = self.shard(session);
        if shard.next_sweep.is_none_or(|next| next <= now) {
            shard.next_sweep = Some(now + self.settings.age / 8);
            self.sweep(&mut shard, now);
        }
        if !self.has_room_for(needed) {
            return Err(StoreError::Full { cap: Cap::Bytes, limit: self.settings.total_bytes });
        }
        let number = StreamNumber::random()?;
        if let Some(log) = shard.sessions.get_mut(session) {
            if log.owner != *owner {
                return Err(StoreError::Unknown(What::Session));
            }
            self.make_room(log)?;
        }
        let log = shard.sessions.entry(session.clone()).or_insert_with(|| {
            self.account(0, SESSION_COST);
            SessionLog { owner: owner.clone(), streams: HashMap::new() }
        });
        if log.streams.contains_key(&number) {
            return Err(StoreError::Conflict { what: What::Stream });
        }
        log.streams.insert(number, StreamLog::new(kind));
        self.total.fetch_add(StreamLog::COST, Ordering::Relaxed);
        Ok(StreamKey { session: session.clone(), number })
    }

    fn append_at(
        &self,
        now: Instant,
        key: &StreamKey,
        event: &[u8],
    ) -> Result<EventId, StoreError> {
        let sequence = {
            let mut shard = self.shard(&key.session);
            let stream = shard.stream(key)?;
            let before = stream.cost();
            let sequence = stream
                .append(now, event, &self.settings)
                .ok_or(StoreError::Unknown(What::Stream))?;
            self.account(before, stream.cost());
            sequence
        };
        if !self.has_room_for(0) {
            self.relieve(now, 0);
            let mut shard = self.shard(&key.session);
            let stream = shard.stream(key)?;
            while !self.has_room_for(0)
                && let Some(saved) = stream.drop_oldest()
            {
                self.total.fetch_sub(saved, Ordering::Relaxed);
            }
        }
        Ok(key.id(sequence))
    }

    fn replay_at(
        &self,
        now: Instant,
        session: &SessionId,
        principal: &Principal,
        last: EventId,
    ) -> Result<Replay, StoreError> {
        let mut shard = self.shard(session);
        let stream = self.resumable(&mut shard, now, session, principal, last)?;
        let key = StreamKey { session: session.clone(), number: last.stream };
        let events = stream
            .after(last.sequence)?
            .map(|(sequence, data)| Event { id: key.id(sequence), data: data.clone() })
            .collect();
        let end = if stream.ended().is_some() { StreamEnd::Ended } else { StreamEnd::Open };
        Ok(Replay { stream: key, kind: stream.kind(), events, end })
    }

    /// The stream of an event that this principal may have seen, without what is too old.
    fn resumable<'a>(
        &self,
        shard: &'a mut Shard,
        now: Instant,
        session: &SessionId,
        principal: &Principal,
        last: EventId,
    ) -> Result<&'a mut StreamLog, StoreError> {
        let stream = shard
            .sessions
            .get_mut(session)
            .filter(|log| log.owner == *principal)
            .and_then(|log| log.streams.get_mut(&last.stream))
            .filter(|stream| !self.is_over(stream, now))
            .ok_or(StoreError::Unknown(What::Event))?;
        let before = stream.cost();
        stream.trim(now, &self.settings);
        self.account(before, stream.cost());
        Ok(stream)
    }

    fn forget_now(&self, session: &SessionId) {
        let mut shard = self.shard(session);
        if let Some(log) = shard.sessions.remove(session) {
            let streams: usize = log.streams.values().map(StreamLog::cost).sum();
            self.account(SESSION_COST + streams, 0);
        }
    }

    /// Sees that the session may have one stream more, at the cost of the one that ended first.
    fn make_room(&self, log: &mut SessionLog) -> Result<(), StoreError> {
        if log.streams.len() < self.settings.streams {
            return Ok(());
        }
        let ended =
            log.streams.iter().filter_map(|(number, stream)| Some((stream.ended()?, *number)));
        let Some((_, first)) = ended.min() else {
            return Err(StoreError::Full { cap: Cap::Streams, limit: self.settings.streams });
        };
        if let Some(stream) = log.streams.remove(&first) {
            self.account(stream.cost(), 0);
        }
        Ok(())
    }

    /// Drops what is too old, and if that does not make room what has ended, from all shards. No lock may be held.
    fn relieve(&self, now: Instant, needed: usize) {
        {
            let mut next = lock(&self.next_relief);
            if next.is_some_and(|next| now < next) {
                return;
            }
            *next = Some(now + RELIEF_PAUSE);
        }
        for shard in &self.shards {
            self.sweep(&mut lock(shard), now);
        }
        // More than needed, so that not every event has to look through everything.
        let wanted = needed.max(self.settings.total_bytes / 8);
        for shard in &self.shards {
            if self.has_room_for(wanted) {
                break;
            }
            self.keep(&mut lock(shard), |stream| stream.ended().is_none());
        }
        if self.has_room_for(wanted) {
            *lock(&self.next_relief) = None;
        }
    }

    fn sweep(&self, shard: &mut Shard, now: Instant) {
        self.keep(shard, |stream| {
            stream.trim(now, &self.settings);
            !self.is_over(stream, now)
        });
    }

    fn keep(&self, shard: &mut Shard, mut wanted: impl FnMut(&mut StreamLog) -> bool) {
        shard.sessions.retain(|_, log| {
            log.streams.retain(|_, stream| {
                let before = stream.cost();
                let keep = wanted(stream);
                self.account(before, if keep { stream.cost() } else { 0 });
                keep
            });
            let is_used = !log.streams.is_empty();
            self.account(SESSION_COST, if is_used { SESSION_COST } else { 0 });
            is_used
        });
        shard.sessions.shrink_to(shard.sessions.len() * 2);
    }

    fn is_over(&self, stream: &StreamLog, now: Instant) -> bool {
        stream.ended().is_some_and(|at| now.duration_since(at) >= self.settings.age)
    }

    fn has_room_for(&self, bytes: usize) -> bool {
        self.total_bytes().saturating_add(bytes) <= self.settings.total_bytes
    }

    fn account(&self, before: usize, after: usize) {
        if after >= before {
            self.total.fetch_add(after - before, Ordering::Relaxed);
        } else {
            self.total.fetch_sub(before - after, Ordering::Relaxed);
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "any bits of the hash will do")]
    fn shard(&self, session: &SessionId) -> MutexGuard<'_, Shard> {
        lock(&self.shards[self.hasher.hash_one(session) as usize % SHARDS])
    }
}

impl Default for MemoryEventLog {
    fn default() -> Self {
        Self::new(EventLogSettings::default())
    }
}

impl EventLog for MemoryEventLog {
    fn open<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        kind: StreamKind,
    ) -> BoxFuture<'a, Result<StreamKey, StoreError>> {
        Box::pin(async move { self.open_at(Instant::now(), session, owner, kind) })
    }

    fn append<'a>(
        &'a self,
        stream: &'a StreamKey,
        event: Bytes,
    ) -> BoxFuture<'a, Result<EventId, StoreError>> {
        Box::pin(async move { self.append_at(Instant::now(), stream, &event) })
    }

    fn finish<'a>(&'a self, stream: &'a StreamKey) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.shard(&stream.session).stream(stream)?.finish(Instant::now());
            Ok(())
        })
    }

    fn replay<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> BoxFuture<'a, Result<Replay, StoreError>> {
        Box::pin(async move { self.replay_at(Instant::now(), session, principal, last) })
    }

    fn grown<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            loop {
                let change = {
                    let mut shard = self.shard(session);
                    let stream =
                        self.resumable(&mut shard, Instant::now(), session, principal, last)?;
                    if stream.after(last.sequence)?.next().is_some() || stream.ended().is_some() {
                        return Ok(());
                    }
                    stream.wait()
                };
                change.await;
            }
        })
    }

    fn forget<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.forget_now(session);
            Ok(())
        })
    }
}

impl Shard {
    fn stream(&mut self, key: &StreamKey) -> Result<&mut StreamLog, StoreError> {
        self.sessions
            .get_mut(&key.session)
            .and_then(|log| log.streams.get_mut(&key.number))
            .ok_or(StoreError::Unknown(What::Stream))
    }
}

const SHARDS: usize = 16;
/// What it costs to keep a session beside its streams: a round figure above the truth.
const SESSION_COST: usize = 512;
/// How long to leave the other shards alone after a look that did not free enough.
const RELIEF_PAUSE: Duration = Duration::from_secs(1);
