//! Task-augmented requests of a legacy server, whose receiver is the client.
//!
//! The store decides every race, as it does for servers: a task that was cancelled stays so, and its handler stops.

use std::{sync::Arc, time::Duration};

use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::Rules,
    types::{
        CreateTaskResult, ElicitParams, ListTasksParams, ListTasksResult, ServerRequest,
        TaskMetadata, TaskStatus,
    },
};
use tokio::sync::oneshot;

use crate::client::handlers::Handlers;
use crate::store::{
    Principal, StoreError, TaskId, TaskKey, TaskOutcome, TaskRecord, TaskStore, Timestamp,
    experiment::{change, find, outcome, parse, refusal},
};

/// What a request says about the task that it is to become, taken out of it.
pub(in crate::client) fn task_metadata(what: &mut ServerRequest) -> Option<TaskMetadata> {
    match what {
        ServerRequest::CreateMessage(params) => params.task.take(),
        ServerRequest::Elicit(params) => match &mut **params {
            ElicitParams::Form(form) => form.task.take(),
            ElicitParams::Url(page) => page.task.take(),
        },
        _ => None,
    }
}

/// Answers with the task as soon as it is kept, and runs the handler until it has an answer or the task has ended otherwise.
pub(in crate::client) async fn run(
    store: Arc<dyn TaskStore>,
    handlers: Handlers,
    what: ServerRequest,
    metadata: TaskMetadata,
    rules: &'static Rules,
    created: oneshot::Sender<Result<Raw, ErrorObject>>,
) {
    let record = match begin(&*store, &what, &metadata).await {
        Ok(record) => record,
        Err(error) => {
            let _ = created.send(Err(refusal(&error)));
            return;
        }
    };
    let shown = CreateTaskResult { task: record.as_experimental(), meta: None, result_type: None };
    if created.send(Raw::new(&shown).map_err(internal)).is_err() {
        return;
    }
    let answer = tokio::select! {
        biased;
        () = ended(&*store, &record) => return,
        answer = handlers.answer(what, rules) => answer,
    };
    let kept = keep(&*store, &record.id, &answer).await;
    let kept = match kept {
        Err(error) if error.is_too_large() || error.is_full() => {
            keep(&*store, &record.id, &Err(internal(error))).await
        }
        kept => kept,
    };
    if let Err(error) = kept {
        // It was cancelled, or its time is over.
        tracing::debug!(%error, "the answer to a request came too late for its task");
    }
}

/// What a server may do with the tasks that it asked for.
pub(in crate::client) async fn manage(
    store: &dyn TaskStore,
    what: ServerRequest,
) -> Result<Raw, ErrorObject> {
    match what {
        ServerRequest::GetTask(params) => {
            let record = find(store, &params.task_id, &OWNER).await?;
            Raw::new(&record.as_experimental()).map_err(internal)
        }
        ServerRequest::TaskResult(params) => outcome(store, &params.task_id, &OWNER).await,
        ServerRequest::CancelTask(params) => {
            let id = parse(&params.task_id)?;
            match store.cancel(&id, &OWNER, now()).await {
                Ok(record) => Raw::new(&record.as_experimental()).map_err(internal),
                Err(StoreError::BadTransition(bad)) => {
                    let message = format!("the task is {} already", bad.from);
                    Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, message))
                }
                Err(error) => Err(refusal(&error)),
            }
        }
        ServerRequest::ListTasks(params) => list(store, &params).await,
        other => Err(ErrorObject::new(
            ErrorCode::METHOD_NOT_FOUND,
            format!("{} is not about tasks", other.method().as_str()),
        )),
    }
}

