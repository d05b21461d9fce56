//! Messages that are too large for an event.

use bytes::Bytes;
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject, Id, Limits, parse, write},
    session::server::Input,
};
use serde::{Deserialize, de::IgnoredAny};

use crate::{server::conversation::Conversation, transport::queue::Message};

/// The message, if it is small enough. An answer that is not becomes an error; a question is answered with one in the client's place, so that
/// its handler does not wait for it; a notification is dropped.
pub(in crate::transport::http) fn fitted(
    message: Message,
    limit: usize,
    conversation: &Conversation,
) -> Option<Message> {
    let bytes = message.json.len();
    if bytes <= limit {
        return Some(message);
    }
    tracing::warn!(bytes, limit, "a message is too large for an event");
    let text = format!("a message of {bytes} bytes is more than the {limit} that are sent at once");
    let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, text);
    let ends: Ends<'_> = serde_json::from_slice(&message.json).ok()?;
    let id = ends.id?;
    if ends.method.is_none() {
        let mut json = Vec::new();
        write::error(&mut json, Some(&id), &error);
        return Some(Message { json: json.into(), ..message });
    }
    let mut refused = Vec::new();
    write::error(&mut refused, Some(&id), &error);
    if let Ok(refused) = parse(&refused, &Limits::default()) {
        conversation.feed(Input::Received(refused), None);
    }
    None
}

/// The request that a message of ours answers, if it is an answer.
pub(in crate::transport::http) fn answered(json: &Bytes) -> Option<Id<'_>> {
    let ends: Ends<'_> = serde_json::from_slice(json).ok()?;
    ends.id.filter(|_| ends.method.is_none())
}

/// The members of a message that tell what kind it is.
#[derive(Deserialize)]
struct Ends<'a> {
    #[serde(borrow)]
    id: Option<Id<'a>>,
    method: Option<IgnoredAny>,
}
