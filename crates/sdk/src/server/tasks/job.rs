//! One task at work: from its record to its end.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{Rules, TaskEnvelope, TaskRules},
    session::server::{Input, Outcome},
    types::{
        CallToolResult, ContentBlock, CreateTaskResult, InputRequests, ResultType, ServerResult,
        TaskStatus,
    },
};
use tokio::sync::oneshot;
use tracing::Instrument;

use super::{TaskChannel, Tasks, now, refusal};
use crate::{
    BoxFuture,
    server::{
        Context, Server,
        dispatch::{bad_arguments, finish_call},
        rounds::Rounds,
        scope::Scope,
        tool::ReadyTool,
    },
    store::{StoreError, TaskOutcome, TaskRecord},
};

/// A call that is to become a task.
pub(crate) struct Start {
    pub(crate) tool: Arc<ReadyTool>,
    pub(crate) arguments: Option<String>,
    pub(crate) rules: &'static Rules,
    pub(crate) kind: TaskRules,
    /// What the client wishes.
    pub(crate) ttl: Option<Duration>,
    /// What was asked and answered before the call became a task.
    pub(crate) rounds: Option<Arc<Rounds>>,
}

/// A call that became a task.
pub(crate) struct Job {
    server: Server,
    tool: Arc<ReadyTool>,
    arguments: Option<String>,
    rules: &'static Rules,
    rounds: Option<Arc<Rounds>>,
    scope: Arc<Scope>,
    channel: Arc<TaskChannel>,
}

type Created = Result<Arc<TaskRecord>, StoreError>;

