//! The sessions of a single process.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};

use tokio::time::Instant;

use super::{Session, SessionRecord, SessionSettings, SessionStore};
use crate::BoxFuture;
use crate::store::{Cap, Principal, SessionId, StoreError, Timestamp, What, lock::lock, size};

/// Sessions in memory. Servers in one process share them by sharing the store.
#[derive(Debug)]
pub struct MemorySessionStore {
    settings: SessionSettings,
    sessions: Mutex<Sessions>,
}

#[derive(Debug, Default)]
struct Sessions {
    entries: HashMap<SessionId, Entry>,
    /// How many each has, without [`Principal::Anonymous`].
    shares: HashMap<Principal, usize>,
    /// Nothing expires before, so that a flood does not make us look through all sessions at every attempt.
    next_expiry: Option<Instant>,
}

#[derive(Debug)]
struct Entry {
    record: Arc<SessionRecord>,
    version: u64,
    last_used: Timestamp,
    expires: Instant,
}

impl MemorySessionStore {
    pub fn new(settings: SessionSettings) -> Self {
        Self { settings, sessions: Mutex::default() }
    }

    /// How many sessions there are, those that have expired unnoticed included.
    pub fn len(&self) -> usize {
        self.lock().entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn create_at(
        &self,
        now: Instant,
        id: &SessionId,
        record: SessionRecord,
    ) -> Result<(), StoreError> {
        size::check(What::Session, &record, self.settings.record_bytes)?;
        let mut sessions = self.lock();
        if sessions.check_room(&self.settings, &record.owner).is_err() {
            sessions.sweep(now);
        }
        sessions.check_room(&self.settings, &record.owner)?;
        if sessions.live(id, now).is_some() {
            return Err(StoreError::Conflict { what: What::Session });
        }
        sessions.remove(id);
        if record.owner.is_identified() {
            *sessions.shares.entry(record.owner.clone()).or_default() += 1;
        }
        let expires = now + self.settings.idle(record.phase);
        sessions.expect_expiry(expires);
        let last_used = record.created;
        let entry = Entry { record: Arc::new(record), version: 1, last_used, expires };
        sessions.entries.insert(id.clone(), entry);
        Ok(())
    }

    /// Marks a session of this principal as used, and gives it with when it was used before.
    fn used<'a>(
        &self,
        sessions: &'a mut Sessions,
        id: &SessionId,
        principal: &Principal,
        now: (Instant, Timestamp),
    ) -> Result<(&'a mut Entry, Timestamp), StoreError> {
        let entry = sessions.owned(id, principal, now.0)?;
        entry.expires = now.0 + self.settings.idle(entry.record.phase);
        let before = std::mem::replace(&mut entry.last_used, now.1);
        Ok((entry, before))
    }

    fn save_at(
        &self,
        id: &SessionId,
        version: u64,
        record: SessionRecord,
        now: (Instant, Timestamp),
    ) -> Result<u64, StoreError> {
        size::check(What::Session, &record, self.settings.record_bytes)?;
        let mut sessions = self.lock();
        let entry = sessions.owned(id, &record.owner, now.0)?;
        if entry.version != version {
            return Err(StoreError::Conflict { what: What::Session });
        }
        entry.version += 1;
        entry.expires = now.0 + self.settings.idle(record.phase);
        entry.last_used = now.1;
        entry.record = Arc::new(record);
        let (version, expires) = (entry.version, entry.expires);
        sessions.expect_expiry(expires);
        Ok(version)
    }

    fn lock(&self) -> MutexGuard<'_, Sessions> {
        lock(&self.sessions)
    }
}

impl Default for MemorySessionStore {
    fn default() -> Self {
        Self::new(SessionSettings::default())
    }
}

impl SessionStore for MemorySessionStore {
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        record: SessionRecord,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.create_at(Instant::now(), id, record) })
    }

    fn load<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Session, StoreError>> {
        Box::pin(async move {
            let mut sessions = self.lock();
            let now = (Instant::now(), now);
            let (entry, last_used) = self.used(&mut sessions, id, principal, now)?;
            Ok(Session { record: Arc::clone(&entry.record), version: entry.version, last_used })
        })
    }

    fn save<'a>(
        &'a self,
        id: &'a SessionId,
        version: u64,
        record: SessionRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(async move { self.save_at(id, version, record, (Instant::now(), now)) })
    }

    fn touch<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let now = (Instant::now(), now);
            self.used(&mut self.lock(), id, principal, now).map(|_| ())
        })
    }

    fn remove<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let mut sessions = self.lock();
            sessions.owned(id, principal, Instant::now())?;
            sessions.remove(id);
            Ok(())
        })
    }
}

impl Sessions {
    fn check_room(&self, settings: &SessionSettings, owner: &Principal) -> Result<(), StoreError> {
        if self.entries.len() >= settings.sessions {
            return Err(StoreError::Full { cap: Cap::Sessions, limit: settings.sessions });
        }
        let share = self.shares.get(owner).copied().unwrap_or(0);
        if owner.is_identified() && share >= settings.per_principal {
            let limit = settings.per_principal;
            return Err(StoreError::Full { cap: Cap::SessionsPerPrincipal, limit });
        }
        Ok(())
    }

    fn live(&mut self, id: &SessionId, now: Instant) -> Option<&mut Entry> {
        self.entries.get_mut(id).filter(|entry| now < entry.expires)
    }

    fn owned(
        &mut self,
        id: &SessionId,
        principal: &Principal,
        now: Instant,
    ) -> Result<&mut Entry, StoreError> {
        self.live(id, now)
            .filter(|entry| entry.record.owner == *principal)
            .ok_or(StoreError::Unknown(What::Session))
    }

    fn remove(&mut self, id: &SessionId) {
        if let Some(entry) = self.entries.remove(id) {
            give_back(&mut self.shares, &entry.record.owner);
        }
    }

    fn sweep(&mut self, now: Instant) {
        if self.next_expiry.is_none_or(|next| now < next) {
            return;
        }
        let shares = &mut self.shares;
        self.entries.retain(|_, entry| {
            let live = now < entry.expires;
            if !live {
                give_back(shares, &entry.record.owner);
            }
            live
        });
        self.next_expiry = self.entries.values().map(|entry| entry.expires).min();
    }

    /// A session expires then, or later if it is used.
    fn expect_expiry(&mut self, at: Instant) {
        self.next_expiry = Some(self.next_expiry.map_or(at, |next| next.min(at)));
    }
}

fn give_back(shares: &mut HashMap<Principal, usize>, owner: &Principal) {
    if let Some(share) = shares.get_mut(owner) {
        *share -= 1;
        if *share == 0 {
            shares.remove(owner);
        }
    }
}
