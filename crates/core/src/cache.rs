//! Results that a client may use again instead of asking again.
//!
//! A server says on a result how long, and for whom, it may be kept; without these hints nothing is. The cache holds no clock and no
//! connection: the client asks it first, gives it what came back, and tells it of change notifications.

use std::{collections::BTreeMap, time::Duration};

use serde::Deserialize;

use crate::{
    json::{OrderedMap, Raw},
    revision::{RequestMethod, Rules},
    session::Time,
    types::{CacheScope, ResultType, ServerNotification},
};

/// Kept results of one server.
#[derive(Debug, Default)]
pub struct ResponseCache {
    limits: CacheLimits,
    entries: BTreeMap<(Key, Audience), Entry>,
    /// Of all entries together.
    bytes: usize,
    /// Counts uses, so that the entry that was not used for longest is known.
    uses: u64,
}

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLimits {
    pub entries: usize,
    /// Of keys and results together.
    pub bytes: usize,
}

impl Default for CacheLimits {
    fn default() -> Self {
        Self { entries: 1024, bytes: 16 * 1024 * 1024 }
    }
}

/// What was asked: the method and the params that matter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    method: RequestMethod,
    /// Without `_meta`, members sorted by name.
    params: String,
}

/// On whose authority something was asked, such as a hash of the access token. Private results never leave it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AuthorizationContext(pub String);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Audience {
    AllCallers,
    Only(AuthorizationContext),
}

#[derive(Debug)]
struct Entry {
    result: Raw,
    stale: Time,
    used: u64,
}

impl Key {
    /// `None` for what is never kept: methods without hints, and retries, whose results depend on more than their params.
    pub fn new(method: RequestMethod, params: Option<&Raw>, rules: &Rules) -> Option<Self> {
        if !rules.result.cache_hints.contains(method) {
            return None;
        }
        let members = match params {
            Some(params) => params.decode::<OrderedMap<Raw>>().ok()?,
            None => OrderedMap::new(),
        };
        if RETRY.iter().any(|key| members.get(key).is_some()) {
            return None;
        }
        let matter: BTreeMap<String, Raw> =
            members.into_iter().filter(|(key, _)| key != "_meta").collect();
        Some(Self { method, params: serde_json::to_string(&matter).ok()? })
    }
}

impl ResponseCache {
    pub fn new(limits: CacheLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The kept result, if it is fresh and meant for this caller.
    pub fn get(&mut self, now: Time, key: &Key, context: &AuthorizationContext) -> Option<&Raw> {
        self.uses += 1;
        let uses = self.uses;
        let for_all = (key.clone(), Audience::AllCallers);
        let for_one = (key.clone(), Audience::Only(context.clone()));
        let fresh = |place: &(Key, Audience)| {
            self.entries.get(place).is_some_and(|entry| now < entry.stale)
        };
        let place = [for_one, for_all].into_iter().find(fresh)?;
        let entry = self.entries.get_mut(&place)?;
        entry.used = uses;
        Some(&entry.result)
    }

    /// Keeps a result as its hints allow, in place of what was kept for the same question.
    ///
    /// The caller does not bring results of calls that the server asked back for.
    pub fn insert(&mut self, now: Time, key: Key, context: AuthorizationContext, result: Raw) {
        self.remove(&(key.clone(), Audience::AllCallers));
        self.remove(&(key.clone(), Audience::Only(context.clone())));
        let Ok(hints) = result.decode::<Hints>() else { return };
        let complete = hints.result_type.as_ref().is_none_or(|kind| *kind == ResultType::Complete);
        // What is negative or no integer is no hint; neither is a missing scope, which leaves open who may see the result.
        let ttl = hints.ttl_ms.as_ref().and_then(|raw| raw.as_str().parse::<u64>().ok());
        let (Some(ttl), Some(scope), true) = (ttl.filter(|ttl| *ttl > 0), hints.scope(), complete)
        else {
            return;
        };
        let audience = match scope {
            CacheScope::Private => Audience::Only(context),
            CacheScope::Public => Audience::AllCallers,
        };
        let place = (key, audience);
        let size = size(&place, &result);
        if size > self.limits.bytes || self.limits.entries == 0 {
            return;
        }
        while self.entries.len() >= self.limits.entries || self.bytes + size > self.limits.bytes {
            self.evict();
        }
        self.uses += 1;
        self.bytes += size;
        let stale = now + Duration::from_millis(ttl).min(LONGEST);
        self.entries.insert(place, Entry { result, stale, used: self.uses });
    }

    /// Forgets what a notification says has changed.
    pub fn invalidate(&mut self, notification: &ServerNotification) {
        use RequestMethod as M;

        match notification {
            ServerNotification::PromptsListChanged(_) => self.forget(&[M::PromptsList]),
            ServerNotification::ResourcesListChanged(_) => {
                self.forget(&[M::ResourcesList, M::ResourcesTemplatesList]);
            }
            ServerNotification::ToolsListChanged(_) => self.forget(&[M::ToolsList]),
            ServerNotification::ResourceUpdated(params) => self.forget_resource(&params.uri),
            _ => {}
        }
    }

    /// Forgets everything that the methods answered, every page included: when a cursor is refused, for example.
    pub fn forget(&mut self, methods: &[RequestMethod]) {
        self.retain(|key| !methods.contains(&key.method));
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes of all kept keys and results.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The URI that changed may be a part of the one that was read, so both directions count.
    fn forget_resource(&mut self, changed: &str) {
        self.retain(|key| {
            if key.method != RequestMethod::ResourcesRead {
                return true;
            }
            match serde_json::from_str::<Read>(&key.params) {
                Ok(Read { uri }) => !changed.starts_with(&uri) && !uri.starts_with(changed),
                Err(_) => false,
            }
        });
    }

    fn retain(&mut self, keep: impl Fn(&Key) -> bool) {
        self.entries.retain(|(key, _), _| keep(key));
        self.bytes = self.entries.iter().map(|(place, entry)| size(place, &entry.result)).sum();
    }

    fn remove(&mut self, place: &(Key, Audience)) {
        if let Some(entry) = self.entries.remove(place) {
            self.bytes -= size(place, &entry.result);
        }
    }

    fn evict(&mut self) {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
        if let Some(place) = oldest.map(|(place, _)| place.clone()) {
            self.remove(&place);
        }
    }
}

fn size((key, audience): &(Key, Audience), result: &Raw) -> usize {
    let context = match audience {
        Audience::AllCallers => 0,
        Audience::Only(context) => context.0.len(),
    };
    key.params.len() + context + result.as_str().len()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hints {
    result_type: Option<ResultType>,
    ttl_ms: Option<Raw>,
    cache_scope: Option<Raw>,
}

impl Hints {
    fn scope(&self) -> Option<CacheScope> {
        self.cache_scope.as_ref()?.decode().ok()
    }
}

#[derive(Deserialize)]
struct Read {
    uri: String,
}

const RETRY: [&str; 2] = ["inputResponses", "requestState"];

/// A server may not keep a client from looking for longer than this.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

#[cfg(test)]
mod tests;
