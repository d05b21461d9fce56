//! The tasks of a single process.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    sync::{Arc, Mutex},
    time::Duration,
};

use proofmark_core::types::{BadTransition, InputRequests, TaskStatus};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use super::{TaskKey, TaskPage, TaskRecord, TaskSettings, TaskStore};
use crate::BoxFuture;
use crate::store::{Cap, Principal, StoreError, TaskId, Timestamp, What, lock::lock, size};

/// Tasks in memory: they end with the process.
#[derive(Debug)]
pub struct MemoryTaskStore {
    settings: TaskSettings,
    tasks: Mutex<Tasks>,
}

#[derive(Debug, Default)]
struct Tasks {
    entries: HashMap<TaskId, Entry>,
    /// Without [`Principal::Anonymous`].
    by_owner: HashMap<Principal, BTreeMap<TaskKey, TaskId>>,
    by_expiry: BTreeMap<(Instant, TaskKey), TaskId>,
    /// Tasks that have ended, oldest first: they give way when there is no room for a new one.
    ended: BTreeMap<TaskKey, TaskId>,
    bytes: usize,
    last: TaskKey,
}

#[derive(Debug)]
struct Entry {
    record: Arc<TaskRecord>,
    size: usize,
    created: Instant,
    expires: Instant,
    /// Sends at each change; closes when the task is gone.
    changes: watch::Sender<()>,
}

impl MemoryTaskStore {
    pub fn new(settings: TaskSettings) -> Self {
        Self { settings, tasks: Mutex::default() }
    }

    fn create_at(
        &self,
        now: Instant,
        mut record: TaskRecord,
    ) -> Result<Arc<TaskRecord>, StoreError> {
        let ttl = self.clamp(&mut record);
        let size = size::check(What::Task, &record, self.settings.record_bytes)?;
        let mut tasks = lock(&self.tasks);
        tasks.expire(now);
        if tasks.entries.contains_key(&record.id) {
            return Err(StoreError::Conflict { what: What::Task });
        }
        tasks.make_room(&self.settings, &record.owner, size)?;
        tasks.last.0 += 1;
        record.key = tasks.last;
        record.version = 1;
        let (id, key) = (record.id.clone(), record.key);
        if record.owner.is_identified() {
            tasks.by_owner.entry(record.owner.clone()).or_default().insert(key, id.clone());
        }
        let record = Arc::new(record);
        let entry = Entry {
            record: Arc::clone(&record),
            size,
            created: now,
            expires: now + ttl,
            changes: watch::Sender::new(()),
        };
        tasks.bytes += size;
        tasks.by_expiry.insert((entry.expires, key), id.clone());
        tasks.entries.insert(id, entry);
        Ok(record)
    }

    fn update_at(
        &self,
        now: Instant,
        mut record: TaskRecord,
    ) -> Result<Arc<TaskRecord>, StoreError> {
        let ttl = self.clamp(&mut record);
        let size = size::check(What::Task, &record, self.settings.record_bytes)?;
        let mut tasks = lock(&self.tasks);
        tasks.expire(now);
        let before = tasks.owned(&record.id, &record.owner)?;
        before.check_step(record.status)?;
        if before.record.version != record.version {
            return Err(StoreError::Conflict { what: What::Task });
        }
        record.version += 1;
        record.key = before.record.key;
        record.created = before.record.created;
        let more = size.saturating_sub(before.size);
        while more > 0 && tasks.bytes + more > self.settings.total_bytes {
            if !tasks.drop_ended(None) {
                return Err(StoreError::Full { cap: Cap::Bytes, limit: self.settings.total_bytes });
            }
        }
        Ok(tasks.replace(record, ttl, size))
    }

    fn cancel_at(
        &self,
        now: (Instant, Timestamp),
        id: &TaskId,
        owner: &Principal,
    ) -> Result<Arc<TaskRecord>, StoreError> {
        let mut tasks = lock(&self.tasks);
        tasks.expire(now.0);
        let before = tasks.owned(id, owner)?;
        before.check_step(TaskStatus::Cancelled)?;
        let mut record = (*before.record).clone();
        record.version += 1;
        record.status = TaskStatus::Cancelled;
        record.updated = now.1;
        record.input_requests = InputRequests::default();
        let (ttl, size) = (before.expires.duration_since(before.created), before.size);
        Ok(tasks.replace(record, ttl, size))
    }

