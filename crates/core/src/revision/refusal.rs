//! The error codes with which a request is refused for what it says about itself.

use crate::jsonrpc::ErrorCode;

/// The code for each kind of refusal; `None` where the situation cannot arise or the text names no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusals {
    pub version_unsupported: VersionRefusal,
    /// A key that [`MetaRules::required`](super::MetaRules::required) names is missing.
    pub meta_missing: Option<ErrorCode>,
    /// The request cannot be served without a capability that the client did not declare.
    pub capability_missing: Option<ErrorCode>,
    /// A header contradicts the body, is missing, or has characters that no header may have.
    pub header_mismatch: Option<ErrorCode>,
}

/// How a server declines a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionRefusal {
    /// It answers `initialize` with a revision of its own, and the client leaves if it cannot live with that.
    CounterOffer,
    /// It refuses the request and says which revisions it supports.
    Error(ErrorCode),
}
