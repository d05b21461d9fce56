//! Lists in pages, each encoded once for all who ask for it.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{Arc, PoisonError, RwLock},
};

use proofmark_core::{
    cursor::{Cursor, List},
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{RequestMethod, Revision},
    seal::Keyring,
    session::server::{Offer, Outcome},
    types::{
        CacheScope, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListSkillsResult, ListToolsResult, ReadDirectoryResult, ServerResult,
    },
};

use super::{Cache, CacheSettings, catalogue::Catalogue};
use crate::caller::Caller;

/// Pages that were asked for before.
#[derive(Default)]
pub(crate) struct Pages(RwLock<HashMap<PageKey, Arc<Raw>>>);

/// Which list, for whom it is encoded, and its first item.
type PageKey = (RequestMethod, Revision, usize, CacheScope);

/// How many things a page of each list has; a hundred by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSizes {
    pub tools: NonZeroUsize,
    pub resources: NonZeroUsize,
    pub templates: NonZeroUsize,
    pub prompts: NonZeroUsize,
    /// Skills, and the files in their folders.
    pub skills: NonZeroUsize,
    pub tasks: NonZeroUsize,
}

impl PageSizes {
    /// The same size for every list.
    pub fn all(size: NonZeroUsize) -> Self {
        Self {
            tools: size,
            resources: size,
            templates: size,
            prompts: size,
            skills: size,
            tasks: size,
        }
    }

    fn of(&self, method: RequestMethod) -> NonZeroUsize {
        match method {
            RequestMethod::ToolsList => self.tools,
            RequestMethod::ResourcesList => self.resources,
            RequestMethod::ResourcesTemplatesList => self.templates,
            RequestMethod::SkillsList => self.skills,
            _ => self.prompts,
        }
    }
}

impl Default for PageSizes {
    fn default() -> Self {
        Self::all(PAGE_SIZE)
    }
}

/// How lists are served.
pub(crate) struct Paging {
    pub(crate) sizes: PageSizes,
    pub(crate) keys: Keyring,
    pub(crate) caching: CacheSettings,
}

/// Which page of which list a client wants.
pub(crate) struct ListRequest<'a> {
    pub(crate) method: RequestMethod,
    pub(crate) revision: Revision,
    pub(crate) cursor: Option<&'a str>,
    pub(crate) caller: Option<&'a Caller>,
}

impl Paging {
    /// Answers one of the list methods. A cursor is good for the caller that it was given to.
    pub(crate) fn list(
        &self,
        catalogue: &Catalogue,
        offer: &Offer,
        wanted: &ListRequest<'_>,
    ) -> Outcome {
        if let Some(visible) = visible(catalogue, wanted.method, wanted.caller) {
            return self.list_visible(catalogue, offer, wanted, &visible);
        }
        let &ListRequest { method, revision, cursor, caller } = wanted;
        let bound_to = caller.map_or("", Caller::key).as_bytes();
        let list = List { name: method.as_str(), version: 0, keys: keys(catalogue, method) };
        let cursor = cursor
            .map(|token| Cursor::open(&self.keys, bound_to, method.as_str(), token))
            .transpose()
            .map_err(|bad| ErrorObject::quoting(ErrorCode::INVALID_PARAMS, bad.to_string()))?;
        let page = list.page(cursor.as_ref(), self.sizes.of(method));
        let cache = self.cache(method);
        let cache = (Some(cache.ttl_ms), cache.scope_for(caller));
        // A page with a cursor that is one caller's own is encoded for them alone.
        let place = (caller.is_none() || page.next.is_none()).then_some((
            method,
            revision,
            page.items.start,
            cache.1,
        ));
        if let Some(raw) = place.and_then(|place| catalogue.pages.get(&place)) {
            return Ok(ServerResult::Ready(raw));
        }
        let next = page.next.map(|next| next.seal(&self.keys, bound_to));
        let next = next.transpose().map_err(internal)?;
        let result = result(catalogue, method, &page.items.collect::<Vec<_>>(), next, cache);
        let ready = offer.prepare(revision, result).map_err(internal)?;
        if let (Some(place), ServerResult::Ready(raw)) = (place, &ready) {
            catalogue.pages.insert(place, raw);
        }
        Ok(ready)
    }

    /// As [`Self::list`], where callers see different things: nothing of it is kept here, and clients may keep it for themselves only.
    fn list_visible(
        &self,
        catalogue: &Catalogue,
        offer: &Offer,
        wanted: &ListRequest<'_>,
        visible: &[usize],
    ) -> Outcome {
        let &ListRequest { method, revision, cursor, caller } = wanted;
        let bound_to = caller.map_or("", Caller::key).as_bytes();
        let all = keys(catalogue, method);
        let keys: Vec<String> = visible.iter().map(|at| all[*at].clone()).collect();
        let list = List { name: method.as_str(), version: 0, keys: &keys };
        let cursor = cursor
            .map(|token| Cursor::open(&self.keys, bound_to, method.as_str(), token))
            .transpose()
            .map_err(|bad| ErrorObject::quoting(ErrorCode::INVALID_PARAMS, bad.to_string()))?;
        let page = list.page(cursor.as_ref(), self.sizes.of(method));
        let next = page.next.map(|next| next.seal(&self.keys, bound_to));
        let next = next.transpose().map_err(internal)?;
        let cache = (Some(self.cache(method).ttl_ms), CacheScope::Private);
        let result = result(catalogue, method, &visible[page.items], next, cache);
        offer.prepare(revision, result).map_err(internal)
    }

