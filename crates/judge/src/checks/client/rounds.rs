//! Requests of several rounds: what a client gives when it is asked for something first.

use serde_json::{Value, json};

use super::stateless::modern;
use crate::{
    checks::{Check, shape::show},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::evidence::{Evidence, PeerRequest, Round};

pub(crate) const M277: Check = Check {
    how: "asks for several things at once, and looks at what the client comes back with",
    fix: "gather everything that inputRequests asks for before you retry",
    judge: |evidence| {
        each_retry(evidence, |round, retry| {
            let asked = round.result.get("inputRequests")?.as_object()?;
            let given = retry.params.and_then(|params| params.get("inputResponses"));
            let missing = asked.keys().find(|key| given.is_none_or(|it| it.get(key).is_none()))?;
            let expected = format!("something for {missing:?} in inputResponses");
            let actual = given.map_or_else(|| "no inputResponses".to_owned(), show);
            Some(Finding::new(expected, actual, retry.place))
        })
    },
    mutants: &[retry("retries without what was asked for", |params| {
        super::remove(params, "inputResponses");
    })],
};

pub(crate) const M278: Check = Check {
    how: "compares the keys of inputResponses with those of inputRequests",
    fix: "give one result for each key of inputRequests, under the same key",
    judge: |evidence| {
        each_retry(evidence, |round, retry| {
            let asked = round.result.get("inputRequests")?.as_object()?;
            let given = retry.params?.get("inputResponses")?;
            let Some(members) = given.as_object() else {
                return Some(Finding::new("an object", show(given), retry.place));
            };
            let (key, value) = members
                .iter()
                .find(|(key, value)| !asked.contains_key(*key) || !value.is_object())?;
            let expected = format!("an object for each of {:?}", asked.keys().collect::<Vec<_>>());
            Some(Finding::new(expected, format!("{key:?}: {}", show(value)), retry.place))
        })
    },
    mutants: &[
        retry("gives what was not asked for", |params| {
            if let Some(given) = params.get_mut("inputResponses") {
                given["unasked"] = json!({ "action": "accept" });
            }
        }),
        retry("gives text where a result belongs", |params| {
            let given = params.get_mut("inputResponses").and_then(Value::as_object_mut);
            for (_, value) in given.into_iter().flatten() {
                *value = json!("yes");
            }
        })
        .also(&["M072", "M077", "M392", "M393", "M401", "M413"]),
    ],
};

pub(crate) const M279: Check = Check {
    how: "compares the state of every retry with the one that the server gave",
    fix: "send requestState back as it came",
    judge: |evidence| {
        each_retry(evidence, |round, retry| {
            let state = round.result.get("requestState")?;
            let given = retry.params.and_then(|params| params.get("requestState"));
            let actual = given.map_or_else(|| "no requestState".to_owned(), show);
            (given != Some(state)).then(|| Finding::new(show(state), actual, retry.place))
        })
    },
    mutants: &[
        retry("trims the state", |params| {
            if let Some(state) = params.get_mut("requestState") {
                *state = json!(state.as_str().unwrap_or_default().trim());
            }
        })
        .also(&["M280"]),
        retry("forgets the state", |params| super::remove(params, "requestState")).also(&["M280"]),
    ],
};

pub(crate) const M280: Check = Check {
    how: M279.how,
    fix: "read nothing into requestState, and send it back as it came",
    judge: M279.judge,
    mutants: &[retry("reads the state as if it were JSON", |params| {
        let state = params.get("requestState").and_then(Value::as_str).unwrap_or_default();
        if let Some((json, _)) = state.trim().split_once('\n') {
            params["requestState"] = json!(json);
        }
    })
    .also(&["M279"])],
};

pub(crate) const M281: Check = Check {
    how: "asks without a state, and looks for one in the retry",
    fix: "send requestState only if this result had one",
    judge: |evidence| {
        each_retry(evidence, |round, retry| {
            if round.result.get("requestState").is_some() {
                return None;
            }
            let given = retry.params?.get("requestState")?;
            Some(Finding::new("no requestState", show(given), retry.place))
        })
    },
    mutants: &[retry("always has a state", |params| {
        if params.get("requestState").is_none() {
            params["requestState"] = json!("of my own");
        }
    })],
};

pub(crate) const M282: Check = Check {
    how: "compares the id of every retry with that of the request before",
    fix: "give the retry an id of its own",
    judge: |evidence| {
        each_retry(evidence, |round, retry| {
            let same = round.request.id == retry.id;
            same.then(|| Finding::new("another id", show(retry.id), retry.place))
        })
    },
    mutants: &[Mutant::new(
        "retries under the same id",
        Mutation::Says(|_, message| {
            // The reference counts its requests, and asks nothing else in between.
            let retries = message.pointer("/params/inputResponses").is_some()
                && message["method"] != "tasks/update";
            if let Some(id) = message["id"].as_i64().filter(|_| retries) {
                message["id"] = json!(id - 1);
            }
        }),
    )],
};

pub(crate) const M283: Check = Check {
    how: "looks for inputResponses and requestState in requests that are no retry",
    fix: "use what a result asked for in the retry of its request, and nowhere else",
    judge: |evidence| {
        if evidence.rounds().next().is_none() {
            return Outcome::Unobserved(NOT_ASKED.to_owned());
        }
        let retries: Vec<_> =
            evidence.rounds().filter_map(|round| Some(round.retry?.place)).collect();
        // What a task asks for is answered by this, which is no retry.
        let others = modern(evidence).filter(|request| request.method != "tasks/update");
        each(others, NOT_ASKED, |request| {
            let carried = ["inputResponses", "requestState"]
                .into_iter()
                .find(|name| request.params.is_some_and(|it| it.get(name).is_some()))?;
            let expected = "neither inputResponses nor requestState";
            (!retries.contains(&request.place)).then(|| {
                Finding::new(expected, format!("{} with {carried}", request.method), request.place)
            })
        })
    },
    mutants: &[Mutant::new(
        "has a state for everything",
        Mutation::Says(|_, message| {
            if message["method"] == "tools/list" {
                message["params"]["requestState"] = json!("of another request");
            }
        }),
    )],
};

fn each_retry(
    evidence: &Evidence,
    judge: impl Fn(&Round<'_>, &PeerRequest<'_>) -> Option<Finding>,
) -> Outcome {
    let retried = evidence.rounds().filter_map(|round| Some((round, round.retry?)));
    each(retried, NOT_ASKED, |(round, retry)| judge(&round, &retry))
}

/// Changes the params of whatever is a retry.
const fn retry(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        let others = message["method"] != "tasks/update";
        let params = message.get_mut("params").filter(|_| others)?;
        let is_retry =
            params.get("inputResponses").is_some() || params.get("requestState").is_some();
        is_retry.then_some(params)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const NOT_ASKED: &str =
    "the client made no call that it retried when it was asked for something first";
