//! The params of a request, put together from what the caller gave and what the protocol adds.

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::profile::Introduction;
use crate::{
    json::{OrderedMap, Raw},
    jsonrpc::Id,
    revision::{Era, Revision},
    types::{InputResponses, LoggingLevel, Meta, meta_key},
};

/// What the caller gave, taken apart once.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    members: Option<OrderedMap<Raw>>,
    meta: Meta,
}

/// What a retry adds.
#[derive(Clone, Debug, Default)]
pub(super) struct Retry {
    pub(super) responses: Option<InputResponses>,
    /// Given back exactly as it was got.
    pub(super) state: Option<String>,
}

/// What the protocol adds.
pub(super) struct Added<'a> {
    pub(super) revision: Revision,
    pub(super) introduction: &'a Introduction,
    pub(super) log_level: Option<LoggingLevel>,
    pub(super) progress_token: Option<&'a Id<'static>>,
    pub(super) retry: Option<&'a Retry>,
}

impl Given {
    pub(super) fn read(params: Option<&Raw>) -> serde_json::Result<Self> {
        let Some(params) = params else { return Ok(Self::default()) };
        let mut members: OrderedMap<Raw> = params.decode()?;
        let mut meta = Meta::default();
        if let Some(given) = members.get(META) {
            meta = given.decode()?;
            members = members.into_iter().filter(|(key, _)| key != META).collect();
        }
        meta.0.remove(meta_key::PROGRESS_TOKEN);
        Ok(Self { members: Some(members), meta })
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.members.as_ref().is_some_and(|members| members.get(key).is_some())
    }

    /// The params as they are sent; `None` where there is nothing to say.
    pub(super) fn complete(&self, added: &Added<'_>) -> serde_json::Result<Option<Raw>> {
        let mut meta = self.meta.clone();
        if added.revision.era() == Era::Modern {
            meta.insert(meta_key::PROTOCOL_VERSION, added.revision.as_str())?;
            meta.insert(meta_key::CLIENT_INFO, &added.introduction.info_json)?;
            meta.insert(meta_key::CLIENT_CAPABILITIES, &added.introduction.capabilities_json)?;
            if let Some(level) = added.log_level {
                meta.insert(meta_key::LOG_LEVEL, &level)?;
            }
        }
        if let Some(token) = added.progress_token {
            meta.insert(meta_key::PROGRESS_TOKEN, token)?;
        }
        if self.members.is_none() && meta.is_empty() {
            return Ok(None);
        }
        Raw::new(&Whole { given: self, retry: added.retry, meta }).map(Some)
    }
}

struct Whole<'a> {
    given: &'a Given,
    retry: Option<&'a Retry>,
    meta: Meta,
}

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let replaced = |key: &str| self.retry.is_some() && [RESPONSES, STATE].contains(&key);
        for (key, value) in self.given.members.iter().flat_map(OrderedMap::iter) {
            if !replaced(key) {
                map.serialize_entry(key, value)?;
            }
        }
        if let Some(responses) = self.retry.and_then(|retry| retry.responses.as_ref()) {
            map.serialize_entry(RESPONSES, responses)?;
        }
        if let Some(state) = self.retry.and_then(|retry| retry.state.as_ref()) {
            map.serialize_entry(STATE, state)?;
        }
        if !self.meta.is_empty() {
            map.serialize_entry(META, &self.meta)?;
        }
        map.end()
    }
}

const META: &str = "_meta";
const RESPONSES: &str = "inputResponses";
const STATE: &str = "requestState";
