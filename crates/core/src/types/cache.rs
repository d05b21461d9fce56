//! How long, and for whom, a result may be kept.

use serde::{Deserialize, Serialize};

/// Who may be given a kept result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// Only those with the authorization that the result was given to.
    Private,
    /// Every caller.
    Public,
}

/// The places in a cacheable result where its hints go.
#[derive(Debug)]
pub struct CacheHints<'a> {
    /// Milliseconds from when the result is received.
    pub ttl_ms: &'a mut Option<u64>,
    pub cache_scope: &'a mut Option<CacheScope>,
}
