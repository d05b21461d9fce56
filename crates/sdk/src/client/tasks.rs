//! Tasks of servers, of both kinds: the experiment, which a client asks for, and the extension, which a server decides on.

pub(super) mod receiver;

use std::{collections::BTreeSet, pin::pin, time::Duration};

use futures_util::TryStreamExt;

use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{RequestMethod, Rules, TaskOptIn},
    session::client::CallError,
    types::{
        DetailedTask, EmptyResult, ExtensionTask, InputRequest, InputRequests, InputResponses,
        ListTasksResult, ServerCapabilities, ServerRequest, Task, TaskParams, TaskState,
        TaskSupport, UpdateTaskParams,
    },
};
use serde::Deserialize;
use tokio::time::sleep;

use super::{
    Client, Error,
    methods::page,
    relay::RelayTo,
    request::{Request, RequestParts, ResultOrTask},
};

impl Client {
    /// The state of a task of the experimental kind.
    pub fn get_task(&self, id: &str) -> Request<'_, Task> {
        Request::new(self, RequestMethod::TasksGet, &task(id))
    }

    /// The result of a task of the experimental kind, when it has one: what the request would have answered.
    pub fn task_result(&self, id: &str) -> Request<'_, Raw> {
        Request::reading(self, RequestMethod::TasksResult, &task(id), |_, raw| Ok(raw))
    }

    /// Ends a task of the experimental kind.
    pub fn cancel_task(&self, id: &str) -> Request<'_, Task> {
        Request::new(self, RequestMethod::TasksCancel, &task(id))
    }

    pub fn list_tasks(&self, cursor: Option<&str>) -> Request<'_, ListTasksResult> {
        Request::new(self, RequestMethod::TasksList, &page(cursor))
    }

    /// The state of a task of the extension, with its result if it has one.
    pub fn get_extension_task(&self, id: &str) -> Request<'_, DetailedTask> {
        Request::new(self, RequestMethod::TasksGet, &task(id))
    }

    /// Ends a task of the extension.
    pub fn cancel_extension_task(&self, id: &str) -> Request<'_, EmptyResult> {
        Request::new(self, RequestMethod::TasksCancel, &task(id))
    }

    /// Answers what a task of the extension asked.
    pub fn update_task(&self, id: &str, responses: InputResponses) -> Request<'_, EmptyResult> {
        let params =
            UpdateTaskParams { task_id: id.to_owned(), input_responses: responses, meta: None };
        Request::new(self, RequestMethod::TasksUpdate, &params)
    }

    /// Waits for the result of a call that became a task of the experimental kind.
    pub(super) async fn await_task(
        &self,
        method: RequestMethod,
        task: &Task,
        relay: Option<RelayTo>,
    ) -> Result<Raw, Error> {
        // The server answers when there is something to answer.
        let longest = self.engine().settings.session.longest;
        let mut request = self.task_result(&task.task_id).patience(longest);
        if let Some(relay) = relay {
            request.relay_to(relay);
        }
        let raw = request.result_or_task().await?;
        match raw {
            ResultOrTask::Result(raw) => Ok(raw),
            _ => Err(Error::BecameTask { method, task: task.task_id.clone() }),
        }
    }

    /// Follows a call that became a task of the extension to its end, and answers what it asks on the way.
    pub(super) async fn await_extension_task(
        &self,
        method: RequestMethod,
        task: ExtensionTask,
        relay: Option<RelayTo>,
    ) -> Result<Raw, Error> {
        let id = task.task_id;
        let mut pause = task.poll_interval_ms;
        let mut answered = BTreeSet::new();
        loop {
            sleep(pause.map_or(POLL, Duration::from_millis).clamp(SHORTEST, LONGEST)).await;
            let answer = self.get_extension_task(&id).result_or_task().await?;
            let ResultOrTask::Result(task) = answer else {
                return Err(Error::BecameTask { method, task: id });
            };
            pause = task.poll_interval_ms;
            let error = |why| Error::Call { method, why, detail: None };
            match task.state {
                TaskState::Completed(raw) => return Ok(raw),
                TaskState::Failed(refusal) => return Err(error(CallError::Refused(refusal))),
                TaskState::Cancelled => return Err(error(CallError::Cancelled)),
                TaskState::InputRequired(asked) => {
                    self.answer_task(&id, asked, &mut answered, relay.as_ref()).await?;
                }
                TaskState::Working => {}
            }
        }
    }

    async fn answer_task(
        &self,
        id: &str,
        asked: InputRequests,
        answered: &mut BTreeSet<String>,
        relay: Option<&RelayTo>,
    ) -> Result<(), Error> {
        let server = self.engine().ready().await?;
        let rules = server.revision.rules();
        let mut responses = InputResponses::default();
        for (key, request) in asked {
            if !answered.insert(key.clone()) {
                continue;
            }
            let handlers = &self.engine().handlers;
            let answer = match relay.map(|relay| relay.ask(as_request(request.clone()))) {
                Some(Ok(answer)) => answer.await.unwrap_or_else(|_| {
                    Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the call is over"))
                }),
                _ => handlers.answer(as_request(request), rules).await,
            };
            let answer = answer.map_err(|error| Error::Call {
                method: RequestMethod::TasksUpdate,
                why: CallError::Unanswered(error),
                detail: None,
            })?;
            responses.0.insert(key, answer);
        }
        if responses.0.is_empty() {
            return Ok(());
        }
        self.update_task(id, responses).result_or_task().await.map(drop)
    }
}

