//! What a server elsewhere offers, as entries of this one.

use std::sync::Arc;

use proofmark_core::{
    json::Raw,
    jsonrpc::ErrorCode,
    revision::{RequestMethod, ServerCapability},
    types::{
        CallToolResult, CompleteArgument, CompleteContext, CompleteParams, CompleteResult,
        Completion, GetPromptResult, Prompt, PromptReference, ReadResourceResult, Reference,
        Resource, ResourceTemplate, ResourceTemplateReference, TaskSupport, Tool,
    },
    uri_template::UriTemplate,
};
use serde::{Serialize, de::DeserializeOwned};

use super::{Lists, Upstream, calls::Relay};
use crate::{
    client::Client,
    server::{
        Complete, CompletionRequest, Completions, Context, Error, ErrorKind, Needs,
        PromptArguments, PromptEntry, ReadFuture, ResourceEntry, TemplateEntry, ToolEntry,
        elsewhere::Entries,
    },
};

/// Entries that pass on what they are asked.
pub(super) fn of(upstream: &Arc<Upstream>, prefix: &str, lists: Lists) -> Entries {
    let Lists { tools, prompts, resources, templates } = lists;
    let tool = |it: Tool| tool(upstream, named(prefix, &it.name), it);
    let prompt = |it: Prompt| prompt(upstream, named(prefix, &it.name), it);
    Entries {
        tools: tools.into_iter().map(tool).collect(),
        prompts: prompts.into_iter().map(prompt).collect(),
        resources: resources.into_iter().map(|it| resource(upstream, it)).collect(),
        templates: templates.into_iter().map(|it| template(upstream, it)).collect(),
    }
}

/// The name that something has here.
pub(super) fn named(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}_{name}") }
}

fn tool(upstream: &Arc<Upstream>, name: String, tool: Tool) -> ToolEntry {
    #[derive(Serialize)]
    struct Params<'a> {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        arguments: Option<Raw>,
    }

    let theirs = tool.name.clone();
    let support = tool.execution.as_ref().and_then(|execution| execution.task_support);
    let as_task = support == Some(TaskSupport::Required);
    let upstream = Arc::clone(upstream);
    ToolEntry::relayed(Tool { name, ..tool }, move |context, arguments| {
        let (upstream, theirs) = (Arc::clone(&upstream), theirs.clone());
        Box::pin(async move {
            let arguments = arguments.map(Raw::from_json).transpose()?;
            let params = Raw::new(&Params { name: &theirs, arguments })?;
            let relay = Relay { method: RequestMethod::ToolsCall, params, as_task };
            let called = upstream.call(context, relay).await?;
            Ok(CallToolResult::from_raw(&called)?)
        })
    })
}

fn prompt(upstream: &Arc<Upstream>, name: String, prompt: Prompt) -> PromptEntry {
    #[derive(Serialize)]
    struct Params<'a> {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        arguments: Option<PromptArguments>,
    }

    let theirs = prompt.name.clone();
    let arguments = prompt.arguments.iter().flatten().map(|argument| argument.name.clone());
    let completions = completions(upstream, arguments, Of::Prompt(theirs.clone()));
    let upstream = Arc::clone(upstream);
    let get = move |context: Context, arguments: PromptArguments| {
        let (upstream, theirs) = (Arc::clone(&upstream), theirs.clone());
        let arguments = (!arguments.is_empty()).then_some(arguments);
        Box::pin(async move {
            let params = Raw::new(&Params { name: &theirs, arguments })?;
            let got = upstream.call(context, Relay::plain(RequestMethod::PromptsGet, params)).await;
            decode::<GetPromptResult>(&got?)
        }) as _
    };
    PromptEntry {
        prompt: Prompt { name, ..prompt },
        hidden_without: None,
        needs: Needs::default(),
        completions,
        get: Arc::new(get),
    }
}

