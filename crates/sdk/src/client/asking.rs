//! Questions of the server that the handlers are busy with.

use std::{collections::HashMap, sync::Arc};

use futures_util::{
    StreamExt,
    future::{AbortHandle, Abortable},
    stream::FuturesUnordered,
};
use proofmark_core::{
    json::Raw, jsonrpc::ErrorObject, session::client::AskId, types::ServerRequest,
};

use super::engine::{Engine, Generation};
use crate::BoxFuture;

type Asked = (Generation, AskId);
type Answer = (Asked, Result<Raw, ErrorObject>);

/// Handlers at work. They are polled by whoever drives the connection, and stop with it.
pub(super) struct Asking {
    engine: Arc<Engine>,
    running: FuturesUnordered<Abortable<BoxFuture<'static, Answer>>>,
    handles: HashMap<Asked, AbortHandle>,
}

impl Asking {
    pub(super) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, running: FuturesUnordered::new(), handles: HashMap::new() }
    }

    pub(super) fn ask(&mut self, generation: Generation, ask: AskId, what: ServerRequest) {
        let Some(server) = self.engine.server() else { return };
        let rules = server.revision.rules();
        let handlers = self.engine.handlers.clone();
        let answer: BoxFuture<'static, Answer> =
            Box::pin(async move { ((generation, ask), handlers.answer(what, rules).await) });
        let (handle, registration) = AbortHandle::new_pair();
        self.handles.insert((generation, ask), handle);
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
        if let Some(Ok(((generation, ask), outcome))) = self.running.next().await {
            self.handles.remove(&(generation, ask));
            self.engine.answered(generation, ask, outcome);
        }
    }
}
