//! What a server has to offer at one moment: replaced as a whole when it changes, so that readers never wait.

use std::{collections::HashMap, sync::Arc};

use proofmark_core::types::{Prompt, Resource, ResourceContents, ResourceTemplate, Tool};

use super::{
    completion::{Complete, CompletionRequest, CompletionSubject},
    lists::Pages,
    prompt::PromptEntry,
    resource::{ReadyTemplate, ResourceEntry},
    skill::ReadySkill,
    tool::ReadyTool,
};
use crate::caller::Caller;

/// The tools, resources, templates, prompts and skills of one moment.
#[derive(Default)]
pub(crate) struct Catalogue {
    pub(crate) tools: Listed<ReadyTool>,
    pub(crate) resources: Listed<ResourceEntry>,
    pub(crate) templates: Listed<ReadyTemplate>,
    pub(crate) prompts: Listed<PromptEntry>,
    pub(crate) skills: Listed<ReadySkill>,
    /// Pages of these lists, encoded; a changed catalogue begins without any.
    pub(crate) pages: Pages,
}

impl Catalogue {
    /// The same with changes to come. What is listed is shared, not copied.
    pub(crate) fn successor(&self) -> Self {
        Self {
            tools: self.tools.clone(),
            resources: self.resources.clone(),
            templates: self.templates.clone(),
            prompts: self.prompts.clone(),
            skills: self.skills.clone(),
            pages: Pages::default(),
        }
    }

    /// A file of a skill. Only its `SKILL.md` is listed among the resources; the skill itself lists the others.
    pub(crate) fn skill_file(&self, uri: &str) -> Option<&ResourceContents> {
        self.skills.items().iter().find_map(|skill| skill.content(uri))
    }
}

impl Catalogue {
    /// What completes one argument of one prompt, or one variable of one template.
    pub(crate) fn completion(
        &self,
        request: &CompletionRequest,
        caller: Option<&Caller>,
    ) -> Option<Complete> {
        let completions = match &request.subject {
            CompletionSubject::Prompt(name) => &self.prompts.get_for(name, caller)?.completions,
            CompletionSubject::Resource(uri) => &self.templates.get_for(uri, caller)?.completions,
        };
        completions.get(&request.argument)
    }
}

/// Things in the order in which they were added, each under its own key.
pub(crate) struct Listed<T> {
    items: Vec<Arc<T>>,
    keys: Vec<String>,
    places: HashMap<String, usize>,
    /// There may be some that not every caller sees.
    hides: bool,
}

/// What has a key in a list.
pub(crate) trait Keyed {
    fn key(&self) -> &str;

    /// The scope without which a caller does not see it.
    fn hidden_without(&self) -> Option<&str> {
        None
    }

    /// Whether it is there for this caller.
    fn is_visible(&self, caller: Option<&Caller>) -> bool {
        let Some(scope) = self.hidden_without() else { return true };
        caller.is_some_and(|caller| caller.has_scope(scope))
    }
}

impl<T: Keyed> Listed<T> {
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<T>> {
        let place = if self.keys.len() <= FEW {
            self.keys.iter().position(|listed| listed == key)?
        } else {
            *self.places.get(key)?
        };
        self.items.get(place)
    }

    /// The same, if it is there for this caller.
    pub(crate) fn get_for(&self, key: &str, caller: Option<&Caller>) -> Option<&Arc<T>> {
        self.get(key).filter(|item| item.is_visible(caller))
    }

    pub(crate) fn items(&self) -> &[Arc<T>] {
        &self.items
    }

    /// The places of what a caller sees; `None` if every caller sees all.
    pub(crate) fn visible(&self, caller: Option<&Caller>) -> Option<Vec<usize>> {
        let places = || {
            let seen = |(place, item): (usize, &Arc<T>)| item.is_visible(caller).then_some(place);
            self.items.iter().enumerate().filter_map(seen).collect()
        };
        self.hides.then(places)
    }

    pub(crate) fn keys(&self) -> &[String] {
        &self.keys
    }

    /// `false` if there is one with that key already.
    pub(crate) fn add(&mut self, item: T) -> bool {
        let key = item.key().to_owned();
        if self.places.contains_key(&key) {
            return false;
        }
        self.hides |= item.hidden_without().is_some();
        self.places.insert(key.clone(), self.items.len());
        self.keys.push(key);
        self.items.push(Arc::new(item));
        true
    }

    /// `false` if there is none with that key.
    pub(crate) fn remove(&mut self, key: &str) -> bool {
        let Some(place) = self.places.get(key).copied() else { return false };
        self.items.remove(place);
        self.keys.remove(place);
        self.places =
            self.keys.iter().cloned().enumerate().map(|(place, key)| (key, place)).collect();
        true
    }
}

impl<T> Clone for Listed<T> {
    fn clone(&self) -> Self {
        let Self { items, keys, places, hides } = self;
        Self { items: items.clone(), keys: keys.clone(), places: places.clone(), hides: *hides }
    }
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self { items: Vec::new(), keys: Vec::new(), places: HashMap::new(), hides: false }
    }
}

impl Keyed for ReadyTool {
    fn key(&self) -> &str {
        let Tool { name, .. } = &self.tool;
        name
    }

    fn hidden_without(&self) -> Option<&str> {
        self.hidden_without.as_deref()
    }
}

impl Keyed for ResourceEntry {
    fn key(&self) -> &str {
        let Resource { uri, .. } = &self.resource;
        uri
    }

    fn hidden_without(&self) -> Option<&str> {
        self.hidden_without.as_deref()
    }
}

impl Keyed for ReadyTemplate {
    fn key(&self) -> &str {
        let ResourceTemplate { uri_template, .. } = &self.template;
        uri_template
    }

    fn hidden_without(&self) -> Option<&str> {
        self.hidden_without.as_deref()
    }
}

impl Keyed for ReadySkill {
    fn key(&self) -> &str {
        &self.entry.uri
    }
}

impl Keyed for PromptEntry {
    fn key(&self) -> &str {
        let Prompt { name, .. } = &self.prompt;
        name
    }

    fn hidden_without(&self) -> Option<&str> {
        self.hidden_without.as_deref()
    }
}

/// So many names are compared one by one sooner than one is hashed.
const FEW: usize = 8;
