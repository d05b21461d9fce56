//! What a server says to the client of a shared session, on its way to wherever that client listens.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use proofmark_core::session::server::{Offer, Outgoing, Transmit};

use crate::{
    caller::Principal,
    server::conversation::MessageSink,
    store::{Bus, NewsMark, SessionId},
    transport::http::{HttpSettings, background::Background},
};

/// Takes messages that belong to no request, and brings them to the bus in order.
pub(in crate::transport::http) struct Outbox {
    offer: Arc<Offer>,
    bus: Arc<dyn Bus>,
    session: SessionId,
    owner: Principal,
    background: Background,
    limits: Limits,
    /// Of the server's messages, each of which has its own.
    numbers: Arc<AtomicU64>,
    waiting: Arc<Mutex<Waiting>>,
}

#[derive(Clone, Copy)]
struct Limits {
    messages: usize,
    bytes: usize,
    message: usize,
}

#[derive(Default)]
struct Waiting {
    messages: VecDeque<(Bytes, NewsMark)>,
    bytes: usize,
    /// A task brings them away.
    leaving: bool,
}

impl Outbox {
    pub(in crate::transport::http) fn new(
        offer: Arc<Offer>,
        bus: Arc<dyn Bus>,
        session: SessionId,
        owner: Principal,
        background: Background,
        settings: &HttpSettings,
        numbers: Arc<AtomicU64>,
    ) -> Self {
        let limits = Limits {
            messages: settings.queue_messages,
            bytes: settings.queue_bytes,
            message: settings.max_event,
        };
        Self { offer, bus, session, owner, background, limits, numbers, waiting: Arc::default() }
    }

    fn push(&self, transmit: Transmit, mark: Option<NewsMark>) {
        let must_arrive =
            transmit.must_arrive() || matches!(transmit.message, Outgoing::Request { .. });
        let mut json = Vec::with_capacity(transmit.likely_size());
        if let Err(error) = transmit.write(&self.offer, &mut json) {
            tracing::error!(%error, "a message could not be encoded");
            return;
        }
        let mut waiting = lock(&self.waiting);
        let full = waiting.messages.len() >= self.limits.messages
            || waiting.bytes + json.len() > self.limits.bytes && !waiting.messages.is_empty();
        if full && !must_arrive || json.len() > self.limits.message {
            tracing::warn!(bytes = json.len(), "a message to a client is dropped");
            return;
        }
        // With a mark it can be said again when it is not known whether it was heard.
        let mark = mark.unwrap_or_else(|| NewsMark {
            server: self.bus.server(),
            number: self.numbers.fetch_add(1, Ordering::SeqCst) + 1,
        });
        waiting.bytes += json.len();
        waiting.messages.push_back((json.into(), mark));
        if !std::mem::replace(&mut waiting.leaving, true) {
            drop(waiting);
            self.background.keep_running(self.leave());
        }
    }

    /// Brings away all that waits.
    fn leave(&self) -> impl Future<Output = ()> + Send + 'static {
        let (bus, waiting) = (Arc::clone(&self.bus), Arc::clone(&self.waiting));
        let (session, owner) = (self.session.clone(), self.owner.clone());
        async move {
            let mut tries = 0;
            loop {
                let next = lock(&waiting).next();
                let Some((message, mark)) = next else { return };
                match bus.say(&session, &owner, message, Some(mark)).await {
                    Err(error) if error.is_unavailable() && tries < TRIES => {
                        tries += 1;
                        tokio::time::sleep(PAUSE).await;
                    }
                    said => {
                        if let Err(error) = said {
                            tracing::warn!(%error, "a client cannot be told");
                        }
                        tries = 0;
                        lock(&waiting).advance();
                    }
                }
            }
        }
    }
}

impl MessageSink for Outbox {
    fn put(&self, transmit: Transmit) {
        self.push(transmit, None);
    }

    fn put_marked(&self, transmit: Transmit, mark: Option<NewsMark>) {
        self.push(transmit, mark);
    }
}

impl Waiting {
    /// The first message, which stays the first until it is brought away. Without one the task that asks is over.
    fn next(&mut self) -> Option<(Bytes, NewsMark)> {
        let next = self.messages.front().cloned();
        self.leaving = next.is_some();
        next
    }

    fn advance(&mut self) {
        if let Some((message, _)) = self.messages.pop_front() {
            self.bytes -= message.len();
        }
    }
}

fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often a message is tried again while the store is away, and how long apart.
const TRIES: u32 = 150;
const PAUSE: Duration = Duration::from_millis(200);
