//! The four kinds of message.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{ErrorObject, Id, NotAMessage, write};

/// What one frame holds.
#[derive(Clone, Debug)]
pub enum Incoming<'a> {
    Message(Message<'a>),
    /// An array of messages; a member that is none does not spoil the others. Only some revisions accept a batch at all.
    Batch(Vec<Result<Message<'a>, NotAMessage>>),
}

#[derive(Clone, Debug)]
pub enum Message<'a> {
    Request(Request<'a>),
    Notification(Notification<'a>),
    Response(Response<'a>),
    Error(ErrorResponse<'a>),
}

#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub id: Id<'a>,
    pub method: Cow<'a, str>,
    /// An object, if present.
    pub params: Option<&'a RawValue>,
}

#[derive(Clone, Debug)]
pub struct Notification<'a> {
    pub method: Cow<'a, str>,
    /// An object, if present.
    pub params: Option<&'a RawValue>,
}

#[derive(Clone, Debug)]
pub struct Response<'a> {
    pub id: Id<'a>,
    /// An object.
    pub result: &'a RawValue,
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
                write::raw_request(out, &request.id, &request.method, request.params);
            }
            Self::Notification(notification) => {
                write::raw_notification(out, &notification.method, notification.params);
            }
            Self::Response(response) => write::raw_response(out, &response.id, response.result),
            Self::Error(response) => write::error(out, response.id.as_ref(), &response.error),
        }
    }
}

/// Payloads are equal when their texts are.
impl PartialEq for Message<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Request(a), Self::Request(b)) => a == b,
            (Self::Notification(a), Self::Notification(b)) => a == b,
            (Self::Response(a), Self::Response(b)) => a == b,
            (Self::Error(a), Self::Error(b)) => a == b,
            _ => false,
        }
    }
}

impl PartialEq for Request<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            && self.method == other.method
            && text(self.params) == text(other.params)
    }
}

impl PartialEq for Notification<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.method == other.method && text(self.params) == text(other.params)
    }
}

impl PartialEq for Response<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.result.get() == other.result.get()
    }
}

fn text(raw: Option<&RawValue>) -> Option<&str> {
    raw.map(RawValue::get)
}
