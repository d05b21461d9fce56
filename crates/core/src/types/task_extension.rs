//! Tasks as the extension `io.modelcontextprotocol/tasks` of 2026-07-28 has them: only a server runs them, and it decides alone.

mod state;

use serde::{Deserialize, Serialize};

pub use self::state::TaskState;
use super::{InputResponses, Meta, ResultType, TaskStatus, result_type::result_body};
use crate::json::whole;

/// The name under which both sides declare the extension among their capabilities.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// The result, instead of its own, of a request that became a task; its `resultType` is `task`.
///
/// It tells the status and no more: what belongs to a status is learned with `tasks/get`, as a [`DetailedTask`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionTask {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    pub task_id: String,
    pub status: TaskStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// An ISO 8601 time, like `last_updated_at`.
    pub created_at: String,
    pub last_updated_at: String,
    /// Milliseconds from creation until the task may be forgotten; `None` is null on the wire and means never. It must be there.
    #[serde(deserialize_with = "whole::nullable")]
    pub ttl_ms: Option<u64>,
    /// Milliseconds to wait between two looks.
    #[serde(
        default,
        deserialize_with = "whole::nullable",
        skip_serializing_if = "Option::is_none"
    )]
    pub poll_interval_ms: Option<u64>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// A task with what belongs to its status: the result of `tasks/get` and the parameters of `notifications/tasks`.
#[derive(Clone, Debug, PartialEq)]
pub struct DetailedTask {
    /// Only as a result, and then `complete`.
    pub result_type: Option<ResultType>,
    pub task_id: String,
    pub state: TaskState,
    pub status_message: Option<String>,
    /// An ISO 8601 time, like `last_updated_at`.
    pub created_at: String,
    pub last_updated_at: String,
    /// Milliseconds from creation until the task may be forgotten; `None` is null on the wire and means never. May change.
    pub ttl_ms: Option<u64>,
    /// Milliseconds to wait between two looks. May change.
    pub poll_interval_ms: Option<u64>,
    pub meta: Option<Meta>,
}

/// The parameters of `tasks/update`: answers to what the task asked. The result is empty, and so is that of `tasks/cancel`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateTaskParams {
    pub task_id: String,
    pub input_responses: InputResponses,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

result_body!(DetailedTask, ExtensionTask);

#[cfg(test)]
mod tests;
