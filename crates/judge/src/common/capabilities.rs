//! What a server does must be what it declared.

use crate::{
    common::shape::show,
    mutant::Mutant,
    outcome::{Finding, Outcome},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::{
    evidence::{Evidence, PeerMessage, list_key},
    topic::Topic,
};
use serde_json::Value;

/// Whether a request needs a capability that the checker did not declare in this conversation.
pub(crate) fn is_uninvited(evidence: &Evidence, heard: PeerMessage<'_>) -> bool {
    let method = heard.message["method"].as_str().unwrap_or_default();
    let needed = NEEDED.iter().find(|(known, _)| *known == method).map(|(_, needed)| *needed);
    let declared = evidence.declared_to_peer(heard.place);
    needed.is_some_and(|needed| declared.is_none_or(|declared| declared.get(needed).is_none()))
}

pub(crate) fn lists_only_if_declared(
    evidence: &Evidence,
    capability: &str,
    method: &str,
) -> Outcome {
    if evidence.capability(&format!("/{capability}")) {
        return Outcome::Kept;
    }
    if evidence.declared().is_some() && !evidence.capabilities().is_some_and(Value::is_object) {
        return Outcome::Unobserved(
            "what is declared cannot be read: capabilities are no object".to_owned(),
        );
    }
    let listed = evidence.asked(Topic::Undeclared).filter(|asked| asked.method == method).find_map(
        |asked| {
            let answer = asked.answer?;
            let items = answer.result()?.get(list_key(method)?)?.as_array()?;
            (!items.is_empty()).then_some(answer)
        },
    );
    match listed {
        Some(answer) => Outcome::Broken(Finding::new(
            format!("the capability {capability} is declared, because the server has some"),
            show(answer.message),
            answer.place,
        )),
        None => Outcome::NotApplicable(format!("the server has and declares no {capability}")),
    }
}

pub(crate) fn answers_only_if_declared(evidence: &Evidence, path: &str, method: &str) -> Outcome {
    if evidence.capability(path) {
        return Outcome::Kept;
    }
    let answered = evidence
        .asked(Topic::Undeclared)
        .filter(|asked| asked.method == method)
        .find_map(|asked| asked.answer.filter(|answer| answer.result().is_some()));
    match answered {
        Some(answer) => Outcome::Broken(Finding::new(
            format!("the capability {} is declared, because the server has it", &path[1..]),
            show(answer.message),
            answer.place,
        )),
        None => Outcome::NotApplicable(format!("the server does not declare {}", &path[1..])),
    }
}

pub(crate) fn notifies_only_if_declared(evidence: &Evidence, path: &str, method: &str) -> Outcome {
    let mut heard = evidence.heard_methods().filter(|(_, it)| *it == method);
    match heard.next() {
        _ if evidence.declared().is_none() => Outcome::Unobserved(UNDECLARED.to_owned()),
        _ if evidence.capability(path) => Outcome::Kept,
        Some((heard, _)) => Outcome::Broken(Finding::new(
            format!("{} is declared before {method} is sent", &path[1..]),
            show(heard.message),
            heard.place,
        )),
        None => Outcome::NotApplicable(format!("the server neither declares nor sends {method}")),
    }
}

pub(crate) const fn hides(name: &'static str, says: fn(&Context<'_>, &mut Value)) -> Mutant {
    Mutant::new(name, Mutation::Says(says))
}

/// Takes a capability, or a member of one, out of the result of initialize.
pub(crate) fn remove(context: &Context<'_>, message: &mut Value, path: &str, member: Option<&str>) {
    if !matches!(context.method, Some("initialize" | "server/discover")) {
        return;
    }
    let Some(capabilities) = message.pointer_mut("/result/capabilities") else { return };
    let (parent, member) = match member {
        Some(member) => (capabilities.pointer_mut(path), member),
        None => (Some(capabilities), &path[1..]),
    };
    if let Some(parent) = parent.and_then(Value::as_object_mut) {
        parent.remove(member);
    }
}

/// A tap that begins to listen in the middle has missed it.
pub(crate) const UNDECLARED: &str = "the server was not heard declaring its capabilities";

/// A server that asks for roots although the client has none.
pub(crate) const ASKS_FOR_ROOTS: Mutant = Mutant::new(
    "asks for roots that the client never declared",
    Mutation::Writes(|_, message| {
        let mut texts = vec![message.to_string()];
        if message["id"] == "bare-ping" {
            texts.push(
                "{\"jsonrpc\":\"2.0\",\"id\":\"roots\",\"method\":\"roots/list\"}".to_owned(),
            );
        }
        texts
    }),
);

/// Requests of servers, with the capability of the client that they need.
pub(crate) const NEEDED: [(&str, &str); 3] = [
    ("elicitation/create", "elicitation"),
    ("roots/list", "roots"),
    ("sampling/createMessage", "sampling"),
];
