//! What runs around requests: code that sees each of them, and how it ended.

mod cache;
mod observe;
mod rate_limit;
mod shipped;

use std::{future::Future, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use http::HeaderMap;
use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject, Id},
    revision::{RequestMethod, Revision},
    session::server::{Call, Outcome},
    types::{CallToolResult, ClientRequest, Reference, ServerResult},
};
use serde::Serialize;

pub use self::{
    cache::{Cache, cache},
    observe::observe,
    rate_limit::{RateLimit, rate_limit},
    shipped::{authorize, logging, timeout},
};
use super::{Error, Server, dispatch::Run, error::ErrorKind, scope::Scope};
use crate::{
    BoxFuture,
    caller::{Caller, Principal},
};

/// Something that runs around requests, given to [`ServerBuilder::layer`](super::ServerBuilder::layer).
///
/// An async function of a [`LayerRequest`] and [`Next`] is one. It sees every request for tools, resources, prompts, completion, lists, skills and
/// tasks, also one that is refused before a handler runs: an unknown tool, arguments that do not fit, a caller without the scope. What
/// the session answers by itself, such as `ping` and `initialize`, and what is no request of the protocol, it does not see.
///
/// When a request is cancelled, its layers are dropped where they wait; [`observe`] tells of that, too. Of a call that becomes a task they see
/// the answer that names the task.
///
/// ```
/// use proofmark_sdk::server::{LayerRequest, Next, Server};
///
/// let server = Server::builder("s", "1")
///     .tool("echo", "Says nothing", async || "")
///     .layer(async |request: LayerRequest, next: Next| {
///         let what = format!("{} {:?}", request.method().as_str(), request.name());
///         let response = next.run(request).await;
///         println!("{what}: {:?}", response.outcome());
///         response
///     })
///     .build();
/// # assert!(server.is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a layer",
    note = "a layer is an async function with its types written out: `async |request: LayerRequest, next: Next| next.run(request).await`",
    note = "what it captures must be `Clone + Send + Sync + 'static`: put it into an `Arc`"
)]
pub trait Layer: Send + Sync + 'static {
    /// Answers a request, by itself or by what [`Next::run`] gives.
    fn handle(&self, request: LayerRequest, next: Next) -> BoxFuture<'static, LayerResponse>;
}

impl<F, Fut> Layer for F
where
    F: FnOnce(LayerRequest, Next) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = LayerResponse> + Send + 'static,
{
    fn handle(&self, request: LayerRequest, next: Next) -> BoxFuture<'static, LayerResponse> {
        Box::pin(self.clone()(request, next))
    }
}

/// A request on its way through the layers. Cheap to clone.
#[derive(Clone)]
pub struct LayerRequest(Arc<Facts>);

struct Facts {
    scope: Arc<Scope>,
    method: RequestMethod,
    name: Option<String>,
    arguments: Option<Raw>,
    rerun: bool,
}

impl LayerRequest {
    pub fn method(&self) -> RequestMethod {
        self.0.method
    }

    /// The tool, the prompt or the URI that the request is about; `None` for lists and tasks.
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The arguments of a tool or prompt, as the client wrote them: they are not checked yet.
    pub fn arguments(&self) -> Option<&Raw> {
        self.0.arguments.as_ref()
    }

    /// Who the client proved to be, where the server demands a proof.
    pub fn caller(&self) -> Option<&Caller> {
        self.0.scope.caller.as_ref()
    }

    /// To whom the request belongs, also where no proof is demanded: the process at the other end of a pipe, a session, or an
    /// anonymous client.
    pub fn principal(&self) -> &Principal {
        self.caller().map_or_else(|| self.0.scope.owner(), Caller::principal)
    }

    pub fn revision(&self) -> Revision {
        self.0.scope.revision
    }

