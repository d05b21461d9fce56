//! Why a request is not carried out, before any handler sees it.

use super::Offer;
use crate::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{ClientCapability, Rules},
    session::capability::{as_declared, tasks_extension},
    types::{MissingClientCapabilityData, UnsupportedProtocolVersionData},
};

/// Why a request is not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("`initialize` was answered already")]
    AlreadyInitialized,
    #[error("`_meta` has no good `{key}`: {problem}")]
    BadMeta { key: &'static str, problem: String },
    #[error("invalid params: {0}")]
    BadParams(String),
    #[error("batches are not part of this revision")]
    BatchNotAllowed,
    #[error("the client's name takes more than {limit} bytes")]
    ClientTooLarge { limit: usize },
    #[error("a request with this id is still running")]
    IdInUse,
    #[error("`initialize` cannot be part of a batch")]
    InitializeInBatch,
    #[error("the client did not declare `{}`", .0.as_str())]
    MissingCapability(ClientCapability),
    #[error("the client did not declare the tasks extension")]
    MissingTasksExtension,
    #[error("`_meta` lacks `{0}`")]
    MissingMeta(&'static str),
    #[error("no such method: {0}")]
    MethodNotFound(String),
    #[error("initialize first")]
    NotInitialized,
    #[error("this result cannot ask for input")]
    NoInputHere,
    #[error("more than {limit} requests are running")]
    TooManyRequests { limit: usize },
    #[error("the URIs of watched resources take more than {limit} bytes")]
    TooManySubscriptionBytes { limit: usize },
    #[error("more than {limit} resources are watched")]
    TooManySubscriptions { limit: usize },
    #[error("protocol version `{requested}` is not supported")]
    UnsupportedVersion { requested: String },
    #[error("a URI of {bytes} bytes is longer than the {limit} that are taken")]
    UriTooLong { bytes: usize, limit: usize },
}

impl Refusal {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::BadMeta { .. }
            | Self::BadParams(_)
            | Self::ClientTooLarge { .. }
            | Self::MissingMeta(_)
            | Self::UriTooLong { .. } => ErrorCode::INVALID_PARAMS,
            Self::MissingCapability(_) | Self::MissingTasksExtension => {
                ErrorCode::MISSING_CLIENT_CAPABILITY
            }
            Self::MethodNotFound(_) => ErrorCode::METHOD_NOT_FOUND,
            Self::NoInputHere
            | Self::TooManyRequests { .. }
            | Self::TooManySubscriptionBytes { .. }
            | Self::TooManySubscriptions { .. } => ErrorCode::INTERNAL_ERROR,
            Self::UnsupportedVersion { .. } => ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
            Self::AlreadyInitialized
            | Self::BatchNotAllowed
            | Self::IdInUse
            | Self::InitializeInBatch
            | Self::NotInitialized => ErrorCode::INVALID_REQUEST,
        }
    }

    /// The HTTP status it is answered with, where the answer is not part of a stream already.
    pub fn status(&self, rules: &Rules) -> u16 {
        let status = &rules.http.status;
        match self {
            Self::BatchNotAllowed => status.batch_refused,
            Self::MethodNotFound(_) => status.method_not_found,
            Self::MissingCapability(_) | Self::MissingTasksExtension => status.capability_missing,
            // What cannot be read is as good as missing.
            Self::BadMeta { .. } | Self::MissingMeta(_) => status.meta_missing,
            Self::UnsupportedVersion { .. } => status.version_unsupported,
            _ => status.error,
        }
    }

    /// The HTTP status of an error that a handler gave.
    pub(super) fn status_of(error: &ErrorObject, rules: &Rules) -> u16 {
        let status = &rules.http.status;
        match error.code {
            ErrorCode::HEADER_MISMATCH => status.header_mismatch,
            ErrorCode::MISSING_CLIENT_CAPABILITY => status.capability_missing,
            _ => status.error,
        }
    }

    pub(super) fn to_error(&self, offer: &Offer) -> ErrorObject {
        let error = ErrorObject::quoting(self.code(), self.to_string());
        let data = match self {
            Self::MissingCapability(capability) => Raw::new(&MissingClientCapabilityData {
                required_capabilities: as_declared(*capability),
            }),
            Self::MissingTasksExtension => {
                Raw::new(&MissingClientCapabilityData { required_capabilities: tasks_extension() })
            }
            Self::UnsupportedVersion { requested } => Raw::new(&UnsupportedProtocolVersionData {
                supported: offer.version_names(),
                requested: requested.clone(),
            }),
            _ => return error,
        };
        error.with_data(data.expect("strings and empty objects always encode"))
    }
}
