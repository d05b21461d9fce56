//! From a request to the handler that it is for.

use std::{future::ready, sync::Arc};

use http::HeaderMap;
use proofmark_core::{
    json::{Raw, RawRef},
    jsonrpc::{ErrorCode, ErrorObject, shortened},
    revision::{BadArguments, RequestMethod, Requests, Rules},
    session::server::{Call, Outcome},
    types::{
        CallToolParams, CallToolResult, ClientRequest, CompleteParams, CompleteResult,
        GetPromptParams, GetSkillResult, ReadResourceParams, ReadResourceResult, ServerResult,
    },
};
use serde_json::json;

use super::{
    Context, Error, Server,
    catalogue::Keyed,
    completion::{CompletionRequest, CompletionSubject},
    error::ErrorKind,
    lists::ListRequest,
    resource::ReadFuture,
    rounds::{Attempt, Rounds},
    scope::Scope,
    tasks::{Job, Plan, Start, methods},
    tool::{ReadyTool, ToolFuture},
};
use crate::{BoxFuture, caller::Caller};

pub(crate) type Run = BoxFuture<'static, Outcome>;

impl Server {
    /// Starts the handler of a request. What it needs of the request it has copied, so that the request's bytes can go.
    ///
    /// A handler may panic before there is a future to poll: that is an internal error of its own request like any other panic.
    pub(crate) fn run(&self, call: Box<Call<'_>>, scope: &Arc<Scope>) -> Run {
        let start = || self.start(call, scope);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(start)).unwrap_or_else(|_| {
            done(Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the handler failed")))
        })
    }

