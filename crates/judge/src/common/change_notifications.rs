//! Changes that the server announces: of its lists, and of resources that a client subscribed to.

use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{CheckerRequest, Evidence, Place, list_key},
    topic::Topic,
};
use serde_json::Value;

/// A list and how its changes are announced.
pub(crate) struct List {
    pub(crate) capability: &'static str,
    pub(crate) method: &'static str,
    pub(crate) notification: &'static str,
    /// The tool of the Everything Server that announces a change.
    pub(crate) trigger: &'static str,
}

pub(crate) type Writes = fn(&proofmark_converse::mutation::Context<'_>, &Value) -> Vec<String>;

pub(crate) fn announces(evidence: &Evidence, list: &List) -> Outcome {
    if !evidence.capability(list.capability) {
        let capability = &list.capability[1..];
        return Outcome::NotApplicable(format!("the server does not declare {capability}"));
    }
    if is_heard(evidence, list.notification) {
        return Outcome::Kept;
    }
    let before = whole(evidence, list, Topic::List);
    let after = whole(evidence, list, Topic::ListAgain);
    if let (Some((_, before)), Some((place, after))) = (before, after)
        && before != after
    {
        let actual = "the list changed without one";
        return Outcome::Broken(Finding::new(list.notification, actual, place));
    }
    triggered(evidence, list.trigger).map_or_else(
        || Outcome::Unobserved("the list did not change while the checker looked".to_owned()),
        |call| Outcome::Broken(Finding::new(list.notification, "no such notification", call.place)),
    )
}

/// All pages of a list in the first conversation that has it, and where they began.
fn whole(evidence: &Evidence, list: &List, topic: Topic) -> Option<(Place, Vec<String>)> {
    let mut pages =
        evidence.asked(topic).filter(|asked| asked.method == list.method).filter_map(|asked| {
            let items = asked.answer?.result()?.get(list_key(list.method)?)?;
            Some((asked.place, items.to_string()))
        });
    let (place, first) = pages.next()?;
    let others = pages.filter(|(it, _)| it.conversation == place.conversation);
    let pages = std::iter::once(first).chain(others.map(|(_, page)| page));
    Some((place, pages.collect()))
}

/// A successful call of a tool that exists to cause a change.
pub(crate) fn triggered<'e>(evidence: &'e Evidence, tool: &str) -> Option<CheckerRequest<'e>> {
    evidence.asked(Topic::Call).find(|call| {
        let named = call.params.is_some_and(|params| params["name"] == tool);
        let result = call.answer.and_then(proofmark_record::evidence::Answer::result);
        named && result.is_some_and(|result| result.get("isError") != Some(&Value::Bool(true)))
    })
}

pub(crate) fn is_heard(evidence: &Evidence, notification: &str) -> bool {
    evidence.heard_methods().any(|(_, method)| method == notification)
}

pub(crate) const fn keeps_quiet_about(name: &'static str, writes: Writes) -> Mutant {
    Mutant::new(name, Mutation::Writes(writes))
}

/// Everything but notifications of this name.
pub(crate) fn without(notification: &str, message: &Value) -> Vec<String> {
    if message["method"] == notification { Vec::new() } else { vec![message.to_string()] }
}
