//! What several judges of `basic/index` use.

use proofmark_converse::{hosted::HostedScenario, scenario::Scenario};
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, PeerMessage},
    side::Side,
};
use serde_json::Value;

pub(super) const ASKS_NOTHING: &str = "no tool that was called asks its client anything";

/// Whether something was asked before under the id of a response.
pub(super) fn is_asked_for(evidence: &Evidence, heard: PeerMessage<'_>) -> bool {
    let Some(id) = heard.message.get("id") else { return false };
    let before = &evidence.conversations[heard.place.conversation].events[..heard.place.event];
    // Most answers come soon after what they answer, and there may be very many of them.
    before.iter().rev().any(|event| match &event.kind {
        EventKind::Sent { frame, .. } => {
            frame.messages().iter().any(|message| message.get("id") == Some(id))
        }
        _ => false,
    })
}

/// An error without an id, where what was sent had none that could be read.
pub(super) fn is_rejection(evidence: &Evidence, heard: PeerMessage<'_>) -> bool {
    let conversation = &evidence.conversations[heard.place.conversation];
    let garbled = Scenario::of(conversation) == Some(Scenario::GARBAGE)
        || HostedScenario::of(conversation) == Some(HostedScenario::BABBLE);
    // An overheard client may have said something under an id that is none.
    let unreadable = conversation.events[..heard.place.event].iter().any(|event| {
        let EventKind::Sent { frame, .. } = &event.kind else { return false };
        let is_none = |id: &Value| !id.is_string() && !id.is_number();
        frame.json.is_err() || frame.messages().iter().any(|it| it.get("id").is_some_and(is_none))
    });
    let nameless = heard.message.get("id").is_none_or(Value::is_null);
    // The status is that of the server: a client has not been refused by its own.
    let over_http = evidence.side == Side::Server
        && conversation.events[..heard.place.event]
            .iter()
            .any(|event| matches!(&event.kind, EventKind::Responded { status: 400.., .. }));
    nameless && heard.message.get("error").is_some() && (garbled || unreadable || over_http)
}