    #[expect(clippy::boxed_local, reason = "unpacked it would be copied once more")]
    fn start(&self, call: Box<Call<'_>>, scope: &Arc<Scope>) -> Run {
        let rules = call.revision.rules();
        let run = match call.request {
            ClientRequest::CallTool(params) => self.call_tool(scope, &params, rules),
            ClientRequest::ReadResource(params) => self.read_resource(scope, &params, rules),
            ClientRequest::GetPrompt(params) => self.get_prompt(scope, params, rules),
            ClientRequest::Complete(params) => Ok(self.complete(scope, &params)),
            ClientRequest::ListTools(params) => {
                Ok(self.list(scope, RequestMethod::ToolsList, rules, params.cursor.as_deref()))
            }
            ClientRequest::ListResources(params) => {
                Ok(self.list(scope, RequestMethod::ResourcesList, rules, params.cursor.as_deref()))
            }
            ClientRequest::ListResourceTemplates(params) => Ok(self.list(
                scope,
                RequestMethod::ResourcesTemplatesList,
                rules,
                params.cursor.as_deref(),
            )),
            ClientRequest::ListPrompts(params) => {
                Ok(self.list(scope, RequestMethod::PromptsList, rules, params.cursor.as_deref()))
            }
            ClientRequest::ListSkills(params) => {
                Ok(self.list(scope, RequestMethod::SkillsList, rules, params.cursor.as_deref()))
            }
            ClientRequest::GetSkill(params) => self.get_skill(scope, &params.uri),
            ClientRequest::ReadDirectory(params) => {
                let cursor = params.cursor.as_deref();
                let caller = scope.caller.as_ref();
                let folder = self.paging().folder(&self.catalogue(), &params.uri, cursor, caller);
                folder.map(done).ok_or_else(|| nothing_at(&params.uri, "folder"))
            }
            ClientRequest::Subscribe(params)
                if !self.has_resource(&params.uri, scope.caller.as_ref()) =>
            {
                Err(not_found(&params.uri, rules))
            }
            ClientRequest::Subscribe(params) => Ok(match self.watch_elsewhere(&params.uri) {
                None => done(Ok(ServerResult::empty())),
                Some(watched) => Box::pin(async {
                    watched.await;
                    Ok(ServerResult::empty())
                }),
            }),
            ClientRequest::Unsubscribe(_) => Ok(done(Ok(ServerResult::empty()))),
            ClientRequest::CancelTask(params) => {
                Ok(Box::pin(methods::cancel(Arc::clone(scope), params.task_id)) as Run)
            }
            ClientRequest::GetTask(params) => {
                Ok(Box::pin(methods::get(Arc::clone(scope), params.task_id)) as Run)
            }
            ClientRequest::ListTasks(params) => {
                let cursor = params.cursor.as_deref().map(str::to_owned);
                Ok(Box::pin(methods::list(Arc::clone(scope), cursor)) as Run)
            }
            ClientRequest::TaskResult(params) => {
                Ok(Box::pin(methods::result(Arc::clone(scope), params.task_id)) as Run)
            }
            ClientRequest::UpdateTask(params) => {
                let (id, responses) = (params.task_id, params.input_responses);
                Ok(Box::pin(methods::update(Arc::clone(scope), id, responses)) as Run)
            }
            // The session answers these itself.
            ClientRequest::Discover
            | ClientRequest::Initialize(_)
            | ClientRequest::Listen(_)
            | ClientRequest::Ping
            | ClientRequest::SetLevel(_) => {
                Err(ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, "no handler for this method"))
            }
        };
        run.unwrap_or_else(|error| done(Err(error)))
    }

    /// Compares the headers that a call came with to the arguments that its tool wants repeated in them.
    ///
    /// Only HTTP has headers, so only its driver asks.
    pub(crate) fn check_headers(
        &self,
        call: &Call<'_>,
        headers: &HeaderMap,
    ) -> Result<(), ErrorObject> {
        let ClientRequest::CallTool(params) = &call.request else { return Ok(()) };
        if !call.revision.rules().tools.header_parameters {
            return Ok(());
        }
        let catalogue = self.catalogue();
        let Some(tool) = catalogue.tools.get(&params.name) else { return Ok(()) };
        tool.headers.check(headers, params.arguments).map_err(|mismatch| {
            ErrorObject::quoting(ErrorCode::HEADER_MISMATCH, format!("header mismatch: {mismatch}"))
        })
    }

    fn list(
        &self,
        scope: &Scope,
        method: RequestMethod,
        rules: &Rules,
        cursor: Option<&str>,
    ) -> Run {
        let caller = scope.caller.as_ref();
        let wanted = ListRequest { method, revision: rules.revision, cursor, caller };
        done(self.paging().list(&self.catalogue(), self.offer(), &wanted))
    }

    fn call_tool(
        &self,
        scope: &Arc<Scope>,
        params: &CallToolParams<'_>,
        rules: &'static Rules,
    ) -> Result<Run, ErrorObject> {
        let Some(tool) =
            self.catalogue().tools.get_for(&params.name, scope.caller.as_ref()).cloned()
        else {
            return Err(invalid(format!("unknown tool: {}", params.name)));
        };
        let arguments = params.arguments.map(RawRef::get);
        let plan = Plan::of(&tool, params, rules, scope.declared, self.offer())?;
        let start = |ttl| {
            let kind = rules.tasks?;
            let (tool, arguments) = (Arc::clone(&tool), arguments.map(str::to_owned));
            Some(Start { tool, arguments, rules, kind, ttl, rounds: None })
        };
        if let Plan::Task { ttl } = plan
            && let Some(start) = start(ttl)
        {
            return Ok(Job::begin(self, scope, start));
        }
        let later = if plan == Plan::Either { start(None) } else { None };
        let rounds = self.rounds(rules, || Attempt {
            method: RequestMethod::ToolsCall,
            name: &params.name,
            arguments: params.arguments,
            principal: principal(scope),
            responses: params.input_responses,
            state: params.request_state.as_deref(),
        })?;
        let context = match later {
            Some(_) => Context::before_task(Arc::clone(scope), rounds.clone()),
            None => Context::new(Arc::clone(scope), rounds.clone()),
        };
        match (tool.call(scope, context, arguments), later) {
            (Ok(future), None) => Ok(Box::pin(finish_call(self.clone(), tool, future, rounds))),
            (Ok(future), Some(start)) => {
                let start = Start { rounds, ..start };
                Ok(Box::pin(answer_or_become_task(self.clone(), Arc::clone(scope), future, start)))
            }
            (Err(violation), _) => {
                bad_arguments(&tool, &violation, rules).map(|result| done(Ok(result)))
            }
        }
    }

    fn read_resource(
        &self,
        scope: &Arc<Scope>,
        params: &ReadResourceParams<'_>,
        rules: &'static Rules,
    ) -> Result<Run, ErrorObject> {
        let rounds = self.rounds(rules, || Attempt {
            method: RequestMethod::ResourcesRead,
            name: &params.uri,
            arguments: None,
            principal: principal(scope),
            responses: params.input_responses,
            state: params.request_state.as_deref(),
        })?;
        let context = Context::new(Arc::clone(scope), rounds.clone());
        let catalogue = self.catalogue();
        let caller = scope.caller.as_ref();
        let caching = &self.paging().caching;
        let mut cache = caching.reads;
        let future = if let Some(entry) = catalogue.resources.get_for(&params.uri, caller) {
            cache = entry.cache.unwrap_or(cache);
            Some((entry.read)(context))
        } else if let Some(content) = catalogue.skill_file(&params.uri) {
            cache = caching.skills;
            let contents = vec![content.clone()];
            Some(Box::pin(ready(Ok(contents))) as ReadFuture)
        } else {
            let templates = catalogue.templates.items().iter();
            templates
                .filter(|template| template.is_visible(caller))
                .find_map(|template| template.read(context.clone(), &params.uri))
        };
        let future = future.ok_or_else(|| not_found(&params.uri, rules))?;
        let cache_scope = Some(cache.scope_for(scope.caller.as_ref()));
        let ttl_ms = Some(cache.ttl_ms);
        let server = self.clone();
        Ok(Box::pin(async move {
            match future.await {
                Ok(contents) => Ok(ServerResult::ReadResource(ReadResourceResult {
                    contents,
                    ttl_ms,
                    cache_scope,
                    ..ReadResourceResult::default()
                })),
                Err(error) => match error.into_kind() {
                    ErrorKind::NotFound(uri) => Err(not_found(&uri, rules)),
                    kind => server.unfinished(Error::from_kind(kind), rounds.as_deref()),
                },
            }
        }))
    }

    fn get_prompt(
        &self,
        scope: &Arc<Scope>,
        params: GetPromptParams<'_>,
        rules: &'static Rules,
    ) -> Result<Run, ErrorObject> {
        let Some(entry) =
            self.catalogue().prompts.get_for(&params.name, scope.caller.as_ref()).cloned()
        else {
            return Err(invalid(format!("unknown prompt: {}", params.name)));
        };
        let arguments = Raw::new(&params.arguments).map_err(|error| invalid(error.to_string()))?;
        let rounds = self.rounds(rules, || Attempt {
            method: RequestMethod::PromptsGet,
            name: &params.name,
            arguments: Some(arguments.borrowed()),
            principal: principal(scope),
            responses: params.input_responses,
            state: params.request_state.as_deref(),
        })?;
        let given = params.arguments.into_iter().flatten();
        let given = given.map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        if let Some(name) = entry.missing(&given) {
            return Err(invalid(format!(
                "argument `{name}` of prompt {} is missing",
                entry.prompt.name
            )));
        }
        let future = (entry.get)(Context::new(Arc::clone(scope), rounds.clone()), given);
        let server = self.clone();
        Ok(Box::pin(async move {
            match future.await {
                Ok(result) => Ok(ServerResult::GetPrompt(result)),
                Err(error) => server.unfinished(error, rounds.as_deref()),
            }
        }))
    }

    fn get_skill(&self, scope: &Scope, uri: &str) -> Result<Run, ErrorObject> {
        let catalogue = self.catalogue();
        let skill = catalogue.skills.get(uri).ok_or_else(|| nothing_at(uri, "skill"))?;
        let cache = self.paging().caching.skills;
        Ok(done(Ok(ServerResult::GetSkill(Box::new(GetSkillResult {
            skill: skill.entry.clone(),
            ttl_ms: Some(cache.ttl_ms),
            cache_scope: Some(cache.scope_for(scope.caller.as_ref())),
            meta: None,
            result_type: None,
        })))))
    }

    fn complete(&self, scope: &Arc<Scope>, params: &CompleteParams<'_>) -> Run {
        let request = CompletionRequest::from_params(params);
        let context = Context::new(Arc::clone(scope), None);
        let of_argument = self.catalogue().completion(&request, scope.caller.as_ref());
        let future = match (of_argument, self.completion()) {
            (Some(complete), _) => complete(context, request),
            (None, Some(complete)) => complete(context, request),
            (None, None) => return done(self.no_suggestions(&request, scope.caller.as_ref())),
        };
        let server = self.clone();
        Box::pin(async move {
            match future.await {
                Ok(completion) => Ok(ServerResult::Complete(CompleteResult {
                    completion,
                    ..CompleteResult::default()
                })),
                Err(error) => server.unfinished(error, None),
            }
        })
    }

    /// The answer where nothing completes an argument.
    fn no_suggestions(&self, request: &CompletionRequest, caller: Option<&Caller>) -> Outcome {
        match &request.subject {
            CompletionSubject::Prompt(name)
                if self.catalogue().prompts.get_for(name, caller).is_none() =>
            {
                Err(invalid(format!("unknown prompt: {name}")))
            }
            _ => Ok(ServerResult::Complete(CompleteResult::default())),
        }
    }

    fn has_resource(&self, uri: &str, caller: Option<&Caller>) -> bool {
        let catalogue = self.catalogue();
        let mut templates = catalogue.templates.items().iter();
        catalogue.resources.get_for(uri, caller).is_some()
            || catalogue.skill_file(uri).is_some()
            || templates.any(|template| template.is_visible(caller) && template.fits(uri))
    }

    /// Earlier rounds of a request, in revisions whose servers ask in rounds.
    fn rounds<'a>(
        &self,
        rules: &Rules,
        attempt: impl FnOnce() -> Attempt<'a>,
    ) -> Result<Option<Arc<Rounds>>, ErrorObject> {
        if rules.may_require_input == Requests::NONE {
            return Ok(None);
        }
        Rounds::resume(&self.paging().keys, &attempt()).map(|rounds| Some(Arc::new(rounds)))
    }

    /// The answer to a request whose handler did not come to an end.
    fn unfinished(&self, error: Error, rounds: Option<&Rounds>) -> Outcome {
        match (error.into_kind(), rounds) {
            (ErrorKind::BecomeTask, _) => Err(ErrorObject::new(
                ErrorCode::INTERNAL_ERROR,
                "this request cannot become a task",
            )),
            (ErrorKind::InputRequired, Some(rounds)) => rounds
                .ask(&self.paging().keys, self.state_lifetime())
                .map(ServerResult::InputRequired),
            (ErrorKind::InputRequired, None) => Err(ErrorObject::new(
                ErrorCode::INTERNAL_ERROR,
                "this request cannot ask for input",
            )),
            (ErrorKind::NotFound(uri), _) => Err(nothing_at(&uri, "resource")),
            (ErrorKind::Protocol(error), _) => Err(error),
            (ErrorKind::Text(message), _) => {
                Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, message))
            }
        }
    }
}