    fn list_at(
        &self,
        now: Instant,
        owner: &Principal,
        after: Option<TaskKey>,
        limit: usize,
    ) -> TaskPage {
        let mut tasks = lock(&self.tasks);
        tasks.expire(now);
        let Some(theirs) = tasks.by_owner.get(owner) else { return TaskPage::default() };
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut rest = theirs.range((start, Bound::Unbounded));
        let page = rest.by_ref().take(limit.max(1));
        let page: Vec<_> = page
            .filter_map(|(_, id)| tasks.entries.get(id))
            .map(|entry| Arc::clone(&entry.record))
            .collect();
        let next = rest.next().and_then(|_| page.last()).map(|task| task.key);
        TaskPage { tasks: page, next }
    }

    async fn wait(
        &self,
        id: &TaskId,
        owner: &Principal,
        version: u64,
    ) -> Result<Arc<TaskRecord>, StoreError> {
        loop {
            let (mut changes, expires) = {
                let mut tasks = lock(&self.tasks);
                tasks.expire(Instant::now());
                let entry = tasks.owned(id, owner)?;
                if entry.record.version > version {
                    return Ok(Arc::clone(&entry.record));
                }
                (entry.changes.subscribe(), entry.expires)
            };
            // A change, the end of the task's time, or its removal: whichever it was, the next look tells.
            let _ = timeout_at(expires, changes.changed()).await;
        }
    }

    /// Gives a record the time to live that it gets.
    fn clamp(&self, record: &mut TaskRecord) -> Duration {
        let ttl = record.ttl.map_or(self.settings.ttl, |ttl| ttl.min(self.settings.ttl));
        record.ttl = Some(ttl);
        ttl
    }
}

impl Default for MemoryTaskStore {
    fn default() -> Self {
        Self::new(TaskSettings::default())
    }
}

impl TaskStore for MemoryTaskStore {
    fn create(&self, task: TaskRecord) -> BoxFuture<'_, Result<Arc<TaskRecord>, StoreError>> {
        Box::pin(async move { self.create_at(Instant::now(), task) })
    }

    fn get<'a>(
        &'a self,
        id: &'a TaskId,
        owner: &'a Principal,
    ) -> BoxFuture<'a, Result<Arc<TaskRecord>, StoreError>> {
        Box::pin(async move {
            let mut tasks = lock(&self.tasks);
            tasks.expire(Instant::now());
            tasks.owned(id, owner).map(|entry| Arc::clone(&entry.record))
        })
    }

    fn update(&self, task: TaskRecord) -> BoxFuture<'_, Result<Arc<TaskRecord>, StoreError>> {
        Box::pin(async move { self.update_at(Instant::now(), task) })
    }

    fn cancel<'a>(
        &'a self,
        id: &'a TaskId,
        owner: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Arc<TaskRecord>, StoreError>> {
        Box::pin(async move { self.cancel_at((Instant::now(), now), id, owner) })
    }

    fn list<'a>(
        &'a self,
        owner: &'a Principal,
        after: Option<TaskKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<TaskPage, StoreError>> {
        Box::pin(async move { Ok(self.list_at(Instant::now(), owner, after, limit)) })
    }

    fn changed<'a>(
        &'a self,
        id: &'a TaskId,
        owner: &'a Principal,
        version: u64,
    ) -> BoxFuture<'a, Result<Arc<TaskRecord>, StoreError>> {
        Box::pin(self.wait(id, owner, version))
    }

    fn forget<'a>(&'a self, owner: &'a Principal) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let mut tasks = lock(&self.tasks);
            let theirs = tasks.by_owner.get(owner).into_iter().flat_map(BTreeMap::values);
            for id in theirs.cloned().collect::<Vec<_>>() {
                tasks.remove(&id);
            }
            Ok(())
        })
    }
}

