//! What a server is and can do, the same for every conversation.

use std::time::Duration;

use crate::{
    fit::Fit,
    json::Raw,
    revision::{
        Era, RequestMethod, Revision, Rules, ServerCapabilities as Set, ServerCapability, TaskStyle,
    },
    session::capability::{
        declared_by_server, needed_of_server, needed_of_skills, skills_extension,
    },
    types::{
        CacheScope, DiscoverResult, Implementation, InitializeResult, ServerCapabilities,
        SkillsCapability, TASKS_EXTENSION, meta_key,
    },
};

/// What a server offers to every client.
#[derive(Clone, Debug)]
pub struct Offer {
    info: Implementation,
    capabilities: ServerCapabilities,
    instructions: Option<String>,
    /// Oldest first; never empty.
    revisions: Vec<Revision>,
    declared: Set,
    skills: Option<SkillsCapability>,
    /// For each of [`Revision::ALL`], the first members of its results, up to where a result's own begin; empty where it has none.
    result_prefixes: Vec<Vec<u8>>,
    pub limits: SessionLimits,
    pub link: Link,
    pub memory: Memory,
    /// How long clients may keep the answer to `server/discover`, in milliseconds.
    pub discover_ttl_ms: u64,
    /// Whom clients may give a kept answer to `server/discover`.
    pub discover_scope: CacheScope,
}

/// How much one conversation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// Requests that run at once, open subscriptions included.
    pub in_flight: usize,
    /// Questions of handlers that are open at once.
    pub asks: usize,
    /// Resources that one legacy session, or one modern subscription, may watch.
    pub subscriptions: usize,
    /// Bytes of the URI of one of them.
    pub uri_bytes: usize,
    /// Bytes of all that one session watches, what it costs to keep them included.
    pub subscription_bytes: usize,
    /// Bytes of what a client says of itself in `initialize`. Of a client that says more, the settings of its capabilities and its icons are
    /// not kept; one whose name alone is longer is refused.
    pub client_bytes: usize,
    /// How long a request may run without a sign of life.
    pub idle: Duration,
    /// How long a request may run in all.
    pub longest: Duration,
    /// How long a question may stay open in all, however alive the client seems.
    pub longest_ask: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            in_flight: 128,
            asks: 64,
            subscriptions: 1024,
            uri_bytes: 8 * 1024,
            subscription_bytes: 256 * 1024,
            client_bytes: 16 * 1024,
            idle: Duration::from_secs(60),
            longest: Duration::from_secs(600),
            longest_ask: Duration::from_secs(600),
        }
    }
}

/// What carries the conversation, where that changes what is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// One response stream for each request: its end says that nothing more comes.
    Http,
    /// One pipe for everything.
    #[default]
    Pipe,
}

/// Whether what a legacy client agrees to in one request is known in its next; in the modern era there is nothing to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Each request stands alone, so that there is no stream for changes and no client to tell them to; but its caller is known.
    Caller,
    /// Likewise, and one client cannot be told from another, so that no client can be shown a list of its own tasks.
    Nothing,
    #[default]
    Session,
}

impl Offer {
    /// An offer in every revision.
    pub fn new(info: Implementation, capabilities: ServerCapabilities) -> Self {
        let declared = declared_by_server(&capabilities);
        let skills = skills_extension(&capabilities);
        let result_prefixes =
            Revision::ALL.iter().map(|revision| result_prefix(&info, revision.rules())).collect();
        Self {
            info,
            capabilities,
            instructions: None,
            revisions: Revision::ALL.to_vec(),
            declared,
            skills,
            result_prefixes,
            limits: SessionLimits::default(),
            link: Link::default(),
            memory: Memory::default(),
            discover_ttl_ms: 60_000,
            discover_scope: CacheScope::Public,
        }
    }

    pub fn with_instructions(self, instructions: impl Into<String>) -> Self {
        Self { instructions: Some(instructions.into()), ..self }
    }

    /// Offers only these revisions; an empty choice offers all.
    pub fn with_revisions(self, mut revisions: Vec<Revision>) -> Self {
        revisions.sort_unstable();
        revisions.dedup();
        if revisions.is_empty() {
            revisions = Revision::ALL.to_vec();
        }
        Self { revisions, ..self }
    }

    pub fn info(&self) -> &Implementation {
        &self.info
    }

    pub fn capabilities(&self) -> &ServerCapabilities {
        &self.capabilities
    }

    pub fn declared(&self) -> Set {
        self.declared
    }

    pub fn revisions(&self) -> &[Revision] {
        &self.revisions
    }

    pub fn speaks(&self, era: Era) -> bool {
        self.of(era).next().is_some()
    }