/// Carries out a call whose handler decides whether it becomes a task.
async fn answer_or_become_task(
    server: Server,
    scope: Arc<Scope>,
    future: ToolFuture,
    start: Start,
) -> Outcome {
    match future.await.map_err(Error::into_kind) {
        Err(ErrorKind::BecomeTask) => {
            if let Some(rounds) = &start.rounds {
                rounds.rewind();
            }
            Job::begin(&server, &scope, start).await
        }
        other => {
            let known = Box::pin(ready(other.map_err(Error::from_kind)));
            finish_call(server, start.tool, known, start.rounds).await
        }
    }
}

/// What a tool's handler returned, as the answer to its call. What it could not do is for the model to read.
pub(super) async fn finish_call(
    server: Server,
    tool: Arc<ReadyTool>,
    future: ToolFuture,
    rounds: Option<Arc<Rounds>>,
) -> Outcome {
    let result = match future.await.map_err(Error::into_kind) {
        Ok(result) => result,
        Err(ErrorKind::Text(message)) => CallToolResult::error(message),
        Err(kind @ ErrorKind::NotFound(_)) => {
            CallToolResult::error(Error::from_kind(kind).to_string())
        }
        Err(kind) => return server.unfinished(Error::from_kind(kind), rounds.as_deref()),
    };
    if let Err(violation) = tool.check(&result) {
        let message =
            format!("the result of {} breaks its output schema: {violation}", tool.tool.name);
        return Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, message));
    }
    Ok(ServerResult::CallTool(result))
}

