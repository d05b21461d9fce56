//! Sessions that several servers have together, by means of a store.
//!
//! What was agreed with a client is in the store, and any server can take the session up from there. What runs for a request is where it
//! began; [`relay`](super::relay) brings cancellations and answers to questions there.

use std::{collections::BTreeSet, sync::Arc, time::SystemTime};

use http::StatusCode;
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject},
    session::server::{Agreement, Client, Phase, ServerSession},
    streamable_http::Rejection,
};
use tokio::time::{Duration, Instant};

use super::{
    events::finish,
    post::owner_in,
    response::{self, HttpResponse},
    service::Endpoint,
    sessions::{Session, lock},
};
use crate::{
    caller::Principal,
    server::conversation::{Conversation, MessageSink},
    store::{self, EventLog, SessionId, SessionRecord, SessionStore, StoreError, Timestamp},
};

/// What this server knows of a session in the store.
pub(super) struct Shared {
    /// As it was read or written last.
    record: Arc<SessionRecord>,
    version: u64,
    /// The session's own count of changes when it was last as the record says.
    agreed: u32,
    /// When the store was last asked.
    asked: Instant,
    /// No other server has changed it since, as far as that is known.
    trusted: bool,
}

impl Endpoint {
    /// The session with this id, from here or from the store, if it belongs to this principal.
    pub(super) async fn find(
        &self,
        id: &SessionId,
        principal: &Principal,
    ) -> Result<Option<Arc<Session>>, HttpResponse> {
        let here = self.sessions.get(id, principal, &self.settings);
        let Some(store) = &self.settings.session_store else { return Ok(here) };
        if here.as_ref().is_some_and(|session| session.is_trusted(self.settings.session_trust)) {
            return Ok(here);
        }
        match (store.load(id, principal, now()).await, here) {
            (Ok(stored), Some(session)) => {
                session.adopt(&stored);
                Ok(Some(session))
            }
            (Ok(stored), None) => self.take_up(id, principal, &stored).await.map(Some),
            (Err(error), here) if error.is_unknown() => {
                // It was ended elsewhere.
                if let Some(session) = here {
                    self.sessions.remove(&session.id);
                    self.end(&session).await;
                }
                Ok(None)
            }
            // Its handshake may have ended elsewhere.
            (Err(error), Some(session)) if !session.is_initialized() => Err(away(&error)),
            (Err(error), Some(session)) => {
                tracing::warn!(%error, "a session goes on without its store");
                Ok(Some(session))
            }
            (Err(error), None) => Err(away(&error)),
        }
    }

    /// Puts a new session into the store, where other servers find it.
    pub(super) async fn share(&self, session: &Session) -> Result<(), HttpResponse> {
        let Some(store) = &self.settings.session_store else { return Ok(()) };
        let look = |it: &ServerSession| (it.agreement(), it.agreement_changes());
        let (Some(agreement), agreed) = session.conversation.with_session(look) else {
            return Err(response::internal());
        };
        let record = record(agreement, session.owner.clone(), now());
        match store.create(&session.id, record.clone()).await {
            Ok(()) => {}
            Err(error) if error.is_full() => return Err(response::overloaded("too many sessions")),
            Err(error) if error.is_too_large() => {
                let error = ErrorObject::new(ErrorCode::INVALID_PARAMS, error.to_string());
                return Err(response::rejection(&Rejection::new(StatusCode::BAD_REQUEST, error)));
            }
            Err(error) => return Err(away(&error)),
        }
        let (record, asked) = (Arc::new(record), Instant::now());
        *lock(&session.shared) =
            Some(Box::new(Shared { record, version: 1, agreed, asked, trusted: true }));
        Ok(())
    }

    /// Sees that the store has what a message of the client has just changed.
    pub(super) async fn keep(&self, session: &Session) -> Result<(), HttpResponse> {
        let Some(store) = &self.settings.session_store else { return Ok(()) };
        for _ in 0..ATTEMPTS {
            let Some((record, version, agreed)) = session.unsaved() else { return Ok(()) };
            match store.save(&session.id, version, record.clone(), now()).await {
                Ok(version) => {
                    session.saved(record, version, agreed);
                    self.tell_changed(&session.id).await;
                    return Ok(());
                }
                Err(error) if error.is_conflict() => {
                    let stored = store.load(&session.id, &session.owner, now()).await;
                    session.adopt(&stored.map_err(|error| away(&error))?);
                }
                Err(error) => return Err(away(&error)),
            }
        }
        Err(response::overloaded("the session is being changed elsewhere"))
    }

