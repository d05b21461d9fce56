//! Tasks in the store.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use proofmark_sdk::{
    BoxFuture,
    core::{
        jsonrpc::{ErrorCode, ErrorObject},
        types::{BadTransition, InputRequests, TaskStatus},
    },
    store::{
        Cap, Principal, StoreError, TaskId, TaskKey, TaskOutcome, TaskPage, TaskRecord,
        TaskSettings, TaskStore, Timestamp, What,
    },
};
use redis::{FromRedisValue, Script};

use crate::{
    bus::Life,
    keys,
    link::{Link, growing_script, script, unavailable},
    reply::{Reply, full, unexpected},
};

/// Tasks that all servers with the same store and prefix have together. They are all kept in one place of a cluster.
pub struct RedisTaskStore {
    link: Link,
    /// Of the server that runs the tasks which begin here.
    life: Arc<Life>,
    scripts: Scripts,
}

struct Scripts {
    create: Script,
    get: Script,
    update: Script,
    list: Script,
    forget: Script,
}

impl RedisTaskStore {
    pub(crate) fn new(link: Link, life: Arc<Life>) -> Self {
        let scripts = Scripts {
            create: growing(include_str!("tasks/create.lua")),
            get: tasks(include_str!("tasks/get.lua")),
            update: growing(include_str!("tasks/update.lua")),
            list: tasks(include_str!("tasks/list.lua")),
            forget: tasks(include_str!("tasks/forget.lua")),
        };
        Self { link, life, scripts }
    }

    async fn create_now(&self, mut record: TaskRecord) -> Result<Arc<TaskRecord>, StoreError> {
        let ttl = self.clamp(&mut record);
        let text = self.written(&record)?;
        let settings = self.settings();
        let owner = keys::owner(&record.owner);
        let (most, share, bytes) = (
            settings.tasks.to_string(),
            settings.per_principal.to_string(),
            settings.total_bytes.to_string(),
        );
        let listed: &[u8] = if record.owner.is_identified() { b"1" } else { b"" };
        // Only a server that shows signs of life can be missed.
        let server =
            if self.life.is_shown() { self.life.number.to_string() } else { String::new() };
        let created = record.created.0.to_string();
        let status = record.status.to_string();
        let arguments = [
            record.id.as_str().as_bytes(),
            owner.as_bytes(),
            &text,
            ttl.as_bytes(),
            created.as_bytes(),
            status.as_bytes(),
            listed,
            most.as_bytes(),
            share.as_bytes(),
            bytes.as_bytes(),
            FORM,
            server.as_bytes(),
        ];
        let mut reply = self.admitted(self.step(&self.scripts.create, &arguments).await?)?;
        (record.version, record.key) = (1, TaskKey(reply.take()?));
        Ok(Arc::new(record))
    }

    async fn get_now(&self, id: &TaskId, owner: &Principal) -> Result<Arc<TaskRecord>, StoreError> {
        let owner = keys::owner(owner);
        let arguments = [id.as_str().as_bytes(), owner.as_bytes()];
        let mut reply = self.step(&self.scripts.get, &arguments).await?;
        let is_lost = reply.word == "lost";
        if !is_lost {
            reply = reply.of(What::Task)?;
        }
        let record = reply.take::<Stored>()?.record()?;
        if is_lost {
            return self.end_lost(record).await;
        }
        Ok(Arc::new(record))
    }

    /// The server that ran the task is gone, and nothing will come of it.
    async fn end_lost(&self, record: TaskRecord) -> Result<Arc<TaskRecord>, StoreError> {
        let error = ErrorObject::new(
            ErrorCode::INTERNAL_ERROR,
            "the server that carried out the task is gone",
        );
        let lost = TaskRecord {
            status: TaskStatus::Failed,
            status_message: Some(error.message.to_string()),
            outcome: Some(TaskOutcome::Error(error)),
            input_requests: InputRequests::default(),
            updated: Timestamp::from(SystemTime::now()),
            ..record.clone()
        };
        match self.update_now(lost).await {
            // Another server was faster.
            Err(error) if error.is_conflict() || error.is_bad_transition() => Ok(Arc::new(record)),
            outcome => outcome,
        }
    }

