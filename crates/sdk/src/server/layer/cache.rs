//! Results of tools that only read, kept for a while.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use proofmark_core::{
    json::Raw,
    revision::RequestMethod,
    types::{CallToolResult, ServerResult},
};
use tokio::time::Instant;

use super::{Layer, LayerRequest, LayerResponse, Next, RequestOutcome};
use crate::BoxFuture;

/// Answers calls of tools that are [`read_only`](crate::server::ToolBuilder::read_only) with what the same caller was told before for the same
/// arguments, for as long as `lifetime`. What failed, asked or became a task is not kept.
///
/// ```
/// use std::time::Duration;
/// use proofmark_sdk::server::{Server, layers, tool};
///
/// let server = Server::builder("s", "1")
///     .add_tool(tool("rates").read_only().handler(async || "1.1"))
///     .tool_layer(layers::cache(Duration::from_secs(60)))
///     .build();
/// # assert!(server.is_ok());
/// ```
pub fn cache(lifetime: Duration) -> Cache {
    Cache { lifetime, kept: Arc::default() }
}

/// A layer that keeps results; see [`cache`].
#[derive(Clone)]
pub struct Cache {
    lifetime: Duration,
    kept: Arc<Mutex<HashMap<Key, Kept>>>,
}

/// Who called, with which scopes, which tool, with what.
type Key = (String, Vec<String>, String, Option<String>);

struct Kept {
    until: Instant,
    result: CallToolResult,
}

impl Cache {
    fn get(&self, key: &Key) -> Option<CallToolResult> {
        let kept = self.lock();
        let kept = kept.get(key).filter(|kept| kept.until > Instant::now())?;
        Some(kept.result.clone())
    }

    fn put(&self, key: Key, result: CallToolResult) {
        let now = Instant::now();
        let mut kept = self.lock();
        if kept.len() >= MOST {
            kept.retain(|_, kept| kept.until > now);
        }
        if kept.len() < MOST {
            kept.insert(key, Kept { until: now + self.lifetime, result });
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Layer for Cache {
    fn handle(&self, request: LayerRequest, next: Next) -> BoxFuture<'static, LayerResponse> {
        let Some(key) = key(&request) else { return next.run(request) };
        if let Some(result) = self.get(&key) {
            let response = LayerResponse(Ok(ServerResult::CallTool(result)));
            return Box::pin(std::future::ready(response));
        }
        let (cache, run) = (self.clone(), next.run(request));
        Box::pin(async move {
            let response = run.await;
            if response.outcome() == RequestOutcome::Done
                && let Some(result) = response.tool_result()
            {
                cache.put(key, result.clone());
            }
            response
        })
    }
}

/// What the result of a call depends on, if it may be kept. The caller has to see the tool.
fn key(request: &LayerRequest) -> Option<Key> {
    let name = request.name().filter(|_| request.method() == RequestMethod::ToolsCall)?;
    let server = request.0.scope.server();
    let tool = server.catalogue().tools.get_for(name, request.caller())?.clone();
    let hints = tool.tool.annotations.as_ref()?;
    let arguments = request.arguments().map(Raw::as_str).map(str::to_owned);
    let kept = hints.read_only_hint == Some(true)
        && !request.is_rerun()
        && arguments.as_ref().is_none_or(|arguments| arguments.len() <= LONGEST);
    let scopes = request.caller().map(|caller| caller.scopes().to_vec());
    kept.then(|| (request.key(), scopes.unwrap_or_default(), name.to_owned(), arguments))
}

/// Results that are kept at once, and bytes of arguments that they are kept for.
const MOST: usize = 10_000;
const LONGEST: usize = 4096;
