//! Messages on their way to one response, one stream or one connection.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use proofmark_core::session::server::{Offer, Outgoing, Transmit};
use tokio::sync::Notify;

use crate::server::conversation::MessageSink;

/// A bounded queue of messages, filled by sessions and emptied by the writer of a response, a stream or a connection.
pub(super) struct MessageQueue {
    offer: Arc<Offer>,
    queue: Mutex<Queue>,
    /// Something happened to the queue.
    filled: Notify,
    max_messages: usize,
    max_bytes: usize,
    overflow: Overflow,
    /// Bytes that may wait in all, answers included; beyond it the queue is given up.
    max_unread: usize,
}

/// What becomes of a notification that matters, when the reader is too slow for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overflow {
    /// It is dropped, as on a connection that carries everything.
    Drops,
    /// The stream that carries it ends, and the client opens the next.
    EndsStream,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<Message>,
    /// Of all messages.
    bytes: usize,
    paused: bool,
    /// The reader is too slow; what it missed cannot be given to it any more.
    overflowed: bool,
    closed: bool,
    /// The reader left so much unread that nothing more is kept for it.
    given_up: bool,
}

/// A message as it goes out.
#[derive(Clone)]
pub(super) struct Message {
    /// Of the response, if this is what it begins with.
    pub(super) status: u16,
    pub(super) is_final: bool,
    pub(super) json: Bytes,
}

/// What a writer finds.
pub(super) enum Next {
    Closed,
    Empty,
    /// Stays the first until [`MessageQueue::advance`], so that it is not lost with a writer that is dropped while it works.
    Message(Message),
    /// The handler wants the connection to end, and the request to go on.
    Paused,
}

impl MessageQueue {
    pub(super) fn new(
        offer: Arc<Offer>,
        max_messages: usize,
        max_bytes: usize,
        overflow: Overflow,
    ) -> Self {
        Self {
            offer,
            queue: Mutex::default(),
            filled: Notify::new(),
            max_messages,
            max_bytes,
            overflow,
            max_unread: usize::MAX,
        }
    }

    /// The same for a stream that carries all answers, and that ends when more of them than this wait to be read.
    pub(super) fn given_up_beyond(self, max_unread: usize) -> Self {
        Self { max_unread, ..self }
    }

    pub(super) fn next(&self) -> Next {
        let mut queue = self.lock();
        if let Some(message) = queue.messages.front() {
            return Next::Message(message.clone());
        }
        // Only the stream that was too slow ends. The one that comes after it has missed nothing.
        if queue.closed || std::mem::take(&mut queue.overflowed) {
            return Next::Closed;
        }
        if std::mem::take(&mut queue.paused) {
            return Next::Paused;
        }
        Next::Empty
    }

    /// All messages that wait.
    pub(super) fn all(&self) -> Vec<Message> {
        self.lock().messages.iter().cloned().collect()
    }

    /// The first message is dealt with.
    pub(super) fn advance(&self) {
        self.lock().pop();
    }

    /// The only message there is, if it is the answer and nothing else is to be said.
    pub(super) fn take_only_answer(&self) -> Option<Message> {
        let mut queue = self.lock();
        if queue.messages.len() == 1 && !queue.paused && queue.messages[0].is_final {
            return queue.pop();
        }
        None
    }

    pub(super) fn is_idle(&self) -> bool {
        let queue = self.lock();
        queue.messages.is_empty() && !queue.paused && !queue.closed
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Whether the reader keeps up.
    pub(super) fn has_room(&self) -> bool {
        let queue = self.lock();
        !queue.given_up && queue.messages.len() < self.max_messages && queue.bytes < self.max_bytes
    }

    pub(super) async fn filled(&self) {
        self.filled.notified().await;
    }

    /// Lets every writer that waits look again, and one that is just about to wait.
    pub(super) fn wake(&self) {
        self.filled.notify_waiters();
        self.filled.notify_one();
    }

    /// No more messages will be wanted: the writer ends when it has written what is there.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.wake();
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn pop(&mut self) -> Option<Message> {
        let message = self.messages.pop_front()?;
        self.bytes -= message.json.len();
        Some(message)
    }
}

impl MessageSink for MessageQueue {
    fn put(&self, transmit: Transmit) {
        let (status, is_final, must_arrive) =
            (transmit.status, transmit.is_final(), transmit.must_arrive());
        let expendable = matches!(
            &transmit.message,
            Outgoing::Notification(notification) if notification.is_expendable()
        );
        let mut queue = self.lock();
        if queue.given_up || expendable && queue.messages.len() >= self.max_messages {
            return;
        }
        let mut json = Vec::with_capacity(transmit.likely_size());
        if let Err(error) = transmit.write(&self.offer, &mut json) {
            tracing::error!(%error, "a message could not be encoded");
            return;
        }
        // One message always fits, however large it is.
        let fits = queue.messages.is_empty()
            || queue.messages.len() < self.max_messages
                && queue.bytes + json.len() <= self.max_bytes;
        if !fits && !must_arrive {
            // One progress or log message more or less does no harm.
            if !expendable {
                queue.overflowed = self.overflow == Overflow::EndsStream;
                tracing::debug!(overflow = ?self.overflow, "a client does not read");
            }
            return;
        }
        if !queue.messages.is_empty() && queue.bytes + json.len() > self.max_unread {
            tracing::warn!(
                bytes = queue.bytes,
                "a client leaves its answers unread and is given up"
            );
            *queue = Queue { closed: true, given_up: true, ..Queue::default() };
            drop(queue);
            self.wake();
            return;
        }
        // Most exchanges are one answer.
        if queue.messages.capacity() == 0 {
            queue.messages.reserve_exact(1);
        }
        queue.bytes += json.len();
        queue.messages.push_back(Message { status, is_final, json: json.into() });
        drop(queue);
        self.filled.notify_one();
    }

    fn pause(&self) {
        self.lock().paused = true;
        self.filled.notify_one();
    }
}

#[cfg(test)]
mod tests;
