//! Which scopes a server names, compared with each other.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    challenges::{challenged, change, forbidden, let_in, narrow, shown},
    demanding, documents, guarded,
};
use crate::{
    checks::{Check, shape::doubtful},
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{evidence::HttpExchange, topic::Topic};

pub(crate) const S157: Check = Check {
    how: "compares the scopes that are named to those who have no token with those that are named to those who have a wrong one",
    fix: "name the same scopes whenever the same thing is asked for",
    judge: |evidence| {
        demanding(evidence, |refusal| {
            let wrong = evidence.exchanges_about(Topic::WrongToken);
            let both = wrong.filter(|it| it.status == Some(401));
            let both = both.filter_map(|it| Some((it, scopes(&refusal)?, scopes(&it)?)));
            // To strive for consistency is not to have it.
            doubtful(each(both, "scopes were not named twice", |(again, first, then)| {
                same(&again, &first, &then)
            }))
        })
    },
    mutants: &[guarded(
        "wants other scopes of those who come with a wrong token",
        |context, reply| {
            if context.message["id"] == "wrong-token" {
                change(reply, "scope=\"", "scope=\"mcp:more ");
            }
        },
    )],
};

pub(crate) const S171: Check = Check {
    how: "comes twice with a token that lacks the scopes, and compares the challenges",
    fix: "name the same scopes whenever the same thing is asked for with the same token",
    judge: |evidence| match forbidden(evidence, |_| None) {
        Outcome::Kept => {
            let mut named = narrow(evidence).filter_map(|it| Some((it, scopes(&it)?)));
            let Some((_, first)) = named.next() else {
                return Outcome::Unobserved("no scopes are named".to_owned());
            };
            let nothing = "scopes were not named twice";
            each(named, nothing, |(again, then)| same(&again, &first, &then))
        }
        outcome => outcome,
    },
    mutants: &[let_in("wants something else the next time", |context, reply| {
        if context.message["id"] == "narrow-again" {
            change(reply, "scope=\"", "scope=\"mcp:more ");
        }
    })],
};

pub(crate) const A096: Check = Check {
    how: "compares the scopes of the challenge with scopes_supported",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        demanding(evidence, |refusal| {
            let supported = documents(evidence, Topic::ResourceMetadata)
                .find_map(|(_, document)| document.get("scopes_supported")?.as_array());
            let (Some(challenged), Some(supported)) = (scopes(&refusal), supported) else {
                let why = "scopes are not named both in the challenge and in the metadata";
                return Outcome::NotApplicable(why.to_owned());
            };
            let supported: BTreeSet<String> =
                supported.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            let what = "other scopes in the challenge than in the metadata";
            offered([supported].iter(), what, |supported| *supported != challenged)
        })
    },
    mutants: &[Mutant::new(
        "lists scopes that it does not ask for",
        Mutation::Says(|_, document| {
            if document.get("authorization_servers").is_some() {
                document["scopes_supported"] = Value::from(vec!["mcp:less"]);
            }
        }),
    )
    .of(Variant::Guarded)],
};

/// The scopes that a challenge names.
fn scopes(refusal: &HttpExchange<'_>) -> Option<BTreeSet<String>> {
    let scope = challenged(refusal, "scope")?;
    Some(scope.split_whitespace().map(str::to_owned).collect())
}

fn same(
    again: &HttpExchange<'_>,
    first: &BTreeSet<String>,
    then: &BTreeSet<String>,
) -> Option<Finding> {
    let words = first.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let expected = format!("the same scopes as before: {words}");
    (first != then).then(|| Finding::new(expected, shown(again), again.answered))
}
