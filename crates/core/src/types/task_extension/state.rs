//! What a task has at each status, in the same flat object as the task itself.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::DetailedTask;
use crate::{
    json::{Raw, whole},
    jsonrpc::ErrorObject,
    types::{InputRequests, Meta, ResultType, TaskStatus},
};

/// The status of a task together with what belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskState {
    Working,
    /// Everything that the task still waits for; no key ever comes back with another request.
    InputRequired(InputRequests),
    /// The result of the request that became the task, a tool's `isError` included.
    Completed(Raw),
    /// The JSON-RPC error of the request that became the task.
    Failed(ErrorObject),
    Cancelled,
}

impl TaskState {
    pub fn status(&self) -> TaskStatus {
        match self {
            Self::Working => TaskStatus::Working,
            Self::InputRequired(_) => TaskStatus::InputRequired,
            Self::Completed(_) => TaskStatus::Completed,
            Self::Failed(_) => TaskStatus::Failed,
            Self::Cancelled => TaskStatus::Cancelled,
        }
    }
}

impl Serialize for DetailedTask {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            result_type: Option<&'a ResultType>,
            task_id: &'a str,
            status: TaskStatus,
            #[serde(skip_serializing_if = "Option::is_none")]
            status_message: Option<&'a str>,
            created_at: &'a str,
            last_updated_at: &'a str,
            ttl_ms: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            poll_interval_ms: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            input_requests: Option<&'a InputRequests>,
            #[serde(skip_serializing_if = "Option::is_none")]
            result: Option<&'a Raw>,
            #[serde(skip_serializing_if = "Option::is_none")]
            error: Option<&'a ErrorObject>,
            #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
            meta: Option<&'a Meta>,
        }

        let mut wire = Wire {
            result_type: self.result_type.as_ref(),
            task_id: &self.task_id,
            status: self.state.status(),
            status_message: self.status_message.as_deref(),
            created_at: &self.created_at,
            last_updated_at: &self.last_updated_at,
            ttl_ms: self.ttl_ms,
            poll_interval_ms: self.poll_interval_ms,
            input_requests: None,
            result: None,
            error: None,
            meta: self.meta.as_ref(),
        };
        match &self.state {
            TaskState::InputRequired(requests) => wire.input_requests = Some(requests),
            TaskState::Completed(result) => wire.result = Some(result),
            TaskState::Failed(error) => wire.error = Some(error),
            TaskState::Working | TaskState::Cancelled => {}
        }
        wire.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for DetailedTask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire {
            result_type: Option<ResultType>,
            task_id: String,
            status: TaskStatus,
            status_message: Option<String>,
            created_at: String,
            last_updated_at: String,
            #[serde(deserialize_with = "whole::nullable")]
            ttl_ms: Option<u64>,
            #[serde(default, deserialize_with = "whole::nullable")]
            poll_interval_ms: Option<u64>,
            input_requests: Option<InputRequests>,
            result: Option<Raw>,
            error: Option<ErrorObject>,
            #[serde(rename = "_meta")]
            meta: Option<Meta>,
        }

        let wire = Wire::deserialize(deserializer)?;
        let state = match wire.status {
            TaskStatus::Working => Some(TaskState::Working),
            TaskStatus::InputRequired => wire.input_requests.map(TaskState::InputRequired),
            TaskStatus::Completed => wire.result.map(TaskState::Completed),
            TaskStatus::Failed => wire.error.map(TaskState::Failed),
            TaskStatus::Cancelled => Some(TaskState::Cancelled),
        };
        Ok(Self {
            result_type: wire.result_type,
            task_id: wire.task_id,
            state: state.ok_or_else(|| missing(wire.status))?,
            status_message: wire.status_message,
            created_at: wire.created_at,
            last_updated_at: wire.last_updated_at,
            ttl_ms: wire.ttl_ms,
            poll_interval_ms: wire.poll_interval_ms,
            meta: wire.meta,
        })
    }
}

/// The error for a task without what belongs to its status.
fn missing<E: de::Error>(status: TaskStatus) -> E {
    let field = match status {
        TaskStatus::InputRequired => "inputRequests",
        TaskStatus::Failed => "error",
        TaskStatus::Completed | TaskStatus::Working | TaskStatus::Cancelled => "result",
    };
    E::custom(format_args!("a task that is {status} has no `{field}`"))
}
