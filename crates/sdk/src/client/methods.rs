//! The calls that a client can make, one for each method.

use proofmark_core::{
    json::Raw,
    revision::RequestMethod,
    types::{
        CallToolParams, CallToolResult, CompleteArgument, CompleteContext, CompleteParams,
        CompleteResult, DiscoverResult, EmptyResult, GetPromptParams, GetPromptResult,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        LoggingLevel, PaginatedParams, ReadResourceParams, ReadResourceResult, Reference,
        SetLevelParams, StringMap, SubscribeParams, TaskMetadata,
    },
};
use serde::{Deserialize, Serialize};

use super::{
    Client,
    request::{Request, decode, unreadable},
    tools::CalledTool,
};

impl Client {
    /// One page of the tools; the first without a cursor.
    ///
    /// Over HTTP, tools whose arguments cannot be mirrored as they demand are left out.
    pub fn list_tools(&self, cursor: Option<&str>) -> Request<'_, ListToolsResult> {
        Request::reading(self, RequestMethod::ToolsList, &page(cursor), |parts, raw| {
            let mut listed: ListToolsResult = decode(parts.method(), &raw)?;
            parts.client().note_tools(&mut listed.tools);
            Ok(listed)
        })
    }

    pub fn list_resources(&self, cursor: Option<&str>) -> Request<'_, ListResourcesResult> {
        Request::new(self, RequestMethod::ResourcesList, &page(cursor))
    }

    pub fn list_resource_templates(
        &self,
        cursor: Option<&str>,
    ) -> Request<'_, ListResourceTemplatesResult> {
        Request::new(self, RequestMethod::ResourcesTemplatesList, &page(cursor))
    }

    pub fn list_prompts(&self, cursor: Option<&str>) -> Request<'_, ListPromptsResult> {
        Request::new(self, RequestMethod::PromptsList, &page(cursor))
    }

    /// Any request, with params as they are. Its result is not looked into: what a tool's output schema promises is not checked either.
    pub fn request(&self, method: RequestMethod, params: &Raw) -> Request<'_, Raw> {
        let request = Request::raw(self, method, Ok(params.clone()), |_, raw| Ok(raw));
        if method != RequestMethod::ToolsCall || !self.may_mirror() {
            return request;
        }
        match params.decode::<ToolAndArguments>() {
            Ok(ToolAndArguments { name, arguments }) => {
                let none = || Raw::from_json("{}").expect("an empty object is JSON");
                request.calling(CalledTool::mirroring(&name, arguments.unwrap_or_else(none)))
            }
            // A server may be asked for a tool in the wrong way; headers have nothing to repeat then.
            Err(_) => request,
        }
    }

    /// Calls a tool. `arguments` is anything that encodes as a JSON object; `()` for none.
    ///
    /// A tool that fails says so in its result (`is_error`). A result that does not keep what the tool's output schema promises is an
    /// error, if the tool was listed before.
    pub fn call_tool<A: Serialize>(&self, name: &str, arguments: A) -> Request<'_, CallToolResult> {
        self.call_tool_with(name, &arguments, None)
    }

    /// As [`Self::call_tool`], and asks the server to make it a task of the experimental kind.
    pub fn call_tool_as_task<A: Serialize>(
        &self,
        name: &str,
        arguments: A,
        task: &TaskMetadata,
    ) -> Request<'_, CallToolResult> {
        self.call_tool_with(name, &arguments, Some(task))
    }

    fn call_tool_with<A: Serialize>(
        &self,
        name: &str,
        arguments: &A,
        task: Option<&TaskMetadata>,
    ) -> Request<'_, CallToolResult> {
        if self.may_mirror() {
            return self.call_tool_mirrored(name, Raw::new(arguments), task);
        }
        let params = CallToolParams::written(name, arguments, task);
        self.call_tool_request(params).calling(CalledTool::new(self.known_tool(name)))
    }

    /// As [`Self::call_tool_with`], where headers may have to repeat some of the arguments.
    // Out of line, because only HTTP has headers.
    #[inline(never)]
    fn call_tool_mirrored(
        &self,
        name: &str,
        arguments: serde_json::Result<Raw>,
        task: Option<&TaskMetadata>,
    ) -> Request<'_, CallToolResult> {
        match arguments {
            Ok(arguments) => self
                .call_tool_request(CallToolParams::written(name, &arguments, task))
                .calling(CalledTool::mirroring(name, arguments)),
            Err(error) => self.call_tool_request(Err(error)),
        }
    }

    fn call_tool_request(&self, params: serde_json::Result<Raw>) -> Request<'_, CallToolResult> {
        Request::raw(self, RequestMethod::ToolsCall, params, |parts, raw| {
            let result = CallToolResult::from_raw(&raw);
            let result = result.map_err(|error| unreadable(parts.method(), &error))?;
            parts.known_tool().map_or(Ok(()), |tool| tool.check(&result))?;
            Ok(result)
        })
    }

    pub fn read_resource(&self, uri: &str) -> Request<'_, ReadResourceResult> {
        let params = ReadResourceParams { uri: uri.into(), ..ReadResourceParams::default() };
        Request::new(self, RequestMethod::ResourcesRead, &params)
    }

    pub fn get_prompt(
        &self,
        name: &str,
        arguments: &[(&str, &str)],
    ) -> Request<'_, GetPromptResult> {
        let params = GetPromptParams {
            name: name.into(),
            arguments: (!arguments.is_empty()).then(|| strings(arguments)),
            ..GetPromptParams::default()
        };
        Request::new(self, RequestMethod::PromptsGet, &params)
    }

    /// Suggestions for an argument; `filled` are the arguments that are known already.
    pub fn complete(
        &self,
        reference: Reference<'_>,
        argument: &str,
        value: &str,
        filled: &[(&str, &str)],
    ) -> Request<'_, CompleteResult> {
        let params = CompleteParams {
            reference,
            argument: CompleteArgument { name: argument.into(), value: value.into() },
            context: (!filled.is_empty())
                .then(|| CompleteContext { arguments: Some(strings(filled)) }),
            meta: None,
        };
        Request::new(self, RequestMethod::CompletionComplete, &params)
    }

    /// Tells a legacy server how much to log. Modern servers are told with each request, by what the client was built with.
    pub fn set_level(&self, level: LoggingLevel) -> Request<'_, EmptyResult> {
        Request::new(self, RequestMethod::LoggingSetLevel, &SetLevelParams { level, meta: None })
    }

    /// Asks a legacy server to tell when a resource changes. For modern servers there is [`Self::listen`].
    pub fn subscribe(&self, uri: &str) -> Request<'_, EmptyResult> {
        let params = SubscribeParams { uri: uri.into(), meta: None };
        Request::new(self, RequestMethod::ResourcesSubscribe, &params)
    }

    pub fn unsubscribe(&self, uri: &str) -> Request<'_, EmptyResult> {
        let params = SubscribeParams { uri: uri.into(), meta: None };
        Request::new(self, RequestMethod::ResourcesUnsubscribe, &params)
    }

    pub fn ping(&self) -> Request<'_, EmptyResult> {
        Request::new(self, RequestMethod::Ping, &())
    }

    /// Asks a modern server what it speaks and offers.
    pub fn discover(&self) -> Request<'_, DiscoverResult> {
        Request::new(self, RequestMethod::ServerDiscover, &())
    }
}

/// What headers may have to repeat of a call.
#[derive(Deserialize)]
struct ToolAndArguments {
    name: String,
    arguments: Option<Raw>,
}

pub(super) fn page(cursor: Option<&str>) -> PaginatedParams<'_> {
    PaginatedParams { cursor: cursor.map(Into::into), ..PaginatedParams::default() }
}

fn strings<'a>(pairs: &[(&'a str, &'a str)]) -> StringMap<'a> {
    pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
}
