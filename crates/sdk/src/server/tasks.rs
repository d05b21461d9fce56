//! Tool calls that go on in the background, in the experiment of 2025-11-25 and in the extension that took its place.
//!
//! Both kinds are the same here: a record in the [`TaskStore`] and a job that runs the handler. The store decides every race: a task ends as
//! whatever it was first said to have ended as, and the job watches its record, so that a cancellation or the end of the task's time stops
//! the handler wherever it runs. The kinds differ in who decides that a call becomes a task ([`plan`]), in how it is shown ([`methods`]), and
//! in how the client is asked while it runs ([`channel`]).

mod channel;
mod job;
pub(super) mod methods;
mod plan;

use std::{fmt, sync::Arc, time::Duration};

use proofmark_core::types::InputRequest;

pub(crate) use self::channel::TaskChannel;
pub(super) use self::{
    job::{Job, Start},
    plan::Plan,
};
use super::background::Background;
use crate::store::{
    MemoryTaskStore, Principal, StoreError, TaskId, TaskRecord, TaskStore, Timestamp, experiment,
    experiment::refusal,
};

/// How a server keeps tasks.
#[derive(Clone)]
pub struct TaskOptions {
    /// Where tasks are kept. It bounds how many there are, how large, and for how long.
    pub store: Arc<dyn TaskStore>,
    /// How long a task is kept, from its creation, if the client does not say; what is longer than the store allows is shortened.
    pub ttl: Duration,
    /// How long clients are advised to wait between two looks. No task lives shorter than this.
    pub poll_interval: Duration,
}

impl Default for TaskOptions {
    fn default() -> Self {
        Self {
            store: Arc::new(MemoryTaskStore::default()),
            ttl: Duration::from_secs(60 * 60),
            poll_interval: Duration::from_secs(1),
        }
    }
}

impl fmt::Debug for TaskOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskOptions")
            .field("ttl", &self.ttl)
            .field("poll_interval", &self.poll_interval)
            .finish_non_exhaustive()
    }
}

/// The tasks of one server.
pub(super) struct Tasks {
    options: TaskOptions,
    background: Background,
}

impl Tasks {
    pub(super) fn new(options: TaskOptions) -> Self {
        Self { options, background: Background::default() }
    }

    pub(super) async fn stop(&self) {
        self.background.stop().await;
    }

    pub(super) async fn forget(&self, owner: &Principal) -> Result<(), StoreError> {
        self.store().forget(owner).await
    }

    fn store(&self) -> &dyn TaskStore {
        &*self.options.store
    }

    /// A record of a task that is about to begin, with the time to live that the client asked for.
    fn draft(&self, owner: Principal, ttl: Option<Duration>) -> Result<TaskRecord, StoreError> {
        let mut record = TaskRecord::new(TaskId::random()?, owner, "tools/call", now());
        let ttl = ttl.unwrap_or(self.options.ttl);
        record.ttl = Some(ttl.max(self.options.poll_interval));
        record.poll_interval = Some(self.options.poll_interval);
        Ok(record)
    }

    /// Changes a task, again if another server or client changed it meanwhile. Fails if there is nothing left to change.
    async fn change(
        &self,
        id: &TaskId,
        owner: &Principal,
        edit: impl Fn(&mut TaskRecord) + Send + Sync,
    ) -> Result<Arc<TaskRecord>, StoreError> {
        let edit = |record: &mut TaskRecord| {
            record.updated = now();
            edit(record);
        };
        experiment::change(self.store(), id, owner, edit).await
    }

    /// The task waits for an answer to this.
    async fn ask(
        &self,
        id: &TaskId,
        owner: &Principal,
        key: &str,
        request: &InputRequest,
    ) -> Result<Arc<TaskRecord>, StoreError> {
        self.change(id, owner, |record| record.ask(key, request.clone())).await
    }

    /// The task does not wait for this answer any more.
    async fn withdraw(
        &self,
        id: &TaskId,
        owner: &Principal,
        key: &str,
    ) -> Result<Arc<TaskRecord>, StoreError> {
        self.change(id, owner, |record| record.withdraw(key)).await
    }
}

fn now() -> Timestamp {
    Timestamp::from(std::time::SystemTime::now())
}

#[cfg(test)]
mod tests;