    async fn update_now(&self, mut record: TaskRecord) -> Result<Arc<TaskRecord>, StoreError> {
        let ttl = self.clamp(&mut record);
        let text = self.written(&record)?;
        let (owner, to) = (keys::owner(&record.owner), record.status);
        let (version, bytes) =
            (record.version.to_string(), self.settings().total_bytes.to_string());
        let status = to.to_string();
        let from = TaskStatus::ALL.into_iter().filter(|from| check(*from, to).is_ok());
        let from: String =
            from.flat_map(|from| [" ".to_owned(), from.to_string(), " ".to_owned()]).collect();
        let ended: &[u8] = if to.is_terminal() { b"1" } else { b"" };
        let channel = self.link.keys().task_changed(&record.id);
        let arguments = [
            record.id.as_str().as_bytes(),
            owner.as_bytes(),
            &text,
            ttl.as_bytes(),
            version.as_bytes(),
            status.as_bytes(),
            from.as_bytes(),
            ended,
            bytes.as_bytes(),
            channel.as_bytes(),
            FORM,
        ];
        let mut reply = self.step(&self.scripts.update, &arguments).await?;
        if reply.word == "transition" {
            let from: String = reply.take()?;
            let from = TaskStatus::ALL.into_iter().find(|status| status.to_string() == from);
            return Err(BadTransition { from: from.ok_or_else(unexpected)?, to }.into());
        }
        let mut reply = self.admitted(reply)?;
        (record.version, record.key, record.created) =
            (reply.take()?, TaskKey(reply.take()?), Timestamp(reply.take()?));
        Ok(Arc::new(record))
    }

    async fn cancel_now(
        &self,
        id: &TaskId,
        owner: &Principal,
        now: Timestamp,
    ) -> Result<Arc<TaskRecord>, StoreError> {
        loop {
            let before = self.get_now(id, owner).await?;
            check(before.status, TaskStatus::Cancelled)?;
            let cancelled = TaskRecord {
                status: TaskStatus::Cancelled,
                updated: now,
                input_requests: InputRequests::default(),
                ..(*before).clone()
            };
            match self.update_now(cancelled).await {
                Err(error) if error.is_conflict() => {}
                outcome => return outcome,
            }
        }
    }

    async fn list_now(
        &self,
        owner: &Principal,
        after: Option<TaskKey>,
        limit: usize,
    ) -> Result<TaskPage, StoreError> {
        if !owner.is_identified() {
            return Ok(TaskPage::default());
        }
        let limit = limit.max(1);
        let owner = keys::owner(owner);
        let (after, most) = (after.unwrap_or_default().0.to_string(), (limit + 1).to_string());
        let arguments = [owner.as_bytes(), after.as_bytes(), most.as_bytes()];
        let reply = self.step(&self.scripts.list, &arguments).await?.of(What::Task)?;
        let mut stored = reply.rest::<Stored>()?;
        let is_last = stored.len() <= limit;
        stored.truncate(limit);
        let records = stored.into_iter().map(|stored| stored.record().map(Arc::new));
        let tasks = records.collect::<Result<Vec<_>, _>>()?;
        let next = tasks.last().filter(|_| !is_last).map(|task| task.key);
        Ok(TaskPage { tasks, next })
    }

    async fn wait(
        &self,
        id: &TaskId,
        owner: &Principal,
        version: u64,
    ) -> Result<Arc<TaskRecord>, StoreError> {
        let reader = self.link.watch(self.link.keys().task_changed(id)).await?;
        loop {
            // Before the look, so that nothing is missed in between.
            let mut news = std::pin::pin!(reader.news.notified());
            news.as_mut().enable();
            let record = self.get_now(id, owner).await?;
            if record.version > version {
                return Ok(record);
            }
            let _ = tokio::time::timeout(LOOK_AGAIN, news).await;
        }
    }

    async fn forget_now(&self, owner: &Principal) -> Result<(), StoreError> {
        if !owner.is_identified() {
            return Ok(());
        }
        let channels = format!("{}:changed:", self.link.keys().tasks());
        let owner = keys::owner(owner);
        let arguments = [owner.as_bytes(), channels.as_bytes()];
        self.step(&self.scripts.forget, &arguments).await?.of(What::Task).map(|_| ())
    }

