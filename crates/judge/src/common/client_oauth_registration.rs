//! How a client becomes known to an authorization server.

use crate::requirement::seen_in;
use crate::{
    common::client_oauth::{Visit, asking, at, flow, in_form, in_query, visits},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant, http_request::HttpRequest, mutation::Passing,
};
use proofmark_record::{evidence::Evidence, topic::Topic};
use serde_json::Value;

pub(crate) fn registrations(evidence: &Evidence) -> impl Iterator<Item = Visit<'_>> {
    visits(evidence, Topic::Register)
}

/// The id that a client was given when it registered.
pub(crate) fn given<'e>(evidence: &'e Evidence, visit: &Visit<'e>) -> Option<&'e str> {
    visit.answer(evidence)?.get("client_id")?.as_str()
}

/// Judges what the client says when it registers: what was expected, and what came.
pub(crate) fn registering(
    evidence: &Evidence,
    judge: impl Fn(&Visit<'_>, &Value) -> Option<(String, String)>,
) -> Outcome {
    flow(evidence, || {
        each(registrations(evidence), "the client does not register itself", |visit| {
            let (expected, actual) = judge(&visit, visit.document(evidence)?)?;
            Some(Finding::new(expected, actual, visit.place()))
        })
    })
}

/// Judges what happens once the client knows that the authorization server is another one.
pub(crate) fn moved(evidence: &Evidence, judge: impl Fn(&Visit<'_>) -> Option<Finding>) -> Outcome {
    flow(evidence, || {
        let arrived = visits(evidence, Topic::IssuerMetadata)
            .filter(|it| {
                it.variant == AuthorizationVariant::MOVED && it.path().ends_with("/second")
            })
            .take(1);
        each(arrived, "the client does not look for the new authorization server", |it| judge(&it))
    })
}

/// An id that one authorization server gave, shown to another.
pub(crate) fn foreign(evidence: &Evidence, arrived: &Visit<'_>) -> Option<Finding> {
    let mut shown =
        asking(evidence).filter(|it| arrived.is_before(it) && it.path().starts_with("/second/"));
    shown.find_map(|visit| {
        let id = visit.form.get("client_id")?;
        let known = is_url(id)
            || registrations(evidence)
                .filter(|it| it.path().starts_with("/second/"))
                .any(|it| given(evidence, &it) == Some(id));
        let expected = "a client_id of the new authorization server";
        (!known).then(|| Finding::new(expected, id, visit.place()))
    })
}

pub(crate) fn shown(document: &Value, name: &str) -> String {
    document.get(name).map_or_else(|| format!("no {name}"), Value::to_string)
}

pub(crate) fn is_url(id: &str) -> bool {
    id.starts_with("https://")
}

pub(crate) fn rename(request: &mut HttpRequest, id: &str) -> Passing {
    in_query(request, |query| query.set("client_id", id));
    in_form(request, |form| form.set("client_id", id));
    Passing::Yes
}

pub(crate) const M363_CHECK: Check = Check {
    how: "changes the authorization server of a server, and looks at the ids that the new one is shown",
    seen: seen_in(&["hosted auth-moved"]),
    fix: "keep the credentials of a client under the issuer that gave them",
    judge: |evidence| moved(evidence, |arrived| foreign(evidence, arrived)),
    mutants: &[FIRST_ID],
};

pub(crate) const FIRST_ID: Mutant =
    at("is the same client everywhere", AuthorizationVariant::MOVED, |request| {
        if request.path.starts_with("/second/") {
            rename(request, "client-auth-moved-1");
        }
        Passing::Yes
    })
    .also(&["M359", "M363", "M364"]);
