//! A message as an HTTP request.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use proofmark_core::{
    jsonrpc::Id,
    revision::{NotificationMethod, RequestMethod},
    session::client::{Outgoing, Transmit},
    streamable_http::{encode, names},
};

use super::wire::Wire;
use crate::client::engine::Generation;

/// A message, ready to be posted.
pub(super) struct Post {
    pub(super) generation: Generation,
    pub(super) kind: PostKind,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PostKind {
    /// An answer, or a notification: nothing comes back.
    OneWay,
    /// The notification that everything else has to wait for.
    Initialized,
    Initialize(Id<'static>),
    Request(Id<'static>),
}

impl PostKind {
    pub(super) fn request(&self) -> Option<&Id<'static>> {
        match self {
            Self::Initialize(id) | Self::Request(id) => Some(id),
            Self::OneWay | Self::Initialized => None,
        }
    }
}

impl Post {
    pub(super) fn new(
        wire: &Wire,
        generation: Generation,
        transmit: &Transmit,
        mirrored: Vec<(HeaderName, HeaderValue)>,
    ) -> Self {
        let kind = match &transmit.message {
            Outgoing::Request { id, method: RequestMethod::Initialize, .. } => {
                PostKind::Initialize(id.clone())
            }
            Outgoing::Request { id, .. } => PostKind::Request(id.clone()),
            Outgoing::Notification { method: NotificationMethod::Initialized, .. } => {
                PostKind::Initialized
            }
            Outgoing::Notification { .. } | Outgoing::Response { .. } | Outgoing::Error { .. } => {
                PostKind::OneWay
            }
        };
        let mut headers = wire.headers(generation, None);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        headers.insert(header::ACCEPT, HeaderValue::from_static(EITHER));
        let repeated = transmit.headers();
        if let Some(revision) = repeated.version {
            let value = HeaderValue::from_static(revision.as_str());
            headers.insert(names::MCP_PROTOCOL_VERSION, value);
        }
        if let Some(method) = repeated.method {
            headers.insert(names::MCP_METHOD, HeaderValue::from_static(method.as_str()));
        }
        if let Some(name) = &repeated.name {
            headers.insert(names::MCP_NAME, encode(name));
        }
        headers.extend(mirrored);
        let mut body = Vec::new();
        transmit.write(&mut body);
        Self { generation, kind, headers, body: body.into() }
    }
}

pub(super) const JSON: &str = "application/json";
pub(super) const EVENTS: &str = "text/event-stream";
const EITHER: &str = "application/json, text/event-stream";
