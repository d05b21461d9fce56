//! Legacy HTTP sessions in the store.

use std::{sync::Arc, time::Duration};

use proofmark_sdk::{
    BoxFuture,
    store::{
        Cap, Phase, Principal, Session, SessionId, SessionRecord, SessionStore, StoreError,
        Timestamp, What,
    },
};
use redis::Script;

use crate::{
    keys,
    link::{Link, growing_script, script},
    reply::{Reply, full, unexpected},
};

/// Sessions that all servers with the same store and prefix have together.
///
/// A session and what counts it are kept in different places of a cluster. Of the two steps that begin a session the first takes a place
/// for it, which is free again when the session would have expired, should the second never come.
pub struct RedisSessionStore {
    link: Link,
    scripts: Scripts,
}

struct Scripts {
    reserve: Script,
    create: Script,
    used: Script,
    refresh: Script,
    save: Script,
    remove: Script,
}

impl RedisSessionStore {
    pub(crate) fn new(link: Link) -> Self {
        let scripts = Scripts {
            reserve: growing_script(include_str!("sessions/reserve.lua")),
            create: growing_script(include_str!("sessions/create.lua")),
            used: script(include_str!("sessions/used.lua")),
            refresh: script(include_str!("sessions/refresh.lua")),
            save: growing_script(include_str!("sessions/save.lua")),
            remove: script(include_str!("sessions/remove.lua")),
        };
        Self { link, scripts }
    }

    async fn create_now(&self, id: &SessionId, record: SessionRecord) -> Result<(), StoreError> {
        let (text, idle) = (self.written(&record)?, self.idle(record.phase));
        let counted = self.reserve(id, &record.owner, &idle).await?;
        let (owner, used) = (keys::owner(&record.owner), record.created.0.to_string());
        let arguments = [owner.as_bytes(), &text, used.as_bytes(), idle.as_bytes(), FORM];
        let key = self.link.keys().session(id);
        let reply: Reply = self.link.run(&self.scripts.create, &[&key], &arguments).await?;
        let created = reply.of(What::Session).map(|_| ());
        if created.is_err() && counted {
            self.uncount(id, &owner).await?;
        }
        created
    }

    /// Takes a place among the sessions. `false` if there is one under this id already.
    async fn reserve(
        &self,
        id: &SessionId,
        owner: &Principal,
        idle: &str,
    ) -> Result<bool, StoreError> {
        let settings = &self.link.settings().sessions;
        let (sessions, share) = (settings.sessions.to_string(), settings.per_principal.to_string());
        let (all, theirs) = self.counts(owner);
        let keys: &[&str] = if owner.is_identified() { &[&all, &theirs] } else { &[&all] };
        let arguments =
            [id.as_str().as_bytes(), idle.as_bytes(), sessions.as_bytes(), share.as_bytes()];
        let reply: Reply = self.link.run(&self.scripts.reserve, keys, &arguments).await?;
        match reply.word.as_str() {
            "new" => Ok(true),
            "known" => Ok(false),
            "full" => Err(full(Cap::Sessions, settings.sessions)),
            "share" => Err(full(Cap::SessionsPerPrincipal, settings.per_principal)),
            _ => Err(unexpected()),
        }
    }

    async fn used(
        &self,
        id: &SessionId,
        principal: &Principal,
        now: Timestamp,
        wanted: &[u8],
    ) -> Result<Reply, StoreError> {
        let (key, owner, now) =
            (self.link.keys().session(id), keys::owner(principal), now.0.to_string());
        let arguments = [owner.as_bytes(), now.as_bytes(), wanted];
        let reply: Reply = self.link.run(&self.scripts.used, &[&key], &arguments).await?;
        let mut reply = reply.of(What::Session)?;
        // The count is told of a use only now and then.
        if let Some(idle) = reply.take::<Option<String>>()? {
            self.refresh(id, principal, &idle).await?;
        }
        Ok(reply)
    }

