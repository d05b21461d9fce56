//! The shape of every message in every revision: a table of our own, and where a message differs from it.
//!
//! A row says of a member what it is, whether it must be there, since when and until when, and which requirement says so. Members that the
//! table does not know are legal everywhere, since no schema closes an object. `cargo xtask shapes` compares the table with the
//! official schemas.

mod base;
mod blame;
mod completion;
mod content;
mod elicitation;
mod format;
mod judging;
mod lifecycle;
mod logging;
mod messages;
mod modern;
pub mod official;
mod prompts;
mod resources;
mod roots;
mod sampling;
pub mod table;
mod tasks;
#[cfg(test)]
mod tests;
mod tools;
mod utilities;
mod walk;

use proofmark_core::revision::Revision;
use proofmark_record::side::Side;
use serde_json::Value;

pub use judging::{Judgement, judge};
pub use messages::MESSAGES;
use table::{Message, Object, Sender, Shape};
use walk::Walk;

/// What a message is, as far as its shape goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind<'m> {
    Request(&'m str),
    Notification(&'m str),
    /// To a request for this method.
    Result(&'m str),
    Error,
}

/// Where a message differs from the shape that its revision gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// A JSON Pointer inside the whole message; of what is missing, where it should be.
    pub path: String,
    pub expected: String,
    pub found: String,
    /// The id of the requirement that is broken.
    pub requirement: &'static str,
}

/// Where a message differs from the shape that the revision gives it. What is not [`known`] differs nowhere.
pub fn departures(
    revision: Revision,
    sender: Side,
    kind: MessageKind<'_>,
    message: &Value,
) -> Vec<Departure> {
    let mut walk = Walk::new(revision, sender);
    match kind {
        MessageKind::Error => walk.object(&base::ERROR_RESPONSE, message),
        MessageKind::Request(method) | MessageKind::Notification(method) => {
            let Some(row) = row(revision, sender, kind) else { return Vec::new() };
            let envelope = if row.result.is_some() { &base::REQUEST } else { &base::NOTIFICATION };
            walk.object(envelope, message);
            walk.object(row.object, message);
            debug_assert_eq!(row.method, method);
        }
        MessageKind::Result(_) => {
            let Some(result) = row(revision, sender, kind).and_then(|row| row.result) else {
                return Vec::new();
            };
            walk.object(&base::RESPONSE, message);
            if let Some(value) = message.get("result").filter(|it| it.is_object()) {
                walk.result(if is_of_extension(revision, value) { NOTHING } else { result }, value);
            }
        }
    }
    // That an id is null has a requirement of its own.
    if matches!(kind, MessageKind::Request(_)) && message["id"].is_null() {
        let ids =
            walk.found.iter_mut().filter(|it| it.path == "/id" && message.get("id").is_some());
        ids.for_each(|it| it.requirement = "M003");
    }
    walk.found
}

/// Whether the table knows this message in this revision and direction at all. Methods of extensions, and those that no revision has, are not judged.
pub fn known(revision: Revision, sender: Side, kind: MessageKind<'_>) -> bool {
    kind == MessageKind::Error || row(revision, sender, kind).is_some()
}

fn row(revision: Revision, sender: Side, kind: MessageKind<'_>) -> Option<&'static Message> {
    let find = |method: &str, of_requests: bool, asking: Side| {
        MESSAGES.iter().find(|it| {
            it.method == method
                && it.result.is_some() == of_requests
                && it.sender.includes(asking)
                && it.span.contains(revision)
        })
    };
    match kind {
        MessageKind::Request(method) => find(method, true, sender),
        MessageKind::Notification(method) => find(method, false, sender),
        MessageKind::Result(method) => find(method, true, other(sender)?),
        MessageKind::Error => None,
    }
}

impl Sender {
    fn includes(self, side: Side) -> bool {
        match self {
            Self::Both => side != Side::Authorization,
            Self::Client => side == Side::Client,
            Self::Server => side == Side::Server,
        }
    }
}

fn other(side: Side) -> Option<Side> {
    match side {
        Side::Authorization => None,
        Side::Client => Some(Side::Server),
        Side::Server => Some(Side::Client),
    }
}

/// Whether a result is of a type that the core does not define.
fn is_of_extension(revision: Revision, result: &Value) -> bool {
    let has_types = || base::RESULT.members_in(revision).any(|it| it.name == RESULT_TYPE);
    let kind = result.get(RESULT_TYPE).and_then(Value::as_str);
    kind.is_some_and(|kind| !CORE_TYPES.contains(&kind) && has_types())
}

const RESULT_TYPE: &str = "resultType";
const CORE_TYPES: [&str; 2] = ["complete", "input_required"];
const NOTHING: Shape = Shape::Object(&base::RESULT);

/// The objects that no message is, but that stand for the whole of one.
pub static ENVELOPES: [&Object; 4] =
    [&base::REQUEST, &base::NOTIFICATION, &base::RESPONSE, &base::ERROR_RESPONSE];
