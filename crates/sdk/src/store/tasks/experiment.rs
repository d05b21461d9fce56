//! What either side does with the tasks that it runs for the other, as the experiment of 2025-11-25 has it.

use std::sync::Arc;

use proofmark_core::{
    json::{OrderedMap, Raw},
    jsonrpc::{ErrorCode, ErrorObject},
    types::{Meta, RelatedTask, TaskStatus},
};

use super::{TaskOutcome, TaskRecord, TaskStore};
use crate::store::{Principal, StoreError, TaskId, What};

/// The task with this id. What is no id is the id of no task.
pub(crate) async fn find(
    store: &dyn TaskStore,
    id: &str,
    owner: &Principal,
) -> Result<Arc<TaskRecord>, ErrorObject> {
    store.get(&parse(id)?, owner).await.map_err(|error| refusal(&error))
}

/// Waits for the end of a task, and gives what its request would have been answered with, together with the name of the task.
pub(crate) async fn outcome(
    store: &dyn TaskStore,
    id: &str,
    owner: &Principal,
) -> Result<Raw, ErrorObject> {
    let mut record = find(store, id, owner).await?;
    while !record.status.is_terminal() {
        let changed = store.changed(&record.id, owner, record.version).await;
        record = changed.map_err(|error| refusal(&error))?;
    }
    if record.status == TaskStatus::Cancelled {
        return Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the task was cancelled"));
    }
    match &record.outcome {
        Some(TaskOutcome::Result(result)) => related(result, record.id.as_str()),
        Some(TaskOutcome::Error(error)) => Err(error.clone()),
        None => {
            Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the task ended without an outcome"))
        }
    }
}

/// Changes a task, again if another server or client changed it meanwhile. Fails if there is nothing left to change.
pub(crate) async fn change(
    store: &dyn TaskStore,
    id: &TaskId,
    owner: &Principal,
    edit: impl Fn(&mut TaskRecord) + Send + Sync,
) -> Result<Arc<TaskRecord>, StoreError> {
    loop {
        let mut record = (*store.get(id, owner).await?).clone();
        edit(&mut record);
        match store.update(record).await {
            Err(error) if error.is_conflict() => {}
            outcome => return outcome,
        }
    }
}

pub(crate) fn parse(id: &str) -> Result<TaskId, ErrorObject> {
    TaskId::parse(id).map_err(|_| refusal(&StoreError::Unknown(What::Task)))
}

/// Why a task cannot be had, as the answer to the client.
pub(crate) fn refusal(error: &StoreError) -> ErrorObject {
    let code = match error {
        StoreError::Unknown(_) | StoreError::BadTransition(_) => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    ErrorObject::new(code, error.to_string())
}

/// A result with the task that it belongs to.
pub(crate) fn related(result: &Raw, task: &str) -> Result<Raw, ErrorObject> {
    let internal =
        |error: serde_json::Error| ErrorObject::new(ErrorCode::INTERNAL_ERROR, error.to_string());
    let mut members: OrderedMap<Raw> = result.decode().map_err(internal)?;
    let meta = members.get("_meta").map(Raw::decode::<Meta>).transpose().map_err(internal)?;
    let mut meta = meta.unwrap_or_default();
    RelatedTask { task_id: task.to_owned() }.write_to(&mut meta);
    members.insert("_meta", Raw::new(&meta).map_err(internal)?);
    Raw::new(&members).map_err(internal)
}
