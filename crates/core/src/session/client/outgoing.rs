//! Messages on their way out, with what an HTTP driver must say in headers.

use serde::Deserialize;

use super::CallId;
use crate::{
    json::Raw,
    jsonrpc::{ErrorObject, Id, write},
    revision::{NotificationMethod, RequestMethod, Revision, VersionHeader},
};

/// A message to send, already in the words of its revision.
#[derive(Clone, Debug, PartialEq)]
pub struct Transmit {
    pub revision: Revision,
    pub message: Outgoing,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outgoing {
    /// A question of the server's that is not answered.
    Error {
        id: Id<'static>,
        error: ErrorObject,
    },
    Notification {
        method: NotificationMethod,
        params: Option<Raw>,
    },
    Request {
        id: Id<'static>,
        method: RequestMethod,
        params: Option<Raw>,
        /// `None` for what the session asks of its own accord.
        call: Option<CallId>,
    },
    /// The answer to a question of the server's.
    Response {
        id: Id<'static>,
        result: Raw,
    },
}

/// What headers repeat of a message's body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// For `MCP-Protocol-Version`.
    pub version: Option<Revision>,
    /// For `Mcp-Method`.
    pub method: Option<RequestMethod>,
    /// For `Mcp-Name`, not yet encoded.
    pub name: Option<String>,
}

impl Transmit {
    /// Appends the message as JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        match &self.message {
            Outgoing::Error { id, error } => write::error(out, Some(id), error),
            Outgoing::Notification { method, params } => {
                let params = params.as_ref().map(Raw::borrowed);
                write::raw_notification(out, method.as_str(), params);
            }
            Outgoing::Request { id, method, params, .. } => {
                let params = params.as_ref().map(Raw::borrowed);
                write::raw_request(out, id, method.as_str(), params);
            }
            Outgoing::Response { id, result } => {
                write::raw_response(out, id, result.borrowed());
            }
        }
    }

    pub fn headers(&self) -> Headers {
        let http = &self.revision.rules().http;
        let request = match &self.message {
            Outgoing::Request { method, params, .. } => Some((*method, params.as_ref())),
            _ => None,
        };
        let version = match http.version_header {
            VersionHeader::Always => true,
            VersionHeader::AfterInitialize { .. } => {
                request.is_none_or(|(method, _)| method != RequestMethod::Initialize)
            }
            VersionHeader::MetadataDiscovery | VersionHeader::Unstated => false,
        };
        let routed = request.filter(|_| http.routing_headers);
        Headers {
            version: version.then_some(self.revision),
            method: routed.map(|(method, _)| method),
            name: routed
                .filter(|(method, _)| http.name_header.contains(*method))
                .and_then(|(method, params)| name(method, params?)),
        }
    }
}

/// What a request is about, where its method has a word for that.
fn name(method: RequestMethod, params: &Raw) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Names {
        name: Option<String>,
        uri: Option<String>,
        task_id: Option<String>,
    }

    let names: Names = params.decode().ok()?;
    match method {
        RequestMethod::ToolsCall | RequestMethod::PromptsGet => names.name,
        RequestMethod::ResourcesRead => names.uri,
        _ => names.task_id,
    }
}
