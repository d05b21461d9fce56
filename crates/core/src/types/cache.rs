//! How long, and for whom, a result may be kept.

use serde::{Deserialize, Deserializer, Serialize};

use crate::json::whole;

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

/// For `#[serde(default, deserialize_with)]` on `ttlMs`: what is negative counts as 0, which is stale at once.
pub(super) fn ttl<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    whole::at_least_zero(deserializer)
}

#[cfg(test)]
mod tests {
    use crate::types::ListToolsResult;

    #[track_caller]
    fn ttl(text: &str) -> Option<u64> {
        let result = format!(r#"{{"tools":[],"ttlMs":{text}}}"#);
        serde_json::from_str::<ListToolsResult>(&result).unwrap().ttl_ms
    }

    #[test]
    fn a_negative_ttl_is_stale_at_once() {
        assert_eq!(ttl("-1"), Some(0));
        assert_eq!(ttl("-1.5"), Some(0));
        assert_eq!(ttl("-9223372036854775808"), Some(0));
    }

    #[test]
    fn a_ttl_is_a_whole_number_or_not_there() {
        assert_eq!(ttl("300"), Some(300));
        assert_eq!(ttl("300.0"), Some(300));
        assert_eq!(ttl("null"), None);
        assert!(serde_json::from_str::<ListToolsResult>(r#"{"tools":[],"ttlMs":"1"}"#).is_err());
    }
}
