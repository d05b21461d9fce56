//! Exchanges that are under way.

use std::{collections::HashMap, sync::Arc};

use futures_util::{
    StreamExt,
    future::{AbortHandle, Abortable},
    stream::FuturesUnordered,
};
use proofmark_core::jsonrpc::Id;

use super::{
    exchange::{Posted, post},
    message::Post,
    wire::Wire,
};
use crate::{
    BoxFuture,
    client::engine::{Engine, Generation},
};

type Key = (Generation, Id<'static>);

/// Polled by the driver, and dropped with it.
pub(super) struct Exchanges {
    engine: Arc<Engine>,
    wire: Arc<Wire>,
    running: FuturesUnordered<BoxFuture<'static, (Option<Key>, Option<Posted>)>>,
    /// By the request that waits for an answer.
    handles: HashMap<Key, AbortHandle>,
}

impl Exchanges {
    pub(super) fn new(engine: Arc<Engine>, wire: Arc<Wire>) -> Self {
        Self { engine, wire, running: FuturesUnordered::new(), handles: HashMap::new() }
    }

    pub(super) fn start(&mut self, message: Post) {
        let key = message.kind.request().map(|id| (message.generation, id.clone()));
        // A server that asks faster than it takes answers does not get them all.
        if key.is_none() && self.running.len() - self.handles.len() >= self.wire.settings.posts {
            tracing::debug!("too many messages are on their way: one is not sent");
            return;
        }
        let (handle, registration) = AbortHandle::new_pair();
        let exchange = post(self.engine.clone(), self.wire.clone(), message);
        let exchange = Abortable::new(exchange, registration);
        if let Some(key) = &key {
            self.handles.insert(key.clone(), handle);
        }
        self.running.push(Box::pin(async move { (key, exchange.await.ok()) }));
    }

    /// Closes the response to a request.
    pub(super) fn abandon(&self, generation: Generation, request: Id<'static>) {
        if let Some(handle) = self.handles.get(&(generation, request)) {
            handle.abort();
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// The next exchange that is over; `None` if nothing is to be done about it. Must not be called while idle.
    pub(super) async fn next(&mut self) -> Option<Posted> {
        let (key, posted) = self.running.next().await?;
        if let Some(key) = key {
            self.handles.remove(&key);
        }
        posted
    }
}
