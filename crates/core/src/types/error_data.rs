//! The `data` of errors that tell the other side what would have worked.

use serde::{Deserialize, Serialize};

use super::ClientCapabilities;

/// With [`ErrorCode::UNSUPPORTED_PROTOCOL_VERSION`](crate::jsonrpc::ErrorCode::UNSUPPORTED_PROTOCOL_VERSION).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsupportedProtocolVersionData {
    pub supported: Vec<String>,
    pub requested: String,
}

/// With [`ErrorCode::MISSING_CLIENT_CAPABILITY`](crate::jsonrpc::ErrorCode::MISSING_CLIENT_CAPABILITY).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MissingClientCapabilityData {
    /// Only what is missing, in the form in which it would be declared.
    pub required_capabilities: ClientCapabilities,
}