fn resource(upstream: &Arc<Upstream>, resource: Resource) -> ResourceEntry {
    let (upstream, uri) = (Arc::clone(upstream), resource.uri.clone());
    let read = move |context| read(Arc::clone(&upstream), context, uri.clone());
    let read = Arc::new(read);
    ResourceEntry { resource, cache: None, hidden_without: None, needs: Needs::default(), read }
}

fn template(upstream: &Arc<Upstream>, template: ResourceTemplate) -> TemplateEntry {
    let parsed = UriTemplate::parse(&template.uri_template);
    let variables = parsed.iter().flat_map(UriTemplate::variables).map(str::to_owned);
    let of = Of::Template(template.uri_template.clone());
    let completions = completions(upstream, variables, of);
    let upstream = Arc::clone(upstream);
    let read = Arc::new(move |context, uri, _| read(Arc::clone(&upstream), context, uri));
    TemplateEntry { template, hidden_without: None, needs: Needs::default(), completions, read }
}

fn read(upstream: Arc<Upstream>, context: Context, uri: String) -> ReadFuture {
    #[derive(Serialize)]
    struct Params<'a> {
        uri: &'a str,
    }

    Box::pin(async move {
        let params = Raw::new(&Params { uri: &uri })?;
        let not_found = upstream.not_found();
        let read = upstream.call(context, Relay::plain(RequestMethod::ResourcesRead, params)).await;
        match read.map_err(Error::into_kind) {
            Ok(raw) => Ok(decode::<ReadResourceResult>(&raw)?.contents),
            Err(ErrorKind::Protocol(error)) if Some(error.code) == not_found => {
                Err(Error::not_found(uri))
            }
            Err(kind) => Err(Error::from_kind(kind)),
        }
    })
}

/// Whose arguments are completed.
#[derive(Clone)]
enum Of {
    Prompt(String),
    Template(String),
}

fn completions(
    upstream: &Arc<Upstream>,
    arguments: impl Iterator<Item = String>,
    of: Of,
) -> Completions {
    let mut completions = Completions::default();
    if !completes(&upstream.client) {
        return completions;
    }
    let upstream = Arc::clone(upstream);
    let complete: Complete = Arc::new(move |context: Context, request: CompletionRequest| {
        let (upstream, of) = (Arc::clone(&upstream), of.clone());
        Box::pin(async move {
            let params = complete_params(&of, &request)?;
            let relay = Relay::plain(RequestMethod::CompletionComplete, params);
            match upstream.call(context, relay).await.map_err(Error::into_kind) {
                Ok(completed) => Ok(decode::<CompleteResult>(&completed)?.completion),
                Err(ErrorKind::Protocol(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                    Ok(Completion::default())
                }
                Err(kind) => Err(Error::from_kind(kind)),
            }
        })
    });
    for argument in arguments {
        completions.insert_complete(argument, Arc::clone(&complete));
    }
    completions
}

/// Whether the server completes arguments. In the first revision it cannot say so, and may.
fn completes(client: &Client) -> bool {
    let Some(server) = client.server() else { return false };
    let says = server.revision.rules().server_capabilities.contains(ServerCapability::Completions);
    !says || server.capabilities.as_ref().is_some_and(|offered| offered.completions.is_some())
}

fn complete_params(of: &Of, request: &CompletionRequest) -> Result<Raw, Error> {
    let reference = match of {
        Of::Prompt(name) => {
            let name = name.into();
            Reference::Prompt(PromptReference { name, ..PromptReference::default() })
        }
        Of::Template(uri) => Reference::Resource(ResourceTemplateReference { uri: uri.into() }),
    };
    let others = request.others.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let context = CompleteContext { arguments: Some(others) };
    let argument =
        CompleteArgument { name: (&request.argument).into(), value: (&request.value).into() };
    let context = (!request.others.is_empty()).then_some(context);
    Ok(Raw::new(&CompleteParams { reference, argument, context, meta: None })?)
}

fn decode<T: DeserializeOwned>(raw: &Raw) -> Result<T, Error> {
    raw.decode().map_err(|error| Error::text(format!("the other server's answer: {error}")))
}
