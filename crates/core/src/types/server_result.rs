//! What a server can answer.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::{
    CallToolResult, CompleteResult, CreateTaskResult, DetailedTask, DiscoverResult, EmptyResult,
    ExtensionTask, GetPromptResult, GetSkillResult, InitializeResult, InputRequiredResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult,
    ListTasksResult, ListToolsResult, ReadDirectoryResult, ReadResourceResult, ResultBody,
    SubscriptionsListenResult, Task,
};
use crate::json::Raw;

/// A result from a server, before it is fitted to the revision of the client.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerResult {
    CallTool(CallToolResult),
    Complete(CompleteResult),
    CreateTask(CreateTaskResult),
    DetailedTask(Box<DetailedTask>),
    Discover(Box<DiscoverResult>),
    Empty(EmptyResult),
    ExtensionTask(Box<ExtensionTask>),
    GetPrompt(GetPromptResult),
    GetSkill(Box<GetSkillResult>),
    Initialize(Box<InitializeResult>),
    InputRequired(InputRequiredResult),
    ListPrompts(ListPromptsResult),
    ListResourceTemplates(ListResourceTemplatesResult),
    ListResources(ListResourcesResult),
    ListSkills(ListSkillsResult),
    ListTasks(ListTasksResult),
    ListTools(ListToolsResult),
    Listen(SubscriptionsListenResult),
    /// Already fitted and encoded, for answers that are given again and again.
    Ready(Arc<Raw>),
    ReadDirectory(ReadDirectoryResult),
    ReadResource(ReadResourceResult),
    Task(Box<Task>),
}

impl ServerResult {
    /// The answer that only says that it was done.
    pub fn empty() -> Self {
        Self::Empty(EmptyResult::default())
    }

    /// Appends the result as JSON: the same that `Serialize` gives, and long texts faster.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        match self {
            Self::CallTool(result) => result.write_fast(out),
            Self::Ready(raw) => {
                out.extend_from_slice(raw.as_str().as_bytes());
                Ok(())
            }
            result => serde_json::to_writer(out, result),
        }
    }

    /// The members that every result has; `None` where the shape is fixed by the experimental tasks or is encoded already.
    pub fn body_mut(&mut self) -> Option<&mut dyn ResultBody> {
        Some(match self {
            Self::CallTool(result) => result,
            Self::Complete(result) => result,
            Self::DetailedTask(result) => result.as_mut(),
            Self::Discover(result) => result.as_mut(),
            Self::Empty(result) => result,
            Self::ExtensionTask(result) => result.as_mut(),
            Self::GetPrompt(result) => result,
            Self::GetSkill(result) => result.as_mut(),
            Self::Initialize(result) => result.as_mut(),
            Self::InputRequired(result) => result,
            Self::ListPrompts(result) => result,
            Self::ListResourceTemplates(result) => result,
            Self::ListResources(result) => result,
            Self::ListSkills(result) => result,
            Self::ListTools(result) => result,
            Self::Listen(result) => result,
            Self::ReadDirectory(result) => result,
            Self::ReadResource(result) => result,
            Self::CreateTask(_) | Self::ListTasks(_) | Self::Ready(_) | Self::Task(_) => {
                return None;
            }
        })
    }
}

impl Serialize for ServerResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::CallTool(result) => result.serialize(serializer),
            Self::Complete(result) => result.serialize(serializer),
            Self::CreateTask(result) => result.serialize(serializer),
            Self::DetailedTask(result) => result.serialize(serializer),
            Self::Discover(result) => result.serialize(serializer),
            Self::Empty(result) => result.serialize(serializer),
            Self::ExtensionTask(result) => result.serialize(serializer),
            Self::GetPrompt(result) => result.serialize(serializer),
            Self::GetSkill(result) => result.serialize(serializer),
            Self::Initialize(result) => result.serialize(serializer),
            Self::InputRequired(result) => result.serialize(serializer),
            Self::ListPrompts(result) => result.serialize(serializer),
            Self::ListResourceTemplates(result) => result.serialize(serializer),
            Self::ListResources(result) => result.serialize(serializer),
            Self::ListSkills(result) => result.serialize(serializer),
            Self::ListTasks(result) => result.serialize(serializer),
            Self::ListTools(result) => result.serialize(serializer),
            Self::Listen(result) => result.serialize(serializer),
            Self::Ready(raw) => raw.serialize(serializer),
            Self::ReadDirectory(result) => result.serialize(serializer),
            Self::ReadResource(result) => result.serialize(serializer),
            Self::Task(result) => result.serialize(serializer),
        }
    }
}
