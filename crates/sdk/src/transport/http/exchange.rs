//! Messages on their way to one response or one standing stream.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use proofmark_core::session::server::{Outgoing, Transmit};
use tokio::sync::Notify;

use crate::server::scope::Outlet;

/// A bounded queue of messages, filled by sessions and emptied by whoever writes the response.
pub(super) struct Exchange {
    queue: Mutex<Queue>,
    /// Something happened to the queue.
    filled: Notify,
    max_messages: usize,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<Transmit>,
    paused: bool,
    /// The reader is too slow; what it missed cannot be given to it any more.
    overflowed: bool,
    closed: bool,
}

/// What a writer finds.
#[expect(clippy::large_enum_variant, reason = "it is looked at and gone")]
pub(super) enum Next {
    Closed,
    Empty,
    Message(Transmit),
    /// The handler wants the connection to end, and the request to go on.
    Paused,
}

impl Exchange {
    pub(super) fn new(max_messages: usize) -> Self {
        Self { queue: Mutex::default(), filled: Notify::new(), max_messages }
    }

    pub(super) fn next(&self) -> Next {
        let mut queue = self.lock();
        if let Some(message) = queue.messages.pop_front() {
            return Next::Message(message);
        }
        if queue.closed || queue.overflowed {
            return Next::Closed;
        }
        if std::mem::take(&mut queue.paused) {
            return Next::Paused;
        }
        Next::Empty
    }

    /// The only message there is, if it is the answer and nothing else is to be said.
    pub(super) fn take_only_answer(&self) -> Option<Transmit> {
        let mut queue = self.lock();
        if queue.messages.len() == 1 && !queue.paused && queue.messages[0].is_final() {
            return queue.messages.pop_front();
        }
        None
    }

    pub(super) fn is_idle(&self) -> bool {
        let queue = self.lock();
        queue.messages.is_empty() && !queue.paused && !queue.closed
    }

    pub(super) async fn filled(&self) {
        self.filled.notified().await;
    }

    /// Lets whoever waits look again.
    pub(super) fn wake(&self) {
        self.filled.notify_waiters();
    }

    /// No more messages will be wanted: the writer ends when it has written what is there.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outlet for Exchange {
    fn put(&self, transmit: Transmit) {
        let mut queue = self.lock();
        if queue.messages.len() >= self.max_messages && !transmit.must_arrive() {
            match &transmit.message {
                // One progress or log message more or less does no harm.
                Outgoing::Notification(notification) if notification.is_expendable() => return,
                _ => queue.overflowed = true,
            }
            tracing::debug!("a client does not read: its stream ends");
            return;
        }
        // Most exchanges are one answer.
        if queue.messages.capacity() == 0 {
            queue.messages.reserve_exact(1);
        }
        queue.messages.push_back(transmit);
        drop(queue);
        self.filled.notify_one();
    }

    fn pause(&self) {
        self.lock().paused = true;
        self.filled.notify_one();
    }
}
