//! What servers ask of clients, in requests of the handshake era and in input requests of the modern one.

use crate::{
    common::{
        envelope::server_requests, input_rounds::input_requests, shape::show, tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::evidence::{Evidence, Place};
use serde_json::Value;

/// Judges everything that was asked with this method.
pub(crate) fn asked(
    evidence: &Evidence,
    method: &'static str,
    judge: impl Fn(Place, &Value) -> Option<Finding>,
) -> Outcome {
    let outcome = each(all(evidence, method), "", |(place, request)| match request.get("params") {
        Some(params) => judge(place, params),
        None => Some(Finding::new("params", show(request), place)),
    });
    none_applies(outcome, &format!("nothing that was called asks with {method}"))
}

/// What users were asked to fill in.
pub(crate) fn forms(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    all(evidence, ELICITATION).filter_map(|(place, request)| {
        Some((place, request.get("params")?.get("requestedSchema")?))
    })
}

/// Everything that was asked with this method.
pub(crate) fn all<'e>(
    evidence: &'e Evidence,
    method: &'static str,
) -> impl Iterator<Item = (Place, &'e Value)> {
    let requests = server_requests(evidence).map(|heard| (heard.place, heard.message));
    let inputs = input_requests(evidence).map(|(_, answer, request)| (answer.place, request));
    requests.chain(inputs).filter(move |(_, request)| request["method"] == method)
}

pub(crate) fn fields(
    evidence: &Evidence,
    judge: impl Fn(Place, &Value) -> Option<Finding>,
) -> Outcome {
    asked(evidence, ELICITATION, |place, params| {
        let fields = params.pointer("/requestedSchema/properties")?.as_object()?;
        fields.values().find_map(|field| judge(place, field))
    })
}

/// Changes what is asked of a model, in whichever era.
pub(crate) const fn sampling(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        question(message, SAMPLING)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Changes what is asked of a user, in whichever era.
pub(crate) const fn elicitation(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        question(message, ELICITATION)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Whether the client of a conversation said that it has this.
pub(crate) fn declares(evidence: &Evidence, place: Place, path: &str) -> bool {
    evidence.declared_to_peer(place).is_some_and(|declared| declared.pointer(path).is_some())
}

pub(crate) fn question<'m>(message: &'m mut Value, method: &str) -> Option<&'m mut Value> {
    if message["method"] == method {
        return message.get_mut("params");
    }
    let requests = message.pointer_mut("/result/inputRequests")?.as_object_mut()?;
    requests.values_mut().find(|request| request["method"] == method)?.get_mut("params")
}

pub(crate) const ELICITATION: &str = "elicitation/create";

pub(crate) const SAMPLING: &str = "sampling/createMessage";
