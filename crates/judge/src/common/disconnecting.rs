//! Clients that close a connection while their request runs.

use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, PeerMessage, Place},
    topic::Topic,
};

/// Where a connection was closed, and the change that was announced afterwards; or why it cannot be told.
pub(crate) fn left(evidence: &Evidence) -> Result<(Place, Option<PeerMessage<'_>>), &'static str> {
    let leave = evidence.asked(Topic::Leave).next().ok_or(NOTHING)?;
    let gone = evidence.after(leave.place).find_map(|(place, what)| match what {
        EventKind::Left { exchange } if *exchange == leave.exchange => Some(place),
        _ => None,
    });
    let gone = gone.ok_or("the call was over before its connection was closed")?;
    let changes = || {
        let here = evidence.heard_methods();
        here.filter(|(heard, method)| {
            heard.place.conversation == gone.conversation && is_change(method)
        })
    };
    if !changes().any(|(heard, _)| heard.place.event < leave.place.event) {
        return Err("the change was not announced to those who stay, either");
    }
    let after = changes().find(|(heard, _)| heard.place.event > gone.event);
    Ok((gone, after.map(|(heard, _)| heard)))
}

pub(crate) fn is_change(method: &str) -> bool {
    method.ends_with("/list_changed") || method == "notifications/resources/updated"
}

pub(crate) const NOTHING: &str =
    "no tool that was called takes long and announces a change in the end";
