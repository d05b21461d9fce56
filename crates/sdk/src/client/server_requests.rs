//! Requests of the server that the handlers are busy with.

use std::{collections::HashMap, sync::Arc};

use futures_util::{
    StreamExt,
    future::{AbortHandle, Abortable},
    stream::FuturesUnordered,
};
use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    session::client::AskId,
    types::{RelatedTask, ServerRequest},
};
use tokio::sync::oneshot;

use super::{
    engine::{Asked, Engine, Generation},
    tasks::receiver,
};
use crate::{BoxFuture, store::experiment::related};

type Key = (Generation, AskId);
/// `None`: what ran needs no answer any more.
type Handled = Option<(Key, Result<Raw, ErrorObject>)>;

/// Handlers at work. They are polled by the driver, and stop with it.
pub(super) struct ServerRequests {
    engine: Arc<Engine>,
    running: FuturesUnordered<Abortable<BoxFuture<'static, Handled>>>,
    handles: HashMap<Key, AbortHandle>,
}

impl ServerRequests {
    pub(super) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, running: FuturesUnordered::new(), handles: HashMap::new() }
    }

    pub(super) fn start(&mut self, generation: Generation, ask: AskId, what: Asked) {
        let mut what = match what {
            Asked::Handlers(what) => what,
            Asked::Caller { answer, task } => {
                let key = (generation, ask);
                return self.push(key, Box::pin(relayed(key, answer, task)));
            }
        };
        let Some(server) = self.engine.server() else { return };
        let rules = server.revision.rules();
        let handlers = self.engine.handlers.clone();
        let key = (generation, ask);
        if let Some(store) = handlers.tasks.clone()
            && let Some(metadata) = receiver::task_metadata(&mut what)
        {
            let (created, answer) = oneshot::channel();
            let work = receiver::run(store, handlers, what, metadata, rules, created);
            self.push(
                key,
                Box::pin(async move {
                    let gone = || ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the task is gone");
                    Some((key, answer.await.unwrap_or_else(|_| Err(gone()))))
                }),
            );
            // It goes on when its request is answered, and cannot be withdrawn with it.
            let (_, registration) = AbortHandle::new_pair();
            let work = async move {
                work.await;
                None
            };
            self.running.push(Abortable::new(Box::pin(work), registration));
            return;
        }
        let task = related_task(&mut what);
        self.push(
            key,
            Box::pin(async move {
                let answer = handlers.answer(what, rules).await;
                let answer = match task {
                    Some(task) => answer.and_then(|answer| related(&answer, &task)),
                    None => answer,
                };
                Some((key, answer))
            }),
        );
    }

    fn push(&mut self, key: Key, answer: BoxFuture<'static, Handled>) {
        let (handle, registration) = AbortHandle::new_pair();
        self.handles.insert(key, handle);
        self.running.push(Abortable::new(answer, registration));
    }

    pub(super) fn withdraw(&mut self, generation: Generation, ask: AskId) {
        if let Some(handle) = self.handles.remove(&(generation, ask)) {
            handle.abort();
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Waits for the next answer and passes it on. Must not be called while idle.
    pub(super) async fn next(&mut self) {
        if let Some(Ok(Some(((generation, ask), outcome)))) = self.running.next().await {
            self.handles.remove(&(generation, ask));
            self.engine.answered(generation, ask, outcome);
        }
    }
}

/// The answer of the caller on whose behalf the server asks.
async fn relayed(
    key: Key,
    answer: oneshot::Receiver<Result<Raw, ErrorObject>>,
    task: Option<String>,
) -> Handled {
    let gone = || ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the call is over");
    let answer = answer.await.unwrap_or_else(|_| Err(gone()));
    let answer = match task {
        Some(task) => answer.and_then(|answer| related(&answer, &task)),
        None => answer,
    };
    Some((key, answer))
}

/// The task of the server that a request belongs to. What is about tasks names them itself.
pub(super) fn related_task(what: &mut ServerRequest) -> Option<String> {
    if let ServerRequest::CancelTask(_)
    | ServerRequest::GetTask(_)
    | ServerRequest::ListTasks(_)
    | ServerRequest::TaskResult(_) = what
    {
        return None;
    }
    let meta = what.meta_mut()?.as_ref()?;
    RelatedTask::of(meta)?.ok().map(|task| task.task_id)
}
