//! From bytes to messages, without copying and without trust.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer,
    de::{self, SeqAccess},
};
use serde_json::{error::Category, value::RawValue};

use super::{
    ErrorObject, ErrorResponse, Id, Incoming, Message, NotAMessage, Notification, Reason, Request,
    Response,
    envelope::{Envelope, Value},
};
use crate::json::{RawRef, Unreadable, check_depth, read_string};

/// How much a peer may send at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a message or of a whole batch.
    pub bytes: usize,
    /// Brackets around the innermost value, those of the message included.
    pub depth: usize,
    /// Messages in a batch.
    pub batch: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 4 * 1024 * 1024, depth: 64, batch: 32 }
    }
}

/// Reads one message or one batch.
///
/// The depth is checked here, before anything recurses, because a raw payload escapes the parser's own limit.
pub fn parse<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Incoming<'a>, NotAMessage> {
    if bytes.len() > limits.bytes {
        return Err(Reason::TooLarge { limit: limits.bytes }.into());
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Reason::NotUtf8 { valid_up_to: error.valid_up_to() })?;
    // Nearly everything is a message and can be read in one pass; what cannot is looked at again to say why.
    if let Ok(envelope) = Envelope::read_fast(text, limits.depth) {
        return message(envelope).map(Incoming::Message);
    }
    check_depth(text, limits.depth).map_err(|deep| Reason::TooDeep { limit: deep.limit })?;
    match text.bytes().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => decode(text).map(Incoming::Message),
        Some(b'[') => batch(text, limits.batch).map(Incoming::Batch),
        Some(_) if text.starts_with('\u{feff}') => Err(Reason::ByteOrderMark.into()),
        Some(_) => Err(not_json(serde_json::from_str::<&RawValue>(text).err()).into()),
        None => Err(Reason::Empty.into()),
    }
}

fn batch(text: &str, limit: usize) -> Result<Vec<Result<Message<'_>, NotAMessage>>, NotAMessage> {
    let Members { members, over } =
        Members::read(text, limit).map_err(|error| not_json(Some(error)))?;
    if over {
        return Err(Reason::BatchTooLong { limit }.into());
    }
    if members.is_empty() {
        return Err(Reason::EmptyBatch.into());
    }
    Ok(members.into_iter().map(|member| decode(member.get())).collect())
}

fn decode(text: &str) -> Result<Message<'_>, NotAMessage> {
    if !text.trim_ascii_start().starts_with('{') {
        return Err(Reason::NotAnObject.into());
    }
    let envelope = match Envelope::read_fast(text, usize::MAX) {
        Ok(envelope) => envelope,
        Err(Unreadable) => serde_json::from_str(text).map_err(|error| not_json(Some(error)))?,
    };
    message(envelope)
}

fn message(envelope: Envelope<'_>) -> Result<Message<'_>, NotAMessage> {
    // An id that occurs twice is not readable: either could be meant.
    let id = envelope.id.filter(|_| envelope.duplicate != Some("id"));
    sort(envelope, id.map(Id::from_raw)).map_err(|reason| {
        let readable = id.and_then(|id| Id::from_raw(id).ok());
        NotAMessage { id: readable.map(Id::into_owned), reason }
    })
}

/// Tells what kind of message an object is.
fn sort<'a>(
    envelope: Envelope<'a>,
    id: Option<Result<Id<'a>, super::BadId>>,
) -> Result<Message<'a>, Reason> {
    if let Some(key) = envelope.duplicate {
        return Err(Reason::DuplicateKey(key));
    }
    match envelope.jsonrpc.map(RawRef::get) {
        Some("\"2.0\"") => {}
        Some(other)
            if serde_json::from_str(other).is_ok_and(|version: String| version == "2.0") => {}
        Some(_) => return Err(Reason::WrongVersion),
        None => return Err(Reason::MissingVersion),
    }
    match (envelope.method, envelope.result, envelope.error) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) => Err(Reason::MethodAndOutcome),
        (_, Some(_), Some(_)) => Err(Reason::BothOutcomes),
        (None, None, None) => Err(Reason::NoKind),
        (Some(method), None, None) => {
            let method = name(method)?;
            let params = match envelope.params {
                Some(Value::Object(params)) => Some(params),
                Some(Value::Other) => return Err(Reason::ParamsNotAnObject),
                None => None,
            };
            Ok(match id.transpose()? {
                Some(id) => Message::Request(Request { id, method, params }),
                None => Message::Notification(Notification { method, params }),
            })
        }
        (None, Some(result), None) => {
            let id = id.transpose()?.ok_or(Reason::MissingId)?;
            if result.first_byte() != b'{' {
                return Err(Reason::ResultNotAnObject);
            }
            Ok(Message::Response(Response { id, result, result_type: envelope.result_type }))
        }
        (None, None, Some(error)) => {
            let id = match id {
                None | Some(Err(super::BadId::Null)) => None,
                Some(id) => Some(id?),
            };
            Ok(Message::Error(ErrorResponse { id, error: read_error(error)? }))
        }
    }
}

// Never inlined: few messages are errors, and the caller is on the way of all.
#[inline(never)]
fn read_error(raw: RawRef<'_>) -> Result<ErrorObject, Reason> {
    serde_json::from_str(raw.get()).map_err(|_| Reason::BadError)
}

/// The method's name; one with escapes in it is as good as one without, but must be copied.
fn name(raw: RawRef<'_>) -> Result<Cow<'_, str>, Reason> {
    if raw.first_byte() != b'"' {
        return Err(Reason::MethodNotAString);
    }
    // All that can fail in a string is a surrogate without its partner.
    read_string(raw.get()).ok_or(Reason::LoneSurrogate)
}

/// Why text is not one JSON value; `None` if it is one, but not of a kind that holds a message.
fn not_json(error: Option<serde_json::Error>) -> Reason {
    let Some(error) = error else { return Reason::NotAnObject };
    let detail = error.to_string();
    if error.classify() == Category::Syntax && detail.starts_with("trailing characters") {
        return Reason::TrailingBytes;
    }
    Reason::Syntax { detail }
}

/// The members of an array; those over the limit are checked to be JSON but not kept.
struct Members<'a> {
    members: Vec<&'a RawValue>,
    over: bool,
}

impl<'a> Members<'a> {
    fn read(text: &'a str, limit: usize) -> serde_json::Result<Self> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let members = deserializer.deserialize_seq(MembersVisitor { limit })?;
        deserializer.end()?;
        Ok(members)
    }
}

struct MembersVisitor {
    limit: usize,
}

impl<'de> de::Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while members.len() < self.limit {
            match seq.next_element()? {
                Some(member) => members.push(member),
                None => return Ok(Members { members, over: false }),
            }
        }
        let mut over = false;
        while seq.next_element::<de::IgnoredAny>()?.is_some() {
            over = true;
        }
        Ok(Members { members, over })
    }
}

#[cfg(test)]
mod tests;
