//! How long clients may keep what they were told.

use proofmark_core::types::CacheScope;

use crate::caller::Caller;

/// How long, and for whom, clients of the modern era may keep an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Milliseconds from when the answer is received; 0 tells clients to ask each time.
    pub ttl_ms: u64,
    /// Private answers are only for those with the authorization that they were given to. `None`: public, and private where the server
    /// demands tokens, since there it may well answer each caller differently.
    pub scope: Option<CacheScope>,
}

impl Cache {
    /// To be asked for each time, and not shared between callers.
    pub const NEVER: Self = Self { ttl_ms: 0, scope: Some(CacheScope::Private) };

    /// The same for all callers, and good for this long.
    pub const fn public(ttl_ms: u64) -> Self {
        Self { ttl_ms, scope: Some(CacheScope::Public) }
    }

    /// Good for this long, and only for who asked.
    pub const fn private(ttl_ms: u64) -> Self {
        Self { ttl_ms, scope: Some(CacheScope::Private) }
    }

    /// Good for this long, for all callers unless the server demands tokens.
    pub const fn lasting(ttl_ms: u64) -> Self {
        Self { ttl_ms, scope: None }
    }

    /// Who may be given an answer that this caller got.
    pub(crate) fn scope_for(&self, caller: Option<&Caller>) -> CacheScope {
        let usual = if caller.is_some() { CacheScope::Private } else { CacheScope::Public };
        self.scope.unwrap_or(usual)
    }
}

/// How long, and for whom, each kind of answer may be kept.
///
/// Clients that subscribe hear of changes to lists; so by default lists may be kept for a minute, and shared unless the server demands
/// tokens. What a resource says may depend on who reads it and when; so by default it may not be kept, unless the resource
/// [says otherwise](super::ResourceBuilder::cache).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSettings {
    /// `server/discover`
    pub discover: Cache,
    pub tools: Cache,
    pub prompts: Cache,
    pub resources: Cache,
    pub templates: Cache,
    /// The list of skills, and each of them with its files.
    pub skills: Cache,
    /// `resources/read`
    pub reads: Cache,
}

impl CacheSettings {
    /// The same for every list.
    pub const fn lists(mut self, cache: Cache) -> Self {
        self.tools = cache;
        self.prompts = cache;
        self.resources = cache;
        self.templates = cache;
        self.skills = cache;
        self
    }
}

impl Default for CacheSettings {
    fn default() -> Self {
        let list = Cache::lasting(60_000);
        Self {
            discover: list,
            tools: list,
            prompts: list,
            resources: list,
            templates: list,
            skills: list,
            reads: Cache::NEVER,
        }
    }
}
