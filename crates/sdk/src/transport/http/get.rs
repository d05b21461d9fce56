//! GET and DELETE: the standalone stream of a session, the rest of a stream that broke, and the end of the session.

use std::{
    collections::VecDeque,
    str::FromStr,
    sync::{Arc, atomic::Ordering},
};

use super::{
    events::{self, Begin, EventRules, ResumedStream, StandaloneStream, ToldStream},
    response::{self, HttpResponse},
    service::Endpoint,
    sessions::Session,
};
use crate::store::{Bus, EventId, EventLog, Listening, StreamKind};
use http::StatusCode;
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{Resumption, Revision},
    streamable_http::{Head, Rejection, SessionFact, admit_delete, admit_get},
};

impl Endpoint {
    pub(super) async fn get(
        &self,
        head: &Head<'_>,
        fact: SessionFact,
        session: Option<Arc<Session>>,
    ) -> HttpResponse {
        let admission = match admit_get(head, fact, &self.policy) {
            Ok(admission) => admission,
            Err(rejected) => return response::rejection(&rejected),
        };
        let Some(session) = session else { return response::internal() };
        match (admission.resume_after, &self.settings.event_log) {
            (Some(last), Some(log)) => {
                self.resume(session, Arc::clone(log), last.as_str(), admission.revision).await
            }
            _ => self.listen(session, admission.revision, Begin::Now).await,
        }
    }

    pub(super) async fn delete(
        &self,
        head: &Head<'_>,
        fact: SessionFact,
        session: Option<Arc<Session>>,
    ) -> HttpResponse {
        let admission = match admit_delete(head, fact, &self.policy) {
            Ok(admission) => admission,
            Err(rejected) => return response::rejection(&rejected),
        };
        let Some(session) = session else { return response::internal() };
        if let Err(refused) = self.unshare(&session).await {
            return refused;
        }
        self.sessions.remove(&session.id);
        self.end(&session).await;
        let deleted = admission.revision.rules().http.status.deleted;
        response::empty(StatusCode::from_u16(deleted).unwrap_or(StatusCode::NO_CONTENT))
    }

    /// The stream for what belongs to no request. A session has one: a client that asks again takes it over.
    async fn listen(
        &self,
        session: Arc<Session>,
        revision: Revision,
        begin: Begin,
    ) -> HttpResponse {
        if let (Some(bus), Begin::Now) = (&self.settings.bus, &begin) {
            return match bus.listen(&session.id, &session.owner, None).await {
                Ok(listening) => {
                    let beginning = listening.after;
                    self.told(session, Arc::clone(bus), listening, revision, Some(beginning))
                }
                Err(_) => response::overloaded("what is said to this client cannot be heard"),
            };
        }
        let takeover = session.takeovers.fetch_add(1, Ordering::SeqCst) + 1;
        session.standalone.wake();
        let log = self
            .settings
            .event_log
            .clone()
            .filter(|_| revision.rules().http.resumption != Resumption::Gone);
        let stream = StandaloneStream {
            closing: self.background.closing.clone(),
            session,
            takeover,
            log,
            store: self.settings.session_store.clone(),
            begin: Some(begin),
            replayed: VecDeque::new(),
            primer: None,
            primed: revision.rules().http.resumption == Resumption::Pollable,
            rules: EventRules::of(&self.settings),
        };
        response::events(revision, events::write(stream, self.settings.keep_alive))
    }

    /// The standalone stream of a session that several servers share.
    fn told(
        &self,
        session: Arc<Session>,
        bus: Arc<dyn Bus>,
        listening: Listening,
        revision: Revision,
        announced: Option<EventId>,
    ) -> HttpResponse {
        let resumption = revision.rules().http.resumption;
        let primer = announced
            .filter(|_| resumption == Resumption::Pollable)
            .map(|beginning| events::primer(beginning, self.settings.retry));
        let stream = ToldStream {
            closing: self.background.closing.clone(),
            session,
            bus,
            listening,
            store: self.settings.session_store.clone(),
            primer,
            events: VecDeque::new(),
            resumable: resumption != Resumption::Gone,
            over: false,
        };
        response::events(revision, events::write(stream, self.settings.keep_alive))
    }

    async fn resume(
        &self,
        session: Arc<Session>,
        log: Arc<dyn EventLog>,
        last: &str,
        revision: Revision,
    ) -> HttpResponse {
        let Ok(last) = EventId::from_str(last) else { return unknown_event() };
        if let Some(bus) = &self.settings.bus {
            match bus.listen(&session.id, &session.owner, Some(last)).await {
                Ok(listening) => {
                    return self.told(session, Arc::clone(bus), listening, revision, None);
                }
                // It is the stream of a request.
                Err(error) if error.is_unknown() => {}
                Err(error) if error.is_unavailable() => {
                    return response::overloaded("what is said to this client cannot be heard");
                }
                Err(_) => return unknown_event(),
            }
        }
        let replay = match log.replay(&session.id, &session.owner, last).await {
            Ok(replay) => replay,
            Err(error) if error.is_unavailable() => {
                return response::overloaded("the log of events cannot be used");
            }
            Err(_) => return unknown_event(),
        };
        if replay.kind == StreamKind::Standalone {
            return self.listen(session, revision, Begin::After(last)).await;
        }
        let (store, stopped) =
            (self.settings.session_store.clone(), self.background.stopped.clone());
        let rest = ResumedStream::new(session, log, store, last, replay, stopped);
        response::events(revision, events::write(rest, self.settings.keep_alive))
    }
}

fn unknown_event() -> HttpResponse {
    let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, "no such event in this session");
    response::rejection(&Rejection::new(StatusCode::BAD_REQUEST, error))
}
