//! What a client can ask, once its method is known.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    CallToolParams, CompleteParams, GetPromptParams, GetSkillParams, InitializeParams,
    PaginatedParams, ReadDirectoryParams, ReadResourceParams, RequestMeta, RequestParams,
    SetLevelParams, SubscribeParams, SubscriptionsListenParams, TaskParams, UpdateTaskParams,
    meta_key,
};
use crate::{jsonrpc::Params, revision::RequestMethod};

/// A request from a client, with its params decoded.
#[derive(Clone, Debug)]
pub enum ClientRequest<'a> {
    CallTool(CallToolParams<'a>),
    CancelTask(TaskParams),
    Complete(CompleteParams<'a>),
    Discover,
    GetPrompt(GetPromptParams<'a>),
    GetSkill(GetSkillParams<'a>),
    GetTask(TaskParams),
    Initialize(Box<InitializeParams<'a>>),
    ListPrompts(PaginatedParams<'a>),
    ListResourceTemplates(PaginatedParams<'a>),
    ListResources(PaginatedParams<'a>),
    ListSkills(PaginatedParams<'a>),
    ListTasks(PaginatedParams<'a>),
    ListTools(PaginatedParams<'a>),
    Listen(SubscriptionsListenParams),
    Ping,
    ReadDirectory(ReadDirectoryParams<'a>),
    ReadResource(ReadResourceParams<'a>),
    SetLevel(SetLevelParams<'a>),
    Subscribe(SubscribeParams<'a>),
    TaskResult(TaskParams),
    Unsubscribe(SubscribeParams<'a>),
    UpdateTask(UpdateTaskParams),
}

/// A request and what its `_meta` says, if its params could be read.
pub type Decoded<'a> = Result<(ClientRequest<'a>, Option<Box<RequestMeta<'a>>>), BadParams>;

/// Why the params of a request could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BadParams {
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("`params` is missing")]
    Missing,
    /// The method exists, but never comes from a client.
    #[error("not a request of a client")]
    WrongDirection,
}

impl<'a> ClientRequest<'a> {
    /// Reads params by the method that they belong to, together with their `_meta`.
    pub fn decode(method: RequestMethod, params: Option<&Params<'a>>) -> Decoded<'a> {
        use RequestMethod as M;

        /// Takes `_meta` out of params that have a place for it.
        macro_rules! with_meta {
            ($params:expr, $variant:ident) => {{
                let mut params = $params;
                let meta = params.meta.take();
                (Self::$variant(params), meta)
            }};
        }

        Ok(match method {
            M::ToolsCall => {
                if let Some(read) = params.and_then(CallToolParams::read_fast) {
                    with_meta!(read, CallTool)
                } else {
                    with_meta!(required::<CallToolParams<'_>>(params)?, CallTool)
                }
            }
            M::ResourcesRead => {
                with_meta!(required::<ReadResourceParams<'_>>(params)?, ReadResource)
            }
            M::PromptsGet => with_meta!(required::<GetPromptParams<'_>>(params)?, GetPrompt),
            M::CompletionComplete => with_meta!(required::<CompleteParams<'_>>(params)?, Complete),
            M::Initialize => with_meta!(required::<Box<InitializeParams<'_>>>(params)?, Initialize),
            M::LoggingSetLevel => with_meta!(required::<SetLevelParams<'_>>(params)?, SetLevel),
            M::ResourcesSubscribe => {
                with_meta!(required::<SubscribeParams<'_>>(params)?, Subscribe)
            }
            M::ResourcesUnsubscribe => {
                with_meta!(required::<SubscribeParams<'_>>(params)?, Unsubscribe)
            }
            M::ToolsList => with_meta!(optional::<PaginatedParams<'_>>(params)?, ListTools),
            M::ResourcesList => with_meta!(optional::<PaginatedParams<'_>>(params)?, ListResources),
            M::ResourcesTemplatesList => {
                with_meta!(optional::<PaginatedParams<'_>>(params)?, ListResourceTemplates)
            }
            M::PromptsList => with_meta!(optional::<PaginatedParams<'_>>(params)?, ListPrompts),
            M::SkillsList => with_meta!(optional::<PaginatedParams<'_>>(params)?, ListSkills),
            M::SkillsGet => with_meta!(required::<GetSkillParams<'_>>(params)?, GetSkill),
            M::ResourcesDirectoryRead => {
                with_meta!(required::<ReadDirectoryParams<'_>>(params)?, ReadDirectory)
            }
            M::TasksList => with_meta!(optional::<PaginatedParams<'_>>(params)?, ListTasks),
            M::Ping => (Self::Ping, optional::<RequestParams<'_>>(params)?.meta),
            M::ServerDiscover => (Self::Discover, optional::<RequestParams<'_>>(params)?.meta),
            M::SubscriptionsListen => (Self::Listen(required(params)?), request_meta_of(params)?),
            M::TasksGet => (Self::GetTask(required(params)?), request_meta_of(params)?),
            M::TasksResult => (Self::TaskResult(required(params)?), request_meta_of(params)?),
            M::TasksCancel => (Self::CancelTask(required(params)?), request_meta_of(params)?),
            M::TasksUpdate => (Self::UpdateTask(required(params)?), request_meta_of(params)?),
            M::RootsList | M::SamplingCreateMessage | M::ElicitationCreate => {
                return Err(BadParams::WrongDirection);
            }
        })
    }
}

/// The `_meta` of a request, whatever else its params hold.
pub fn request_meta_of<'a>(
    params: Option<&Params<'a>>,
) -> Result<Option<Box<RequestMeta<'a>>>, BadParams> {
    Ok(optional::<RequestParams<'_>>(params)?.meta)
}

/// What `_meta` says about the era of a request, although something else in it may not be readable.
pub fn era_claim_of<'a>(params: Option<&Params<'a>>) -> Option<RequestMeta<'a>> {
    #[derive(Deserialize)]
    struct Claiming<'a> {
        #[serde(rename = "_meta", borrow)]
        meta: BTreeMap<String, &'a RawValue>,
    }
    let Claiming { meta } = serde_json::from_str(params?.get()).ok()?;
    let version = meta.get(meta_key::PROTOCOL_VERSION)?;
    Some(RequestMeta {
        protocol_version: Some(serde_json::from_str::<String>(version.get()).ok()?.into()),
        client_capabilities: meta.get(meta_key::CLIENT_CAPABILITIES).map(|it| (*it).into()),
        ..RequestMeta::default()
    })
}

fn required<'a, T: Deserialize<'a>>(params: Option<&Params<'a>>) -> Result<T, BadParams> {
    Ok(serde_json::from_str(params.ok_or(BadParams::Missing)?.get())?)
}

fn optional<'a, T: Deserialize<'a> + Default>(params: Option<&Params<'a>>) -> Result<T, BadParams> {
    Ok(match params {
        Some(params) => serde_json::from_str(params.get())?,
        None => T::default(),
    })
}