    pub fn request_id(&self) -> Option<&Id<'static>> {
        self.0.scope.id.as_ref()
    }

    /// Whether the client makes the request again, with the answers to what the server asked the time before (2026-07-28).
    pub fn is_rerun(&self) -> bool {
        self.0.rerun
    }

    /// What the server was given with [`ServerBuilder::state`](super::ServerBuilder::state).
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.0.scope.server().states().get()
    }

    /// An answer that refuses the request, in place of what [`Next::run`] would give. As from a handler, a text is for the model where a tool is
    /// called, and [`Error::protocol`] is a JSON-RPC error.
    pub fn refuse(&self, error: impl Into<Error>) -> LayerResponse {
        LayerResponse(match error.into().into_kind() {
            ErrorKind::Protocol(error) => Err(error),
            kind if self.method() == RequestMethod::ToolsCall => Ok(ServerResult::CallTool(
                CallToolResult::error(Error::from_kind(kind).to_string()),
            )),
            kind => {
                let message = Error::from_kind(kind).to_string();
                Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, message))
            }
        })
    }

    /// Different for different principals.
    fn key(&self) -> String {
        let unproved = || Caller::new(self.principal().clone(), Vec::new(), None);
        self.caller().cloned().unwrap_or_else(unproved).key().to_owned()
    }
}

/// The answer to a request, on its way back through the layers.
pub struct LayerResponse(Outcome);

impl LayerResponse {
    pub fn outcome(&self) -> RequestOutcome {
        RequestOutcome::of(Some(&self.0))
    }

    /// The JSON-RPC error, if it is one.
    pub fn error(&self) -> Option<&ErrorObject> {
        self.0.as_ref().err()
    }

    /// The result of a tool, if it is one.
    pub fn tool_result(&self) -> Option<&CallToolResult> {
        match &self.0 {
            Ok(ServerResult::CallTool(result)) => Some(result),
            _ => None,
        }
    }

    /// The result of a tool, to be changed. What is put there is not held to the tool's output schema.
    pub fn tool_result_mut(&mut self) -> Option<&mut CallToolResult> {
        match &mut self.0 {
            Ok(ServerResult::CallTool(result)) => Some(result),
            _ => None,
        }
    }
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestOutcome {
    /// The client must be asked first, and makes the request again (2026-07-28).
    Asked,
    /// The client took it back, went away, or waited too long.
    Cancelled,
    Done,
    /// A JSON-RPC error.
    ProtocolError,
    /// It goes on as a task.
    Task,
    /// The result of a tool that says that it failed; arguments that do not fit are one of these in newer revisions.
    ToolError,
}

impl RequestOutcome {
    /// Without an outcome the request was cancelled.
    pub(crate) fn of(outcome: Option<&Outcome>) -> Self {
        match outcome {
            Some(Ok(ServerResult::CallTool(result))) if result.is_error == Some(true) => {
                Self::ToolError
            }
            Some(Ok(ServerResult::InputRequired(_))) => Self::Asked,
            Some(Ok(ServerResult::CreateTask(_) | ServerResult::ExtensionTask(_))) => Self::Task,
            Some(Ok(_)) => Self::Done,
            Some(Err(_)) => Self::ProtocolError,
            None => Self::Cancelled,
        }
    }

    /// One or two words, for logs and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Cancelled => "cancelled",
            Self::Done => "done",
            Self::ProtocolError => "protocol error",
            Self::Task => "task",
            Self::ToolError => "tool error",
        }
    }
}

/// Which requests a layer is around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Around {
    Every,
    ToolCalls,
}

/// The layers of a server, the outermost first.
#[derive(Clone, Default)]
pub(crate) struct Layers(Arc<Vec<(Around, Arc<dyn Layer>)>>);

impl Layers {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn push(&mut self, around: Around, layer: impl Layer) {
        Arc::make_mut(&mut self.0).push((around, Arc::new(layer)));
    }
}

/// What is inside a layer: other layers, and at last the handler.
pub struct Next {
    layers: Layers,
    at: usize,
    work: Work,
}

enum Work {
    /// The outcome is known, or nothing happens before it is polled.
    Begun(Run),
    /// The params as text, because the bytes that they came in are gone by now.
    Waiting { params: String },
}

impl Next {
    /// Answers the request.
    pub fn run(mut self, request: LayerRequest) -> BoxFuture<'static, LayerResponse> {
        while let Some((around, layer)) = self.layers.0.get(self.at) {
            self.at += 1;
            if *around == Around::Every || request.method() == RequestMethod::ToolsCall {
                let layer = Arc::clone(layer);
                return layer.handle(request, self);
            }
        }
        let facts = request.0;
        // So that layers see how a handler ends that panics.
        let run = AssertUnwindSafe(async move {
            match self.work {
                Work::Begun(run) => run.await,
                Work::Waiting { params } => begin(&facts, &params).await,
            }
        });
        Box::pin(run.catch_unwind().map(|ended| {
            let failed = |_| Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the handler failed"));
            LayerResponse(ended.unwrap_or_else(failed))
        }))
    }
}

