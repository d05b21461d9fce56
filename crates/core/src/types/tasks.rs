//! Tasks as 2025-11-25 tried them: either side may run a request in the background. Never on the wire together with
//! [the extension](super::ExtensionTask) that took their place.

mod status;

use serde::{Deserialize, Serialize};

pub use self::status::{BadTransition, TaskStatus};
use super::{Meta, ResultType, meta_key, result_type::result_body};
use crate::json::{Raw, whole};

/// What is known about a task. It is also the result of `tasks/get` and `tasks/cancel` and the parameters of
/// `notifications/tasks/status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub task_id: String,
    pub status: TaskStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// An ISO 8601 time, like `last_updated_at`.
    pub created_at: String,
    pub last_updated_at: String,
    /// Milliseconds from creation until the task may be forgotten; `None` is null on the wire and means never. It must be there.
    #[serde(deserialize_with = "whole::nullable")]
    pub ttl: Option<u64>,
    /// Milliseconds to wait between two looks.
    #[serde(
        default,
        deserialize_with = "whole::nullable",
        skip_serializing_if = "Option::is_none"
    )]
    pub poll_interval: Option<u64>,
    /// Only where the task is a whole result or the whole parameters.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Always absent, since the experiment is older than result types; here because every result has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
}

/// The `task` parameter that asks for a request to become a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskMetadata {
    /// Milliseconds from creation that the task should be kept; the receiver may choose another time.
    #[serde(
        default,
        deserialize_with = "whole::nullable",
        skip_serializing_if = "Option::is_none"
    )]
    pub ttl: Option<u64>,
}

/// The result, instead of its own, of a request that became a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateTaskResult {
    pub task: Task,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Always absent, as in [`Task`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
}

/// The parameters of `tasks/get`, `tasks/result` and `tasks/cancel`, in the experiment and in the extension.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskParams {
    pub task_id: String,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The parameters of `tasks/list`, where a server asks for the tasks of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListTasksParams {
    /// As it was given with the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The result of `tasks/list`: one page of the caller's tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTasksResult {
    pub tasks: Vec<Task>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Always absent, as in [`Task`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
}

/// The result of `tasks/get`.
pub type GetTaskResult = Task;

/// The result of `tasks/cancel`: the task, already cancelled.
pub type CancelTaskResult = Task;

/// The parameters of `notifications/tasks/status`.
pub type TaskStatusParams = Task;

/// The result of `tasks/result`: whatever the request that became the task would have answered, with [`RelatedTask`] in its `_meta`.
pub type TaskPayloadResult = Raw;

/// Says, in the `_meta` of every message that a task gives rise to, which task that is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RelatedTask {
    pub task_id: String,
}

impl RelatedTask {
    /// `None` if the message belongs to no task; an error if what it says is not a task.
    pub fn of(meta: &Meta) -> Option<serde_json::Result<Self>> {
        meta.get(meta_key::RELATED_TASK).map(Raw::decode)
    }

    pub fn write_to(&self, meta: &mut Meta) {
        meta.insert(meta_key::RELATED_TASK, self)
            .expect("a task id is a string, and strings encode");
    }
}

result_body!(CreateTaskResult, ListTasksResult, Task);

#[cfg(test)]
mod tests;
