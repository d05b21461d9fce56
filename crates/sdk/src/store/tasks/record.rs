//! A task as it is kept, and how either wire kind shows it.

use std::time::Duration;

use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    types::{
        DetailedTask, ExtensionTask, InputRequest, InputRequests, InputResponses, Task, TaskState,
        TaskStatus,
    },
};
use serde::{Deserialize, Serialize};

use crate::store::{Principal, TaskId, Timestamp, timestamp::millis};

/// Everything about a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct TaskRecord {
    pub id: TaskId,
    pub owner: Principal,
    /// Set by the store; what the record was read at.
    pub version: u64,
    /// Set by the store.
    pub key: TaskKey,
    /// As the experiment counts: a tool's `isError` is a failure.
    pub status: TaskStatus,
    pub status_message: Option<String>,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// From creation; `None` is as long as the store allows, and never comes out of a store.
    pub ttl: Option<Duration>,
    pub poll_interval: Option<Duration>,
    /// Of the request that became the task.
    pub method: String,
    /// When the task is completed or failed, and only then.
    pub outcome: Option<TaskOutcome>,
    /// What the task still waits for.
    pub input_requests: InputRequests,
    /// What it was answered.
    pub input_responses: InputResponses,
    /// Which server runs the task; `None` if the server that created it is the only one that can.
    pub lease: Option<Lease>,
}

/// Where a task stands among all tasks, by creation.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct TaskKey(pub u64);

/// What came of the request that became the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskOutcome {
    Error(ErrorObject),
    Result(Raw),
}

/// The promise of a server to run a task. When it is not renewed in time, others may take the task for lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Lease {
    pub instance: String,
    pub until: Timestamp,
}

impl TaskRecord {
    /// A task that begins now.
    pub fn new(id: TaskId, owner: Principal, method: impl Into<String>, now: Timestamp) -> Self {
        Self {
            id,
            owner,
            version: 0,
            key: TaskKey::default(),
            status: TaskStatus::Working,
            status_message: None,
            created: now,
            updated: now,
            ttl: None,
            poll_interval: None,
            method: method.into(),
            outcome: None,
            input_requests: InputRequests::default(),
            input_responses: InputResponses::default(),
            lease: None,
        }
    }

    /// The task waits for the answer to this. No key may be used twice.
    pub fn ask(&mut self, key: &str, request: InputRequest) {
        self.input_requests.insert(key, request);
        self.status = TaskStatus::InputRequired;
    }

    /// The task does not wait for this answer any more. It works on when nothing is left to answer.
    pub fn withdraw(&mut self, key: &str) {
        self.input_requests.retain(|asked, _| asked != key);
        if self.status == TaskStatus::InputRequired && self.input_requests.is_empty() {
            self.status = TaskStatus::Working;
        }
    }

    /// Takes the answers to what the task waits for; others are ignored. It works on when nothing is left to answer.
    pub fn answer(&mut self, mut responses: InputResponses, now: Timestamp) {
        let asked = std::mem::take(&mut self.input_requests);
        for (key, request) in asked {
            match responses.0.remove(&key) {
                Some(response) => drop(self.input_responses.0.insert(key, response)),
                None => drop(self.input_requests.insert(key, request)),
            }
        }
        if self.status == TaskStatus::InputRequired && self.input_requests.is_empty() {
            self.status = TaskStatus::Working;
        }
        self.updated = now;
    }

    /// As 2025-11-25 shows it.
    pub fn as_experimental(&self) -> Task {
        Task {
            task_id: self.id.as_str().to_owned(),
            status: self.status,
            status_message: self.status_message.clone(),
            created_at: self.created.to_string(),
            last_updated_at: self.updated.to_string(),
            ttl: self.ttl.map(millis),
            poll_interval: self.poll_interval.map(millis),
            meta: None,
            result_type: None,
        }
    }

    /// As the extension shows it where a request became a task.
    pub fn as_extension(&self) -> ExtensionTask {
        let detailed = self.as_detailed();
        ExtensionTask {
            result_type: None,
            task_id: detailed.task_id,
            status: detailed.state.status(),
            status_message: detailed.status_message,
            created_at: detailed.created_at,
            last_updated_at: detailed.last_updated_at,
            ttl_ms: detailed.ttl_ms,
            poll_interval_ms: detailed.poll_interval_ms,
            meta: None,
        }
    }

    /// As the extension shows it to those who look. There a failure that has a result, as a tool's `isError` is, counts as completed.
    pub fn as_detailed(&self) -> DetailedTask {
        DetailedTask {
            result_type: None,
            task_id: self.id.as_str().to_owned(),
            state: self.state(),
            status_message: self.status_message.clone(),
            created_at: self.created.to_string(),
            last_updated_at: self.updated.to_string(),
            ttl_ms: self.ttl.map(millis),
            poll_interval_ms: self.poll_interval.map(millis),
            meta: None,
        }
    }

    fn state(&self) -> TaskState {
        match (self.status, &self.outcome) {
            (TaskStatus::Working, _) => TaskState::Working,
            (TaskStatus::InputRequired, _) => TaskState::InputRequired(self.input_requests.clone()),
            (TaskStatus::Cancelled, _) => TaskState::Cancelled,
            (_, Some(TaskOutcome::Result(result))) => TaskState::Completed(result.clone()),
            (_, Some(TaskOutcome::Error(error))) => TaskState::Failed(error.clone()),
            (_, None) => TaskState::Failed(ErrorObject::new(
                ErrorCode::INTERNAL_ERROR,
                "the task ended without an outcome",
            )),
        }
    }
}
