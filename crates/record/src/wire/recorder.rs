//! Writes down what happens, with the time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

use super::MOST_BYTES;
use crate::event::{Event, EventKind, Frame};

/// The growing record of one conversation.
#[derive(Debug)]
pub struct Recorder {
    began: Instant,
    room: MemoryBudget,
    flooded: bool,
    pub events: Vec<Event>,
}

/// Memory that is left for what peers say in a whole run.
#[derive(Clone, Debug)]
pub struct MemoryBudget(Arc<AtomicUsize>);

impl Default for MemoryBudget {
    fn default() -> Self {
        Self(Arc::new(AtomicUsize::new(MOST_BYTES)))
    }
}

impl MemoryBudget {
    /// `false` if there is not as much left.
    fn take(&self, bytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

impl Recorder {
    /// `began` is when the run began: the same for all its conversations.
    pub fn new(began: Instant) -> Self {
        Self::within(began, MemoryBudget::default())
    }

    /// As [`Self::new`], with room that other conversations use too.
    pub fn within(began: Instant, room: MemoryBudget) -> Self {
        Self { began, room, flooded: false, events: Vec::new() }
    }

    /// Whether so much came that nothing more is taken in.
    pub fn is_flooded(&self) -> bool {
        self.flooded
    }

    pub fn note(&mut self, what: EventKind) {
        let at = Instant::now().saturating_duration_since(self.began);
        self.flooded |= matches!(what, EventKind::Flooded { .. });
        self.events.push(Event { at, kind: what });
    }

    pub fn received(&mut self, exchange: u32, frame: Frame) {
        if self.flooded {
            return;
        }
        if self.room.take(frame.weight()) {
            self.note(EventKind::Received { exchange, frame });
        } else {
            self.note(EventKind::Flooded { limit: MOST_BYTES });
        }
    }

    pub fn silence(&mut self, waited: Duration) {
        self.note(EventKind::Silence(waited));
    }
}