    /// Answers `resources/directory/read`; `None` if there is no such folder. Cursors are good for the folder that they were given for,
    /// and for whom.
    pub(crate) fn folder(
        &self,
        catalogue: &Catalogue,
        uri: &str,
        cursor: Option<&str>,
        caller: Option<&Caller>,
    ) -> Option<Outcome> {
        let mut skills = catalogue.skills.items().iter();
        let folder = skills.find_map(|skill| skill.folder(uri))?;
        let name = RequestMethod::ResourcesDirectoryRead.as_str();
        // No URI has a zero byte.
        let bound_to = [uri, caller.map_or("", Caller::key)].join("\0");
        let bound_to = bound_to.as_bytes();
        let page = || {
            let cursor = cursor
                .map(|token| Cursor::open(&self.keys, bound_to, name, token))
                .transpose()
                .map_err(|bad| ErrorObject::quoting(ErrorCode::INVALID_PARAMS, bad.to_string()))?;
            let list = List { name, version: 0, keys: &folder.keys };
            let page = list.page(cursor.as_ref(), self.sizes.skills);
            let next = page.next.map(|next| next.seal(&self.keys, bound_to)).transpose();
            Ok(ServerResult::ReadDirectory(ReadDirectoryResult {
                resources: folder.resources[page.items].to_vec(),
                next_cursor: next.map_err(internal)?,
                ..Default::default()
            }))
        };
        Some(page())
    }

    fn cache(&self, method: RequestMethod) -> Cache {
        match method {
            RequestMethod::ToolsList => self.caching.tools,
            RequestMethod::ResourcesList => self.caching.resources,
            RequestMethod::ResourcesTemplatesList => self.caching.templates,
            RequestMethod::SkillsList => self.caching.skills,
            _ => self.caching.prompts,
        }
    }
}

impl Pages {
    fn get(&self, place: &PageKey) -> Option<Arc<Raw>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(place).cloned()
    }

    fn insert(&self, place: PageKey, page: &Arc<Raw>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(place, Arc::clone(page));
    }
}

fn result(
    catalogue: &Catalogue,
    method: RequestMethod,
    items: &[usize],
    next_cursor: Option<String>,
    (ttl_ms, cache_scope): (Option<u64>, CacheScope),
) -> ServerResult {
    let cache_scope = Some(cache_scope);
    match method {
        RequestMethod::ToolsList => ServerResult::ListTools(ListToolsResult {
            tools: items.iter().map(|at| catalogue.tools.items()[*at].tool.clone()).collect(),
            next_cursor,
            ttl_ms,
            cache_scope,
            ..Default::default()
        }),
        RequestMethod::ResourcesList => ServerResult::ListResources(ListResourcesResult {
            resources: items
                .iter()
                .map(|at| catalogue.resources.items()[*at].resource.clone())
                .collect(),
            next_cursor,
            ttl_ms,
            cache_scope,
            ..Default::default()
        }),
        RequestMethod::ResourcesTemplatesList => {
            ServerResult::ListResourceTemplates(ListResourceTemplatesResult {
                resource_templates: items
                    .iter()
                    .map(|at| catalogue.templates.items()[*at].template.clone())
                    .collect(),
                next_cursor,
                ttl_ms,
                cache_scope,
                ..Default::default()
            })
        }
        RequestMethod::SkillsList => ServerResult::ListSkills(ListSkillsResult {
            skills: items.iter().map(|at| catalogue.skills.items()[*at].entry.clone()).collect(),
            next_cursor,
            ttl_ms,
            cache_scope,
            ..Default::default()
        }),
        _ => ServerResult::ListPrompts(ListPromptsResult {
            prompts: items.iter().map(|at| catalogue.prompts.items()[*at].prompt.clone()).collect(),
            next_cursor,
            ttl_ms,
            cache_scope,
            ..Default::default()
        }),
    }
}

/// The places of what a caller sees of a list; `None` if every caller sees all.
fn visible(
    catalogue: &Catalogue,
    method: RequestMethod,
    caller: Option<&Caller>,
) -> Option<Vec<usize>> {
    match method {
        RequestMethod::ToolsList => catalogue.tools.visible(caller),
        RequestMethod::ResourcesList => catalogue.resources.visible(caller),
        RequestMethod::ResourcesTemplatesList => catalogue.templates.visible(caller),
        RequestMethod::PromptsList => catalogue.prompts.visible(caller),
        _ => None,
    }
}

fn keys(catalogue: &Catalogue, method: RequestMethod) -> &[String] {
    match method {
        RequestMethod::ToolsList => catalogue.tools.keys(),
        RequestMethod::ResourcesList => catalogue.resources.keys(),
        RequestMethod::ResourcesTemplatesList => catalogue.templates.keys(),
        RequestMethod::SkillsList => catalogue.skills.keys(),
        _ => catalogue.prompts.keys(),
    }
}

fn internal(error: impl std::fmt::Display) -> ErrorObject {
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, error.to_string())
}

const PAGE_SIZE: NonZeroUsize = NonZeroUsize::new(100).expect("it is not zero");
