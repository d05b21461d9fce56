//! How a server is put together.

mod compose;

use std::{
    any::type_name,
    num::NonZeroUsize,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use arc_swap::ArcSwap;
use proofmark_core::{
    json::Raw,
    revision::Revision,
    seal::{Key, Keyring},
    session::server::{Offer, SessionLimits},
    streamable_http::{BadAnnotation, HeaderParameters},
    types::{
        Completion, Icon, Implementation, JsonObject, PromptsCapability, ResourcesCapability,
        SKILLS_EXTENSION, ServerCapabilities, SkillsCapability, TASKS_EXTENSION,
        TaskRequestsCapability, TaskSupport, TaskToolsCapability, TasksCapability, ToolsCapability,
    },
    uri_template::TemplateError,
};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{
    Cache, CacheSettings, Catalogue, Complete, CompletionRequest, Context, Error, FormError,
    Handler, Inner, IntoContents, IntoPrompt, Layer, Needs, PageSizes, Paging, PromptEntry,
    ResourceEntry, Server, Skill, SkillError, TaskOptions, Tasks, TemplateEntry, ToolEntry,
    ToolHandler,
    elsewhere::{Elsewhere, Entries},
    form_of,
    handler::kind,
    layer::{Around, Layers},
    prompt, resource, resource_template, roots,
    roots::RootsChanged,
    skill::ReadySkill,
    state::States,
    tool,
    tool::ReadyTool,
};
use crate::schema::{SchemaError, SchemaLimits};

/// A server that is being put together.
pub struct ServerBuilder {
    info: Implementation,
    instructions: Option<String>,
    revisions: Vec<Revision>,
    limits: SessionLimits,
    page_sizes: PageSizes,
    caching: CacheSettings,
    keys: Option<Keyring>,
    experimental: Option<JsonObject>,
    completion: Option<Complete>,
    roots_changed: Option<RootsChanged>,
    ask_patience: Duration,
    state_lifetime: Duration,
    tasks: TaskOptions,
    states: States,
    layers: Layers,
    not_a_form: Option<(&'static str, FormError)>,
    /// What was mounted with a state of a type that there was one of already.
    state_taken: Option<(String, &'static str)>,
    tools: Vec<ToolEntry>,
    resources: Vec<ResourceEntry>,
    templates: Vec<TemplateEntry>,
    prompts: Vec<PromptEntry>,
    skills: Vec<Skill>,
    pub(super) elsewhere: Vec<Box<dyn Elsewhere>>,
}

/// Why a server cannot be what it was told to be.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("`{form}` is no form: {error}")]
    Form { form: &'static str, error: FormError },
    #[error("the input schema of tool `{tool}`: {error}")]
    HeaderParameter { tool: String, error: BadAnnotation },
    #[error("`{inner}` and `{outer}` lie in one another and do not list the same files")]
    NestedSkill { inner: String, outer: String },
    #[error("the operating system gives no random numbers: {0}")]
    NoRandomness(getrandom::Error),
    #[error("a schema of tool `{tool}`: {error}")]
    Schema { tool: String, error: SchemaError },
    #[error("a skill: {0}")]
    Skill(#[from] SkillError),
    #[error(
        "the handler of `{handler}` takes State<{state}>, which the server was not given: add .state(…)"
    )]
    StateMissing { handler: String, state: &'static str },
    #[error(
        "what is mounted as `{mounted}` has a state of the type {state}, and so has the server"
    )]
    StateTaken { mounted: String, state: &'static str },
    #[error("`{0}` is taken")]
    Taken(String),
    #[error("the URI template `{template}`: {error}")]
    Template { template: String, error: TemplateError },
}

impl ServerBuilder {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
            info: Implementation::new(name, version),
            instructions: None,
            revisions: Vec::new(),
            limits: SessionLimits::default(),
            page_sizes: PageSizes::default(),
            caching: CacheSettings::default(),
            keys: None,
            experimental: None,
            completion: None,
            roots_changed: None,
            ask_patience: Duration::from_secs(300),
            state_lifetime: Duration::from_secs(3600),
            tasks: TaskOptions::default(),
            states: States::default(),
            layers: Layers::default(),
            not_a_form: None,
            state_taken: None,
            tools: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: Vec::new(),
            skills: Vec::new(),
            elsewhere: Vec::new(),
        }
    }

    /// A name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info.description = Some(description.into());
        self
    }

    pub fn website(mut self, url: impl Into<String>) -> Self {
        self.info.website_url = Some(url.into());
        self
    }

    pub fn icons(mut self, icons: Vec<Icon>) -> Self {
        self.info.icons = Some(icons);
        self
    }

    /// For the model: how to make good use of the server.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Serves only these revisions; without it, all.
    pub fn revisions(mut self, revisions: impl IntoIterator<Item = Revision>) -> Self {
        self.revisions = revisions.into_iter().collect();
        self
    }

    /// What handlers can take as [`State`](super::State). A server has one state of each type.
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> Self {
        self.shared_state(Arc::new(state))
    }

    /// As [`state`](Self::state), for what others have a handle on too.
    pub fn shared_state<T: Send + Sync + 'static>(mut self, state: Arc<T>) -> Self {
        self.states.insert(state);
        self
    }

    /// Puts a [`Layer`] around every request. The first layer is the outermost: it sees the request first and its end last.
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layers.push(Around::Every, layer);
        self
    }

    /// Puts a [`Layer`] around calls of tools only.
    pub fn tool_layer(mut self, layer: impl Layer) -> Self {
        self.layers.push(Around::ToolCalls, layer);
        self
    }

    /// A tool whose schema follows from the type of its handler's arguments. See [`ToolHandler`] for what a handler may take and
    /// return, and [`tool()`](super::tool()) for more to say about a tool.
    pub fn tool<P: 'static, H: ToolHandler<P>>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: H,
    ) -> Self {
        self.add_tool(tool(name).description(description).handler(handler))
    }

    pub fn add_tool(mut self, entry: ToolEntry) -> Self {
        self.tools.push(entry);
        self
    }

    /// A resource, and what reads it: see [`Handler`] for what it may take, and [`IntoContents`](super::IntoContents) for what it may
    /// return.
    pub fn resource<P, H>(self, uri: impl Into<String>, name: impl Into<String>, read: H) -> Self
    where
        H: Handler<kind::Resource, P>,
        H::Output: IntoContents + 'static,
    {
        self.add_resource(resource(uri, name).read(read))
    }

    /// A template of resources, and what reads those that fit it, as in [`resource`](Self::resource).
    pub fn template<P, H>(self, uri: impl Into<String>, name: impl Into<String>, read: H) -> Self
    where
        H: Handler<kind::Resource, P>,
        H::Output: IntoContents + 'static,
    {
        self.add_template(resource_template(uri, name).read(read))
    }

    /// A prompt whose arguments follow from their type: see [`Handler`] for what its handler may take, and
    /// [`IntoPrompt`](super::IntoPrompt) for what it may return.
    pub fn prompt<P, H>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        get: H,
    ) -> Self
    where
        H: Handler<kind::Prompt, P>,
        H::Output: IntoPrompt + 'static,
    {
        self.add_prompt(prompt(name).description(description).get(get))
    }

    pub fn add_resource(mut self, entry: ResourceEntry) -> Self {
        self.resources.push(entry);
        self
    }

    pub fn add_template(mut self, entry: TemplateEntry) -> Self {
        self.templates.push(entry);
        self
    }

    pub fn add_prompt(mut self, entry: PromptEntry) -> Self {
        self.prompts.push(entry);
        self
    }

    /// Instructions for agents, as an extension of the modern era. To others, its `SKILL.md` is a resource like any other.
    pub fn skill(mut self, skill: Skill) -> Self {
        self.skills.push(skill);
        self
    }

    /// Suggests values for arguments of prompts and variables of templates.
    pub fn completion<F, Fut>(mut self, complete: F) -> Self
    where
        F: Fn(Context, CompletionRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Completion, Error>> + Send + 'static,
    {
        self.completion =
            Some(Arc::new(move |context, request| Box::pin(complete(context, request))));
        self
    }

    /// Is told when the roots of a client have changed (`notifications/roots/list_changed`), in revisions that have such news.
    ///
    /// The handler may ask for them with [`Context::roots`]. It runs beside the requests of the client, once at a time: news that
    /// come while it runs make it run once more. It ends with the conversation. Over HTTP the question goes out on the stream that the client has opened with GET.
    pub fn roots_changed<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.roots_changed = Some(roots::roots_changed(handler));
        self
    }

    /// Says that handlers ask the user for this. A type that cannot be a form is then an error when the server is built, and not only when
    /// the question is asked.
    pub fn asks<T: DeserializeOwned + JsonSchema>(mut self) -> Self {
        let error = form_of::<T>().err().map(|error| (type_name::<T>(), error));
        self.not_a_form = self.not_a_form.or(error);
        self
    }

    /// How many things a page of a list has.
    pub fn page_size(self, size: NonZeroUsize) -> Self {
        self.page_sizes(PageSizes::all(size))
    }

    /// How many things a page of each list has.
    pub fn page_sizes(mut self, sizes: PageSizes) -> Self {
        self.page_sizes = sizes;
        self
    }

    /// How long clients of the modern era may keep lists, in milliseconds; 0 tells them to ask each time.
    pub fn list_ttl_ms(self, ttl_ms: u64) -> Self {
        let caching = self.caching.lists(Cache::lasting(ttl_ms));
        self.caching(caching)
    }

    /// How long, and for whom, clients of the modern era may keep each kind of answer.
    pub fn caching(mut self, caching: CacheSettings) -> Self {
        self.caching = caching;
        self
    }

    /// How much one conversation may take.
    pub fn limits(mut self, limits: SessionLimits) -> Self {
        self.limits = limits;
        self
    }

    /// How long a client may think about a question.
    pub fn ask_patience(mut self, patience: Duration) -> Self {
        self.ask_patience = patience;
        self
    }

    /// How tasks are kept. A server has tasks if one of its tools says so when it is built.
    pub fn tasks(mut self, options: TaskOptions) -> Self {
        self.tasks = options;
        self
    }

    /// How long, in the modern era, a client may take to answer a question before it has to begin anew.
    pub fn state_lifetime(mut self, lifetime: Duration) -> Self {
        self.state_lifetime = lifetime;
        self
    }

    /// The keys that cursors and the state of unfinished requests are sealed with. Instances that share them understand each other's; without it they are made up.
    pub fn keys(mut self, keys: Keyring) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Declares a capability that no revision knows.
    pub fn experimental(mut self, name: impl Into<String>, settings: Raw) -> Self {
        self.experimental.get_or_insert_default().insert(name.into(), settings);
        self
    }

    pub fn build(self) -> Result<Server, BuildError> {
        if let Some((form, error)) = self.not_a_form {
            return Err(BuildError::Form { form, error });
        }
        if let Some((mounted, state)) = self.state_taken {
            return Err(BuildError::StateTaken { mounted, state });
        }
        let schema_limits = SchemaLimits::default();
        let mut capabilities = self.capabilities();
        if !self.skills.is_empty() {
            let skills = Raw::new(&SkillsCapability { directory_read: Some(true) });
            let skills = skills.expect("a flag always encodes");
            capabilities
                .extensions
                .get_or_insert_default()
                .insert(SKILLS_EXTENSION.to_owned(), skills);
        }
        let mut catalogue = Catalogue::default();
        for entry in self.tools {
            let tool = compile_tool(entry, &self.states, &schema_limits)?;
            let name = tool.tool.name.clone();
            catalogue.tools.add(tool).then_some(()).ok_or(BuildError::Taken(name))?;
        }
        for entry in self.resources {
            let uri = entry.resource.uri.clone();
            check_states(&self.states, &entry.needs, &uri)?;
            catalogue.resources.add(entry).then_some(()).ok_or(BuildError::Taken(uri))?;
        }
        for entry in self.templates {
            let template = entry.template.uri_template.clone();
            check_states(&self.states, &entry.needs, &template)?;
            check_states(&self.states, &entry.completions.needs, &template)?;
            let ready = entry
                .compile()
                .map_err(|error| BuildError::Template { template: template.clone(), error })?;
            catalogue.templates.add(ready).then_some(()).ok_or(BuildError::Taken(template))?;
        }
        for entry in self.prompts {
            let name = entry.prompt.name.clone();
            check_states(&self.states, &entry.needs, &name)?;
            check_states(&self.states, &entry.completions.needs, &name)?;
            catalogue.prompts.add(entry).then_some(()).ok_or(BuildError::Taken(name))?;
        }
        for skill in self.skills {
            add_skill(&mut catalogue, skill.ready())?;
        }
        let mut offer = Offer::new(self.info, capabilities).with_revisions(self.revisions);
        offer.limits = self.limits;
        offer.discover_ttl_ms = self.caching.discover.ttl_ms;
        offer.discover_scope = self.caching.discover.scope_for(None);
        if let Some(instructions) = self.instructions {
            offer = offer.with_instructions(instructions);
        }
        let keys = match self.keys {
            Some(keys) => keys,
            None => random_keys()?,
        };
        let server = Server(Arc::new(Inner {
            offer: Arc::new(offer),
            catalogue: ArcSwap::from_pointee(catalogue),
            replacing: Mutex::new(()),
            paging: Paging { sizes: self.page_sizes, keys, caching: self.caching },
            completion: self.completion,
            roots_changed: self.roots_changed,
            schema_limits,
            states: self.states,
            layers: self.layers,
            ask_patience: self.ask_patience,
            state_lifetime: self.state_lifetime,
            tasks: Tasks::new(self.tasks),
            conversations: Mutex::default(),
            announcer: OnceLock::new(),
            elsewhere: OnceLock::new(),
        }));
        if !self.elsewhere.is_empty() {
            server.follow(self.elsewhere);
        }
        Ok(server)
    }

    fn completes(&self) -> bool {
        self.completion.is_some()
            || self.relays(|offered| offered.completions.is_some())
            || self.prompts.iter().any(|entry| !entry.completions.is_empty())
            || self.templates.iter().any(|entry| !entry.completions.is_empty())
    }

    /// Lists can change while the server runs, so a server that has one announces its changes.
    fn capabilities(&self) -> ServerCapabilities {
        let has_resources = !self.resources.is_empty()
            || !self.templates.is_empty()
            || !self.skills.is_empty()
            || self.relays(|offered| offered.resources.is_some());
        let has_tools = !self.tools.is_empty() || self.relays(|offered| offered.tools.is_some());
        let has_prompts =
            !self.prompts.is_empty() || self.relays(|offered| offered.prompts.is_some());
        let list_changed = Some(true);
        ServerCapabilities {
            experimental: self.experimental.clone(),
            logging: Some(JsonObject::new()),
            completions: self.completes().then(JsonObject::new),
            prompts: has_prompts.then_some(PromptsCapability { list_changed }),
            resources: has_resources
                .then_some(ResourcesCapability { subscribe: Some(true), list_changed }),
            tools: has_tools.then_some(ToolsCapability { list_changed }),
            tasks: self.tools.iter().any(may_be_task).then(|| TasksCapability {
                list: Some(JsonObject::new()),
                cancel: Some(JsonObject::new()),
                requests: Some(TaskRequestsCapability {
                    tools: Some(TaskToolsCapability { call: Some(JsonObject::new()) }),
                    ..TaskRequestsCapability::default()
                }),
            }),
            extensions: self
                .tools
                .iter()
                .any(|entry| entry.as_task != TaskSupport::Forbidden)
                .then(|| [(TASKS_EXTENSION.to_owned(), empty_object())].into()),
        }
    }
}

