//! The four kinds of message.

use std::borrow::Cow;

use super::{ErrorObject, Id, NotAMessage, Params, write};
use crate::json::RawRef;

/// What one frame holds.
#[derive(Clone, Debug)]
pub enum Incoming<'a> {
    Message(Message<'a>),
    /// An array of messages; a member that is none does not spoil the others. Only some revisions accept a batch at all.
    Batch(Vec<Result<Message<'a>, NotAMessage>>),
}

/// Payloads are equal when their texts are.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<'a> {
    Request(Request<'a>),
    Notification(Notification<'a>),
    Response(Response<'a>),
    Error(ErrorResponse<'a>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    pub id: Id<'a>,
    pub method: Cow<'a, str>,
    pub params: Option<Params<'a>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification<'a> {
    pub method: Cow<'a, str>,
    pub params: Option<Params<'a>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response<'a> {
    pub id: Id<'a>,
    /// An object.
    pub result: RawRef<'a>,
    /// Its `resultType`, where reading the message came past it: `Some(None)` if it has none, `None` if it was not looked for.
    pub result_type: Option<Option<RawRef<'a>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorResponse<'a> {
    /// Absent when the sender could not read the id of what it refuses.
    pub id: Option<Id<'a>>,
    pub error: ErrorObject,
}

impl Message<'_> {
    /// Writes the message with its payload as it was read: what a relay passes on has lost nothing.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Request(request) => {
                let params = request.params.as_ref().map(Params::raw);
                write::raw_request(out, &request.id, &request.method, params);
            }
            Self::Notification(notification) => {
                let params = notification.params.as_ref().map(Params::raw);
                write::raw_notification(out, &notification.method, params);
            }
            Self::Response(response) => write::raw_response(out, &response.id, response.result),
            Self::Error(response) => write::error(out, response.id.as_ref(), &response.error),
        }
    }
}
