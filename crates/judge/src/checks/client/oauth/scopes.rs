//! Which scopes a client asks for.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{NOBODY_SENT, Visit, at, endpoint, flow, in_query, redirecting::sent, visits};
use crate::{
    checks::Check,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::{authorization_variant::AuthorizationVariant, mutation::Passing};
use proofmark_record::{event::header, evidence::Evidence, topic::Topic};

pub(crate) const M345: Check = Check {
    how: "looks for the scopes of the challenge in what the client asks for next",
    fix: "ask for the scopes that the challenge names",
    judge: |evidence| {
        flow(evidence, || {
            let challenged = sent(evidence).filter_map(|visit| {
                let scopes = challenged(evidence, &visit)?;
                Some((visit, scopes))
            });
            each(challenged, NO_SCOPES, |(visit, scopes)| {
                let right = scopes.is_subset(&asked(&visit));
                (!right).then(|| Finding::new(words(&scopes), words(&asked(&visit)), visit.place()))
            })
        })
    },
    mutants: &[at("knows better which scopes it needs", AuthorizationVariant::USUAL, |request| {
        in_query(request, |query| query.set("scope", "hosted:more"));
        Passing::Yes
    })
    .also(&["S165", "S166"])],
};

pub(crate) const S166: Check = Check {
    how: "compares the scopes that the client asks for at first with those of the challenge and of the metadata",
    fix: "ask for the scopes of the challenge; without any, for all in scopes_supported; without those, for none",
    judge: |evidence| first(evidence, |_| true, BTreeSet::eq),
    mutants: &[
        at("asks for more than it needs", AuthorizationVariant::USUAL, |request| {
            in_query(request, |query| query.set("scope", "hosted:use hosted:more"));
            Passing::Yes
        })
        .also(&["S165"]),
        at("asks for a scope that nobody knows", AuthorizationVariant::SCOPELESS, |request| {
            in_query(request, |query| query.set("scope", "everything"));
            Passing::Yes
        })
        .also(&["S165"]),
    ],
};

pub(crate) const S158: Check = Check {
    how: "leaves the scope out of the challenge, and compares what the client asks for with scopes_supported",
    fix: "without scope in the challenge, ask for all of scopes_supported",
    judge: |evidence| {
        first(evidence, |variant| variant == AuthorizationVariant::UNHINTED, BTreeSet::eq)
    },
    mutants: &[at("asks for nothing unless told", AuthorizationVariant::UNHINTED, |request| {
        in_query(request, |query| query.remove("scope"));
        Passing::Yes
    })
    .also(&["S166"])],
};

pub(crate) const S165: Check = Check {
    how: "looks for scopes that neither the challenge nor the metadata names",
    fix: "ask for the scopes that are needed, and for no others",
    judge: |evidence| first(evidence, |_| true, BTreeSet::is_superset),
    mutants: &[at("asks for more just in case", AuthorizationVariant::USUAL, |request| {
        in_query(request, |query| query.set("scope", "hosted:use hosted:all"));
        Passing::Yes
    })
    .also(&["S166"])],
};

pub(crate) const M344: Check = Check {
    how: "asks for a scope in a challenge that is not in scopes_supported",
    fix: "ask for the scopes of the challenge whether scopes_supported has them or not",
    judge: |evidence| {
        flow(evidence, || {
            let beyond = sent(evidence).filter_map(|visit| {
                let known = supported(evidence, &visit)?;
                let scopes = challenged(evidence, &visit)?;
                let beyond: BTreeSet<_> = scopes.difference(&known).cloned().collect();
                (!beyond.is_empty()).then_some((visit, beyond))
            });
            each(beyond, NO_SCOPES, |(visit, beyond)| {
                let right = beyond.is_subset(&asked(&visit));
                (!right).then(|| Finding::new(words(&beyond), words(&asked(&visit)), visit.place()))
            })
        })
    },
    mutants: &[at("asks only for what is listed", AuthorizationVariant::STEP_UP, |request| {
        if request.path.contains("hosted%3Acall") {
            in_query(request, |query| query.set("scope", "hosted:use hosted:more"));
        }
        Passing::Yes
    })
    .also(&["M345"])],
};

pub(crate) const A103: Check = Check {
    how: "lists offline_access in the metadata of the authorization server, and looks whether the client asks for it",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        flow(evidence, || {
            let listed = sent(evidence).filter(|it| it.variant == AuthorizationVariant::EXPIRING);
            offered(listed, "to stay when the person has gone", |visit| {
                asked(&visit).contains(OFFLINE)
            })
        })
    },
    mutants: &[at("leaves when the person goes", AuthorizationVariant::EXPIRING, |request| {
        in_query(request, |query| {
            let scope = query.get("scope").unwrap_or_default().replace(OFFLINE, "");
            query.set("scope", scope.trim());
        });
        Passing::Yes
    })],
};

/// Compares what was to be asked for at first with what was asked for.
fn first(
    evidence: &Evidence,
    of: impl Fn(&'static AuthorizationVariant) -> bool,
    fits: impl Fn(&BTreeSet<String>, &BTreeSet<String>) -> bool,
) -> Outcome {
    flow(evidence, || {
        let first = sent(evidence).filter(|visit| {
            of(visit.variant) && !sent(evidence).any(|earlier| earlier.is_before(visit))
        });
        each(first, NOBODY_SENT, |visit| {
            let supported = || supported(evidence, &visit);
            let expected = challenged(evidence, &visit).or_else(supported).unwrap_or_default();
            // Refresh tokens are between the client and the authorization server.
            let mut actual = asked(&visit);
            actual.remove(OFFLINE);
            let right = fits(&expected, &actual);
            (!right).then(|| Finding::new(words(&expected), words(&actual), visit.place()))
        })
    })
}

/// The scopes in the metadata of the resource.
fn supported(evidence: &Evidence, visit: &Visit<'_>) -> Option<BTreeSet<String>> {
    let documents = visits(evidence, Topic::ResourceMetadata)
        .filter(|it| it.exchange.status == Some(200) && it.is_before(visit));
    let scopes = documents.last()?.answer(evidence)?.get("scopes_supported")?.as_array()?;
    Some(scopes.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// The scopes in the last challenge before a visit.
fn challenged(evidence: &Evidence, visit: &Visit<'_>) -> Option<BTreeSet<String>> {
    let refused = endpoint(evidence)
        .filter(|it| matches!(it.exchange.status, Some(401 | 403)) && it.is_before(visit));
    let challenge = refused.last()?.exchange.headers;
    let challenge = header(challenge, "www-authenticate")?;
    let (_, rest) = challenge.split_once("scope=\"")?;
    Some(set(rest.split('"').next().unwrap_or_default()))
}

pub(super) fn asked(visit: &Visit<'_>) -> BTreeSet<String> {
    set(visit.form.get("scope").unwrap_or_default())
}

fn set(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

pub(super) fn words(scopes: &BTreeSet<String>) -> String {
    if scopes.is_empty() {
        return "no scope".to_owned();
    }
    scopes.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

const OFFLINE: &str = "offline_access";
const NO_SCOPES: &str = "no challenge named a scope";