/// The answer to a call whose arguments do not fit the tool.
pub(super) fn bad_arguments(tool: &ReadyTool, violation: &str, rules: &Rules) -> Outcome {
    let message = shortened(format!("invalid arguments for {}: {violation}", tool.tool.name));
    match rules.tools.bad_arguments {
        BadArguments::ToolError => Ok(ServerResult::CallTool(CallToolResult::error(message))),
        BadArguments::Either => Err(invalid(message)),
    }
}

fn principal(scope: &Scope) -> &str {
    scope.caller.as_ref().map_or("", |caller| caller.key())
}

fn invalid(message: String) -> ErrorObject {
    ErrorObject::quoting(ErrorCode::INVALID_PARAMS, message)
}

fn not_found(uri: &str, rules: &Rules) -> ErrorObject {
    about(uri, ErrorObject::quoting(rules.resource_not_found, format!("resource not found: {uri}")))
}

fn nothing_at(uri: &str, what: &str) -> ErrorObject {
    about(uri, invalid(format!("there is no {what} at {uri}")))
}

/// Says which resource an error is about, unless its URI is too long to be repeated.
fn about(uri: &str, error: ErrorObject) -> ErrorObject {
    if uri.len() > LONGEST_URI {
        return error;
    }
    match Raw::new(&json!({ "uri": uri })) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}

/// A request whose outcome is known before anything runs.
pub(crate) fn done(outcome: Outcome) -> Run {
    Box::pin(ready(outcome))
}

/// Bytes of a URI that an error repeats in its data.
const LONGEST_URI: usize = 2048;