impl RequestParts<'_> {
    /// Puts the wish for a task into the params of a call, if the client is the one to wish, the server has tasks, and the tool can be one.
    pub(super) async fn ask_for_task(&mut self, rules: &Rules) -> Result<(), Error> {
        let client = self.client();
        let wishes = rules.tasks.is_some_and(|tasks| tasks.opt_in == TaskOptIn::Parameter);
        let server = client.engine().ready().await?;
        let Some(params) =
            self.params().filter(|_| wishes && has_tasks(server.capabilities.as_ref()))
        else {
            return Ok(());
        };
        let Ok(Named { name }) = params.decode() else { return Ok(()) };
        let mut tools = pin!(client.tools());
        let tool = loop {
            match tools.try_next().await? {
                Some(tool) if tool.name == name => break tool,
                Some(_) => {}
                None => return Ok(()),
            }
        };
        let support = tool.execution.and_then(|execution| execution.task_support);
        if support.is_some_and(|support| support != TaskSupport::Forbidden)
            && let Some(rest) = params.as_str().strip_prefix('{')
            && let Ok(params) = Raw::from_json(format!("{{\"task\":{{}},{rest}"))
        {
            self.set_params(params);
        }
        Ok(())
    }
}

/// Whether a server makes tasks of calls where a client wishes for them.
fn has_tasks(capabilities: Option<&ServerCapabilities>) -> bool {
    let tasks = capabilities.and_then(|capabilities| capabilities.tasks.as_ref());
    let requests = tasks.and_then(|tasks| tasks.requests.as_ref());
    requests.and_then(|requests| requests.tools.as_ref()).is_some_and(|tools| tools.call.is_some())
}

/// The tool of a call.
#[derive(Deserialize)]
struct Named {
    name: String,
}

fn task(id: &str) -> TaskParams {
    TaskParams { task_id: id.to_owned(), meta: None }
}

fn as_request(request: InputRequest) -> ServerRequest {
    match request {
        InputRequest::CreateMessage(params) => ServerRequest::CreateMessage(params),
        InputRequest::Elicit(params) => ServerRequest::Elicit(Box::new(params)),
        InputRequest::ListRoots(params) => ServerRequest::ListRoots(params.unwrap_or_default()),
    }
}

const POLL: Duration = Duration::from_secs(1);
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(60);
