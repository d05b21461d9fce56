//! The names of methods, notifications and capabilities, and sets of them.

/// An enum whose variants have names on the wire, and a set of its variants that can be built in a constant.
macro_rules! names {
    ($(#[$doc:meta])* $name:ident, $(#[$set_doc:meta])* $set:ident: $($variant:ident = $text:literal,)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $(#[doc = concat!("`", $text, "`")] $variant,)+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// `None` for a name that no revision has.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }

        $(#[$set_doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq)]
        pub struct $set(u32);

        impl $set {
            pub const NONE: Self = Self(0);

            pub const fn of(members: &[$name]) -> Self {
                Self::NONE.with(members)
            }

            pub const fn with(self, members: &[$name]) -> Self {
                let mut bits = self.0;
                let mut at = 0;
                while at < members.len() {
                    bits |= 1 << members[at] as u32;
                    at += 1;
                }
                Self(bits)
            }

            pub const fn without(self, members: &[$name]) -> Self {
                Self(self.0 & !Self::of(members).0)
            }

            pub const fn contains(self, member: $name) -> bool {
                self.0 & (1 << member as u32) != 0
            }

            pub fn iter(self) -> impl Iterator<Item = $name> {
                $name::ALL.iter().copied().filter(move |member| self.contains(*member))
            }
        }

        impl std::fmt::Debug for $set {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_set().entries(self.iter().map($name::as_str)).finish()
            }
        }
    };
}

names! {
    /// A method that is answered, in any revision and direction.
    RequestMethod,
    /// Methods that are answered.
    Requests:
    Initialize = "initialize",
    Ping = "ping",
    ServerDiscover = "server/discover",
    ToolsList = "tools/list",
    ToolsCall = "tools/call",
    ResourcesList = "resources/list",
    ResourcesTemplatesList = "resources/templates/list",
    ResourcesRead = "resources/read",
    ResourcesSubscribe = "resources/subscribe",
    ResourcesUnsubscribe = "resources/unsubscribe",
    PromptsList = "prompts/list",
    PromptsGet = "prompts/get",
    CompletionComplete = "completion/complete",
    LoggingSetLevel = "logging/setLevel",
    SubscriptionsListen = "subscriptions/listen",
    RootsList = "roots/list",
    SamplingCreateMessage = "sampling/createMessage",
    ElicitationCreate = "elicitation/create",
    TasksGet = "tasks/get",
    TasksResult = "tasks/result",
    TasksList = "tasks/list",
    TasksCancel = "tasks/cancel",
    TasksUpdate = "tasks/update",
    SkillsList = "skills/list",
    SkillsGet = "skills/get",
    ResourcesDirectoryRead = "resources/directory/read",
}

names! {
    /// A method that is not answered, in any revision and direction.
    NotificationMethod,
    /// Methods that are not answered.
    Notifications:
    Initialized = "notifications/initialized",
    Cancelled = "notifications/cancelled",
    Progress = "notifications/progress",
    Message = "notifications/message",
    ResourcesListChanged = "notifications/resources/list_changed",
    ResourcesUpdated = "notifications/resources/updated",
    ToolsListChanged = "notifications/tools/list_changed",
    PromptsListChanged = "notifications/prompts/list_changed",
    RootsListChanged = "notifications/roots/list_changed",
    ElicitationComplete = "notifications/elicitation/complete",
    TasksStatus = "notifications/tasks/status",
    Tasks = "notifications/tasks",
    SubscriptionsAcknowledged = "notifications/subscriptions/acknowledged",
}

names! {
    /// What a server may declare, as a path into its capabilities.
    ServerCapability,
    /// What servers may declare.
    ServerCapabilities:
    Completions = "completions",
    Experimental = "experimental",
    Extensions = "extensions",
    Logging = "logging",
    Prompts = "prompts",
    PromptsListChanged = "prompts.listChanged",
    Resources = "resources",
    ResourcesListChanged = "resources.listChanged",
    ResourcesSubscribe = "resources.subscribe",
    Tasks = "tasks",
    TasksCancel = "tasks.cancel",
    TasksList = "tasks.list",
    TasksToolsCall = "tasks.requests.tools.call",
    Tools = "tools",
    ToolsListChanged = "tools.listChanged",
}

names! {
    /// What a client may declare, as a path into its capabilities.
    ClientCapability,
    /// What clients may declare.
    ClientCapabilities:
    Elicitation = "elicitation",
    ElicitationForm = "elicitation.form",
    ElicitationUrl = "elicitation.url",
    Experimental = "experimental",
    Extensions = "extensions",
    Roots = "roots",
    RootsListChanged = "roots.listChanged",
    Sampling = "sampling",
    SamplingContext = "sampling.context",
    SamplingTools = "sampling.tools",
    Tasks = "tasks",
    TasksCancel = "tasks.cancel",
    TasksElicitationCreate = "tasks.requests.elicitation.create",
    TasksList = "tasks.list",
    TasksSamplingCreateMessage = "tasks.requests.sampling.createMessage",
}
