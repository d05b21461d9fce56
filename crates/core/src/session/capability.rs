//! What was declared, and what each request needs to have been declared.

use crate::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{
        ClientCapabilities, ClientCapability, RequestMethod, Rules, ServerCapabilities,
        ServerCapability,
    },
    types::{self, SKILLS_EXTENSION, TASKS_EXTENSION},
};

/// What a client declared, small enough to be kept with each of its requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    pub capabilities: ClientCapabilities,
    /// The tasks extension is among the declared extensions.
    pub tasks_extension: bool,
}

impl From<&types::ClientCapabilities> for Declared {
    fn from(declared: &types::ClientCapabilities) -> Self {
        let mut set = ClientCapabilities::NONE;
        let mut add = |capability, present: bool| {
            if present {
                set = set.with(&[capability]);
            }
        };
        add(ClientCapability::Experimental, declared.experimental.is_some());
        add(ClientCapability::Extensions, declared.extensions.is_some());
        if let Some(tasks) = &declared.tasks {
            add(ClientCapability::Tasks, true);
            add(ClientCapability::TasksCancel, tasks.cancel.is_some());
            add(ClientCapability::TasksList, tasks.list.is_some());
            let requests = tasks.requests.as_ref();
            let elicitation = requests.and_then(|requests| requests.elicitation.as_ref());
            let sampling = requests.and_then(|requests| requests.sampling.as_ref());
            add(
                ClientCapability::TasksElicitationCreate,
                elicitation.is_some_and(|it| it.create.is_some()),
            );
            add(
                ClientCapability::TasksSamplingCreateMessage,
                sampling.is_some_and(|it| it.create_message.is_some()),
            );
        }
        if let Some(roots) = &declared.roots {
            add(ClientCapability::Roots, true);
            add(ClientCapability::RootsListChanged, roots.list_changed == Some(true));
        }
        if let Some(sampling) = &declared.sampling {
            add(ClientCapability::Sampling, true);
            add(ClientCapability::SamplingTools, sampling.tools.is_some());
            add(ClientCapability::SamplingContext, sampling.context.is_some());
        }
        if let Some(elicitation) = &declared.elicitation {
            add(ClientCapability::Elicitation, true);
            add(ClientCapability::ElicitationForm, elicitation.allows_form());
            add(ClientCapability::ElicitationUrl, elicitation.url.is_some());
        }
        let tasks_extension = declared
            .extensions
            .as_ref()
            .is_some_and(|extensions| extensions.contains_key(TASKS_EXTENSION));
        Self { capabilities: set, tasks_extension }
    }
}

/// What a server declares, as a set.
pub(crate) fn declared_by_server(declared: &types::ServerCapabilities) -> ServerCapabilities {
    let mut set = ServerCapabilities::NONE;
    let mut add = |capability, present: bool| {
        if present {
            set = set.with(&[capability]);
        }
    };
    add(ServerCapability::Completions, declared.completions.is_some());
    add(ServerCapability::Experimental, declared.experimental.is_some());
    add(ServerCapability::Extensions, declared.extensions.is_some());
    add(ServerCapability::Logging, declared.logging.is_some());
    if let Some(tasks) = &declared.tasks {
        add(ServerCapability::Tasks, true);
        add(ServerCapability::TasksCancel, tasks.cancel.is_some());
        add(ServerCapability::TasksList, tasks.list.is_some());
        let tools = tasks.requests.as_ref().and_then(|requests| requests.tools.as_ref());
        add(ServerCapability::TasksToolsCall, tools.is_some_and(|tools| tools.call.is_some()));
    }
    if let Some(prompts) = &declared.prompts {
        add(ServerCapability::Prompts, true);
        add(ServerCapability::PromptsListChanged, prompts.list_changed == Some(true));
    }
    if let Some(resources) = &declared.resources {
        add(ServerCapability::Resources, true);
        add(ServerCapability::ResourcesListChanged, resources.list_changed == Some(true));
        add(ServerCapability::ResourcesSubscribe, resources.subscribe == Some(true));
    }
    if let Some(tools) = &declared.tools {
        add(ServerCapability::Tools, true);
        add(ServerCapability::ToolsListChanged, tools.list_changed == Some(true));
    }
    set
}

/// What a server must have declared to be asked this, in a revision that lets it be declared.
///
/// Tasks are not here: their two kinds are declared in different places.
pub(crate) fn needed_of_server(method: RequestMethod, rules: &Rules) -> Option<ServerCapability> {
    let needed = match method {
        RequestMethod::CompletionComplete => ServerCapability::Completions,
        RequestMethod::LoggingSetLevel => ServerCapability::Logging,
        RequestMethod::PromptsGet | RequestMethod::PromptsList => ServerCapability::Prompts,
        RequestMethod::ResourcesList
        | RequestMethod::ResourcesRead
        | RequestMethod::ResourcesTemplatesList => ServerCapability::Resources,
        RequestMethod::ResourcesSubscribe | RequestMethod::ResourcesUnsubscribe => {
            ServerCapability::ResourcesSubscribe
        }
        RequestMethod::ToolsCall | RequestMethod::ToolsList => ServerCapability::Tools,
        _ => return None,
    };
    rules.server_capabilities.contains(needed).then_some(needed)
}