async fn list(store: &dyn TaskStore, params: &ListTasksParams) -> Result<Raw, ErrorObject> {
    let after = match &params.cursor {
        None => None,
        Some(cursor) => Some(TaskKey(cursor.parse().map_err(|_| {
            ErrorObject::new(ErrorCode::INVALID_PARAMS, "there is no page under this cursor")
        })?)),
    };
    let page = store.list(&OWNER, after, PAGE).await.map_err(|error| refusal(&error))?;
    let tasks = page.tasks.iter().map(|task| task.as_experimental()).collect();
    let next_cursor = page.next.map(|TaskKey(key)| key.to_string());
    Raw::new(&ListTasksResult { tasks, next_cursor, ..ListTasksResult::default() })
        .map_err(internal)
}

async fn begin(
    store: &dyn TaskStore,
    what: &ServerRequest,
    metadata: &TaskMetadata,
) -> Result<Arc<TaskRecord>, StoreError> {
    let method = what.method().as_str();
    let mut record = TaskRecord::new(TaskId::random()?, OWNER, method, now());
    record.ttl = metadata.ttl.map(|ttl| Duration::from_millis(ttl).max(SHORTEST_TTL));
    record.poll_interval = Some(POLL_INTERVAL);
    store.create(record).await
}

/// Waits until the task was ended, or its time is over.
async fn ended(store: &dyn TaskStore, record: &TaskRecord) {
    let mut version = record.version;
    while let Ok(record) = store.changed(&record.id, &OWNER, version).await {
        if record.status.is_terminal() {
            return;
        }
        version = record.version;
    }
}

async fn keep(
    store: &dyn TaskStore,
    id: &TaskId,
    answer: &Result<Raw, ErrorObject>,
) -> Result<Arc<TaskRecord>, StoreError> {
    let edit = |record: &mut TaskRecord| {
        record.updated = now();
        match answer {
            Ok(result) => {
                record.status = TaskStatus::Completed;
                record.outcome = Some(TaskOutcome::Result(result.clone()));
            }
            Err(error) => {
                record.status = TaskStatus::Failed;
                record.status_message = Some(error.message.to_string());
                record.outcome = Some(TaskOutcome::Error(error.clone()));
            }
        }
    };
    change(store, id, &OWNER, edit).await
}

fn internal(error: impl std::fmt::Display) -> ErrorObject {
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, error.to_string())
}

fn now() -> Timestamp {
    Timestamp::from(std::time::SystemTime::now())
}

/// A client talks to one server, and keeps tasks only for it.
const OWNER: Principal = Principal::Local;
const PAGE: usize = 50;
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// No task is over before it could be looked at.
const SHORTEST_TTL: Duration = POLL_INTERVAL;

#[cfg(test)]
mod tests {
    use std::future::pending;

    use proofmark_core::{
        revision::{ClientCapability, Revision},
        types::{CreateMessageResult, TaskParams},
    };
    use serde_json::{Value, json};
    use tokio::task::JoinSet;

    use super::*;
    use crate::{
        BoxFuture,
        store::{MemoryTaskStore, TaskSettings},
    };

    type Sampled = BoxFuture<'static, Result<CreateMessageResult, ErrorObject>>;

    struct Fixture {
        store: Arc<dyn TaskStore>,
        handlers: Handlers,
    }

    impl Fixture {
        fn new(sampling: fn() -> Sampled) -> Self {
            let store: Arc<dyn TaskStore> = Arc::new(MemoryTaskStore::new(TaskSettings::default()));
            let handlers = Handlers {
                sampling: Some(Arc::new(move |_| sampling())),
                tasks: Some(Arc::clone(&store)),
                ..Handlers::default()
            };
            Self { store, handlers }
        }

        /// Begins a task; gives what is told of it, and what runs on.
        async fn begin(&self) -> (Value, JoinSet<()>) {
            let rules = Revision::ALL
                .iter()
                .map(|revision| revision.rules())
                .find(|rules| rules.client_capabilities.contains(ClientCapability::Tasks))
                .unwrap();
            let params = json!({ "messages": [], "maxTokens": 1 });
            let what = ServerRequest::CreateMessage(serde_json::from_value(params).unwrap());
            let (created, answer) = oneshot::channel();
            let (store, handlers) = (Arc::clone(&self.store), self.handlers.clone());
            let metadata = TaskMetadata { ttl: Some(60_000) };
            let mut work = JoinSet::new();
            work.spawn(run(store, handlers, what, metadata, rules, created));
            (decode(&answer.await.unwrap().unwrap())["task"].take(), work)
        }

