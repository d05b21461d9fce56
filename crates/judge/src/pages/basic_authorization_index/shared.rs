//! What several judges of `basic/authorization/index` use.

use crate::{
    common::{
        authorization::{challenged, demanding, shown},
        client_oauth::{Visit, asking, endpoint, flow, in_form, in_query, visits},
        http::told,
    },
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{authorization_variant::AuthorizationVariant, http_request::HttpRequest};
use proofmark_record::{
    event::header,
    evidence::{Evidence, HttpExchange},
    form::Form,
    topic::Topic,
};
use std::collections::BTreeSet;

/// The scopes that a challenge names.
pub(super) fn scopes(refusal: &HttpExchange<'_>) -> Option<BTreeSet<String>> {
    let scope = challenged(refusal, "scope")?;
    Some(scope.split_whitespace().map(str::to_owned).collect())
}

pub(super) fn same(
    again: &HttpExchange<'_>,
    first: &BTreeSet<String>,
    then: &BTreeSet<String>,
) -> Option<Finding> {
    let words = first.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let expected = format!("the same scopes as before: {words}");
    (first != then).then(|| Finding::new(expected, shown(again), again.answered))
}

/// Whether such a token opens the server.
pub(super) fn taken(evidence: &Evidence, topic: Topic, nothing: &str) -> Outcome {
    demanding(evidence, |_| {
        each(evidence.exchanges_about(topic), nothing, |exchange| {
            matches!(exchange.status, Some(401 | 403)).then(|| {
                Finding::new("that the token is taken", told(&exchange), exchange.answered)
            })
        })
    })
}

/// What the server calls itself in this conversation.
pub(super) fn server(evidence: &Evidence, visit: &Visit<'_>) -> Option<String> {
    let of = endpoint(evidence).find(|it| it.place().conversation == visit.place().conversation)?;
    let host = header(of.exchange.asked, "host")?;
    Some(format!("http://{host}/mcp"))
}

pub(super) fn authorization<'e>(visit: &Visit<'e>) -> Option<&'e str> {
    header(visit.exchange.asked, "authorization")
}

/// Access tokens that the client was given, with the conversation of each.
pub(super) fn given(evidence: &Evidence) -> Vec<(usize, &str)> {
    visits(evidence, Topic::Token)
        .filter_map(|visit| {
            let token = visit.answer(evidence)?.get("access_token")?.as_str()?;
            Some((visit.place().conversation, token))
        })
        .collect()
}

/// Judges every `resource`, given what the server calls itself.
pub(super) fn named(
    evidence: &Evidence,
    judge: impl Fn(&Visit<'_>, &str, &str) -> Option<Finding>,
) -> Outcome {
    flow(evidence, || {
        // There the server does not know its own name either.
        let quiet = asking(evidence).filter(|it| it.variant != AuthorizationVariant::SHOUTING);
        let naming = quiet.filter(|it| it.form.get("resource").is_some());
        each(naming, "the client names no resource", |visit| {
            let server = server(evidence, &visit)?;
            judge(&visit, visit.form.get("resource")?, &server)
        })
    })
}

pub(super) fn rename(request: &mut HttpRequest, name: impl Fn(&str) -> String) {
    let change = |form: &mut Form| {
        if let Some(resource) = form.get("resource").map(&name) {
            form.set("resource", &resource);
        }
    };
    in_query(request, change);
    in_form(request, change);
}

pub(super) const NO_TOKEN: &str = "the client never had a token";