    /// The revision a conversation gets for the version it asks for: that one if it is offered, otherwise the newest of the era.
    ///
    /// A version that does not exist is never echoed. `None` if no revision of the legacy era is offered.
    pub(super) fn counter(&self, version: &str) -> Option<Revision> {
        let asked = version
            .parse()
            .ok()
            .filter(|asked| self.of(Era::Legacy).any(|offered| offered == *asked));
        asked.or_else(|| self.of(Era::Legacy).next_back())
    }

    pub(super) fn negotiate(&self, version: &str) -> Revision {
        self.counter(version).unwrap_or_else(|| self.fallback())
    }

    /// The revision whose rules are used where nothing says which one is spoken.
    pub(super) fn fallback(&self) -> Revision {
        self.of(Era::Legacy).next_back().unwrap_or_else(|| Revision::newest(Era::Modern))
    }

    /// Whether a client may ask for this at all.
    pub(super) fn serves(&self, method: RequestMethod, rules: &Rules) -> bool {
        if !rules.client_requests.contains(method) {
            return false;
        }
        if self.memory == Memory::Nothing && method == RequestMethod::TasksList {
            return false;
        }
        if TASK_METHODS.contains(&method) {
            return self.runs_tasks(rules);
        }
        if self.memory != Memory::Session && SUBSCRIPTIONS.contains(&method) {
            return false;
        }
        if let Some(needed) = needed_of_skills(method) {
            return self.skills.is_some_and(needed);
        }
        needed_of_server(method, rules).is_none_or(|needed| self.declared.contains(needed))
    }

    pub(super) fn runs_tasks(&self, rules: &Rules) -> bool {
        match rules.tasks.map(|tasks| tasks.style) {
            Some(TaskStyle::Experimental) => self.capabilities.tasks.is_some(),
            Some(TaskStyle::Extension) => self
                .capabilities
                .extensions
                .as_ref()
                .is_some_and(|extensions| extensions.contains_key(TASKS_EXTENSION)),
            None => false,
        }
    }

    /// Whether log messages may be sent at all.
    pub(super) fn logs(&self) -> bool {
        self.declared.contains(ServerCapability::Logging)
    }

    pub(super) fn initialize_result(&self, revision: Revision) -> InitializeResult {
        InitializeResult {
            protocol_version: revision.as_str().to_owned(),
            capabilities: self.legacy_capabilities(),
            server_info: self.info.clone(),
            instructions: self.instructions.clone(),
            meta: None,
            result_type: None,
        }
    }

    /// Nothing that takes a memory which is not there.
    fn legacy_capabilities(&self) -> ServerCapabilities {
        let mut capabilities = self.capabilities.clone();
        if self.memory == Memory::Nothing
            && let Some(tasks) = &mut capabilities.tasks
        {
            tasks.list = None;
        }
        if self.memory != Memory::Session {
            if let Some(prompts) = &mut capabilities.prompts {
                prompts.list_changed = None;
            }
            if let Some(resources) = &mut capabilities.resources {
                resources.list_changed = None;
                resources.subscribe = None;
            }
            if let Some(tools) = &mut capabilities.tools {
                tools.list_changed = None;
            }
        }
        capabilities
    }

    pub(super) fn discover_result(&self) -> DiscoverResult {
        DiscoverResult {
            supported_versions: self.version_names(),
            capabilities: self.capabilities.clone(),
            instructions: self.instructions.clone(),
            ttl_ms: Some(self.discover_ttl_ms),
            cache_scope: Some(self.discover_scope),
            meta: None,
            result_type: None,
        }
    }

    /// Every offered revision, the newest first, as clients look for the best they share.
    pub(super) fn version_names(&self) -> Vec<String> {
        self.revisions.iter().rev().map(|revision| revision.as_str().to_owned()).collect()
    }

    pub(super) fn result_prefix(&self, revision: Revision) -> &[u8] {
        &self.result_prefixes[revision.index()]
    }

    fn of(&self, era: Era) -> impl DoubleEndedIterator<Item = Revision> {
        self.revisions.iter().copied().filter(move |revision| revision.era() == era)
    }
}

/// Every modern result says that it is complete and who gave it; written once here rather than into each.
fn result_prefix(info: &Implementation, rules: &Rules) -> Vec<u8> {
    if !rules.result.result_type {
        return Vec::new();
    }
    let mut info = info.clone();
    info.fit(rules);
    let info = Raw::new(&info).expect("strings and lists of strings always encode");
    let key = meta_key::SERVER_INFO;
    format!(r#"{{"resultType":"complete","_meta":{{"{key}":{}}}"#, info.as_str()).into_bytes()
}

const SUBSCRIPTIONS: [RequestMethod; 2] =
    [RequestMethod::ResourcesSubscribe, RequestMethod::ResourcesUnsubscribe];

const TASK_METHODS: [RequestMethod; 5] = [
    RequestMethod::TasksGet,
    RequestMethod::TasksResult,
    RequestMethod::TasksList,
    RequestMethod::TasksCancel,
    RequestMethod::TasksUpdate,
];
