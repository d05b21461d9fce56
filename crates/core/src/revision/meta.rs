//! What a revision demands of `_meta`.

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
    /// Keys without a prefix that are reserved for trace context.
    pub trace_context: &'static [&'static str],
}