impl Tasks {
    fn owned(&self, id: &TaskId, owner: &Principal) -> Result<&Entry, StoreError> {
        self.entries
            .get(id)
            .filter(|entry| entry.record.owner == *owner)
            .ok_or(StoreError::Unknown(What::Task))
    }

    /// Sees that there is room for one more. Tasks that have ended give way to it, the oldest first.
    fn make_room(
        &mut self,
        settings: &TaskSettings,
        owner: &Principal,
        size: usize,
    ) -> Result<(), StoreError> {
        loop {
            let Err(full) = self.check_room(settings, owner, size) else { return Ok(()) };
            let own = matches!(full, StoreError::Full { cap: Cap::TasksPerPrincipal, .. });
            if !self.drop_ended(own.then_some(owner)) {
                return Err(full);
            }
        }
    }

    /// Removes the oldest task that has ended, of one owner or of all. `false` if there is none.
    fn drop_ended(&mut self, owner: Option<&Principal>) -> bool {
        let id = match owner {
            None => self.ended.first_key_value().map(|(_, id)| id.clone()),
            Some(owner) => self.by_owner.get(owner).and_then(|theirs| {
                theirs
                    .iter()
                    .find(|(key, _)| self.ended.contains_key(key))
                    .map(|(_, id)| id.clone())
            }),
        };
        let Some(id) = id else { return false };
        self.remove(&id);
        true
    }

    fn check_room(
        &self,
        settings: &TaskSettings,
        owner: &Principal,
        size: usize,
    ) -> Result<(), StoreError> {
        let share = self.by_owner.get(owner).map_or(0, BTreeMap::len);
        let (cap, limit) = if self.entries.len() >= settings.tasks {
            (Cap::Tasks, settings.tasks)
        } else if owner.is_identified() && share >= settings.per_principal {
            (Cap::TasksPerPrincipal, settings.per_principal)
        } else if self.bytes + size > settings.total_bytes {
            (Cap::Bytes, settings.total_bytes)
        } else {
            return Ok(());
        };
        Err(StoreError::Full { cap, limit })
    }

    /// Puts a record in the place of the one with its id, which must be there.
    fn replace(&mut self, record: TaskRecord, ttl: Duration, size: usize) -> Arc<TaskRecord> {
        let record = Arc::new(record);
        let entry = self.entries.get_mut(&record.id).expect("the caller has just seen it");
        self.by_expiry.remove(&(entry.expires, record.key));
        self.bytes = self.bytes - entry.size + size;
        entry.size = size;
        entry.expires = entry.created + ttl;
        entry.record = Arc::clone(&record);
        self.by_expiry.insert((entry.expires, record.key), record.id.clone());
        if record.status.is_terminal() {
            self.ended.insert(record.key, record.id.clone());
        }
        entry.changes.send_replace(());
        record
    }

    /// Removes the tasks whose time is over.
    fn expire(&mut self, now: Instant) {
        while let Some(first) = self.by_expiry.first_entry()
            && first.key().0 <= now
        {
            let id = first.remove();
            self.remove(&id);
        }
    }

    fn remove(&mut self, id: &TaskId) {
        let Some(entry) = self.entries.remove(id) else { return };
        self.bytes -= entry.size;
        let (key, owner) = (entry.record.key, &entry.record.owner);
        self.by_expiry.remove(&(entry.expires, key));
        self.ended.remove(&key);
        if let Some(theirs) = self.by_owner.get_mut(owner) {
            theirs.remove(&key);
            if theirs.is_empty() {
                self.by_owner.remove(owner);
            }
        }
    }
}

impl Entry {
    /// Whether the task may be seen as `to` next; once it has ended it may not even stay.
    fn check_step(&self, to: TaskStatus) -> Result<(), BadTransition> {
        let from = self.record.status;
        if from.is_terminal() {
            return Err(BadTransition { from, to });
        }
        from.check_transition(to)
    }
}
