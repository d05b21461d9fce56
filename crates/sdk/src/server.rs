//! Servers: handlers that are written once and served in every revision.
//!
//! # What is traced
//!
//! With `tracing`. Every request has a span `request` of the level *info*, in which its handler runs, so that what it logs belongs there:
//!
//! | field | what it says |
//! |---|---|
//! | `method` | such as `tools/call` |
//! | `id` | of the JSON-RPC request |
//! | `revision` | which one the client speaks |
//! | `name` | the tool, the prompt or the URI, where there is one |
//! | `principal` | who asks: of a user only the issuer, else the process at the other end, a session, or an anonymous client |
//! | `outcome` | `done`, `tool error`, `protocol error`, `cancelled`, `asked` or `task` ([`RequestOutcome`]), when it is over |
//! | `traceparent`, `tracestate`, `baggage` | the trace that the client says it is part of, in 2026-07-28 |
//!
//! The handler of a notification runs in a span `notification` with `method` and `revision`. An HTTP request that is refused before there is
//! anything to handle (401, 403, 404 and the like) leaves an event of the level *info* with `method` and `status`. Neither arguments
//! nor results are ever logged.

mod background;
mod builder;
mod caching;
mod catalogue;
mod completion;
mod context;
pub(crate) mod conversation;
pub(crate) mod dispatch;
pub(crate) mod elsewhere;
mod error;
mod extract;
mod form;
mod handler;
pub(crate) mod handoff;
mod layer;
mod lists;
mod progress;
mod prompt;
mod resource;
mod roots;
mod rounds;
mod sampling;
mod scope;
mod skill;
mod state;
mod strings;
mod tasks;
mod tool;
mod trace;

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
    time::Duration,
};

use arc_swap::{ArcSwap, Guard};
use proofmark_core::session::server::{Change, Input, Offer};

pub use self::{
    builder::{BuildError, ServerBuilder},
    caching::{Cache, CacheSettings},
    completion::{CompletionRequest, CompletionSubject, IntoCompletion},
    context::Context,
    error::Error,
    extract::{FromRequest, RequestParts, via},
    form::{AsGiven, Asked, Elicited, FormError, Question, form_of},
    handler::{Handler, HandlerRequest, Parameter, Uri, kind},
    layer::{Layer, LayerRequest, LayerResponse, Next, RequestOutcome},
    lists::PageSizes,
    progress::{ProgressAmount, ProgressMessage},
    prompt::{
        IntoPrompt, PromptArguments, PromptBuilder, PromptEntry, PromptOutcome, prompt,
        user_message,
    },
    resource::{
        Contents, IntoContents, ResourceBuilder, ResourceEntry, TemplateBuilder, TemplateEntry,
        resource, resource_template,
    },
    sampling::{Sampling, sampling},
    skill::{Skill, SkillError},
    state::{Needs, State},
    tasks::TaskOptions,
    tool::{
        Arguments, IntoToolResult, Json, NoArguments, Rejection, ToolBuilder, ToolCall, ToolEntry,
        ToolHandler, ToolParameter, tool,
    },
    trace::TraceContext,
};
pub(crate) use self::{
    completion::{Complete, Completions},
    error::ErrorKind,
    resource::ReadFuture,
    skill::{digest_of, frontmatter_of},
};

/// Layers that many servers want.
pub mod layers {
    pub use super::layer::{
        Cache, RateLimit, authorize, cache, logging, observe, rate_limit, timeout,
    };
}

use self::{
    catalogue::Catalogue, conversation::Conversation, elsewhere::Elsewhere, layer::Layers,
    lists::Paging, roots::RootsChanged, state::States, tasks::Tasks,
};
use crate::{caller::Principal, schema::SchemaLimits, store::NewsMark};

