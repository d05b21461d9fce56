//! What clients may do with their tasks.

use std::sync::Arc;

use proofmark_core::{
    cursor::Cursor,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{TaskCancel, TaskCarrier, TaskRules, TaskStyle},
    session::server::{Change, Input, Outcome},
    types::{InputResponses, ListTasksResult, ServerResult},
};

use super::now;
use crate::{
    server::{Server, scope::Scope},
    store::{
        StoreError, TaskKey, TaskRecord,
        experiment::{find, outcome, parse, refusal},
    },
};

pub(in crate::server) async fn get(scope: Arc<Scope>, id: String) -> Outcome {
    let kind = kind(&scope)?;
    let record = find(scope.server().tasks().store(), &id, scope.owner()).await?;
    Ok(match kind.carrier {
        TaskCarrier::Get => ServerResult::DetailedTask(Box::new(record.as_detailed())),
        TaskCarrier::Result => ServerResult::Task(Box::new(record.as_experimental())),
    })
}

/// Waits for the end of the task.
pub(in crate::server) async fn result(scope: Arc<Scope>, id: String) -> Outcome {
    let store = scope.server().tasks().store();
    let result = outcome(store, &id, scope.owner()).await?;
    Ok(ServerResult::Ready(Arc::new(result)))
}

pub(in crate::server) async fn cancel(scope: Arc<Scope>, id: String) -> Outcome {
    let kind = kind(&scope)?;
    let cancelled = scope.server().tasks().store().cancel(&parse(&id)?, scope.owner(), now()).await;
    match (kind.cancel, cancelled) {
        (TaskCancel::Returned, Ok(record)) => {
            Ok(ServerResult::Task(Box::new(record.as_experimental())))
        }
        (TaskCancel::Acknowledged, Ok(_) | Err(StoreError::BadTransition(_))) => {
            Ok(ServerResult::empty())
        }
        (TaskCancel::Returned, Err(StoreError::BadTransition(bad))) => {
            let message = format!("the task is {} already", bad.from);
            Err(ErrorObject::quoting(ErrorCode::INVALID_PARAMS, message))
        }
        (_, Err(error)) => Err(refusal(&error)),
    }
}

/// Hands answers to the task. Those that it does not wait for are ignored, and so are all once it has ended.
pub(in crate::server) async fn update(
    scope: Arc<Scope>,
    id: String,
    responses: InputResponses,
) -> Outcome {
    let answer = |record: &mut TaskRecord| record.answer(responses.clone(), now());
    match scope.server().tasks().change(&parse(&id)?, scope.owner(), answer).await {
        Ok(record) => scope.server().tell_of_task(&scope, &record),
        Err(StoreError::BadTransition(_)) => {}
        Err(error) => return Err(refusal(&error)),
    }
    Ok(ServerResult::empty())
}

pub(in crate::server) async fn list(scope: Arc<Scope>, cursor: Option<String>) -> Outcome {
    let (server, owner) = (scope.server(), scope.owner());
    let paging = server.paging();
    // A cursor is of use only to the owner that it was given to.
    let bound_to = serde_json::to_vec(owner).map_err(internal)?;
    let after = match cursor {
        None => None,
        Some(token) => {
            let cursor = Cursor::open(&paging.keys, &bound_to, LIST, &token)
                .map_err(|bad| bad_cursor(&bad))?;
            Some(TaskKey(cursor.after.parse().map_err(|bad| bad_cursor(&bad))?))
        }
    };
    let page = server.tasks().store().list(owner, after, paging.sizes.tasks.get()).await;
    let page = page.map_err(|error| refusal(&error))?;
    let next_cursor = match page.next {
        None => None,
        Some(TaskKey(key)) => {
            let (list, after) = (LIST.to_owned(), key.to_string());
            let cursor = Cursor { list, after, served: 0, version: 0 };
            Some(cursor.seal(&paging.keys, &bound_to).map_err(internal)?)
        }
    };
    let tasks = page.tasks.iter().map(|task| task.as_experimental()).collect();
    Ok(ServerResult::ListTasks(ListTasksResult { tasks, next_cursor, ..Default::default() }))
}

impl Server {
    /// Tells those who may know that a task changed: the conversation that it began in, and the clients of the same owner that subscribed to it.
    pub(super) fn tell_of_task(&self, scope: &Scope, record: &TaskRecord) {
        match scope.revision.rules().tasks.map(|tasks| tasks.style) {
            Some(TaskStyle::Experimental) => {
                let task = Box::new(record.as_experimental());
                scope.conversation.feed(Input::TaskChanged(task), None);
            }
            Some(TaskStyle::Extension) => {
                let change = Change::Task(Box::new(record.as_detailed()));
                self.announce_to(Some(&record.owner), &change);
            }
            None => {}
        }
    }
}

/// The session lets no client ask for tasks in a revision without them.
fn kind(scope: &Scope) -> Result<TaskRules, ErrorObject> {
    let no_tasks = || ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, "no tasks in this revision");
    scope.revision.rules().tasks.ok_or_else(no_tasks)
}

fn internal(error: impl std::fmt::Display) -> ErrorObject {
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, error.to_string())
}

fn bad_cursor(error: &dyn std::fmt::Display) -> ErrorObject {
    ErrorObject::quoting(ErrorCode::INVALID_PARAMS, format!("bad cursor: {error}"))
}

/// The list that the cursors belong to.
const LIST: &str = "tasks/list";