impl Server {
    /// As [`Server::run`], with the layers around it.
    pub(crate) fn run_layered(
        &self,
        call: Box<Call<'_>>,
        scope: &Arc<Scope>,
        headers: Option<&HeaderMap>,
    ) -> Run {
        let facts = facts(&call, scope);
        let work = match headers.map_or(Ok(()), |headers| self.check_headers(&call, headers)) {
            Err(error) => Work::Begun(super::dispatch::done(Err(error))),
            Ok(()) => match written(&call.request) {
                Some(Ok(params)) => Work::Waiting { params },
                // Lists are made at once, and the rest waits to be polled.
                None => Work::Begun(self.run(call, scope)),
                Some(Err(error)) => {
                    let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, error.to_string());
                    Work::Begun(super::dispatch::done(Err(error)))
                }
            },
        };
        let next = Next { layers: self.layers().clone(), at: 0, work };
        let run = next.run(LayerRequest(Arc::new(facts)));
        Box::pin(async move { run.await.0 })
    }
}

fn facts(call: &Call<'_>, scope: &Arc<Scope>) -> Facts {
    let (arguments, rerun) = match &call.request {
        ClientRequest::CallTool(params) => {
            (params.arguments.map(Raw::from), params.request_state.is_some())
        }
        ClientRequest::GetPrompt(params) => {
            (params.arguments.as_ref().and_then(raw), params.request_state.is_some())
        }
        ClientRequest::ReadResource(params) => (None, params.request_state.is_some()),
        ClientRequest::Complete(params) => (raw(&params.argument), false),
        _ => (None, false),
    };
    let name = name_of(&call.request).map(str::to_owned);
    Facts { scope: Arc::clone(scope), method: call.method, name, arguments, rerun }
}

fn raw<T: Serialize>(value: &T) -> Option<Raw> {
    Raw::new(value).ok()
}

/// The tool, the prompt or the URI that a request is about.
pub(crate) fn name_of<'a>(request: &'a ClientRequest<'_>) -> Option<&'a str> {
    Some(match request {
        ClientRequest::CallTool(params) => &params.name,
        ClientRequest::GetPrompt(params) => &params.name,
        ClientRequest::ReadResource(params) => &params.uri,
        ClientRequest::Complete(params) => match &params.reference {
            Reference::Prompt(prompt) => &prompt.name,
            Reference::Resource(resource) => &resource.uri,
        },
        ClientRequest::Subscribe(params) | ClientRequest::Unsubscribe(params) => &params.uri,
        ClientRequest::GetSkill(params) => &params.uri,
        ClientRequest::ReadDirectory(params) => &params.uri,
        // The id of a task is for its client alone, and what this says is logged.
        _ => return None,
    })
}

/// The params of a request whose handler may do something as soon as it begins.
fn written(request: &ClientRequest<'_>) -> Option<serde_json::Result<String>> {
    Some(match request {
        ClientRequest::CallTool(params) => serde_json::to_string(params),
        ClientRequest::Complete(params) => serde_json::to_string(params),
        ClientRequest::GetPrompt(params) => serde_json::to_string(params),
        ClientRequest::ReadResource(params) => serde_json::to_string(params),
        _ => return None,
    })
}

/// Begins the handler of what [`written`] wrote.
fn begin(facts: &Facts, params: &str) -> Run {
    let request = match facts.method {
        RequestMethod::ToolsCall => serde_json::from_str(params).map(ClientRequest::CallTool),
        RequestMethod::CompletionComplete => {
            serde_json::from_str(params).map(ClientRequest::Complete)
        }
        RequestMethod::PromptsGet => serde_json::from_str(params).map(ClientRequest::GetPrompt),
        _ => serde_json::from_str(params).map(ClientRequest::ReadResource),
    };
    let scope = &facts.scope;
    match (request, scope.id.clone()) {
        (Ok(request), Some(id)) => {
            let (revision, declared) = (scope.revision, scope.declared);
            let call = Call { id, method: facts.method, revision, declared, request, meta: None };
            scope.server().run(Box::new(call), scope)
        }
        (Err(error), _) => super::dispatch::done(Err(ErrorObject::new(
            ErrorCode::INTERNAL_ERROR,
            error.to_string(),
        ))),
        (_, None) => super::dispatch::done(Err(ErrorObject::new(
            ErrorCode::INTERNAL_ERROR,
            "a notification is not answered",
        ))),
    }
}