    /// Ends a session for all servers.
    pub(super) async fn unshare(&self, session: &Session) -> Result<(), HttpResponse> {
        let Some(store) = &self.settings.session_store else { return Ok(()) };
        match store.remove(&session.id, &session.owner).await {
            Err(error) if !error.is_unknown() => Err(away(&error)),
            _ => {
                self.tell_ended(&session.id).await;
                Ok(())
            }
        }
    }

    /// Goes by what the store has of a session that another server has changed.
    pub(super) async fn reload(&self, session: &Session) {
        session.distrust();
        let Some(store) = &self.settings.session_store else { return };
        // What runs in it should know of the change, and so should what is announced here next.
        if let Ok(stored) = store.load(&session.id, &session.owner, now()).await {
            session.adopt(&stored);
        }
    }

    /// Ends a session that cannot be found any more, here or elsewhere.
    pub(super) async fn end(&self, session: &Arc<Session>) {
        *lock(&session.shared) = None;
        self.leave(vec![Arc::clone(session)]).await;
    }

    /// Lets go of sessions that cannot be found here any more. Those that are shared may go on at another server.
    pub(super) async fn leave(&self, sessions: Vec<Arc<Session>>) {
        for session in &sessions {
            session.end();
        }
        let (log, server) = (self.settings.event_log.clone(), self.server.clone());
        let clear = async move {
            for session in sessions {
                // What is shared may go on elsewhere, with its tasks.
                if !session.owner.is_identified() && lock(&session.shared).is_none() {
                    server.forget_tasks(&session.conversation.owner).await;
                }
                if let Some(log) = &log {
                    session.clear(log.as_ref()).await;
                }
            }
        };
        self.background.see_through(clear).await;
    }

    /// Makes a session of what the store has.
    async fn take_up(
        &self,
        id: &SessionId,
        principal: &Principal,
        stored: &store::Session,
    ) -> Result<Arc<Session>, HttpResponse> {
        if let Some(before) = self.sessions.take_if_expired(id, &self.settings) {
            self.leave(vec![before]).await;
        }
        let session = ServerSession::resumed(Arc::clone(&self.offer), agreement(&stored.record));
        let session = self.numbered(session);
        let agreed = session.agreement_changes();
        let (standalone, owner) = (self.new_queue(), owner_in(id, principal));
        let outbox = self.outbox(id, principal);
        let said: Arc<dyn MessageSink> =
            outbox.clone().map_or_else(|| standalone.clone() as _, |outbox| outbox as _);
        let conversation = Conversation::new(self.server.clone(), session, owner, said);
        let session = Session::new(id.clone(), principal.clone(), None, conversation, standalone)
            .saying(outbox);
        let (record, version) = (Arc::clone(&stored.record), stored.version);
        if record.phase == Phase::Ready {
            session.set_initialized();
        }
        *lock(&session.shared) = Some(Box::new(Shared {
            record,
            version,
            agreed,
            asked: Instant::now(),
            trusted: true,
        }));
        let session = Arc::new(session);
        let found =
            self.insert(&session).await.map_err(|_| response::overloaded("too many sessions"))?;
        if Arc::ptr_eq(&found, &session) {
            self.server.register(&found.conversation);
        }
        Ok(found)
    }
}

impl Session {
    /// Whether there is no need to ask a store about it.
    fn is_trusted(&self, trust: Duration) -> bool {
        lock(&self.shared)
            .as_ref()
            .is_none_or(|shared| shared.trusted && shared.asked.elapsed() < trust)
    }

    /// Has the store asked before it is used next.
    pub(super) fn distrust(&self) {
        if let Some(shared) = lock(&self.shared).as_deref_mut() {
            shared.trusted = false;
        }
    }

