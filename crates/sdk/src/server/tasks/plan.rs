//! Whether a call becomes a task.

use std::time::Duration;

use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{Rules, ServerCapability, TaskOptIn},
    session::{Declared, server::Offer},
    types::{
        CallToolParams, ClientCapabilities, JsonObject, MissingClientCapabilityData,
        TASKS_EXTENSION, TaskMetadata, TaskSupport,
    },
};

use crate::server::tool::{ReadyTool, TaskStart};

/// What becomes of a call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// It is answered when it is done, or becomes a task when its handler says so.
    Either,
    /// It is answered when it is done.
    Now,
    /// It becomes a task, with the time to live that the client wishes.
    Task { ttl: Option<Duration> },
}

impl Plan {
    /// In the experiment the client decides, within what the tool allows; in the extension the tool does, for clients that know tasks.
    ///
    /// A server that did not declare tasks has none, whatever its tools say, and takes no notice of the wish for one. Where a revision has
    /// no tasks, every tool runs normally.
    pub(crate) fn of(
        tool: &ReadyTool,
        params: &CallToolParams<'_>,
        rules: &Rules,
        declared: Declared,
        offer: &Offer,
    ) -> Result<Self, ErrorObject> {
        match rules.tasks.map(|tasks| tasks.opt_in) {
            Some(TaskOptIn::Parameter)
                if offer.declared().contains(ServerCapability::TasksToolsCall) =>
            {
                asked_for(tool, params)
            }
            Some(TaskOptIn::Server) if declares_extension(offer) => decided(tool, declared),
            _ => Ok(Self::Now),
        }
    }
}

fn asked_for(tool: &ReadyTool, params: &CallToolParams<'_>) -> Result<Plan, ErrorObject> {
    let execution = tool.tool.execution.as_ref();
    let support = execution.and_then(|execution| execution.task_support);
    let refuse = |message: String| Err(ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, message));
    match (support.unwrap_or(TaskSupport::Forbidden), params.task) {
        (TaskSupport::Forbidden, Some(_)) => {
            refuse(format!("{} cannot be run as a task", tool.tool.name))
        }
        (TaskSupport::Required, None) => {
            refuse(format!("{} can only be run as a task", tool.tool.name))
        }
        (_, None) => Ok(Plan::Now),
        (_, Some(wish)) => {
            let wish: TaskMetadata = serde_json::from_str(wish.get()).map_err(|error| {
                ErrorObject::quoting(ErrorCode::INVALID_PARAMS, format!("`task`: {error}"))
            })?;
            Ok(Plan::Task { ttl: wish.ttl.map(Duration::from_millis) })
        }
    }
}

fn decided(tool: &ReadyTool, declared: Declared) -> Result<Plan, ErrorObject> {
    match (tool.as_task, declared.tasks_extension) {
        (TaskSupport::Forbidden, _) | (TaskSupport::Optional, false) => Ok(Plan::Now),
        (_, true) => Ok(match tool.task_start {
            TaskStart::AtOnce => Plan::Task { ttl: None },
            TaskStart::WhenTold => Plan::Either,
        }),
        (TaskSupport::Required, false) => {
            let message = format!("{} needs a client that knows tasks", tool.tool.name);
            let error = ErrorObject::new(ErrorCode::MISSING_CLIENT_CAPABILITY, message);
            Err(match Raw::new(&required_capability()) {
                Ok(data) => error.with_data(data),
                Err(_) => error,
            })
        }
    }
}

fn declares_extension(offer: &Offer) -> bool {
    let extensions = offer.capabilities().extensions.as_ref();
    extensions.is_some_and(|extensions| extensions.contains_key(TASKS_EXTENSION))
}

fn required_capability() -> MissingClientCapabilityData {
    let settings = Raw::new(&JsonObject::new()).expect("an empty object always encodes");
    let extensions = [(TASKS_EXTENSION.to_owned(), settings)].into();
    MissingClientCapabilityData {
        required_capabilities: ClientCapabilities {
            extensions: Some(extensions),
            ..ClientCapabilities::default()
        },
    }
}
