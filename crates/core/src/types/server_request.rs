//! What a server can ask of a client: as a request of its own in the legacy era, as part of a result in the modern one.

use serde::{Serialize, Serializer};

use super::{
    CreateMessageParams, ElicitParams, ListRootsParams, ListTasksParams, Meta, RequestParams,
    TaskParams,
};
use crate::revision::{ClientCapability, RequestMethod};

/// A request from a server.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerRequest {
    CancelTask(TaskParams),
    CreateMessage(Box<CreateMessageParams>),
    Elicit(Box<ElicitParams>),
    GetTask(TaskParams),
    ListRoots(ListRootsParams),
    ListTasks(ListTasksParams),
    Ping,
    TaskResult(TaskParams),
}

impl ServerRequest {
    pub fn method(&self) -> RequestMethod {
        match self {
            Self::CancelTask(_) => RequestMethod::TasksCancel,
            Self::CreateMessage(_) => RequestMethod::SamplingCreateMessage,
            Self::Elicit(_) => RequestMethod::ElicitationCreate,
            Self::GetTask(_) => RequestMethod::TasksGet,
            Self::ListRoots(_) => RequestMethod::RootsList,
            Self::ListTasks(_) => RequestMethod::TasksList,
            Self::Ping => RequestMethod::Ping,
            Self::TaskResult(_) => RequestMethod::TasksResult,
        }
    }

    /// What the client must have declared before it may be asked.
    pub fn needs(&self) -> Option<ClientCapability> {
        match self {
            Self::CancelTask(_) | Self::GetTask(_) | Self::TaskResult(_) => {
                Some(ClientCapability::Tasks)
            }
            Self::CreateMessage(params) => Some(params.needs()),
            Self::Elicit(params) => match **params {
                ElicitParams::Form(_) => Some(ClientCapability::ElicitationForm),
                ElicitParams::Url(_) => Some(ClientCapability::ElicitationUrl),
            },
            Self::ListRoots(_) => Some(ClientCapability::Roots),
            Self::ListTasks(_) => Some(ClientCapability::TasksList),
            Self::Ping => None,
        }
    }

    /// `None` for a ping, which has no params worth the name.
    pub fn meta_mut(&mut self) -> Option<&mut Option<Meta>> {
        Some(match self {
            Self::CancelTask(params) | Self::GetTask(params) | Self::TaskResult(params) => {
                &mut params.meta
            }
            Self::CreateMessage(params) => &mut params.meta,
            Self::Elicit(params) => match &mut **params {
                ElicitParams::Form(form) => &mut form.meta,
                ElicitParams::Url(url) => &mut url.meta,
            },
            Self::ListRoots(params) => &mut params.meta,
            Self::ListTasks(params) => &mut params.meta,
            Self::Ping => return None,
        })
    }
}

/// The params.
impl Serialize for ServerRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::CancelTask(params) | Self::GetTask(params) | Self::TaskResult(params) => {
                params.serialize(serializer)
            }
            Self::CreateMessage(params) => params.serialize(serializer),
            Self::Elicit(params) => params.serialize(serializer),
            Self::ListRoots(params) => params.serialize(serializer),
            Self::ListTasks(params) => params.serialize(serializer),
            Self::Ping => RequestParams::default().serialize(serializer),
        }
    }
}
