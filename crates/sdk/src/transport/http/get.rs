//! GET and DELETE: the standing stream of a session, the rest of a stream that broke, and the end.

use std::{
    collections::VecDeque,
    str::FromStr,
    sync::{Arc, atomic::Ordering},
};

use bytes::Bytes;
use futures_util::stream::unfold;
use http::StatusCode;
use proofmark_core::{
    framing::sse,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{Resumption, Revision},
    streamable_http::{Head, Rejection, SessionFact, admit_delete, admit_get},
};
use tokio::time::{Duration, Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{
    answer::{self, Answer},
    service::Endpoint,
    sessions::Session,
    stand::{From, Stand},
};
use crate::store::{Event, EventId, EventLog, SessionStore, StreamEnd, StreamKind};

impl Endpoint {
    pub(super) async fn get(
        &self,
        head: &Head<'_>,
        fact: SessionFact,
        session: Option<Arc<Session>>,
    ) -> Answer {
        let admission = match admit_get(head, fact, &self.policy) {
            Ok(admission) => admission,
            Err(rejected) => return answer::rejection(&rejected),
        };
        let Some(session) = session else { return answer::internal() };
        match (admission.resume_after, &self.settings.event_log) {
            (Some(last), Some(log)) => {
                self.resume(session, Arc::clone(log), last.as_str(), admission.revision).await
            }
            _ => self.stand(session, admission.revision, From::Now),
        }
    }

    pub(super) async fn delete(
        &self,
        head: &Head<'_>,
        fact: SessionFact,
        session: Option<Arc<Session>>,
    ) -> Answer {
        let admission = match admit_delete(head, fact, &self.policy) {
            Ok(admission) => admission,
            Err(rejected) => return answer::rejection(&rejected),
        };
        let Some(session) = session else { return answer::internal() };
        if let Err(refused) = self.unshare(&session).await {
            return refused;
        }
        self.sessions.remove(&session.id);
        self.end(&session).await;
        let deleted = admission.revision.rules().http.status.deleted;
        answer::empty(StatusCode::from_u16(deleted).unwrap_or(StatusCode::NO_CONTENT))
    }

    /// The stream for what belongs to no request. A session has one: who asks again takes it over.
    fn stand(&self, session: Arc<Session>, revision: Revision, from: From) -> Answer {
        let takeover = session.takeovers.fetch_add(1, Ordering::SeqCst) + 1;
        session.standing.wake();
        let log = self
            .settings
            .event_log
            .clone()
            .filter(|_| revision.rules().http.resumption != Resumption::Gone);
        let stand = Stand {
            closing: self.tasks.closing.clone(),
            session,
            takeover,
            log,
            store: self.settings.session_store.clone(),
            from: Some(from),
            replayed: VecDeque::new(),
            primer: None,
            primed: revision.rules().http.resumption == Resumption::Pollable,
            unkept: self.settings.unkept,
            max_event: self.settings.max_event,
            retry: self.settings.retry,
            keep_alive: self.settings.keep_alive,
        };
        answer::events(
            revision,
            unfold(stand, |mut stand| async move { Some((stand.next_event().await?, stand)) }),
        )
    }

    async fn resume(
        &self,
        session: Arc<Session>,
        log: Arc<dyn EventLog>,
        last: &str,
        revision: Revision,
    ) -> Answer {
        let Ok(last) = EventId::from_str(last) else { return unknown_event() };
        let Ok(replay) = log.replay(&session.id, &session.owner, last).await else {
            return unknown_event();
        };
        if replay.kind == StreamKind::Standing {
            return self.stand(session, revision, From::After(last));
        }
        let rest = Rest {
            session,
            log,
            store: self.settings.session_store.clone(),
            last,
            events: replay.events.into(),
            end: replay.end,
            stopped: self.tasks.stopped.clone(),
            keep_alive: self.settings.keep_alive,
        };
        answer::events(
            revision,
            unfold(rest, |mut rest| async move { Some((rest.next_event().await?, rest)) }),
        )
    }
}

fn unknown_event() -> Answer {
    let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, "no such event in this session");
    answer::rejection(&Rejection::new(StatusCode::BAD_REQUEST, error))
}

/// What is left of the stream of a request that broke, and what is still to come on it.
struct Rest {
    session: Arc<Session>,
    log: Arc<dyn EventLog>,
    store: Option<Arc<dyn SessionStore>>,
    last: EventId,
    events: VecDeque<Event>,
    end: StreamEnd,
    stopped: CancellationToken,
    keep_alive: Duration,
}

impl Rest {
    async fn next_event(&mut self) -> Option<Bytes> {
        let quiet_until = Instant::now() + self.keep_alive;
        loop {
            if let Some(next) = self.events.pop_front() {
                self.last = next.id;
                return Some(event(Some(next.id), &next.data, None));
            }
            if self.end == StreamEnd::Ended {
                return None;
            }
            self.session.touch();
            tokio::select! {
                grown = self.log.grown(&self.session.id, &self.session.owner, self.last) => grown.ok()?,
                () = self.stopped.cancelled() => return None,
                () = sleep_until(quiet_until) => {
                    return self.session.is_kept_by(self.store.as_deref()).await.then(sign_of_life);
                }
            }
            let replay =
                self.log.replay(&self.session.id, &self.session.owner, self.last).await.ok()?;
            self.events = replay.events.into();
            self.end = replay.end;
        }
    }
}

pub(super) fn event(id: Option<EventId>, data: &[u8], retry: Option<Duration>) -> Bytes {
    let id = id.map(|id| id.to_string());
    let id = id.as_deref().and_then(|id| sse::EventId::parse(id).ok());
    let mut out = Vec::with_capacity(data.len() + 64);
    sse::Event { id, event: None, data: Some(data), retry }.write(&mut out);
    out.into()
}

pub(super) fn sign_of_life() -> Bytes {
    let mut out = Vec::new();
    sse::comment(&mut out, "");
    out.into()
}
