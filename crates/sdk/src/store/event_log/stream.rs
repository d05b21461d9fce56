//! The log of one stream.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;
use tokio::{
    sync::{Notify, futures::OwnedNotified},
    time::Instant,
};

use super::{EventLogSettings, StreamKind};
use crate::store::{StoreError, What};

/// The newest events of a stream. Their sequences have no gap and end with `last`.
#[derive(Debug, Default)]
pub(super) struct StreamLog {
    kind: StreamKind,
    events: VecDeque<(Instant, Bytes)>,
    /// The sequence of the newest event, also if that was not kept.
    last: u64,
    bytes: usize,
    ended: Option<Instant>,
    waiting: Waiting,
}

impl StreamLog {
    /// What an empty log costs; a round figure above the truth, and so is that of an event beside its text and its place.
    pub(super) const COST: usize = 256;
    const EVENT_COST: usize = 64;
    const PLACE_COST: usize = size_of::<(Instant, Bytes)>();

    pub(super) fn new(kind: StreamKind) -> Self {
        Self { kind, ..Self::default() }
    }

    pub(super) fn kind(&self) -> StreamKind {
        self.kind
    }

    /// What keeping this log costs, in bytes.
    pub(super) fn cost(&self) -> usize {
        let places = self.events.capacity() * Self::PLACE_COST;
        Self::COST + self.bytes + self.events.len() * Self::EVENT_COST + places
    }

    pub(super) fn ended(&self) -> Option<Instant> {
        self.ended
    }

    /// The sequence of the new event; `None` on a stream that has ended.
    pub(super) fn append(
        &mut self,
        now: Instant,
        event: &[u8],
        settings: &EventLogSettings,
    ) -> Option<u64> {
        if self.ended.is_some() {
            return None;
        }
        self.last += 1;
        if event.len() > settings.bytes {
            self.events = VecDeque::new();
            self.bytes = 0;
        } else {
            self.bytes += event.len();
            // A copy has no room to spare, unlike the buffer that a message was written into.
            self.events.push_back((now, Bytes::copy_from_slice(event)));
        }
        self.trim(now, settings);
        self.waiting.wake();
        Some(self.last)
    }

    pub(super) fn finish(&mut self, now: Instant) {
        self.ended.get_or_insert(now);
        self.waiting.wake();
    }

    /// Drops what is over the bounds of one stream.
    pub(super) fn trim(&mut self, now: Instant, settings: &EventLogSettings) {
        while let Some((at, _)) = self.events.front()
            && (self.events.len() > settings.events
                || self.bytes > settings.bytes
                || now.duration_since(*at) >= settings.age)
        {
            self.drop_oldest();
        }
    }

    /// What that saves, in bytes; `None` if there is nothing to drop.
    pub(super) fn drop_oldest(&mut self) -> Option<usize> {
        let before = self.cost();
        let (_, event) = self.events.pop_front()?;
        self.bytes -= event.len();
        if self.events.len() < self.events.capacity() / 4 {
            self.events.shrink_to(self.events.len() * 2);
        }
        Some(before - self.cost())
    }

    /// The events after this one, with their sequences.
    pub(super) fn after(
        &self,
        sequence: u64,
    ) -> Result<impl Iterator<Item = (u64, &Bytes)>, StoreError> {
        let before_first = self.last - self.events.len() as u64;
        if sequence > self.last {
            return Err(StoreError::Unknown(What::Event));
        }
        let skipped = sequence.checked_sub(before_first).ok_or(StoreError::Forgotten)?;
        let skipped = usize::try_from(skipped).expect("no more than there are events");
        let events = self.events.iter().map(|(_, event)| event);
        Ok((before_first + 1..).zip(events).skip(skipped))
    }

    /// Resolves at the next event, the end, or when the log is dropped.
    pub(super) fn wait(&mut self) -> OwnedNotified {
        let notify = self.waiting.0.get_or_insert_default();
        Arc::clone(notify).notified_owned()
    }
}

/// Those who follow a stream from elsewhere; made when the first comes, since most streams have none.
#[derive(Debug, Default)]
struct Waiting(Option<Arc<Notify>>);

impl Waiting {
    fn wake(&self) {
        if let Some(notify) = &self.0 {
            notify.notify_waiters();
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.wake();
    }
}
