//! The stream of a request that broke, from the log.

use std::{collections::VecDeque, sync::Arc};

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{EventSource, Next, logged};
use crate::{
    store::{Event, EventId, EventLog, Replay, SessionStore, StreamEnd},
    transport::http::sessions::Session,
};

/// What is left of the stream of a request, and what is still to come on it.
pub(in crate::transport::http) struct ResumedStream {
    session: Arc<Session>,
    log: Arc<dyn EventLog>,
    store: Option<Arc<dyn SessionStore>>,
    last: EventId,
    events: VecDeque<Event>,
    end: StreamEnd,
    stopped: CancellationToken,
}

impl ResumedStream {
    /// The rest after the event `last`, as the log has it.
    pub(in crate::transport::http) fn new(
        session: Arc<Session>,
        log: Arc<dyn EventLog>,
        store: Option<Arc<dyn SessionStore>>,
        last: EventId,
        rest: Replay,
        stopped: CancellationToken,
    ) -> Self {
        Self { session, log, store, last, events: rest.events.into(), end: rest.end, stopped }
    }
}

impl EventSource for ResumedStream {
    async fn next(&mut self) -> Next {
        if let Some(next) = self.events.pop_front() {
            self.last = next.id;
            return Next::Frame(logged(&next));
        }
        if self.end == StreamEnd::Ended || self.stopped.is_cancelled() {
            return Next::End;
        }
        self.session.touch();
        Next::Nothing
    }

    async fn wait(&mut self, until: Instant) {
        let (id, owner) = (&self.session.id, &self.session.owner);
        let grown = tokio::select! {
            grown = self.log.grown(id, owner, self.last) => grown,
            () = self.stopped.cancelled() => return,
            () = sleep_until(until) => return,
        };
        let replay = match grown {
            Ok(()) => self.log.replay(id, owner, self.last).await,
            Err(error) => Err(error),
        };
        match replay {
            Ok(replay) => {
                self.events = replay.events.into();
                self.end = replay.end;
            }
            Err(_) => self.end = StreamEnd::Ended,
        }
    }

    async fn is_alive(&mut self) -> bool {
        self.session.is_kept_by(self.store.as_deref()).await
    }
}
