//! Lines that wait to be written.

use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use proofmark_core::{
    framing::lines::end_line,
    session::server::{Offer, Transmit},
};
use tokio::sync::Notify;

use crate::server::conversation::MessageSink;

/// The end that a conversation puts its messages into, and that the writer takes them from.
pub(in crate::transport) struct LineBuffer {
    offer: Arc<Offer>,
    lines: Mutex<Lines>,
    backlog: usize,
    /// There is something for the writer to do.
    pub(in crate::transport) filled: Notify,
    /// There may be room again, or nothing is written any more.
    room: Condvar,
    closed: AtomicBool,
}

#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    /// The writer found nothing, and wants to know when there is something.
    awaited: bool,
}

impl LineBuffer {
    pub(in crate::transport) fn new(offer: Arc<Offer>, backlog: usize) -> Self {
        Self {
            offer,
            lines: Mutex::default(),
            backlog,
            filled: Notify::new(),
            room: Condvar::new(),
            closed: AtomicBool::new(false),
        }
    }

    /// Gives out what waits and keeps the empty buffer, so that two buffers serve for good.
    pub(in crate::transport) fn swap(&self, empty: &mut Vec<u8>) {
        empty.shrink_to(KEPT);
        let mut lines = self.lock();
        std::mem::swap(&mut lines.bytes, empty);
        lines.awaited = empty.is_empty();
        drop(lines);
        if empty.len() >= self.backlog {
            self.room.notify_all();
        }
    }

    pub(in crate::transport) fn has_room(&self) -> bool {
        self.lock().bytes.len() < self.backlog
    }

    /// Blocks until there is room. `false` if nothing is written any more.
    ///
    /// A thread that waits so swaps soon, and need not be told what there is until then.
    pub(in crate::transport) fn wait_for_room(&self) -> bool {
        let full = |lines: &mut Lines| !self.is_closed() && lines.bytes.len() >= self.backlog;
        let lines = self.room.wait_while(self.lock(), full);
        lines.unwrap_or_else(PoisonError::into_inner).awaited = false;
        !self.is_closed()
    }

    /// Nothing is written any more, and no thread is to wait for that.
    pub(in crate::transport) fn close(&self) {
        let lines = self.lock();
        self.closed.store(true, Ordering::Release);
        drop(lines);
        self.room.notify_all();
    }

    pub(in crate::transport) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MessageSink for LineBuffer {
    fn put(&self, transmit: Transmit) {
        let mut lines = self.lock();
        let Lines { bytes, awaited } = &mut *lines;
        if bytes.len() >= self.backlog && !transmit.must_arrive() {
            tracing::debug!("the client does not read: a notification was dropped");
            return;
        }
        let start = bytes.len();
        match transmit.write(&self.offer, bytes) {
            Ok(()) => end_line(bytes, start),
            Err(error) => tracing::error!(%error, "a message could not be encoded"),
        }
        if std::mem::take(awaited) {
            self.filled.notify_one();
        }
    }
}

/// Bytes of an empty buffer that are kept for the next messages.
const KEPT: usize = 64 * 1024;
