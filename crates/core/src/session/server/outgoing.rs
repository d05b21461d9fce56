//! Messages on their way out, and the one place where they are fitted to their reader.

use std::sync::Arc;

use super::Offer;
use crate::{
    fit::Fit,
    json::Raw,
    jsonrpc::{ErrorObject, Id, write},
    revision::Revision,
    types::{ContentBlock, ResultType, ServerNotification, ServerRequest, ServerResult, meta_key},
};

/// A message to send, and what a driver needs to know to send it.
#[derive(Clone, Debug, PartialEq)]
pub struct Transmit {
    /// Whose revision it is fitted to.
    pub revision: Revision,
    /// The client's request that it belongs to: over HTTP, its stream is the one that carries it. A refusal belongs to none, because the
    /// request never ran; it goes back to where that came from.
    pub about: Option<Id<'static>>,
    /// The HTTP status, if this is what the response begins with.
    pub status: u16,
    pub message: Outgoing,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outgoing {
    /// The answers to a batch, together.
    Batch(Vec<Transmit>),
    Error {
        id: Option<Id<'static>>,
        error: ErrorObject,
    },
    Notification(ServerNotification),
    Request {
        id: Id<'static>,
        request: ServerRequest,
    },
    Response {
        id: Id<'static>,
        result: ServerResult,
    },
}

impl Transmit {
    /// Whether this is the last message about its request.
    pub fn is_final(&self) -> bool {
        matches!(
            self.message,
            Outgoing::Batch(_) | Outgoing::Error { .. } | Outgoing::Response { .. }
        )
    }

    /// Whether the client waits for this message; what it does not wait for may be dropped when there is too much of it.
    pub fn must_arrive(&self) -> bool {
        self.is_final() || matches!(self.message, Outgoing::Request { .. })
    }

    /// About how many bytes [`Self::write`] will write, for the messages that can be long.
    pub fn likely_size(&self) -> usize {
        let long = match &self.message {
            Outgoing::Response { result: ServerResult::Ready(raw), .. } => raw.as_str().len(),
            Outgoing::Response { result: ServerResult::CallTool(result), .. } => {
                let texts = result.content.iter().map(|block| match block {
                    // Line breaks and quotation marks take two bytes.
                    ContentBlock::Text(text) => text.text.len() + text.text.len() / 16,
                    _ => 0,
                });
                texts.sum()
            }
            _ => 0,
        };
        long + ENVELOPE
    }

    /// Appends the message as JSON, fitted to the reader's revision.
    pub fn write(self, offer: &Offer, out: &mut Vec<u8>) -> serde_json::Result<()> {
        let rules = self.revision.rules();
        match self.message {
            Outgoing::Batch(members) => {
                out.push(b'[');
                for (at, member) in members.into_iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    member.write(offer, out)?;
                }
                out.push(b']');
                Ok(())
            }
            Outgoing::Error { id, error } => {
                write::error(out, id.as_ref(), &error);
                Ok(())
            }
            Outgoing::Notification(mut notification) => {
                notification.fit(rules);
                write::notification(out, notification.method().as_str(), &notification)
            }
            Outgoing::Request { id, mut request } => {
                request.fit(rules);
                write::request(out, &id, request.method().as_str(), &request)
            }
            Outgoing::Response { id, mut result } => {
                result.fit(rules);
                write::response_with(out, &id, |out| {
                    write_result(out, result, self.revision, offer)
                })
            }
        }
    }
}

impl Offer {
    /// Fits and encodes a result that will be given again and again to clients of one revision.
    pub fn prepare(
        &self,
        revision: Revision,
        mut result: ServerResult,
    ) -> serde_json::Result<ServerResult> {
        result.fit(revision.rules());
        let mut out = Vec::new();
        write_result(&mut out, result, revision, self)?;
        let text = String::from_utf8(out).map_err(serde::ser::Error::custom)?;
        Raw::from_json(text).map(|raw| ServerResult::Ready(Arc::new(raw)))
    }
}

/// A modern result begins with its type and the server's identity.
fn write_result(
    out: &mut Vec<u8>,
    mut result: ServerResult,
    revision: Revision,
    offer: &Offer,
) -> serde_json::Result<()> {
    let rules = revision.rules();
    if !rules.result.result_type || matches!(result, ServerResult::Ready(_)) {
        return result.write(out);
    }
    if let Some(body) = result.body_mut()
        && (body.meta_mut().is_some() || body.result_type_mut().is_some())
    {
        body.result_type_mut().get_or_insert(ResultType::Complete);
        let mut info = offer.info().clone();
        info.fit(rules);
        body.meta_mut().get_or_insert_default().insert(meta_key::SERVER_INFO, &info)?;
        return result.write(out);
    }
    write::prefixed_object(out, offer.result_prefix(revision), |out| result.write(out))
}

/// Room for everything around a result, and for a short result.
const ENVELOPE: usize = 256;
