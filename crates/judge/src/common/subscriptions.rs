//! Changes that clients listen for with `subscriptions/listen`.

use crate::mutant::Mutant;
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::{
    event::EventKind,
    evidence::{CheckerRequest, Evidence, PeerMessage},
    meta::SUBSCRIPTION,
    topic::Topic,
};
use serde_json::Value;

/// The subscription that a message names.
pub(crate) fn tag(message: &Value) -> Option<&Value> {
    message.get("params")?.get("_meta")?.get(SUBSCRIPTION)
}

/// The member of a filter that asks for a notification.
pub(crate) fn wanted_by(method: &str) -> Option<&'static str> {
    Some(match method {
        "notifications/prompts/list_changed" => "promptsListChanged",
        "notifications/resources/list_changed" => "resourcesListChanged",
        "notifications/resources/updated" => "resourceSubscriptions",
        "notifications/tools/list_changed" => "toolsListChanged",
        _ => return None,
    })
}

/// Requests to listen that were not refused.
pub(crate) fn answered_listens(evidence: &Evidence) -> impl Iterator<Item = CheckerRequest<'_>> {
    evidence
        .asked(Topic::Listen)
        .filter(|asked| asked.answer.is_none_or(|answer| answer.error().is_none()))
}

/// Everything that came for a subscription: what names it, and over HTTP what came on its stream.
pub(crate) fn told<'e>(evidence: &'e Evidence, asked: &CheckerRequest<'e>) -> Vec<PeerMessage<'e>> {
    let mut told = Vec::new();
    for (place, what) in evidence.after(asked.place) {
        let EventKind::Received { exchange, frame } = what else { continue };
        let own = *exchange != 0 && *exchange == asked.exchange;
        let notifications = frame.messages().iter().filter(|it| it.get("method").is_some());
        let its = notifications.filter(|message| own || tag(message) == Some(asked.id));
        told.extend(its.map(|message| PeerMessage { place, message }));
    }
    told
}

/// Changes announcements of changed tools.
pub(crate) const fn of_change(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (message["method"] == "notifications/tools/list_changed").then_some(message)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

pub(crate) const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

pub(crate) const NOTHING: &str = "nothing came for a subscription";
