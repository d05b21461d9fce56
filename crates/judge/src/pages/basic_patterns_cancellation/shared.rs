//! What several judges of `basic/patterns/cancellation` use.

use crate::requirement::seen_in;
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, Place},
    topic::Topic,
};

/// Where the checker cancelled what it sent here.
pub(super) fn cancelled_at(evidence: &Evidence, sent: Place) -> Option<Place> {
    evidence.after(sent).find_map(|(place, what)| match what {
        EventKind::Sent { topic: Topic::Cancel, .. } => Some(place),
        _ => None,
    })
}

/// Whether pings after these were answered.
pub(super) fn survives(evidence: &Evidence, topics: &[Topic]) -> Outcome {
    let pings = evidence.asked(Topic::StillThere).filter(|asked| {
        let conversation = &evidence.conversations[asked.place.conversation];
        conversation.events[..asked.place.event].iter().any(
            |event| matches!(&event.kind, EventKind::Sent { topic, .. } if topics.contains(topic)),
        )
    });
    each(pings, "nothing was cancelled", |asked| {
        asked
            .answer
            .is_none()
            .then(|| Finding::new("an answer to the next ping", "none", asked.place))
    })
}

pub(super) const ASKS_NOTHING: &str = "no tool that was called asks its client anything";

pub(super) const S101_CHECK: Check = Check {
    how: "cancels a request that was never sent, and pings",
    seen: seen_in(&["hosted ask", "tour"]),
    fix: "ignore cancellations of what is unknown or over",
    judge: |evidence| survives(evidence, &[Topic::CancelUnknown]),
    mutants: &[BREAKS_DOWN.also(&["M221"])],
};

/// A server that does not survive a cancellation of something unknown.
pub(super) const BREAKS_DOWN: Mutant = Mutant::new(
    "breaks down over an unknown cancellation",
    Mutation::Hears(|message| (message["id"] == "last-ping").then(Vec::new)),
);