    async fn save_now(
        &self,
        id: &SessionId,
        version: u64,
        record: SessionRecord,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let (text, idle) = (self.written(&record)?, self.idle(record.phase));
        let (key, owner) = (self.link.keys().session(id), keys::owner(&record.owner));
        let (version, now) = (version.to_string(), now.0.to_string());
        let arguments =
            [owner.as_bytes(), version.as_bytes(), &text, now.as_bytes(), idle.as_bytes(), FORM];
        let reply: Reply = self.link.run(&self.scripts.save, &[&key], &arguments).await?;
        let mut reply = reply.of(What::Session)?;
        let (version, lives_longer) = (reply.take()?, reply.take()?);
        if lives_longer {
            self.refresh(id, &record.owner, &idle).await?;
        }
        Ok(version)
    }

    /// Tells the count until when a session lives.
    async fn refresh(
        &self,
        id: &SessionId,
        owner: &Principal,
        idle: &str,
    ) -> Result<(), StoreError> {
        let (all, theirs) = self.counts(owner);
        let arguments = [id.as_str().as_bytes(), idle.as_bytes()];
        let reply: Reply =
            self.link.run(&self.scripts.refresh, &[&all, &theirs], &arguments).await?;
        reply.of(What::Session).map(|_| ())
    }

    async fn uncount(&self, id: &SessionId, owner: &str) -> Result<(), StoreError> {
        let keys = self.link.keys();
        for key in [keys.sessions(), keys.sessions_of(owner)] {
            let () = self.link.command(redis::cmd("ZREM").arg(key).arg(id.as_str())).await?;
        }
        Ok(())
    }

    fn counts(&self, owner: &Principal) -> (String, String) {
        let keys = self.link.keys();
        (keys.sessions(), keys.sessions_of(&keys::owner(owner)))
    }

    /// A record as it is kept, unless it is too large.
    fn written(&self, record: &SessionRecord) -> Result<Vec<u8>, StoreError> {
        let text = serde_json::to_vec(record).map_err(crate::link::unavailable)?;
        let (size, limit) = (text.len(), self.link.settings().sessions.record_bytes);
        if size > limit {
            return Err(StoreError::TooLarge { what: What::Session, size, limit });
        }
        Ok(text)
    }

    fn idle(&self, phase: Phase) -> String {
        let settings = &self.link.settings().sessions;
        let idle: Duration = match phase {
            Phase::Initializing => settings.idle_initializing,
            Phase::Ready => settings.idle,
        };
        idle.as_millis().max(1).to_string()
    }
}

impl SessionStore for RedisSessionStore {
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        record: SessionRecord,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.create_now(id, record))
    }

    fn load<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Session, StoreError>> {
        Box::pin(async move {
            let mut reply = self.used(id, principal, now, b"record").await?;
            let (version, last_used) = (reply.take()?, Timestamp(reply.take()?));
            let (form, text): (u64, Vec<u8>) = (reply.take()?, reply.take()?);
            if form > NEWEST_FORM {
                return Err(unexpected());
            }
            let record = serde_json::from_slice(&text).map_err(crate::link::unavailable)?;
            Ok(Session { record: Arc::new(record), version, last_used })
        })
    }

    fn save<'a>(
        &'a self,
        id: &'a SessionId,
        version: u64,
        record: SessionRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(self.save_now(id, version, record, now))
    }

    fn touch<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.used(id, principal, now, b"").await.map(|_| ()) })
    }

    fn remove<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let (key, owner) = (self.link.keys().session(id), keys::owner(principal));
            let arguments = [owner.as_bytes()];
            let reply: Reply = self.link.run(&self.scripts.remove, &[&key], &arguments).await?;
            reply.of(What::Session)?;
            self.uncount(id, &owner).await
        })
    }
}

/// The form of records as this version writes them. A reader refuses forms that are newer than it knows.
const FORM: &[u8] = b"1";
const NEWEST_FORM: u64 = 1;
