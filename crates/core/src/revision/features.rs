//! What a revision demands of tools, resources, prompts and what servers ask of clients.

use super::{Requests, Rules};

/// Kinds of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContentKind {
    Audio,
    Image,
    Resource,
    ResourceLink,
    Text,
    ToolResult,
    ToolUse,
}

/// The kinds that may stand in one place, in the order the text names them.
pub type ContentKinds = &'static [ContentKind];

/// Fields that came to listed objects over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    pub title: bool,
    pub icons: bool,
    pub meta: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct ToolRules {
    pub content: ContentKinds,
    pub fields: Fields,
    pub annotations: bool,
    pub structured: Structured,
    pub bad_arguments: BadArguments,
    /// Names should be short and of a small alphabet.
    pub name_rule: bool,
    /// `execution.taskSupport`.
    pub execution: bool,
    /// Parameters may be mirrored into headers.
    pub header_parameters: bool,
    /// The order of a list should be stable, and the list must not depend on the connection.
    pub stable_order: bool,
}

/// What `structuredContent` may be, and with it `outputSchema`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structured {
    Absent,
    AnyValue,
    Object,
}

/// Where arguments that do not fit a tool's schema are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadArguments {
    /// As a protocol error or as a tool error.
    Either,
    /// As a result with `isError`, so that the model can correct itself.
    ToolError,
}

#[derive(Clone, Copy, Debug)]
pub struct ResourceRules {
    pub fields: Fields,
    /// `annotations.lastModified`.
    pub last_modified: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct PromptRules {
    pub content: ContentKinds,
    pub fields: Fields,
}

/// How a client says which log messages it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggingRules {
    /// In `_meta` of each request; without it there are none.
    PerRequest,
    /// With `logging/setLevel`; before it the server chooses.
    SetLevel,
}

/// How a client hears of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionStyle {
    /// `subscriptions/listen` names everything it wants to hear.
    Listen,
    /// Declared list changes come unasked; resources are subscribed one by one.
    PerResource,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElicitationRules {
    pub url_mode: bool,
    /// Defaults on every kind of field; before, on booleans only.
    pub all_defaults: bool,
    pub enums: EnumForms,
    /// Answers may be lists of strings.
    pub string_lists: bool,
    /// `elicitationId` and the notification that the user is done.
    pub completion: bool,
    /// A request may be refused with the URLs that the user must visit first.
    pub url_required_error: bool,
    /// Whether a client answers a mode it did not declare (with -32602); later, such a request never comes.
    pub undeclared_mode_answered: bool,
}

/// How a choice is written in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumForms {
    /// `enum` with `enumNames`.
    Names,
    /// Single and multiple choice, titled or not; `enumNames` still understood.
    Titled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplingRules {
    pub content: ContentKinds,
    /// `tools`, `toolChoice` and messages with several blocks.
    pub tools: bool,
    /// `includeContext` other than `none` is discouraged.
    pub context_discouraged: bool,
    /// A user's no is an error with a code of its own; otherwise the request is simply not tried again.
    pub rejection_is_error: bool,
}

/// Which of the two kinds of tasks, which share names but not their wire form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskStyle {
    /// The experiment: either side asks for a task with a parameter.
    Experimental,
    /// The extension `io.modelcontextprotocol/tasks`: the server decides.
    Extension,
}

/// Where the result of a task is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskCarrier {
    /// Inside the answer to `tasks/get`.
    Get,
    /// In the answer to `tasks/result`, which waits for it.
    Result,
}

#[derive(Clone, Copy, Debug)]
pub struct TaskRules {
    pub style: TaskStyle,
    /// Clients may run tasks for servers as well.
    pub client_tasks: bool,
    pub carrier: TaskCarrier,
    /// Requests that can become tasks.
    pub augmentable: Requests,
    /// A tool result with `isError` makes the task `failed`; otherwise it is `completed` with that result.
    pub tool_error_fails: bool,
    /// `_meta` ties every message to its task.
    pub related_metadata: bool,
    pub progress: bool,
    /// `tasks/*` without the capability is refused; otherwise the request runs normally.
    pub capability_enforced: bool,
}

/// The rules a later revision builds on.
pub(super) const fn elicitation_of(rules: &Rules) -> ElicitationRules {
    match rules.elicitation {
        Some(rules) => rules,
        None => panic!("the revision before has elicitation"),
    }
}
