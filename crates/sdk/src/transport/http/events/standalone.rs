//! The standalone stream of a session, which a client opens with GET: what belongs to no request.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::Ordering},
};

use bytes::Bytes;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{Appended, EventRules, EventSource, Next, finish, logged, primer};
use crate::{
    store::{Event, EventId, EventLog, SessionStore, StreamKind},
    transport::{
        http::sessions::{Session, Turn},
        queue,
    },
};

/// One connection that carries the standalone stream, until another one takes it over.
///
/// A session has one queue and at most one stream in the log for it. The connection that holds the session's turn, and no other, takes from
/// the one and appends to the other, so that a stream that is taken over and resumed has every message once and in order.
pub(in crate::transport::http) struct StandaloneStream {
    pub(in crate::transport::http) closing: CancellationToken,
    pub(in crate::transport::http) session: Arc<Session>,
    pub(in crate::transport::http) takeover: u64,
    pub(in crate::transport::http) log: Option<Arc<dyn EventLog>>,
    pub(in crate::transport::http) store: Option<Arc<dyn SessionStore>>,
    /// `None` once it has begun.
    pub(in crate::transport::http) begin: Option<Begin>,
    pub(in crate::transport::http) replayed: VecDeque<Event>,
    /// What announces the id to come back with, until it is sent.
    pub(in crate::transport::http) primer: Option<Bytes>,
    /// Whether the revision has such announcements.
    pub(in crate::transport::http) primed: bool,
    pub(in crate::transport::http) rules: EventRules,
}

/// Where a standalone stream begins.
pub(in crate::transport::http) enum Begin {
    /// After this event, which was sent on it before, here or by another server.
    After(EventId),
    Now,
}

impl EventSource for StandaloneStream {
    async fn next(&mut self) -> Next {
        if let Some(begin) = self.begin.take() {
            self.begin(begin).await;
        }
        if let Some(next) = self.replayed.pop_front() {
            return Next::Frame(logged(&next));
        }
        if let Some(primer) = self.primer.take() {
            return Next::Frame(primer);
        }
        loop {
            let mut turn = self.session.turn.lock().await;
            if !self.is_current() {
                // The connection that took over may not have been woken, because this one was.
                self.session.standalone.wake();
                return Next::End;
            }
            match self.session.standalone.next() {
                queue::Next::Message(message) => {
                    let Turn { stream, append } = &mut *turn;
                    let log = self.log.as_ref().zip(stream.as_ref());
                    let conversation = &self.session.conversation;
                    match append.event(message, log, self.rules, conversation).await {
                        Appended::Dropped => self.session.standalone.advance(),
                        Appended::Event { frame, .. } => {
                            self.session.standalone.advance();
                            return Next::Frame(frame);
                        }
                        Appended::Refused(error) => {
                            tracing::warn!(%error, "a standalone stream ends because it cannot be kept");
                            return Next::End;
                        }
                    }
                }
                queue::Next::Closed => return Next::End,
                queue::Next::Paused | queue::Next::Empty => break,
            }
        }
        if self.closing.is_cancelled() {
            return Next::End;
        }
        Next::Nothing
    }

    async fn wait(&mut self, until: Instant) {
        self.session.touch();
        tokio::select! {
            () = self.session.standalone.filled() => {}
            () = self.closing.cancelled() => {}
            () = sleep_until(until) => {}
        }
    }

    async fn is_alive(&mut self) -> bool {
        self.session.is_kept_by(self.store.as_deref()).await
    }
}

impl StandaloneStream {
    async fn begin(&mut self, begin: Begin) {
        let mut turn = self.session.turn.lock().await;
        if !self.is_current() || self.session.standalone.is_closed() {
            return;
        }
        let Some(log) = &self.log else { return };
        let (id, owner) = (&self.session.id, &self.session.owner);
        let Turn { stream, append } = &mut *turn;
        // The connection before may have gone while a message was being kept, which the client has not got then.
        let mut unsent = None;
        if append.has_begun()
            && let (Some(stream), queue::Next::Message(message)) =
                (&*stream, self.session.standalone.next())
        {
            let kept = append.keep(log, stream, &message).await;
            if let Ok(id) = kept {
                self.session.standalone.advance();
                unsent = Some(Event { id, data: message.json });
            }
        }
        if let Begin::After(last) = begin {
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
        match log.open(id, owner, StreamKind::Standalone).await {
            Ok(opened) => {
                let beginning = opened.beginning();
                *stream = Some(opened);
                self.primer = self.primed.then(|| primer(beginning, self.rules.retry));
            }
            Err(error) => tracing::debug!(%error, "a stream is not kept"),
        }
    }

    fn is_current(&self) -> bool {
        self.session.takeovers.load(Ordering::SeqCst) == self.takeover
    }
}
