//! Lists in pages, each encoded once for all who ask for it.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{Arc, PoisonError, RwLock},
};

use proofmark_core::{
    cursor::{Cursor, List, Page},
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{RequestMethod, Revision},
    seal::Keyring,
    session::server::{Offer, Outcome},
    types::{
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult,
        ListToolsResult, ReadDirectoryResult, ServerResult,
    },
};

use super::{Cache, CacheSettings, catalogue::Catalogue};

/// Pages that were asked for before.
#[derive(Default)]
pub(crate) struct Pages(RwLock<HashMap<(RequestMethod, Revision, usize), Arc<Raw>>>);

/// How lists are served.
pub(crate) struct Paging {
    pub(crate) size: NonZeroUsize,
    pub(crate) keys: Keyring,
    pub(crate) caching: CacheSettings,
}

impl Paging {
    /// Answers one of the list methods.
    pub(crate) fn list(
        &self,
        catalogue: &Catalogue,
        offer: &Offer,
        method: RequestMethod,
        revision: Revision,
        cursor: Option<&str>,
    ) -> Outcome {
        let list = List { name: method.as_str(), version: 0, keys: keys(catalogue, method) };
        let cursor = cursor
            .map(|token| Cursor::open(&self.keys, b"", method.as_str(), token))
            .transpose()
            .map_err(|bad| ErrorObject::new(ErrorCode::INVALID_PARAMS, bad.to_string()))?;
        let page = list.page(cursor.as_ref(), self.size);
        let place = (method, revision, page.items.start);
        let known =
            catalogue.pages.0.read().unwrap_or_else(PoisonError::into_inner).get(&place).cloned();
        if let Some(raw) = known {
            return Ok(ServerResult::Ready(raw));
        }
        let result = self.result(catalogue, method, page)?;
        let ready = offer.prepare(revision, result).map_err(internal)?;
        if let ServerResult::Ready(raw) = &ready {
            catalogue
                .pages
                .0
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(place, Arc::clone(raw));
        }
        Ok(ready)
    }

    /// Answers `resources/directory/read`; `None` if there is no such folder. Cursors are good for the folder that they were given for.
    pub(crate) fn folder(
        &self,
        catalogue: &Catalogue,
        uri: &str,
        cursor: Option<&str>,
    ) -> Option<Outcome> {
        let mut skills = catalogue.skills.items().iter();
        let folder = skills.find_map(|skill| skill.folder(uri))?;
        let name = RequestMethod::ResourcesDirectoryRead.as_str();
        let page = || {
            let cursor = cursor
                .map(|token| Cursor::open(&self.keys, uri.as_bytes(), name, token))
                .transpose()
                .map_err(|bad| ErrorObject::new(ErrorCode::INVALID_PARAMS, bad.to_string()))?;
            let list = List { name, version: 0, keys: &folder.keys };
            let page = list.page(cursor.as_ref(), self.size);
            let next = page.next.map(|next| next.seal(&self.keys, uri.as_bytes())).transpose();
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

    fn result(
        &self,
        catalogue: &Catalogue,
        method: RequestMethod,
        page: Page,
    ) -> Result<ServerResult, ErrorObject> {
        let next_cursor =
            page.next.map(|next| next.seal(&self.keys, b"")).transpose().map_err(internal)?;
        let items = page.items;
        let cache = self.cache(method);
        let (ttl_ms, cache_scope) = (Some(cache.ttl_ms), Some(cache.scope));
        Ok(match method {
            RequestMethod::ToolsList => ServerResult::ListTools(ListToolsResult {
                tools: catalogue.tools.items()[items]
                    .iter()
                    .map(|entry| entry.tool.clone())
                    .collect(),
                next_cursor,
                ttl_ms,
                cache_scope,
                ..Default::default()
            }),
            RequestMethod::ResourcesList => ServerResult::ListResources(ListResourcesResult {
                resources: catalogue.resources.items()[items]
                    .iter()
                    .map(|entry| entry.resource.clone())
                    .collect(),
                next_cursor,
                ttl_ms,
                cache_scope,
                ..Default::default()
            }),
            RequestMethod::ResourcesTemplatesList => {
                ServerResult::ListResourceTemplates(ListResourceTemplatesResult {
                    resource_templates: catalogue.templates.items()[items]
                        .iter()
                        .map(|entry| entry.template.clone())
                        .collect(),
                    next_cursor,
                    ttl_ms,
                    cache_scope,
                    ..Default::default()
                })
            }
            RequestMethod::SkillsList => ServerResult::ListSkills(ListSkillsResult {
                skills: catalogue.skills.items()[items]
                    .iter()
                    .map(|skill| skill.entry.clone())
                    .collect(),
                next_cursor,
                ttl_ms,
                cache_scope,
                ..Default::default()
            }),
            _ => ServerResult::ListPrompts(ListPromptsResult {
                prompts: catalogue.prompts.items()[items]
                    .iter()
                    .map(|entry| entry.prompt.clone())
                    .collect(),
                next_cursor,
                ttl_ms,
                cache_scope,
                ..Default::default()
            }),
        })
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
