//! Requests that go on in the background, in the experiment of 2025-11-25 and in the extension that took its place.

pub(crate) mod experiment;
mod memory;
mod record;

use std::{sync::Arc, time::Duration};

pub use self::{
    memory::MemoryTaskStore,
    record::{Lease, TaskKey, TaskOutcome, TaskRecord},
};
use super::{Principal, StoreError, TaskId, Timestamp};
use crate::BoxFuture;

/// Keeps tasks until their time is over, whether or not they have ended. Where there is no room for a new one, those that have ended give
/// way, the oldest first.
///
/// Another principal's task, one that is over and one that never was are the same: [`StoreError::Unknown`].
pub trait TaskStore: Send + Sync {
    /// Keeps a new task, at version one. When this returns, it is found by its owner: only then may the client hear of it.
    ///
    /// The store shortens the time to live to [`TaskSettings::ttl`], and sets the record's version and key.
    fn create(&self, task: TaskRecord) -> BoxFuture<'_, Result<Arc<TaskRecord>, StoreError>>;

    fn get<'a>(
        &'a self,
        id: &'a TaskId,
        owner: &'a Principal,
    ) -> BoxFuture<'a, Result<Arc<TaskRecord>, StoreError>>;

    /// Replaces the task that this one was made from. [`StoreError::Conflict`] if it is no longer at that version,
    /// [`StoreError::BadTransition`] if it has ended: then nothing about it changes any more.
    ///
    /// The key and the time of creation stay what they are; the time to live may change, within the bound.
    fn update(&self, task: TaskRecord) -> BoxFuture<'_, Result<Arc<TaskRecord>, StoreError>>;

    /// Ends a task as cancelled; [`StoreError::BadTransition`] if it has ended.
    fn cancel<'a>(
        &'a self,
        id: &'a TaskId,
        owner: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Arc<TaskRecord>, StoreError>>;

    /// The tasks of one owner, oldest first, from after `after`. [`Principal::Anonymous`] has none to list: they would be others' too.
    fn list<'a>(
        &'a self,
        owner: &'a Principal,
        after: Option<TaskKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<TaskPage, StoreError>>;

    /// Waits until the task is past `version`, and gives it. Fails when the task's time is over.
    fn changed<'a>(
        &'a self,
        id: &'a TaskId,
        owner: &'a Principal,
        version: u64,
    ) -> BoxFuture<'a, Result<Arc<TaskRecord>, StoreError>>;

    /// Drops all tasks of an owner that is gone, such as a session. What waits for one of them is told as when its time is over.
    fn forget<'a>(&'a self, owner: &'a Principal) -> BoxFuture<'a, Result<(), StoreError>>;
}

/// Some of an owner's tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskPage {
    pub tasks: Vec<Arc<TaskRecord>>,
    /// Where the next page begins; `None` after the last task.
    pub next: Option<TaskKey>,
}

/// How many tasks there may be, how large, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSettings {
    pub tasks: usize,
    /// No principal takes all the room; [`Principal::Anonymous`] is exempt, because it is not one person.
    pub per_principal: usize,
    /// The longest that a task lives, and how long one lives that asks for no end.
    pub ttl: Duration,
    /// Of one record as JSON, its result included.
    pub record_bytes: usize,
    /// Of all records as JSON.
    pub total_bytes: usize,
}

impl Default for TaskSettings {
    fn default() -> Self {
        Self {
            tasks: 10_000,
            per_principal: 1000,
            ttl: Duration::from_secs(24 * 60 * 60),
            record_bytes: 4 * 1024 * 1024,
            total_bytes: 256 * 1024 * 1024,
        }
    }
}

#[cfg(test)]
mod tests;
