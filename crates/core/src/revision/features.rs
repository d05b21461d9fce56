//! What a revision demands of tools, resources, prompts and what servers ask of clients.

use super::Rules;

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

/// Fields that came to `clientInfo` and `serverInfo` over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImplementationFields {
    pub title: bool,
    pub icons: bool,
    pub description: bool,
    pub website_url: bool,
}

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
    /// `execution.taskSupport`.
    pub execution: bool,
    /// Parameters may be mirrored into headers.
    pub header_parameters: bool,
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
    /// Pages show `pattern` on strings, though no schema has it.
    pub pattern_shown: bool,
    /// Answers may be lists of strings.
    pub string_lists: bool,
    /// `elicitationId` and the notification that the user is done.
    pub completion: bool,
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
}

/// The rules a later revision builds on.
pub(super) const fn elicitation_of(rules: &Rules) -> ElicitationRules {
    match rules.elicitation {
        Some(rules) => rules,
        None => panic!("the revision before has elicitation"),
    }
}
