//! Answers that do not say what they answer.

use proofmark_record::event::{Event, EventKind};
use serde_json::Value;

use super::Expect;

/// Whether this is the answer, as far as can be told of what has no id of its own, or is no message.
pub(super) fn is_garbled_answer(event: &Event, expect: &Expect) -> bool {
    let (EventKind::Received { frame, .. }, Expect::Answer(id)) = (&event.kind, expect) else {
        return false;
    };
    let nameless = |it: &Value| {
        it.get("method").is_none()
            && it.get("id").is_none_or(Value::is_null)
            && (it.get("error").is_some() || it.get("result").is_some())
    };
    if frame.json.is_ok() {
        return frame.messages().iter().any(nameless);
    }
    let text = String::from_utf8_lossy(&frame.bytes);
    let text: String = text.chars().filter(|it| !it.is_whitespace()).collect();
    text.contains(&format!("\"id\":{id}"))
}