/// What a server says about its skills; `None` if it has none.
///
/// Settings that cannot be read are settings that were not made: the extension is declared all the same.
pub(crate) fn skills_extension(
    declared: &types::ServerCapabilities,
) -> Option<types::SkillsCapability> {
    let settings = declared.extensions.as_ref()?.get(SKILLS_EXTENSION)?;
    Some(settings.decode().unwrap_or_default())
}

/// What a server's skills must allow for it to be asked this; `None` for what is not about skills.
pub(crate) fn needed_of_skills(
    method: RequestMethod,
) -> Option<fn(types::SkillsCapability) -> bool> {
    match method {
        RequestMethod::SkillsGet | RequestMethod::SkillsList => Some(|_| true),
        RequestMethod::ResourcesDirectoryRead => {
            Some(|skills: types::SkillsCapability| skills.directory_read == Some(true))
        }
        _ => None,
    }
}

/// A capability in the form in which a client would declare it.
pub(crate) fn as_declared(capability: ClientCapability) -> types::ClientCapabilities {
    let mut declared = types::ClientCapabilities::default();
    let object = types::JsonObject::new;
    match capability {
        ClientCapability::Elicitation => {
            declared.elicitation = Some(types::ElicitationCapability::default());
        }
        ClientCapability::ElicitationForm => {
            declared.elicitation =
                Some(types::ElicitationCapability { form: Some(object()), url: None });
        }
        ClientCapability::ElicitationUrl => {
            declared.elicitation =
                Some(types::ElicitationCapability { form: None, url: Some(object()) });
        }
        ClientCapability::Experimental => declared.experimental = Some(object()),
        ClientCapability::Extensions => declared.extensions = Some(object()),
        ClientCapability::Roots => declared.roots = Some(types::RootsCapability::default()),
        ClientCapability::RootsListChanged => {
            declared.roots = Some(types::RootsCapability { list_changed: Some(true) });
        }
        ClientCapability::Sampling => {
            declared.sampling = Some(types::SamplingCapability::default());
        }
        ClientCapability::SamplingContext => {
            declared.sampling =
                Some(types::SamplingCapability { context: Some(object()), tools: None });
        }
        ClientCapability::SamplingTools => {
            declared.sampling =
                Some(types::SamplingCapability { context: None, tools: Some(object()) });
        }
        ClientCapability::Tasks => declared.tasks = Some(types::TasksCapability::default()),
        ClientCapability::TasksCancel => {
            declared.tasks =
                Some(types::TasksCapability { cancel: Some(object()), ..Default::default() });
        }
        ClientCapability::TasksList => {
            declared.tasks =
                Some(types::TasksCapability { list: Some(object()), ..Default::default() });
        }
        ClientCapability::TasksElicitationCreate => {
            let elicitation = types::TaskElicitationCapability { create: Some(object()) };
            let requests = types::TaskRequestsCapability {
                elicitation: Some(elicitation),
                ..Default::default()
            };
            declared.tasks =
                Some(types::TasksCapability { requests: Some(requests), ..Default::default() });
        }
        ClientCapability::TasksSamplingCreateMessage => {
            let sampling = types::TaskSamplingCapability { create_message: Some(object()) };
            let requests =
                types::TaskRequestsCapability { sampling: Some(sampling), ..Default::default() };
            declared.tasks =
                Some(types::TasksCapability { requests: Some(requests), ..Default::default() });
        }
    }
    declared
}

/// The tasks extension in the form in which a client would declare it.
pub(crate) fn tasks_extension() -> types::ClientCapabilities {
    let settings = Raw::new(&types::JsonObject::new()).expect("an empty object always encodes");
    let extensions = [(TASKS_EXTENSION.to_owned(), settings)].into();
    types::ClientCapabilities { extensions: Some(extensions), ..Default::default() }
}

/// The error for a request that needs what the client did not declare.
pub fn missing_capability(capability: ClientCapability) -> ErrorObject {
    let data =
        types::MissingClientCapabilityData { required_capabilities: as_declared(capability) };
    let message = format!("the client did not declare `{}`", capability.as_str());
    let data = Raw::new(&data).expect("empty objects always encode");
    ErrorObject::new(ErrorCode::MISSING_CLIENT_CAPABILITY, message).with_data(data)
}