/// A server: what it offers, and the clients that are talking to it. Cheap to clone; clones are the same server.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    offer: Arc<Offer>,
    catalogue: ArcSwap<Catalogue>,
    /// Held while a catalogue is being replaced.
    replacing: Mutex<()>,
    paging: Paging,
    completion: Option<Complete>,
    roots_changed: Option<RootsChanged>,
    schema_limits: SchemaLimits,
    states: States,
    layers: Layers,
    ask_patience: Duration,
    state_lifetime: Duration,
    tasks: Tasks,
    conversations: Mutex<Vec<Weak<Conversation>>>,
    /// Tells other servers.
    announcer: OnceLock<Arc<dyn Announcer>>,
    /// Servers elsewhere that are part of this one.
    elsewhere: OnceLock<Vec<Box<dyn Elsewhere>>>,
}

/// Tells other servers of what is announced at this one.
pub(crate) trait Announcer: Send + Sync {
    /// The mark by which they know it, if there are any.
    fn announce(&self, change: &Change, to: Option<&Principal>) -> Option<NewsMark>;
}

impl Server {
    /// A server with this name and version, to be filled.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    /// Adds a tool and tells the clients. An error if its schemas do not compile or its name is taken.
    pub fn add_tool(&self, entry: ToolEntry) -> Result<(), BuildError> {
        let tool = builder::compile_tool(entry, &self.0.states, &self.0.schema_limits)?;
        let name = tool.tool.name.clone();
        self.replace(&Change::Tools, |catalogue| {
            catalogue.tools.add(tool).then_some(()).ok_or(BuildError::Taken(name))
        })
    }

    /// Removes a tool and tells the clients; `false` if there was none.
    pub fn remove_tool(&self, name: &str) -> bool {
        self.replace(&Change::Tools, |catalogue| {
            catalogue.tools.remove(name).then_some(()).ok_or(())
        })
        .is_ok()
    }

    /// Adds a resource and tells the clients.
    pub fn add_resource(&self, entry: ResourceEntry) -> Result<(), BuildError> {
        let uri = entry.resource.uri.clone();
        builder::check_states(&self.0.states, &entry.needs, &uri)?;
        self.replace(&Change::Resources, |catalogue| {
            catalogue.resources.add(entry).then_some(()).ok_or(BuildError::Taken(uri))
        })
    }

    /// Removes a resource and tells the clients; `false` if there was none.
    pub fn remove_resource(&self, uri: &str) -> bool {
        self.replace(&Change::Resources, |catalogue| {
            catalogue.resources.remove(uri).then_some(()).ok_or(())
        })
        .is_ok()
    }

    /// Adds a prompt and tells the clients.
    pub fn add_prompt(&self, entry: PromptEntry) -> Result<(), BuildError> {
        let name = entry.prompt.name.clone();
        builder::check_states(&self.0.states, &entry.needs, &name)?;
        builder::check_states(&self.0.states, &entry.completions.needs, &name)?;
        self.replace(&Change::Prompts, |catalogue| {
            catalogue.prompts.add(entry).then_some(()).ok_or(BuildError::Taken(name))
        })
    }

    /// Removes a prompt and tells the clients; `false` if there was none.
    pub fn remove_prompt(&self, name: &str) -> bool {
        self.replace(&Change::Prompts, |catalogue| {
            catalogue.prompts.remove(name).then_some(()).ok_or(())
        })
        .is_ok()
    }

    /// Adds a skill and tells the clients that there are more resources.
    ///
    /// Whether a server has skills at all is declared when it is built, so it has to have one from the beginning.
    pub fn add_skill(&self, skill: Skill) -> Result<(), BuildError> {
        let skill = skill.ready();
        self.replace(&Change::Resources, |catalogue| builder::add_skill(catalogue, skill))
    }

    /// Removes a skill by the URI of its `SKILL.md` and tells the clients; `false` if there was none.
    pub fn remove_skill(&self, uri: &str) -> bool {
        self.replace(&Change::Resources, |catalogue| {
            let removed = catalogue.skills.remove(uri) && catalogue.resources.remove(uri);
            removed.then_some(()).ok_or(())
        })
        .is_ok()
    }

