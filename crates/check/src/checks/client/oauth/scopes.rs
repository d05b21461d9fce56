//! Which scopes a client asks for.

use std::collections::BTreeSet;

use super::{NOBODY_SENT, Visit, endpoint, flow, in_query, redirecting::sent, spoiled};
use crate::{
    checks::Check,
    evidence::{Evidence, header},
    outcome::{Finding, each},
};

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
    mutants: &[spoiled("knows better which scopes it needs", |request| {
        in_query(request, |query| query.set("scope", "hosted:more"));
    })
    .also(&["S166"])],
};

pub(crate) const S166: Check = Check {
    how: "compares the scopes that the client asks for at first with those of the challenge",
    fix: "ask for the scopes of the challenge; without any, for all in scopes_supported; without those, for none",
    judge: |evidence| {
        flow(evidence, || {
            let first = sent(evidence)
                .filter(|visit| !sent(evidence).any(|earlier| earlier.is_before(visit)));
            each(first, NOBODY_SENT, |visit| {
                let expected = challenged(evidence, &visit).unwrap_or_default();
                // Refresh tokens are between the client and the authorization server.
                let mut actual = asked(&visit);
                actual.remove("offline_access");
                let right = expected == actual;
                (!right).then(|| Finding::new(words(&expected), words(&actual), visit.place()))
            })
        })
    },
    mutants: &[spoiled("asks for more than it needs", |request| {
        in_query(request, |query| query.set("scope", "hosted:use hosted:more"));
    })],
};

/// The scopes in the last challenge before a visit.
fn challenged(evidence: &Evidence, visit: &Visit<'_>) -> Option<BTreeSet<String>> {
    let refused = endpoint(evidence)
        .filter(|it| matches!(it.exchange.status, Some(401 | 403)) && it.is_before(visit));
    let challenge = refused.last()?.exchange.headers;
    let challenge = header(challenge, "www-authenticate")?;
    let (_, rest) = challenge.split_once("scope=\"")?;
    Some(set(rest.split('"').next().unwrap_or_default()))
}

fn asked(visit: &Visit<'_>) -> BTreeSet<String> {
    set(visit.form.get("scope").unwrap_or_default())
}

fn set(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn words(scopes: &BTreeSet<String>) -> String {
    if scopes.is_empty() {
        return "no scope".to_owned();
    }
    scopes.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

const NO_SCOPES: &str = "no challenge named a scope";
