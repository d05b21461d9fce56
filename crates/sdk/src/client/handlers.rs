//! What a client can be asked: its handlers, the same for requests of legacy servers and for `input_required` results.

use std::sync::{Arc, Mutex, PoisonError};

use proofmark_core::{
    fit::Fit,
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::Rules,
    types::{
        ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitAction,
        ElicitFormParams, ElicitParams, ElicitResult, ElicitationCapability, ListRootsResult, Root,
        RootsCapability, SamplingCapability, ServerRequest, TaskElicitationCapability,
        TaskRequestsCapability, TaskSamplingCapability, TasksCapability, check_balance,
    },
};

use super::{host_to_show, tasks::receiver::manage};
use crate::{BoxFuture, store::TaskStore};

type Handler<P, R> = Arc<dyn Fn(P) -> BoxFuture<'static, Result<R, ErrorObject>> + Send + Sync>;

/// Handlers; what has none is not declared and is refused when asked.
#[derive(Clone, Default)]
pub(super) struct Handlers {
    pub(super) sampling: Option<Handler<CreateMessageParams, CreateMessageResult>>,
    pub(super) sampling_tools: bool,
    pub(super) forms: Option<Handler<ElicitParams, ElicitResult>>,
    pub(super) urls: Option<Handler<ElicitParams, ElicitResult>>,
    pub(super) roots: Option<Arc<Mutex<Vec<Root>>>>,
    /// Where tasks are kept that servers ask for.
    pub(super) tasks: Option<Arc<dyn TaskStore>>,
    /// Callers answer by themselves.
    pub(super) relays: bool,
}

impl Handlers {
    /// What the handlers allow to declare.
    pub(super) fn declare(&self, capabilities: &mut ClientCapabilities) {
        let object = |wanted: bool| wanted.then(Default::default);
        let relays = self.relays;
        if relays || self.sampling.is_some() {
            let tools = object(relays || self.sampling_tools);
            capabilities.sampling = Some(SamplingCapability { context: None, tools });
        }
        if relays || self.forms.is_some() || self.urls.is_some() {
            capabilities.elicitation = Some(ElicitationCapability {
                form: object(relays || self.forms.is_some()),
                url: object(relays || self.urls.is_some()),
            });
        }
        if relays || self.roots.is_some() {
            capabilities.roots = Some(RootsCapability { list_changed: Some(true) });
        }
        if self.tasks.is_some() {
            let sampling = capabilities.sampling.is_some();
            let elicitation = capabilities.elicitation.is_some();
            let requests = TaskRequestsCapability {
                tools: None,
                sampling: sampling.then(|| TaskSamplingCapability { create_message: object(true) }),
                elicitation: elicitation
                    .then(|| TaskElicitationCapability { create: object(true) }),
            };
            capabilities.tasks = Some(TasksCapability {
                list: object(true),
                cancel: object(true),
                requests: Some(requests),
            });
        }
    }

    /// Answers a question, in the words of the server's revision.
    pub(super) async fn answer(
        &self,
        what: ServerRequest,
        rules: &'static Rules,
    ) -> Result<Raw, ErrorObject> {
        match what {
            ServerRequest::CreateMessage(params) => {
                let Some(sampling) = &self.sampling else { return Err(not_offered()) };
                check_balance(&params.messages).map_err(|breach| {
                    ErrorObject::new(ErrorCode::INVALID_PARAMS, breach.to_string())
                })?;
                encode(sampling(*params).await?, rules)
            }
            ServerRequest::Elicit(params) => encode(self.elicit(*params).await?, rules),
            ServerRequest::ListRoots(_) => {
                let Some(roots) = &self.roots else { return Err(not_offered()) };
                let roots = roots.lock().unwrap_or_else(PoisonError::into_inner).clone();
                encode(ListRootsResult { roots, meta: None }, rules)
            }
            ServerRequest::CancelTask(_)
            | ServerRequest::GetTask(_)
            | ServerRequest::ListTasks(_)
            | ServerRequest::TaskResult(_) => match &self.tasks {
                Some(store) => manage(&**store, what).await,
                None => Err(not_offered()),
            },
            ServerRequest::Ping => Err(not_offered()),
        }
    }

    pub(super) async fn elicit(&self, params: ElicitParams) -> Result<ElicitResult, ErrorObject> {
        if let ElicitParams::Url(page) = &params
            && host_to_show(&page.url).is_none()
        {
            tracing::warn!("a server wants something opened that is no page");
            let message = "only https pages, and http pages of this machine, are opened";
            return Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, message));
        }
        let (handler, form) = match &params {
            ElicitParams::Form(form) => (&self.forms, Some(form.clone())),
            ElicitParams::Url(_) => (&self.urls, None),
        };
        let Some(handler) = handler else { return Err(not_offered()) };
        let mut result = handler(params).await?;
        match form {
            Some(form) if result.action == ElicitAction::Accept => complete(&form, &mut result)?,
            _ => result.content = None,
        }
        Ok(result)
    }
}

/// Gives fields that were left as they are their defaults, and holds the answer to the form.
fn complete(form: &ElicitFormParams, result: &mut ElicitResult) -> Result<(), ErrorObject> {
    let content = result.content.get_or_insert_default();
    form.requested_schema.fill_defaults(content);
    match form.requested_schema.breaches(content).first() {
        None => Ok(()),
        Some(breach) => {
            tracing::warn!(%breach, "an answer does not fit the form, and is not sent");
            let message = format!("the answer of the user does not fit the form: {breach}");
            Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, message))
        }
    }
}

fn encode<T: Fit + serde::Serialize>(mut result: T, rules: &Rules) -> Result<Raw, ErrorObject> {
    result.fit(rules);
    Raw::new(&result)
        .map_err(|error| ErrorObject::new(ErrorCode::INTERNAL_ERROR, error.to_string()))
}

fn not_offered() -> ErrorObject {
    ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, "nobody here answers this")
}
