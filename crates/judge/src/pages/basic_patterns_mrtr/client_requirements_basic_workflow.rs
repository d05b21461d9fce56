//! `basic/patterns/mrtr`: `#security-considerations`, `#client-requirements-basic-workflow`, `#error-handling`.

use super::shared::{done, refused_state};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{NOT_ASKED_ROUNDS, each_retry, modern, remove, retry},
        input_rounds::{WANTS_NOTHING, wants},
        request_metadata::{error, to},
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::topic::Topic;
use serde_json::{Value, json};

pub(super) const M271: Requirement = Requirement {
    id: "M271",
    name: "incoming-requeststate-treated-attacker",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An incoming requestState is treated as attacker controlled.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#server-requirements-basic-workflow ; docs/specification/2026-07-28/basic/patterns/mrtr.mdx#security-considerations",
    observed: Observed::By(&M271_CHECK),
};

const M271_CHECK: Check = Check {
    how: "gives a requestState back that was changed, or that belongs to another request",
    seen: seen_in(&["rounds"]),
    fix: "trust nothing in a requestState that you cannot prove to be your own",
    judge: |evidence| match refused_state(evidence, Topic::TamperedState) {
        Outcome::Kept => refused_state(evidence, Topic::ForeignState),
        other => other,
    },
    mutants: &[to("trusts any state", "tampered-state", done).also(&["M272"])],
};

pub(super) const M277: Requirement = Requirement {
    id: "M277",
    name: "inputrequests-present-client-builds-inputs",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "With inputRequests present the client builds the inputs before it retries.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#client-requirements-basic-workflow",
    observed: Observed::By(&M277_CHECK),
};

const M277_CHECK: Check = Check {
    how: "asks for several things at once, and looks at what the client comes back with",
    seen: seen_everywhere(),
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
        remove(params, "inputResponses");
    })],
};

pub(super) const M279: Requirement = Requirement {
    id: "M279",
    name: "requeststate-echoed-unchanged-on-retry",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "requestState is echoed unchanged on the retry.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#client-requirements-basic-workflow",
    observed: Observed::By(&M279_CHECK),
};

const M279_CHECK: Check = Check {
    how: "compares the state of every retry with the one that the server gave",
    seen: seen_everywhere(),
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
        retry("forgets the state", |params| remove(params, "requestState")).also(&["M280"]),
    ],
};

pub(super) const M280: Requirement = Requirement {
    id: "M280",
    name: "requeststate-opaque-client",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "requestState is opaque to the client.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#inputrequiredresult ; docs/specification/2026-07-28/basic/patterns/mrtr.mdx#client-requirements-basic-workflow",
    observed: Observed::By(&M280_CHECK),
};

const M280_CHECK: Check = Check {
    how: M279_CHECK.how,
    seen: seen_everywhere(),
    fix: "read nothing into requestState, and send it back as it came",
    judge: M279_CHECK.judge,
    mutants: &[retry("reads the state as if it were JSON", |params| {
        let state = params.get("requestState").and_then(Value::as_str).unwrap_or_default();
        if let Some((json, _)) = state.trim().split_once('\n') {
            params["requestState"] = json!(json);
        }
    })
    .also(&["M279"])],
};

pub(super) const M281: Requirement = Requirement {
    id: "M281",
    name: "if-no-requeststate-was-given-multi",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "If no requestState was given, the multi round-trip retry has none.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#client-requirements-basic-workflow",
    observed: Observed::By(&M281_CHECK),
};

