//! The standing stream of a session: what belongs to no request.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::Ordering},
};

use bytes::Bytes;
use tokio::time::{Duration, Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{
    Unkept,
    exchange::Next,
    fitting::fitted,
    get::{event, sign_of_life},
    sessions::{Session, Turn},
};
use crate::store::{Event, EventId, EventLog, SessionStore, StreamKey, StreamKind};

/// One connection that carries the standing stream, until another one takes it over.
///
/// A session has one queue and at most one stream in the log for it. Whoever holds the session's turn, and nobody else, takes from the one
/// and appends to the other, so that a stream that is taken over and resumed has every message once and in order.
pub(super) struct Stand {
    pub(super) closing: CancellationToken,
    pub(super) session: Arc<Session>,
    pub(super) takeover: u64,
    pub(super) log: Option<Arc<dyn EventLog>>,
    pub(super) store: Option<Arc<dyn SessionStore>>,
    /// `None` once it has begun.
    pub(super) from: Option<From>,
    pub(super) replayed: VecDeque<Event>,
    /// What announces the id to come back with, until it is sent.
    pub(super) primer: Option<Bytes>,
    /// Whether the revision has such announcements.
    pub(super) primed: bool,
    pub(super) unkept: Unkept,
    pub(super) max_event: usize,
    pub(super) retry: Duration,
    pub(super) keep_alive: Duration,
}

/// Where a standing stream begins.
pub(super) enum From {
    /// After this event, which was sent on it before, here or by another server.
    After(EventId),
    Now,
}

impl Stand {
    /// The next event to send; `None` ends the stream.
    pub(super) async fn next_event(&mut self) -> Option<Bytes> {
        if let Some(from) = self.from.take() {
            self.begin(from).await;
        }
        if let Some(next) = self.replayed.pop_front() {
            return Some(event(Some(next.id), &next.data, None));
        }
        if let Some(primer) = self.primer.take() {
            return Some(primer);
        }
        let quiet_until = Instant::now() + self.keep_alive;
        loop {
            let mut turn = self.session.turn.lock().await;
            if !self.is_current() {
                // The one who took over may not have been woken, because this one was.
                self.session.standing.wake();
                return None;
            }
            match self.session.standing.next() {
                Next::Message(message) => {
                    let conversation = &self.session.conversation;
                    let Some(message) = fitted(message, self.max_event, conversation) else {
                        self.session.standing.advance();
                        continue;
                    };
                    let kept = match (&self.log, &mut *turn) {
                        (Some(log), Turn { stream: Some(stream), keeping }) => {
                            Some(keeping.keep(log, stream, &message.json).await)
                        }
                        _ => None,
                    };
                    let id = match (kept.transpose(), self.unkept) {
                        (Ok(id), _) => id,
                        (Err(error), Unkept::IsSent) => {
                            tracing::warn!(%error, "a message is sent that is not kept");
                            None
                        }
                        (Err(error), Unkept::Fails) => {
                            tracing::warn!(%error, "a standing stream ends because it cannot be kept");
                            return None;
                        }
                    };
                    self.session.standing.advance();
                    return Some(event(id, &message.json, None));
                }
                Next::Closed => return None,
                Next::Paused | Next::Empty => {}
            }
            drop(turn);
            if self.closing.is_cancelled() {
                return None;
            }
            if quiet_until <= Instant::now() {
                return self.session.is_kept_by(self.store.as_deref()).await.then(sign_of_life);
            }
            self.session.touch();
            tokio::select! {
                () = self.session.standing.filled() => {}
                () = self.closing.cancelled() => {}
                () = sleep_until(quiet_until) => {}
            }
        }
    }

    async fn begin(&mut self, from: From) {
        let mut turn = self.session.turn.lock().await;
        if !self.is_current() || self.session.standing.is_closed() {
            return;
        }
        let Some(log) = &self.log else { return };
        let (id, owner) = (&self.session.id, &self.session.owner);
        let Turn { stream, keeping } = &mut *turn;
        // Whoever served the stream before may have gone while a message was being kept, which nobody has got then.
        let mut unsent = None;
        if keeping.has_begun()
            && let (Some(stream), Next::Message(message)) = (&*stream, self.session.standing.next())
        {
            let kept = keeping.keep(log, stream, &message.json).await;
            if let Ok(id) = kept {
                self.session.standing.advance();
                unsent = Some(Event { id, data: message.json });
            }
        }
        if let From::After(last) = from {
            // It was there a moment ago; if not, what comes from now on is all there is.
            if let Ok(replay) = log.replay(id, owner, last).await {
                self.replayed = replay.events.into();
            }
            if stream.as_ref().is_some_and(|stream| stream.number == last.stream) {
                return;
            }
        }
        self.replayed.extend(unsent);
        if let Some(before) = stream.take() {
            finish(log.as_ref(), &before).await;
        }
        match log.open(id, owner, StreamKind::Standing).await {
            Ok(opened) => {
                let beginning = opened.beginning();
                *stream = Some(opened);
                self.primer = self.primed.then(|| event(Some(beginning), b"", Some(self.retry)));
            }
            Err(error) => tracing::debug!(%error, "a stream is not kept"),
        }
    }

    fn is_current(&self) -> bool {
        self.session.takeovers.load(Ordering::SeqCst) == self.takeover
    }
}

/// Says in the log that nothing more comes on a stream.
pub(super) async fn finish(log: &dyn EventLog, stream: &StreamKey) {
    if let Err(error) = log.finish(stream).await {
        tracing::debug!(%error, "the end of a stream is not kept");
    }
}
