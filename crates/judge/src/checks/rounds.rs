//! Results that ask for something first, and what comes of the answers.

use serde_json::{Value, json};

use super::{
    Check,
    claims::{error, to},
    results::result,
    shape::show,
    tools::none_applies,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::{
    evidence::{Answer, Asked, Evidence},
    meta::{CAPABILITIES, SERVER_INFO},
    topic::Topic,
};

pub(crate) const M268: Check = Check {
    how: "looks for input_required among all results",
    fix: "ask for input only in answers to tools/call, prompts/get and resources/read",
    judge: |evidence| {
        let outcome = each(wanting(evidence), "", |(asked, answer, _)| {
            let may = ["tools/call", "prompts/get", "resources/read"].contains(&asked.method);
            (!may).then(|| {
                let expected = format!("no input_required for {}", asked.method);
                Finding::new(expected, show(answer.message), answer.place)
            })
        });
        none_applies(outcome, WANTS_NOTHING)
    },
    mutants: &[to("wants something before it is discovered", "last-ping", |message| {
        message["result"]["resultType"] = json!("input_required");
        message["result"]["requestState"] = json!("a");
    })],
};

pub(crate) const M270: Check = Check {
    how: "looks at every input request",
    fix: "ask for elicitation, sampling and roots only",
    judge: |evidence| {
        let outcome = each(input_requests(evidence), "", |(_, answer, request)| {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            (needed(method).is_none()).then(|| {
                let expected = "elicitation/create, sampling/createMessage or roots/list";
                Finding::new(expected, show(request), answer.place)
            })
        });
        none_applies(outcome, WANTS_NOTHING)
    },
    mutants: &[wanting_roots("asks for the client's tools", |result| {
        for (_, request) in result["inputRequests"].as_object_mut().into_iter().flatten() {
            request["method"] = json!("tools/list");
        }
    })],
};

pub(crate) const M274: Check = Check {
    how: "looks at every result that is input_required",
    fix: "give inputRequests or requestState with it",
    judge: |evidence| {
        let outcome = each(wanting(evidence), "", |(_, answer, result)| {
            let has = |member: &str| result.get(member).is_some();
            let empty = !has("inputRequests") && !has("requestState");
            let expected = "inputRequests or requestState";
            empty.then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, WANTS_NOTHING)
    },
    mutants: &[wanting_roots("wants it knows not what", |result| {
        if let Some(result) = result.as_object_mut() {
            result.remove("inputRequests");
            result.remove("requestState");
        }
    })],
};

pub(crate) const M275: Check = Check {
    how: "compares every input request with the capabilities that its request declared",
    fix: "ask only for what the client declared in that request",
    judge: |evidence| {
        let outcome = each(input_requests(evidence), "", |(asked, answer, request)| {
            let needed = needed(request.get("method")?.as_str()?)?;
            let declared = asked.params?.get("_meta")?.get(CAPABILITIES)?;
            declared.get(needed).is_none().then(|| {
                let expected = format!("nothing that needs {needed} of a client without it");
                Finding::new(expected, show(request), answer.place)
            })
        });
        none_applies(outcome, WANTS_NOTHING)
    },
    mutants: &[Mutant::new(
        "asks a client for what it does not have",
        Mutation::Says(|context, message| {
            let bare = context.params["_meta"][CAPABILITIES] == json!({});
            if bare && context.params["name"] == "test_sampling" {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                    "resultType": "input_required", "_meta": { SERVER_INFO: {} },
                    "inputRequests": { "a": { "method": "roots/list" } } } });
            }
        }),
    )
    .also(&["M105", "M127", "M275"])],
};

pub(crate) const M272: Check = Check {
    how: "gives a requestState back with one character changed",
    fix: "protect requestState with a signature or a MAC, and refuse what does not fit",
    judge: |evidence| refused_state(evidence, Topic::TamperedState),
    mutants: &[to("takes any state", "tampered-state", done).also(&["M271"])],
};

