//! Every object of the protocol, as one superset over all revisions.
//!
//! A struct has each field that any revision gives it. Fields that a revision does not know are simply absent when it is read, and are
//! taken out by the filter before it is written.
//!
//! Params of requests borrow from the message they were read from; results and what they list are owned.

mod annotations;
mod cache;
mod cancelled;
mod capabilities;
mod client_request;
mod completion;
mod content;
mod cow;
mod elicitation;
mod error_data;
mod icon;
mod input_required;
mod lifecycle;
mod list;
mod logging;
mod meta;
pub mod meta_key;
mod number;
mod progress;
mod prompts;
mod request;
mod request_meta;
mod resources;
mod result_type;
mod roots;
mod sampling;
mod server_notification;
mod server_request;
mod server_result;
mod skills;
mod subscriptions;
mod tagged;
mod task_extension;
mod tasks;
mod tool_name;
mod tools;

pub use annotations::{Annotations, Role};
pub use cache::{CacheHints, CacheScope};
pub use cancelled::CancelledParams;
pub use capabilities::{
    ClientCapabilities, ElicitationCapability, JsonObject, PromptsCapability, ResourcesCapability,
    RootsCapability, SamplingCapability, ServerCapabilities, TaskElicitationCapability,
    TaskRequestsCapability, TaskSamplingCapability, TaskToolsCapability, TasksCapability,
    ToolsCapability,
};
pub use client_request::{BadParams, ClientRequest, Decoded, era_claim_of, request_meta_of};
pub use completion::{
    CompleteArgument, CompleteContext, CompleteParams, CompleteResult, Completion, PromptReference,
    Reference, ResourceTemplateReference,
};
pub use content::{AudioContent, ContentBlock, EmbeddedResource, ImageContent, TextContent};
pub use cow::StringMap;
pub use elicitation::{
    AnswerBreach, AnswerFault, BooleanSchema, ElicitAction, ElicitContent, ElicitFormParams,
    ElicitParams, ElicitResult, ElicitSchema, ElicitUrlParams, ElicitValue,
    ElicitationCompleteParams, FormMode, MultiSelectOptions, MultiSelectSchema, NumberKind,
    NumberSchema, PrimitiveSchema, SingleSelectOptions, SingleSelectSchema, StringFormat,
    StringSchema, TitledOption, UrlElicitationRequired, UrlMode, ValueKind,
};
pub use error_data::{MissingClientCapabilityData, UnsupportedProtocolVersionData};
pub use icon::{Icon, IconTheme};
pub use input_required::{
    InputRequest, InputRequests, InputRequiredResult, InputResponse, InputResponses,
};
pub use lifecycle::{DiscoverResult, Implementation, InitializeParams, InitializeResult};
pub use list::PaginatedParams;
pub use logging::{LoggingLevel, LoggingMessageParams, SetLevelParams};
pub use meta::Meta;
pub use progress::ProgressParams;
pub use prompts::{
    GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
};
pub use request::{NotificationParams, RequestParams};
pub use request_meta::RequestMeta;
pub use resources::{
    BlobResourceContents, ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, ResourceUpdatedParams,
    SubscribeParams, TextResourceContents,
};
pub use result_type::{EmptyResult, ResultBody, ResultType};
pub use roots::{ListRootsParams, ListRootsResult, Root};
pub use sampling::{
    BalanceBreach, CreateMessageParams, CreateMessageResult, IncludeContext, ModelHint,
    ModelPreferences, SamplingBlock, SamplingContent, SamplingMessage, StopReason, ToolChoice,
    ToolChoiceMode, ToolResultContent, ToolUseContent, check_balance,
};
pub use server_notification::ServerNotification;
pub use server_request::ServerRequest;
pub use server_result::ServerResult;
pub use skills::{
    DIRECTORY_TYPE, GetSkillParams, GetSkillResult, ListSkillsResult, ReadDirectoryParams,
    ReadDirectoryResult, SKILLS_EXTENSION, Skill, SkillResource, SkillResources, SkillsCapability,
};
pub use subscriptions::{
    SubscriptionFilter, SubscriptionsAcknowledgedParams, SubscriptionsListenParams,
    SubscriptionsListenResult, set_subscription_id, subscription_id,
};
pub use task_extension::{
    DetailedTask, ExtensionTask, TASKS_EXTENSION, TaskState, UpdateTaskParams,
};
pub use tasks::{
    BadTransition, CancelTaskResult, CreateTaskResult, GetTaskResult, ListTasksParams,
    ListTasksResult, RelatedTask, Task, TaskMetadata, TaskParams, TaskPayloadResult, TaskStatus,
    TaskStatusParams,
};
pub use tool_name::name_is_portable;
pub use tools::{
    CallToolParams, CallToolResult, ListToolsResult, TaskSupport, Tool, ToolAnnotations,
    ToolExecution,
};