    /// Tells the bounds of the store from other answers.
    fn admitted(&self, reply: Reply) -> Result<Reply, StoreError> {
        let settings = self.settings();
        match reply.word.as_str() {
            "full" => Err(full(Cap::Tasks, settings.tasks)),
            "share" => Err(full(Cap::TasksPerPrincipal, settings.per_principal)),
            "bytes" => Err(full(Cap::Bytes, settings.total_bytes)),
            _ => reply.of(What::Task),
        }
    }

    async fn step(&self, script: &Script, arguments: &[&[u8]]) -> Result<Reply, StoreError> {
        let key = self.link.keys().tasks();
        self.link.run(script, &[&key], arguments).await
    }

    /// Gives a record the time to live that it gets.
    fn clamp(&self, record: &mut TaskRecord) -> String {
        let most = self.settings().ttl;
        let ttl = record.ttl.map_or(most, |ttl| ttl.min(most));
        record.ttl = Some(ttl);
        ttl.as_millis().to_string()
    }

    /// A record as it is kept, unless it is too large.
    fn written(&self, record: &TaskRecord) -> Result<Vec<u8>, StoreError> {
        let text = serde_json::to_vec(record).map_err(unavailable)?;
        let (size, limit) = (text.len(), self.settings().record_bytes);
        if size > limit {
            return Err(StoreError::TooLarge { what: What::Task, size, limit });
        }
        Ok(text)
    }

    fn settings(&self) -> &TaskSettings {
        &self.link.settings().tasks
    }
}

impl TaskStore for RedisTaskStore {
    fn create(&self, task: TaskRecord) -> BoxFuture<'_, Result<Arc<TaskRecord>, StoreError>> {
        Box::pin(self.create_now(task))
    }

    fn get<'a>(
        &'a self,
        id: &'a TaskId,
        owner: &'a Principal,
    ) -> BoxFuture<'a, Result<Arc<TaskRecord>, StoreError>> {
        Box::pin(self.get_now(id, owner))
    }

    fn update(&self, task: TaskRecord) -> BoxFuture<'_, Result<Arc<TaskRecord>, StoreError>> {
        Box::pin(self.update_now(task))
    }

    fn cancel<'a>(
        &'a self,
        id: &'a TaskId,
        owner: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Arc<TaskRecord>, StoreError>> {
        Box::pin(self.cancel_now(id, owner, now))
    }

    fn list<'a>(
        &'a self,
        owner: &'a Principal,
        after: Option<TaskKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<TaskPage, StoreError>> {
        Box::pin(self.list_now(owner, after, limit))
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
        Box::pin(self.forget_now(owner))
    }
}

/// A task as it comes out of the store: what the store decides is beside the record and counts.
struct Stored {
    form: u64,
    version: u64,
    key: u64,
    created: u64,
    text: Vec<u8>,
}

impl Stored {
    fn record(self) -> Result<TaskRecord, StoreError> {
        if self.form > NEWEST_FORM {
            return Err(unexpected());
        }
        let record: TaskRecord = serde_json::from_slice(&self.text).map_err(unavailable)?;
        let (key, created) = (TaskKey(self.key), Timestamp(self.created));
        Ok(TaskRecord { version: self.version, key, created, ..record })
    }
}

impl FromRedisValue for Stored {
    fn from_redis_value(value: redis::Value) -> Result<Self, redis::ParsingError> {
        let (form, version, key, created, text) = FromRedisValue::from_redis_value(value)?;
        Ok(Self { form, version, key, created, text })
    }
}

/// Whether a task may go there; once it has ended it may not even stay.
fn check(from: TaskStatus, to: TaskStatus) -> Result<(), BadTransition> {
    if from.is_terminal() {
        return Err(BadTransition { from, to });
    }
    from.check_transition(to)
}

/// A script with what those about tasks have in common.
fn tasks(code: &str) -> Script {
    script(&format!("{}\n{code}", include_str!("tasks/tasks.lua")))
}

/// The same for one that a full store refuses.
fn growing(code: &str) -> Script {
    growing_script(&format!("{}\n{code}", include_str!("tasks/tasks.lua")))
}

/// The form of records as this version writes them. A reader refuses forms that are newer than it knows.
const FORM: &[u8] = b"1";
const NEWEST_FORM: u64 = 1;
/// How long a reader waits for news before it looks by itself.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
