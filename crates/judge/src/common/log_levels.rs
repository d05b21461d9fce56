//! Levels of log messages, and for whom they are.

use proofmark_converse::scenario::Scenario;
use proofmark_record::{
    event::EventKind,
    evidence::{CheckerRequest, Evidence, Place},
    topic::Topic,
    transport::Transport,
};
use serde_json::{Value, json};

/// The level in force when something was logged, as far as that is certain.
pub(crate) fn level_at<'e>(
    evidence: &Evidence,
    levels: &[CheckerRequest<'e>],
    logged: Place,
) -> Option<&'e str> {
    let before = levels
        .iter()
        .rev()
        .find(|it| it.place.conversation == logged.conversation && it.place.event < logged.event)?;
    let answer = before.answer.filter(|it| it.result().is_some())?.place.event;
    (answer < logged.event).then_some(())?;
    let EventKind::Received { exchange, .. } =
        &evidence.conversations[logged.conversation].events[logged.event].kind
    else {
        return None;
    };
    // What comes on another stream than that of a call may have been on its way for a while.
    let of_a_call = evidence.transport != Transport::Http
        || *before.id == json!(Scenario::LAST_LEVEL)
        || evidence.asked(Topic::LevelCall).any(|call| {
            call.place.conversation == logged.conversation
                && call.exchange == *exchange
                && call.place.event > answer
        });
    of_a_call.then(|| before.params?.get("level")?.as_str())?
}

pub(crate) fn rank(level: &str) -> Option<usize> {
    LEVELS.iter().position(|known| *known == level)
}

/// The requests that had no answer yet.
pub(crate) fn open_requests(evidence: &Evidence, place: Place) -> impl Iterator<Item = &Value> {
    let events = &evidence.conversations[place.conversation].events[..place.event];
    let answered = move |id: &Value, after: usize| {
        events[after..].iter().any(|event| match &event.kind {
            EventKind::Received { frame, .. } => frame
                .messages()
                .iter()
                .any(|it| it.get("method").is_none() && it.get("id") == Some(id)),
            _ => false,
        })
    };
    events.iter().enumerate().flat_map(move |(at, event)| {
        let messages = match &event.kind {
            EventKind::Sent { frame, .. } => frame.messages(),
            _ => &[],
        };
        messages.iter().filter(move |it| it.get("id").is_some_and(|id| !answered(id, at)))
    })
}

/// The least urgent first.
const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
