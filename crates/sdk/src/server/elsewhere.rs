//! Parts of a server that are elsewhere.

use std::{
    convert::Infallible,
    sync::{Arc, Weak},
};

use futures_util::future::join_all;
use proofmark_core::{session::server::Change, types::ServerCapabilities};

use super::{
    Inner, PromptEntry, ResourceEntry, Server, ServerBuilder, TemplateEntry, ToolEntry, builder,
    catalogue::{Keyed, Listed},
};
use crate::BoxFuture;

/// A part of a server that is elsewhere.
pub(crate) trait Elsewhere: Send + Sync {
    /// What it said that it offers.
    fn offered(&self) -> Option<ServerCapabilities>;

    /// Begins to tell the server what changes.
    fn follow(&mut self, server: WeakServer);

    /// Has news of a resource brought. Done when that is asked for.
    fn watch(&self, uri: &str) -> BoxFuture<'static, ()>;
}

/// A server that is not kept alive by this.
pub(crate) struct WeakServer(Weak<Inner>);

/// Entries that pass on what they are asked.
#[derive(Default)]
pub(crate) struct Entries {
    pub(crate) tools: Vec<ToolEntry>,
    pub(crate) prompts: Vec<PromptEntry>,
    pub(crate) resources: Vec<ResourceEntry>,
    pub(crate) templates: Vec<TemplateEntry>,
}

/// The keys of what a part has put into a server.
#[derive(Default)]
pub(crate) struct Keys {
    pub(crate) tools: Vec<String>,
    pub(crate) prompts: Vec<String>,
    pub(crate) resources: Vec<String>,
    pub(crate) templates: Vec<String>,
}

impl WeakServer {
    /// The server, if it is still there.
    pub(crate) fn get(&self) -> Option<Server> {
        self.0.upgrade().map(Server)
    }
}

impl ServerBuilder {
    /// Adds a part that is elsewhere.
    pub(crate) fn elsewhere(mut self, entries: Entries, part: impl Elsewhere + 'static) -> Self {
        self.extend(entries);
        self.elsewhere.push(Box::new(part));
        self
    }

    /// Whether one of the parts elsewhere offers something, even if there is none of it now.
    pub(super) fn relays(&self, offers: impl Fn(&ServerCapabilities) -> bool) -> bool {
        let mut parts = self.elsewhere.iter().filter_map(|part| part.offered());
        parts.any(|offered| offers(&offered))
    }
}

impl Server {
    pub(super) fn follow(&self, mut parts: Vec<Box<dyn Elsewhere>>) {
        for part in &mut parts {
            part.follow(WeakServer(Arc::downgrade(&self.0)));
        }
        let _set_once = self.0.elsewhere.set(parts);
    }

    /// Has news of a resource brought from wherever it is. `None` if all that there is is here.
    pub(super) fn watch_elsewhere(&self, uri: &str) -> Option<BoxFuture<'static, ()>> {
        let parts = self.0.elsewhere.get()?;
        let watched = join_all(parts.iter().map(|part| part.watch(uri)));
        Some(Box::pin(async {
            watched.await;
        }))
    }

    /// Puts what a part has now in the place of what it had.
    pub(crate) fn replace_entries(&self, change: &Change, entries: Entries, keys: &mut Keys) {
        let Entries { tools, prompts, resources, templates } = entries;
        let Inner { states, schema_limits, .. } = &*self.0;
        let edited = self.replace(change, |catalogue| {
            match change {
                Change::Tools => {
                    let ready = |entry| builder::compile_tool(entry, states, schema_limits).ok();
                    let tools = tools.into_iter().filter_map(ready);
                    put(&mut catalogue.tools, &mut keys.tools, tools);
                }
                Change::Prompts => {
                    put(&mut catalogue.prompts, &mut keys.prompts, prompts.into_iter());
                }
                _ => {
                    put(&mut catalogue.resources, &mut keys.resources, resources.into_iter());
                    let templates = templates.into_iter().filter_map(|it| it.compile().ok());
                    put(&mut catalogue.templates, &mut keys.templates, templates);
                }
            }
            Ok::<_, Infallible>(())
        });
        edited.unwrap_or_else(|never| match never {});
    }
}

fn put<T: Keyed>(list: &mut Listed<T>, keys: &mut Vec<String>, items: impl Iterator<Item = T>) {
    for key in keys.drain(..) {
        list.remove(&key);
    }
    for item in items {
        let key = item.key().to_owned();
        if list.add(item) {
            keys.push(key);
        } else {
            tracing::warn!(key, "what a server elsewhere has now has a name that is taken");
        }
    }
}