impl Job {
    /// Begins a task, and answers the call that `asked` for it with the task.
    ///
    /// The handler runs when the answer is on its way, and not at all if the client is not there to take it: a task that no client knows
    /// of could not be cancelled.
    pub(crate) fn begin(
        server: &Server,
        asked: &Arc<Scope>,
        start: Start,
    ) -> BoxFuture<'static, Outcome> {
        let Start { tool, arguments, rules, kind, ttl, rounds } = start;
        let owner = asked.conversation.owner.clone();
        let draft = match server.tasks().draft(owner.clone(), ttl) {
            Ok(draft) => draft,
            Err(error) => return Box::pin(std::future::ready(Err(refusal(&error)))),
        };
        let channel = Arc::new(TaskChannel::new(draft.id.clone(), owner, kind.input));
        let job = Self {
            server: server.clone(),
            tool,
            arguments,
            rules,
            rounds,
            scope: asked.as_task(Arc::clone(&channel)),
            channel,
        };
        let (created, record) = oneshot::channel();
        let answered = asked.when_answered();
        server.tasks().background.start(job.run(draft, created, answered));
        Box::pin(async move {
            match record.await {
                Ok(Ok(record)) => Ok(shown(&record, kind)),
                Ok(Err(error)) => Err(refusal(&error)),
                Err(_) => Err(ErrorObject::new(
                    ErrorCode::INTERNAL_ERROR,
                    "the server begins no new tasks",
                )),
            }
        })
    }

    async fn run(
        self,
        draft: TaskRecord,
        created: oneshot::Sender<Created>,
        answered: oneshot::Receiver<()>,
    ) {
        let record = match self.tasks().store().create(draft).await {
            Ok(record) => record,
            Err(error) => {
                let _ = created.send(Err(error));
                return;
            }
        };
        tracing::debug!(task = ?record.id, tool = self.tool.tool.name, "a task begins");
        let version = record.version;
        if created.send(Ok(record)).is_err() || answered.await.is_err() {
            self.cancel().await;
            return;
        }
        let stopping = self.tasks().background.stopping();
        let ended = tokio::select! {
            biased;
            ended = self.ended(version) => ended,
            () = stopping.cancelled() => self.cancel().await,
            () = self.scope.conversation.abandoned() => self.cancel().await,
            outcome = self.handle() => self.finish(outcome).await,
        };
        self.scope.cancel();
        if let Some(record) = ended {
            tracing::debug!(task = ?record.id, status = %record.status, "a task ends");
            self.server.tell_of_task(&self.scope, &record);
        }
        let task = self.channel.id.as_str().to_owned();
        self.scope.conversation.feed(Input::TaskEnded { task }, None);
    }

    /// Runs the handler. Its panics are its own.
    async fn handle(&self) -> Outcome {
        let context = Context::new(Arc::clone(&self.scope), self.rounds.clone());
        let run = async {
            match self.tool.call(&self.scope, context, self.arguments.as_deref()) {
                Ok(future) => {
                    finish_call(self.server.clone(), Arc::clone(&self.tool), future, None).await
                }
                Err(violation) => bad_arguments(&self.tool, &violation, self.rules),
            }
        };
        let run = run.instrument(self.scope.span().clone());
        AssertUnwindSafe(run).catch_unwind().await.unwrap_or_else(|_| {
            Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the handler failed"))
        })
    }

    /// Waits until the task was ended from elsewhere, or its time is over; then there is nothing left of it.
    async fn ended(&self, mut version: u64) -> Option<Arc<TaskRecord>> {
        loop {
            match self.tasks().store().changed(&self.channel.id, &self.channel.owner, version).await
            {
                Ok(record) if record.status.is_terminal() => return Some(record),
                Ok(record) => version = record.version,
                Err(error) if error.is_unknown() => return None,
                // The handler goes on: its end will show whether the store is there again.
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// Keeps what came of the call. A task that was cancelled meanwhile stays so.
    async fn finish(&self, outcome: Outcome) -> Option<Arc<TaskRecord>> {
        let kept = self.keep(&self.ending(outcome)).await;
        let kept = match kept {
            Err(error) if error.is_too_large() || error.is_full() => {
                let message = format!("the result cannot be kept: {error}");
                let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, message);
                self.keep(&Ending::error(error)).await
            }
            kept => kept,
        };
        if let Err(error) = &kept
            && !error.is_unknown()
            && !error.is_bad_transition()
        {
            tracing::error!(%error, task = ?self.channel.id, "the end of a task could not be kept");
        }
        kept.ok()
    }

    async fn keep(&self, ending: &Ending) -> Created {
        let edit = |record: &mut TaskRecord| {
            record.status = ending.status;
            record.status_message.clone_from(&ending.message);
            record.outcome = Some(ending.outcome.clone());
            record.input_requests = InputRequests::new();
        };
        self.tasks().change(&self.channel.id, &self.channel.owner, edit).await
    }

    async fn cancel(&self) -> Option<Arc<TaskRecord>> {
        self.tasks().store().cancel(&self.channel.id, &self.channel.owner, now()).await.ok()
    }

    fn ending(&self, outcome: Outcome) -> Ending {
        let result = match outcome {
            Ok(ServerResult::CallTool(result)) => result,
            Ok(_) => return Ending::error(super::channel::no_retry()),
            Err(error) => return Ending::error(error),
        };
        let (status, message) = if result.is_error == Some(true) {
            (TaskStatus::Failed, first_text(&result))
        } else {
            (TaskStatus::Completed, None)
        };
        match self.server.offer().prepare(self.rules.revision, ServerResult::CallTool(result)) {
            Ok(ServerResult::Ready(raw)) => {
                Ending { status, message, outcome: TaskOutcome::Result((*raw).clone()) }
            }
            Ok(_) => Ending::error(super::channel::no_retry()),
            Err(error) => {
                Ending::error(ErrorObject::new(ErrorCode::INTERNAL_ERROR, error.to_string()))
            }
        }
    }

    fn tasks(&self) -> &Tasks {
        self.server.tasks()
    }
}

/// How a task ends.
struct Ending {
    status: TaskStatus,
    message: Option<String>,
    outcome: TaskOutcome,
}

impl Ending {
    fn error(error: ErrorObject) -> Self {
        Self {
            status: TaskStatus::Failed,
            message: Some(error.message.to_string()),
            outcome: TaskOutcome::Error(error),
        }
    }
}

/// A new task, in the way of its kind.
fn shown(record: &TaskRecord, kind: TaskRules) -> ServerResult {
    match kind.created {
        TaskEnvelope::Wrapped => ServerResult::CreateTask(CreateTaskResult {
            task: record.as_experimental(),
            meta: None,
            result_type: None,
        }),
        TaskEnvelope::Flat => {
            let mut task = record.as_extension();
            task.result_type = Some(ResultType::Task);
            ServerResult::ExtensionTask(Box::new(task))
        }
    }
}

/// What a tool says is wrong, short enough for a status.
fn first_text(result: &CallToolResult) -> Option<String> {
    result.content.iter().find_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.chars().take(LONGEST_MESSAGE).collect()),
        _ => None,
    })
}

const LONGEST_MESSAGE: usize = 500;