/// Whether the experiment lets a client run the tool as a task.
fn may_be_task(entry: &ToolEntry) -> bool {
    let support = entry.tool.execution.as_ref().and_then(|execution| execution.task_support);
    support.is_some_and(|support| support != TaskSupport::Forbidden)
}

fn empty_object() -> Raw {
    Raw::new(&JsonObject::new()).expect("an empty object always encodes")
}

pub(super) fn compile_tool(
    entry: ToolEntry,
    states: &States,
    limits: &SchemaLimits,
) -> Result<ReadyTool, BuildError> {
    let tool = entry.tool.name.clone();
    check_states(states, &entry.needs, &tool)?;
    let headers = HeaderParameters::from_schema(entry.tool.input_schema.borrowed())
        .map_err(|error| BuildError::HeaderParameter { tool: tool.clone(), error })?;
    entry.compile(headers, limits).map_err(|error| BuildError::Schema { tool, error })
}

/// A handler that takes a state needs a server that has it.
pub(super) fn check_states(
    states: &States,
    needs: &Needs,
    handler: &str,
) -> Result<(), BuildError> {
    let missing = states.missing(needs);
    missing.map_or(Ok(()), |state| {
        Err(BuildError::StateMissing { handler: handler.to_owned(), state })
    })
}

pub(super) fn add_skill(catalogue: &mut Catalogue, skill: ReadySkill) -> Result<(), BuildError> {
    let uri = skill.entry.uri.clone();
    if catalogue.resources.get(&uri).is_some() {
        return Err(BuildError::Taken(uri));
    }
    if let Some(other) = catalogue.skills.items().iter().find(|other| !other.agrees_with(&skill)) {
        return Err(BuildError::NestedSkill { inner: uri, outer: other.entry.uri.clone() });
    }
    catalogue.resources.add(skill.listed.clone());
    catalogue.skills.add(skill);
    Ok(())
}

fn random_keys() -> Result<Keyring, BuildError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(BuildError::NoRandomness)?;
    Ok(Keyring::new(0, Key::new(bytes)))
}