    /// Goes by what the store has, without losing what was changed here.
    fn adopt(&self, stored: &store::Session) {
        let mut shared = lock(&self.shared);
        let Some(shared) = shared.as_deref_mut() else { return };
        (shared.asked, shared.trusted) = (Instant::now(), true);
        if stored.version <= shared.version {
            return;
        }
        let theirs = &stored.record;
        self.conversation.edit_session(|session| {
            let Some(ours) = session.agreement() else { return };
            let ours = record(ours, theirs.owner.clone(), theirs.created);
            let both = merged(&shared.record, &ours, theirs);
            shared.agreed = session.agreement_changes().wrapping_sub(u32::from(both != **theirs));
            session.adopt(agreement(&both));
        });
        if theirs.phase == Phase::Ready {
            self.set_initialized();
        }
        shared.record = Arc::clone(theirs);
        shared.version = stored.version;
    }

    /// What the store does not have yet: the record, the version it replaces, and the count of changes that it stands for.
    fn unsaved(&self) -> Option<(SessionRecord, u64, u32)> {
        let shared = lock(&self.shared);
        let shared = shared.as_deref()?;
        let (agreement, agreed) = self.conversation.with_session(|session| {
            let agreed = session.agreement_changes();
            (if agreed == shared.agreed { None } else { session.agreement() }, agreed)
        });
        let record = record(agreement?, self.owner.clone(), shared.record.created);
        Some((record, shared.version, agreed))
    }

    fn saved(&self, record: SessionRecord, version: u64, agreed: u32) {
        if let Some(shared) = lock(&self.shared).as_deref_mut()
            && shared.version < version
        {
            let (record, asked) = (Arc::new(record), Instant::now());
            *shared = Shared { record, version, agreed, asked, trusted: true };
        }
    }

    /// Leaves nothing in the log that would never be dropped.
    async fn clear(&self, log: &dyn EventLog) {
        // A connection that gets the turn after this finds the standalone stream closed, and begins nothing.
        let mut turn = self.turn.lock().await;
        let shared = lock(&self.shared).is_some();
        if !shared {
            if let Err(error) = log.forget(&self.id).await {
                tracing::debug!(%error, "the events of a session are not forgotten");
            }
        } else if let Some(stream) = turn.stream.take() {
            finish(log, &stream).await;
        }
    }

    /// Tells the store, if it is in one, that its client listens. `false` if the session was ended elsewhere.
    pub(super) async fn is_kept_by(&self, store: Option<&dyn SessionStore>) -> bool {
        let Some(store) = store.filter(|_| lock(&self.shared).is_some()) else { return true };
        let touched = store.touch(&self.id, &self.owner, now()).await;
        !touched.is_err_and(|error| error.is_unknown())
    }
}

/// What two servers made of a record that both had read as `base`. What only one of them changed is as that one left it.
fn merged(base: &SessionRecord, ours: &SessionRecord, theirs: &SessionRecord) -> SessionRecord {
    let mut both = theirs.clone();
    both.phase = ours.phase.max(theirs.phase);
    if ours.log_level != base.log_level {
        both.log_level = ours.log_level;
    }
    both.watched.extend(ours.watched.difference(&base.watched).cloned());
    both.watched.retain(|uri| ours.watched.contains(uri) || !base.watched.contains(uri));
    both
}

fn record(agreement: Agreement, owner: Principal, created: Timestamp) -> SessionRecord {
    let Agreement { revision, client, phase, level, watched } = agreement;
    SessionRecord {
        owner,
        revision,
        client: client.info,
        capabilities: client.capabilities,
        phase,
        log_level: level,
        watched: BTreeSet::from_iter(watched),
        created,
    }
}

fn agreement(record: &SessionRecord) -> Agreement {
    Agreement {
        revision: record.revision,
        client: Client { info: record.client.clone(), capabilities: record.capabilities.clone() },
        phase: record.phase,
        level: record.log_level,
        watched: record.watched.iter().cloned().collect(),
    }
}

fn away(error: &StoreError) -> HttpResponse {
    tracing::warn!(%error, "the store of sessions does not do its work");
    response::overloaded("the store of sessions cannot be used")
}

fn now() -> Timestamp {
    Timestamp::from(SystemTime::now())
}

/// How often a change is tried that other servers get in the way of.
const ATTEMPTS: usize = 8;

#[cfg(test)]
mod tests;
