//! Cancellations and timeouts, of the checker's requests and of the server's own.

use crate::common::utilities::notifications;
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, PeerMessage, Place},
};
use serde_json::Value;

/// The call whose question is left open.
pub(crate) fn is_unanswered(message: &Value) -> bool {
    message["params"]["_meta"]["progressToken"] == "unanswered"
}

pub(crate) fn cancellations(
    evidence: &Evidence,
) -> impl Iterator<Item = (PeerMessage<'_>, &Value)> {
    notifications(evidence, "notifications/cancelled")
        .filter_map(|heard| Some((heard, heard.message.pointer("/params/requestId")?)))
}

/// Where the checker answered a request of the server.
pub(crate) fn answered_at(evidence: &Evidence, request: PeerMessage<'_>) -> Option<Place> {
    let id = request.message.get("id");
    evidence.after(request.place).find_map(|(place, what)| match what {
        EventKind::Sent { frame, .. } => {
            let answers =
                |message: &Value| message.get("method").is_none() && message.get("id") == id;
            frame.messages().iter().any(answers).then_some(place)
        }
        _ => None,
    })
}

pub(crate) fn precedes(earlier: Place, later: Place) -> bool {
    earlier.conversation == later.conversation && earlier.event < later.event
}
