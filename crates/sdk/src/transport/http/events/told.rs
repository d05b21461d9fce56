//! The standalone stream of a shared session: what any server says to its client.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{EventSource, Next, logged};
use crate::{
    store::{Bus, Event, Listening, SessionStore},
    transport::http::sessions::Session,
};

/// One connection that carries the standalone stream of a shared session, until another one takes it over, here or elsewhere.
pub(in crate::transport::http) struct ToldStream {
    pub(in crate::transport::http) closing: CancellationToken,
    pub(in crate::transport::http) session: Arc<Session>,
    pub(in crate::transport::http) bus: Arc<dyn Bus>,
    pub(in crate::transport::http) listening: Listening,
    pub(in crate::transport::http) store: Option<Arc<dyn SessionStore>>,
    /// What announces the id to come back with, until it is sent.
    pub(in crate::transport::http) primer: Option<Bytes>,
    pub(in crate::transport::http) events: VecDeque<Event>,
    /// Whether ids are of use to the client.
    pub(in crate::transport::http) resumable: bool,
    pub(in crate::transport::http) over: bool,
}

impl EventSource for ToldStream {
    async fn next(&mut self) -> Next {
        if let Some(primer) = self.primer.take() {
            return Next::Frame(primer);
        }
        if let Some(event) = self.events.pop_front() {
            return Next::Frame(if self.resumable {
                logged(&event)
            } else {
                super::message(None, &event.data)
            });
        }
        if self.over || self.closing.is_cancelled() || self.session.standalone.is_closed() {
            return Next::End;
        }
        Next::Nothing
    }

    async fn wait(&mut self, until: Instant) {
        self.session.touch();
        let spoken = tokio::select! {
            spoken = self.bus.spoken(&self.listening) => spoken,
            () = self.session.standalone.filled() => return,
            () = self.closing.cancelled() => return,
            () = sleep_until(until) => return,
        };
        let taken = match spoken {
            Ok(()) => self.bus.take(&self.listening).await,
            Err(error) => Err(error),
        };
        match taken {
            Ok(events) => self.events = events.into(),
            // Taken over, or the store is away: a client that wants more comes back.
            Err(_) => self.over = true,
        }
    }

    async fn is_alive(&mut self) -> bool {
        self.session.is_kept_by(self.store.as_deref()).await
    }
}