const M281_CHECK: Check = Check {
    how: "asks without a state, and looks for one in the retry",
    seen: seen_everywhere(),
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

pub(super) const M283: Requirement = Requirement {
    id: "M283",
    name: "inputresponses-requeststate-used-only-retry",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "inputResponses and requestState are used only for the retry of that request.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#client-requirements-basic-workflow",
    observed: Observed::By(&M283_CHECK),
};

const M283_CHECK: Check = Check {
    how: "looks for inputResponses and requestState in requests that are no retry",
    seen: seen_in(&["hosted behave"]),
    fix: "use what a result asked for in the retry of its request, and nowhere else",
    judge: |evidence| {
        if evidence.rounds().next().is_none() {
            return Outcome::Unobserved(NOT_ASKED_ROUNDS.to_owned());
        }
        let retries: Vec<_> =
            evidence.rounds().filter_map(|round| Some(round.retry?.place)).collect();
        // What a task asks for is answered by this, which is no retry.
        let others = modern(evidence).filter(|request| request.method != "tasks/update");
        each(others, NOT_ASKED_ROUNDS, |request| {
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
    )
    .also(&["M508"])],
};

pub(super) const A088: Requirement = Requirement {
    id: "A088",
    name: "without-inputrequests-client-may-retry-at",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Without inputRequests the client may retry at once.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#client-requirements-basic-workflow",
    observed: Observed::Unobservable(
        "a permission: how soon a client tries again is its own choice",
    ),
};

pub(super) const S139: Requirement = Requirement {
    id: "S139",
    name: "inputresponses-validated",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "inputResponses are validated.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#error-handling",
    observed: Observed::By(&S139_CHECK),
};

const S139_CHECK: Check = Check {
    how: "answers input requests with what is no answer",
    seen: seen_in(&["rounds"]),
    fix: "read every answer before you go on with it",
    judge: S140_CHECK.judge,
    mutants: &[to("does not look at answers", "malformed-responses", done).also(&["S140"])],
};

pub(super) const S140: Requirement = Requirement {
    id: "S140",
    name: "malformed-inputresponses-get-json-rpc-error",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Malformed inputResponses get a JSON-RPC error.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#error-handling",
    observed: Observed::By(&S140_CHECK),
};

const S140_CHECK: Check = Check {
    how: "answers input requests with what is no answer",
    seen: seen_in(&["rounds"]),
    fix: "refuse inputResponses of the wrong shape with an error",
    judge: |evidence| {
        each(evidence.asked(Topic::MalformedResponses), WANTS_NOTHING, |asked| {
            let answer = asked.answer?;
            // What is no answer may be taken for a missing one, too.
            let taken = answer.result().is_some_and(|result| !wants(result));
            taken.then(|| Finding::new("an error", show(answer.message), answer.place))
        })
    },
    mutants: &[to("takes any answer", "malformed-responses", done).also(&["S139"])],
};

pub(super) const S141: Requirement = Requirement {
    id: "S141",
    name: "unexpected-entries-inputresponses-ignored",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Unexpected entries in inputResponses are ignored.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#error-handling",
    observed: Observed::By(&S141_CHECK),
};

const S141_CHECK: Check = Check {
    how: "gives an answer that nobody asked for beside those that were",
    seen: seen_in(&["rounds"]),
    fix: "ignore inputResponses that you did not ask for",
    judge: |evidence| {
        each(evidence.asked(Topic::UnexpectedResponse), WANTS_NOTHING, |asked| {
            let answer = asked.answer?;
            let expected = "no error";
            answer.error().map(|error| Finding::new(expected, show(error), answer.place))
        })
    },
    mutants: &[to("minds answers that it did not ask for", "unexpected-response", |message| {
        *message = error(&message["id"], -32602);
    })],
};

pub(super) const S142: Requirement = Requirement {
    id: "S142",
    name: "if-needed-inputresponses-missing-server-asks",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "If needed inputResponses are missing the server asks again with input_required.",
    section: "docs/specification/2026-07-28/basic/patterns/mrtr.mdx#error-handling",
    observed: Observed::By(&S142_CHECK),
};

const S142_CHECK: Check = Check {
    how: "comes back without any answer",
    seen: seen_in(&["rounds"]),
    fix: "ask again where answers are missing",
    judge: |evidence| {
        each(evidence.asked(Topic::MissingResponses), WANTS_NOTHING, |asked| {
            let answer = asked.answer?;
            let again = answer.result().is_some_and(wants);
            (!again).then(|| Finding::new("input_required", show(answer.message), answer.place))
        })
    },
    mutants: &[to("does not ask twice", "missing-responses", |message| {
        *message = error(&message["id"], -32602);
    })],
};
