//! From a request to the handler that it is for.

use std::{future::ready, sync::Arc};

use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{BadArguments, RequestMethod, Rules},
    session::server::{Call, Outcome},
    types::{
        CallToolParams, CallToolResult, ClientRequest, CompleteParams, CompleteResult,
        GetPromptParams, ReadResourceParams, ReadResourceResult, ServerResult,
    },
};
use serde_json::json;

use super::{
    Context, Error, Server,
    completion::CompletionRequest,
    error::Kind,
    scope::Scope,
    tool::{ReadyTool, ToolFuture},
};
use crate::BoxFuture;

type Run = BoxFuture<'static, Outcome>;

impl Server {
    /// Starts the handler of a request. What it needs of the request it has copied, so that the request's bytes can go.
    pub(crate) fn run(&self, call: Call<'_>, scope: &Arc<Scope>) -> Run {
        let rules = call.revision.rules();
        let context = Context::new(Arc::clone(scope));
        match call.request {
            ClientRequest::CallTool(params) => self.call_tool(context, &params, rules),
            ClientRequest::ReadResource(params) => self.read_resource(context, &params, rules),
            ClientRequest::GetPrompt(params) => self.get_prompt(context, params),
            ClientRequest::Complete(params) => self.complete(context, &params),
            ClientRequest::ListTools(params) => {
                self.list(RequestMethod::ToolsList, rules, params.cursor.as_deref())
            }
            ClientRequest::ListResources(params) => {
                self.list(RequestMethod::ResourcesList, rules, params.cursor.as_deref())
            }
            ClientRequest::ListResourceTemplates(params) => {
                self.list(RequestMethod::ResourcesTemplatesList, rules, params.cursor.as_deref())
            }
            ClientRequest::ListPrompts(params) => {
                self.list(RequestMethod::PromptsList, rules, params.cursor.as_deref())
            }
            ClientRequest::Subscribe(params) => done(if self.has_resource(&params.uri) {
                Ok(ServerResult::empty())
            } else {
                Err(not_found(&params.uri, rules))
            }),
            ClientRequest::Unsubscribe(_) => done(Ok(ServerResult::empty())),
            // The session answers these itself, or knows that this server has none of them.
            ClientRequest::CancelTask(_)
            | ClientRequest::Discover
            | ClientRequest::GetTask(_)
            | ClientRequest::Initialize(_)
            | ClientRequest::ListTasks(_)
            | ClientRequest::Listen(_)
            | ClientRequest::Ping
            | ClientRequest::SetLevel(_)
            | ClientRequest::TaskResult(_)
            | ClientRequest::UpdateTask(_) => done(Err(ErrorObject::new(
                ErrorCode::METHOD_NOT_FOUND,
                "no handler for this method",
            ))),
        }
    }

    fn list(&self, method: RequestMethod, rules: &Rules, cursor: Option<&str>) -> Run {
        let catalogue = self.catalogue();
        done(self.paging().list(&catalogue, self.offer(), method, rules.revision, cursor))
    }

    fn call_tool(
        &self,
        context: Context,
        params: &CallToolParams<'_>,
        rules: &'static Rules,
    ) -> Run {
        let Some(tool) = self.catalogue().tools.get(&params.name).cloned() else {
            return done(Err(ErrorObject::new(
                ErrorCode::INVALID_PARAMS,
                format!("unknown tool: {}", params.name),
            )));
        };
        match tool.call(context, params.arguments.map(|arguments| arguments.get())) {
            Ok(future) => Box::pin(finish_call(tool, future)),
            Err(violation) => {
                let message = format!("invalid arguments for {}: {violation}", tool.tool.name);
                done(match rules.tools.bad_arguments {
                    BadArguments::ToolError => {
                        Ok(ServerResult::CallTool(CallToolResult::error(message)))
                    }
                    BadArguments::Either => {
                        Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, message))
                    }
                })
            }
        }
    }

    fn read_resource(
        &self,
        context: Context,
        params: &ReadResourceParams<'_>,
        rules: &'static Rules,
    ) -> Run {
        let catalogue = self.catalogue();
        let future = match catalogue.resources.get(&params.uri) {
            Some(entry) => Some((entry.read)(context)),
            None => catalogue
                .templates
                .items()
                .iter()
                .find_map(|template| template.read(context.clone(), &params.uri)),
        };
        let Some(future) = future else { return done(Err(not_found(&params.uri, rules))) };
        let (ttl_ms, cache_scope) = (Some(self.read_ttl_ms()), Some(self.paging().scope));
        Box::pin(async move {
            let contents = future.await.map_err(Error::into_error_object)?;
            let result = ReadResourceResult {
                contents,
                ttl_ms,
                cache_scope,
                ..ReadResourceResult::default()
            };
            Ok(ServerResult::ReadResource(result))
        })
    }

    fn get_prompt(&self, context: Context, params: GetPromptParams<'_>) -> Run {
        let Some(entry) = self.catalogue().prompts.get(&params.name).cloned() else {
            let message = format!("unknown prompt: {}", params.name);
            return done(Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, message)));
        };
        let given = params.arguments.into_iter().flatten();
        let given = given.map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        if let Some(name) = entry.missing(&given) {
            let message = format!("argument `{name}` of prompt {} is missing", entry.prompt.name);
            return done(Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, message)));
        }
        let future = (entry.get)(context, given);
        Box::pin(async move {
            future.await.map(ServerResult::GetPrompt).map_err(Error::into_error_object)
        })
    }

    fn complete(&self, context: Context, params: &CompleteParams<'_>) -> Run {
        let Some(complete) = self.completion() else {
            return done(Ok(ServerResult::Complete(CompleteResult::default())));
        };
        let future = complete(context, CompletionRequest::from_params(params));
        Box::pin(async move {
            let completion = future.await.map_err(Error::into_error_object)?;
            Ok(ServerResult::Complete(CompleteResult { completion, ..CompleteResult::default() }))
        })
    }

    fn has_resource(&self, uri: &str) -> bool {
        let catalogue = self.catalogue();
        catalogue.resources.get(uri).is_some()
            || catalogue.templates.items().iter().any(|template| template.fits(uri))
    }
}

/// What a tool's handler returned, as the answer to its call.
async fn finish_call(tool: Arc<ReadyTool>, future: ToolFuture) -> Outcome {
    let result = match future.await {
        Ok(result) => result,
        Err(error) => match error.into_kind() {
            Kind::Protocol(error) => return Err(error),
            Kind::Text(message) => CallToolResult::error(message),
            Kind::InputRequired(_) => {
                return Err(ErrorObject::new(
                    ErrorCode::INTERNAL_ERROR,
                    "this request cannot ask for input",
                ));
            }
        },
    };
    if let Err(violation) = tool.check(&result) {
        let message =
            format!("the result of {} breaks its output schema: {violation}", tool.tool.name);
        return Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, message));
    }
    Ok(ServerResult::CallTool(result))
}

fn not_found(uri: &str, rules: &Rules) -> ErrorObject {
    let error = ErrorObject::new(rules.resource_not_found, format!("resource not found: {uri}"));
    match Raw::new(&json!({ "uri": uri })) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}

fn done(outcome: Outcome) -> Run {
    Box::pin(ready(outcome))
}
