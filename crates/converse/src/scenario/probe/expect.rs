//! What answers a request, also from a peer that gets ids or places wrong.

use proofmark_record::{
    event::{Event, EventKind},
    evidence::{is_alike, is_whole},
};
use serde_json::Value;

/// What would answer what was sent.
#[derive(Clone, Debug)]
pub enum Expect {
    /// A response with this id, or one that reads the same.
    Answer(Value),
    /// A response, whichever id it has: from a peer that does not repeat ids.
    AnyAnswer,
    /// The answer to the first request of a conversation, under whichever id, as long as it looks like one.
    Handshake(Value),
    /// Nothing at all, for as long as silence is watched.
    Nothing,
}

impl Expect {
    pub(super) fn is_met_by(&self, message: &Value) -> bool {
        if !message.is_object() || message.get("method").is_some() {
            return false;
        }
        let id = message.get("id");
        let whole = is_whole(message);
        match self {
            Self::Answer(asked) => id == Some(asked) || is_alike(id, asked),
            Self::AnyAnswer => whole,
            Self::Handshake(asked) => {
                let nameless = id.is_none_or(Value::is_null);
                let declares = |it: &Value| HANDSHAKE.iter().any(|name| it.get(name).is_some());
                Self::Answer(asked.clone()).is_met_by(message)
                    || (whole && nameless)
                    || message.get("result").is_some_and(declares)
            }
            Self::Nothing => false,
        }
    }
}

pub(super) fn answer_in<'e>(event: &'e Event, expect: &Expect) -> Option<&'e Value> {
    let EventKind::Received { frame, .. } = &event.kind else { return None };
    frame.messages().iter().find(|message| expect.is_met_by(message))
}

/// Whether a peer has put a response where logs go.
pub(super) fn is_answer_on_stderr(event: &Event) -> bool {
    let EventKind::Stderr(line) = &event.kind else { return false };
    let response = |it: &Value| it.get("result").is_some() || it.get("error").is_some();
    line.starts_with('{')
        && serde_json::from_str::<Value>(line)
            .is_ok_and(|it| it.get("jsonrpc").is_some() && response(&it))
}

/// Whether this was meant as a message, but cannot be read as one.
pub(super) fn is_garbled(event: &Event) -> bool {
    let EventKind::Received { frame, .. } = &event.kind else { return false };
    let name = b"jsonrpc";
    frame.json.is_err() && frame.bytes.windows(name.len()).any(|it| it == name)
}

/// What the result of a handshake has, in either era.
const HANDSHAKE: [&str; 4] = ["protocolVersion", "capabilities", "serverInfo", "supportedVersions"];