    /// Tells those who watch a resource that it changed.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.announce(&Change::Resource { uri: uri.into() });
    }

    /// Tells clients that a list changed; adding and removing does so by itself.
    pub fn announce(&self, change: &Change) {
        self.announce_to(None, change);
    }

    /// Tells the clients of one owner, or all.
    fn announce_to(&self, owner: Option<&Principal>, change: &Change) {
        let announcer = self.0.announcer.get();
        let mark = announcer.and_then(|announcer| announcer.announce(change, owner));
        self.announce_here(owner, change, mark);
    }

    /// The same for clients of this server alone.
    pub(crate) fn announce_here(
        &self,
        owner: Option<&Principal>,
        change: &Change,
        mark: Option<NewsMark>,
    ) {
        let theirs = |it: &Arc<Conversation>| owner.is_none_or(|owner| it.owner == *owner);
        for conversation in self.conversations().iter().filter(|it| theirs(it)) {
            conversation.tell(change.clone(), mark);
        }
    }

    /// Has changes told to other servers from now on. A server that is served more than once tells them once.
    pub(crate) fn announce_through(&self, announcer: Arc<dyn Announcer>) {
        let _ = self.0.announcer.set(announcer);
    }

    /// Cancels every task that runs, waits until their handlers are gone, and begins no new ones. For a server that goes down.
    pub async fn stop_tasks(&self) {
        self.0.tasks.stop().await;
    }

    /// Stops and drops the tasks of a client that is gone.
    pub(crate) async fn forget_tasks(&self, owner: &Principal) {
        if let Err(error) = self.0.tasks.forget(owner).await {
            tracing::debug!(%error, "the tasks of a session are not forgotten");
        }
    }

    /// Ends the subscriptions of all clients.
    pub(crate) fn end_subscriptions(&self) {
        for conversation in self.conversations() {
            conversation.feed(Input::EndSubscriptions, None);
        }
    }

    pub(crate) fn states(&self) -> &States {
        &self.0.states
    }

    pub(crate) fn layers(&self) -> &Layers {
        &self.0.layers
    }

    pub(crate) fn offer(&self) -> &Arc<Offer> {
        &self.0.offer
    }

    pub(crate) fn ask_patience(&self) -> Duration {
        self.0.ask_patience
    }

    pub(crate) fn cache_of_discovery(&self) -> Cache {
        self.0.paging.caching.discover
    }

    /// Remembers a conversation for as long as it lives, to tell it of changes.
    pub(crate) fn register(&self, conversation: &Arc<Conversation>) {
        let mut all = self.0.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that are gone are cleared away before the list has to grow.
        if all.len() == all.capacity() {
            all.retain(|conversation| conversation.strong_count() > 0);
        }
        all.push(Arc::downgrade(conversation));
    }

    /// Who holds the server: its handles, and all that is going on in it.
    #[cfg(test)]
    pub(crate) fn holders(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    fn roots_changed(&self) -> Option<&RootsChanged> {
        self.0.roots_changed.as_ref()
    }

    fn conversations(&self) -> Vec<Arc<Conversation>> {
        let mut all = self.0.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|conversation| conversation.strong_count() > 0);
        all.iter().filter_map(Weak::upgrade).collect()
    }

    fn replace<E>(
        &self,
        change: &Change,
        edit: impl FnOnce(&mut Catalogue) -> Result<(), E>,
    ) -> Result<(), E> {
        {
            let _held = self.0.replacing.lock().unwrap_or_else(PoisonError::into_inner);
            let mut next = self.catalogue().successor();
            edit(&mut next)?;
            self.0.catalogue.store(Arc::new(next));
        }
        self.announce(change);
        Ok(())
    }

    fn catalogue(&self) -> Guard<Arc<Catalogue>> {
        self.0.catalogue.load()
    }

    fn paging(&self) -> &Paging {
        &self.0.paging
    }

    fn tasks(&self) -> &Tasks {
        &self.0.tasks
    }

    fn completion(&self) -> Option<&Complete> {
        self.0.completion.as_ref()
    }

    /// How long a client may take to answer before it has to begin anew.
    fn state_lifetime(&self) -> Duration {
        self.0.state_lifetime
    }
}
