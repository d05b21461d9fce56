//! What a server can tell a client without being answered.

use serde::{Serialize, Serializer};

use super::{
    CancelledParams, DetailedTask, ElicitationCompleteParams, LoggingMessageParams, Meta,
    NotificationParams, ProgressParams, ResourceUpdatedParams, SubscriptionsAcknowledgedParams,
    Task,
};
use crate::revision::NotificationMethod;

/// A notification from a server.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerNotification {
    Acknowledged(SubscriptionsAcknowledgedParams),
    Cancelled(CancelledParams<'static>),
    ElicitationComplete(ElicitationCompleteParams),
    Message(LoggingMessageParams),
    Progress(ProgressParams<'static>),
    PromptsListChanged(NotificationParams),
    ResourceUpdated(ResourceUpdatedParams),
    ResourcesListChanged(NotificationParams),
    TaskStatus(Box<Task>),
    Tasks(Box<DetailedTask>),
    ToolsListChanged(NotificationParams),
}

impl ServerNotification {
    pub fn method(&self) -> NotificationMethod {
        match self {
            Self::Acknowledged(_) => NotificationMethod::SubscriptionsAcknowledged,
            Self::Cancelled(_) => NotificationMethod::Cancelled,
            Self::ElicitationComplete(_) => NotificationMethod::ElicitationComplete,
            Self::Message(_) => NotificationMethod::Message,
            Self::Progress(_) => NotificationMethod::Progress,
            Self::PromptsListChanged(_) => NotificationMethod::PromptsListChanged,
            Self::ResourceUpdated(_) => NotificationMethod::ResourcesUpdated,
            Self::ResourcesListChanged(_) => NotificationMethod::ResourcesListChanged,
            Self::TaskStatus(_) => NotificationMethod::TasksStatus,
            Self::Tasks(_) => NotificationMethod::Tasks,
            Self::ToolsListChanged(_) => NotificationMethod::ToolsListChanged,
        }
    }

    /// Whether a reader that is too slow can do without it.
    pub fn is_expendable(&self) -> bool {
        matches!(self, Self::Message(_) | Self::Progress(_) | Self::TaskStatus(_))
    }

    pub fn meta_mut(&mut self) -> &mut Option<Meta> {
        match self {
            Self::Acknowledged(params) => &mut params.meta,
            Self::Cancelled(params) => &mut params.meta,
            Self::ElicitationComplete(params) => &mut params.meta,
            Self::Message(params) => &mut params.meta,
            Self::Progress(params) => &mut params.meta,
            Self::PromptsListChanged(params)
            | Self::ResourcesListChanged(params)
            | Self::ToolsListChanged(params) => &mut params.meta,
            Self::ResourceUpdated(params) => &mut params.meta,
            Self::TaskStatus(params) => &mut params.meta,
            Self::Tasks(params) => &mut params.meta,
        }
    }
}

/// The params.
impl Serialize for ServerNotification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Acknowledged(params) => params.serialize(serializer),
            Self::Cancelled(params) => params.serialize(serializer),
            Self::ElicitationComplete(params) => params.serialize(serializer),
            Self::Message(params) => params.serialize(serializer),
            Self::Progress(params) => params.serialize(serializer),
            Self::PromptsListChanged(params)
            | Self::ResourcesListChanged(params)
            | Self::ToolsListChanged(params) => params.serialize(serializer),
            Self::ResourceUpdated(params) => params.serialize(serializer),
            Self::TaskStatus(params) => params.serialize(serializer),
            Self::Tasks(params) => params.serialize(serializer),
        }
    }
}
