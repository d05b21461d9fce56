//! What a revision demands of `_meta`.

use super::Level;

/// What `_meta` is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaRules {
    /// Keys without which a request is refused.
    pub required: &'static [&'static str],
    /// Keys a request should have.
    pub recommended: &'static [&'static str],
    /// Keys by which a request asks for something more.
    pub optional: &'static [&'static str],
    /// Whether `_meta` also stands on listed objects and content, and has a grammar for its keys.
    pub on_objects: bool,
    pub reserved_prefix: ReservedPrefix,
    /// How firmly prefixes are asked to be reverse DNS names.
    pub reverse_dns: Level,
    /// Keys without a prefix that are reserved for trace context.
    pub trace_context: &'static [&'static str],
}

/// Which label of a key's prefix, being `mcp` or `modelcontextprotocol`, reserves the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReservedPrefix {
    Unstated,
    /// The last label but one: `mcp.dev/`, `tools.mcp.com/`.
    LastButOne,
    /// The second label: `dev.mcp/`, `com.mcp.tools/`.
    Second,
}

impl ReservedPrefix {
    /// Whether the specification keeps `key` for itself.
    pub fn reserves(self, key: &str) -> bool {
        let Some((prefix, _)) = key.split_once('/') else { return false };
        let ours = |label: &str| matches!(label, "mcp" | "modelcontextprotocol");
        let mut labels = prefix.split('.');
        match self {
            Self::Unstated => false,
            Self::LastButOne => labels.nth_back(1).is_some_and(ours),
            Self::Second => labels.nth(1).is_some_and(ours),
        }
    }
}