        async fn ask(
            &self,
            what: fn(TaskParams) -> ServerRequest,
            id: &Value,
        ) -> Result<Value, i64> {
            let params = TaskParams { task_id: id.as_str().unwrap().to_owned(), meta: None };
            let answer = manage(&*self.store, what(params)).await;
            answer.map(|raw| decode(&raw)).map_err(|error| error.code.0)
        }
    }

    fn decode(raw: &Raw) -> Value {
        serde_json::from_str(raw.as_str()).unwrap()
    }

    fn answers() -> Sampled {
        let result = json!({ "role": "assistant", "model": "m",
            "content": { "type": "text", "text": "yes" } });
        Box::pin(async move { Ok(serde_json::from_str(&result.to_string()).unwrap()) })
    }

    #[tokio::test]
    async fn a_request_becomes_a_task_whose_result_is_its_answer() {
        let fixture = Fixture::new(answers);
        let (task, work) = fixture.begin().await;
        assert_eq!(task["status"], "working");
        let id = &task["taskId"];
        let result = fixture.ask(ServerRequest::TaskResult, id).await.unwrap();
        assert_eq!(result["content"]["text"], "yes");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], *id);
        assert_eq!(fixture.ask(ServerRequest::GetTask, id).await.unwrap()["status"], "completed");
        assert_eq!(fixture.ask(ServerRequest::CancelTask, id).await, Err(-32602));
        work.join_all().await;
    }

    #[tokio::test]
    async fn a_cancelled_task_stays_so_and_its_handler_stops() {
        let fixture = Fixture::new(|| Box::pin(pending()));
        let (task, work) = fixture.begin().await;
        let id = &task["taskId"];
        let cancelled = fixture.ask(ServerRequest::CancelTask, id).await.unwrap();
        assert_eq!(cancelled["status"], "cancelled");
        work.join_all().await;
        assert_eq!(fixture.ask(ServerRequest::GetTask, id).await.unwrap()["status"], "cancelled");
    }

    #[tokio::test]
    async fn a_handler_that_refuses_makes_its_task_fail_and_says_why() {
        let refuses: fn() -> Sampled =
            || Box::pin(async { Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, "not this one")) });
        let fixture = Fixture::new(refuses);
        let (task, work) = fixture.begin().await;
        work.join_all().await;
        let failed = fixture.ask(ServerRequest::GetTask, &task["taskId"]).await.unwrap();
        assert_eq!(failed["status"], "failed");
        assert_eq!(failed["statusMessage"], "not this one");
        assert_eq!(fixture.ask(ServerRequest::TaskResult, &task["taskId"]).await, Err(-32602));
    }

    #[tokio::test]
    async fn the_tasks_of_a_client_are_listed_and_unknown_ones_refused() {
        let fixture = Fixture::new(answers);
        let (task, work) = fixture.begin().await;
        work.join_all().await;
        let list = manage(&*fixture.store, ServerRequest::ListTasks(ListTasksParams::default()));
        assert_eq!(decode(&list.await.unwrap())["tasks"][0]["taskId"], task["taskId"]);
        let odd = ListTasksParams { cursor: Some("nowhere".to_owned()), meta: None };
        let refused = manage(&*fixture.store, ServerRequest::ListTasks(odd)).await.unwrap_err();
        assert_eq!(refused.code.0, -32602);
        assert_eq!(fixture.ask(ServerRequest::GetTask, &json!("no-such-task")).await, Err(-32602));
    }
}