pub(crate) const M271: Check = Check {
    how: "gives a requestState back that was changed, or that belongs to another request",
    fix: "trust nothing in a requestState that you cannot prove to be your own",
    judge: |evidence| match refused_state(evidence, Topic::TamperedState) {
        Outcome::Kept => refused_state(evidence, Topic::ForeignState),
        other => other,
    },
    mutants: &[to("trusts any state", "tampered-state", done).also(&["M272"])],
};

pub(crate) const M127: Check =
    Check { how: M275.how, fix: M275.fix, judge: M275.judge, mutants: M275.mutants };

pub(crate) const S138: Check = Check {
    how: "gives the requestState of one request with another one",
    fix: "bind requestState to the request that it belongs to",
    judge: |evidence| refused_state(evidence, Topic::ForeignState),
    mutants: &[to("takes the state of another request", "foreign-state", done).also(&["M271"])],
};

pub(crate) const S139: Check = Check {
    how: "answers input requests with what is no answer",
    fix: "read every answer before you go on with it",
    judge: S140.judge,
    mutants: &[to("does not look at answers", "malformed-responses", done).also(&["S140"])],
};

pub(crate) const S140: Check = Check {
    how: "answers input requests with what is no answer",
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

pub(crate) const S141: Check = Check {
    how: "gives an answer that nobody asked for beside those that were",
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

pub(crate) const S142: Check = Check {
    how: "comes back without any answer",
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

pub(crate) const A083: Check = Check {
    how: "looks for input_required among the results",
    fix: "nothing: this is allowed",
    judge: |evidence| offered(wanting(evidence), "results that ask for something first", |_| true),
    mutants: &[result("asks for nothing", |_, result| {
        if wants(result) {
            *result = json!({ "resultType": "complete", "content": [], "messages": [],
                "contents": [], "_meta": result["_meta"] });
        }
    })],
};

/// A state that should not be taken: anything but a complete result will do.
fn refused_state(evidence: &Evidence, topic: Topic) -> Outcome {
    each(evidence.asked(topic), "no requestState was handed out", |asked| {
        let answer = asked.answer?;
        let taken = answer.result().is_some_and(|result| !wants(result));
        let failed = answer.result().is_some_and(|it| it.get("isError") == Some(&json!(true)));
        (taken && !failed).then(|| Finding::new("a refusal", show(answer.message), answer.place))
    })
}

/// As if all were well.
fn done(message: &mut Value) {
    *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
        "resultType": "complete", "content": [], "_meta": { SERVER_INFO: {} } } });
}

fn wants(result: &Value) -> bool {
    result.get("resultType").and_then(Value::as_str) == Some("input_required")
}

/// Results that ask for something.
pub(super) fn wanting(
    evidence: &Evidence,
) -> impl Iterator<Item = (Asked<'_>, Answer<'_>, &Value)> {
    evidence.asked_all().filter_map(|asked| {
        let answer = asked.answer?;
        let result = answer.result().filter(|result| wants(result))?;
        Some((asked, answer, result))
    })
}

pub(super) fn input_requests(
    evidence: &Evidence,
) -> impl Iterator<Item = (Asked<'_>, Answer<'_>, &Value)> {
    wanting(evidence).flat_map(|(asked, answer, result)| {
        let requests = result.get("inputRequests").and_then(Value::as_object);
        requests.into_iter().flatten().map(move |(_, request)| (asked, answer, request))
    })
}

/// The capability of the client that a question needs.
fn needed(method: &str) -> Option<&'static str> {
    Some(match method {
        "elicitation/create" => "elicitation",
        "roots/list" => "roots",
        "sampling/createMessage" => "sampling",
        _ => return None,
    })
}

/// Changes the first answer of the tool that asks for roots.
const fn wanting_roots(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (context.params["name"] == "test_list_roots").then_some(())?;
        result_of(context, message, "tools/call").filter(|result| wants(result))
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const WANTS_NOTHING: &str = "nothing that was asked for needs more than one round";
