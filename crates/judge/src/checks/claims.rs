//! What a server of the modern era answers to what requests say about themselves, or fail to say.

use serde_json::{Value, json};

use super::{
    Check,
    results::result,
    shape::{lacks, refused, show},
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{
    mutation::{Context, Mutation},
    scenario::{NONSENSE_VERSION, Scenario},
};
use proofmark_record::{
    evidence::{Asked, Evidence},
    topic::Topic,
};

pub(crate) const M149: Check = Check {
    how: "asks for server/discover, again and again",
    fix: "answer server/discover",
    judge: |evidence| {
        let asked = evidence.asked_by_method("server/discover").filter(|asked| {
            let topic = asked.topic;
            matches!(topic, Topic::Initialize | Topic::Handshake | Topic::Ping | Topic::StillThere)
        });
        each(asked, "server/discover was not asked for", |asked| {
            let answer = asked.answer?;
            answer
                .result()
                .is_none()
                .then(|| Finding::new("a result", show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "can be discovered only once",
        Mutation::Says(|_, message| {
            if message["id"] == "last-ping" {
                *message = error(&message["id"], -32601);
            }
        }),
    )],
};

pub(crate) const M150: Check = Check {
    how: "looks at every result of server/discover",
    fix: "give supportedVersions, capabilities, resultType, ttlMs and cacheScope",
    judge: |evidence| {
        each(evidence.results("server/discover"), "there was no result", |(answer, result)| {
            let place = answer.place;
            lacks(place, result, "supportedVersions", "an array of strings", |value| {
                value.as_array().is_some_and(|versions| versions.iter().all(Value::is_string))
            })
            .or_else(|| lacks(place, result, "capabilities", "an object", Value::is_object))
            .or_else(|| lacks(place, result, "resultType", "a string", Value::is_string))
            .or_else(|| lacks(place, result, "ttlMs", "a number", Value::is_number))
            .or_else(|| lacks(place, result, "cacheScope", "a string", Value::is_string))
        })
    },
    mutants: &[Mutant::new(
        "keeps its versions to itself",
        Mutation::Says(|_, message| {
            if message["id"] == "last-ping"
                && let Some(result) = message["result"].as_object_mut()
            {
                result.remove("supportedVersions");
            }
        }),
    )],
};

pub(crate) const M147: Check = Check {
    how: "claims to speak the version 1999-01-01",
    fix: "answer -32022 with the versions that you speak in data.supported and the other in data.requested",
    judge: |evidence| {
        each(evidence.asked(Topic::UnknownVersion), "it was not tried", |asked| {
            let expected = "the error -32022 with data.supported and data.requested";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            let data = |member: &str| answer.error()?.get("data")?.get(member);
            let supported = data("supported").and_then(Value::as_array).is_some();
            let requested = data("requested") == Some(&json!(NONSENSE_VERSION));
            let right = answer.code() == Some(-32022) && supported && requested;
            (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[
        to("takes an unknown version for wrong params", "unknown-version", |message| {
            message["error"]["code"] = json!(-32602);
        }),
        to("does not say which versions it speaks", "unknown-version", |message| {
            message["error"]["data"] = json!({ "requested": NONSENSE_VERSION });
        }),
    ],
};

pub(crate) const M148: Check = Check {
    how: "claims to speak the version 1999-01-01",
    fix: "send the error -32022 with status 400",
    judge: |evidence| status_is(evidence, Topic::UnknownVersion, 400),
    mutants: &[status("is friendly about an unknown version", "unknown-version")],
};

pub(crate) const M125: Check = Check {
    how: "leaves out what _meta must have",
    fix: "answer -32602 to requests without a version or capabilities in _meta",
    judge: |evidence| {
        each(evidence.asked(Topic::MetaMissing), "it was not tried", |asked| {
            let expected = "the error -32602";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            // Where a header names a version and the body none, two rules fit.
            let contradicts = asked.id != "no-capabilities" && answer.code() == Some(-32020);
            let right = answer.code() == Some(-32602) || contradicts;
            (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[to("takes what _meta lacks for its own mistake", "no-capabilities", |message| {
        message["error"]["code"] = json!(-32603);
    })],
};

pub(crate) const M126: Check = Check {
    how: "leaves out what _meta must have",
    fix: "send the error -32602 for _meta with status 400",
    judge: |evidence| status_is(evidence, Topic::MetaMissing, 400),
    mutants: &[status("is friendly about a poor _meta", "no-capabilities")],
};

pub(crate) const M128: Check = Check {
    how: "calls, without any capability, what asks an able client something",
    fix: "answer -32021 with what is missing in data.requiredCapabilities",
    judge: |evidence| {
        let refused = refused_for_capabilities(evidence);
        each(refused, ASKS_NOTHING, |asked| {
            let answer = asked.answer?;
            let needed = answer.error()?.pointer("/data/requiredCapabilities");
            let right = answer.code() == Some(-32021) && needed.is_some_and(Value::is_object);
            let expected = "the error -32021 with data.requiredCapabilities";
            (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[
        without_capability("takes missing capabilities for wrong params", |message| {
            message["error"]["code"] = json!(-32602);
        })
        .also(&["M533", "M554", "M559"]),
        without_capability("does not say which capability is missing", |message| {
            message["error"].as_object_mut().map(|error| error.remove("data"));
        })
        .also(&["M533", "M554", "M559"]),
    ],
};

pub(crate) const M129: Check = Check {
    how: "calls, without any capability, what asks an able client something",
    fix: "send the error -32021 with status 400",
    judge: |evidence| {
        let refused = refused_for_capabilities(evidence).filter(|asked| {
            asked.answer.and_then(proofmark_record::evidence::Answer::code) == Some(-32021)
        });
        each(refused, ASKS_NOTHING, |asked| wrong_status(evidence, &asked, 400))
    },
    mutants: &[status("is friendly about missing capabilities", "bare-in-between")],
};

pub(crate) const M105: Check = Check {
    how: "declares no capability in a request between others that declare all",
    fix: "look at nothing but the request itself for versions and capabilities",
    judge: |evidence| {
        let between = evidence
            .asked(Topic::BareCall)
            .filter(|asked| Scenario::at(evidence, asked.place) == Some(Scenario::ROUNDS));
        super::tools::none_applies(
            each(between, "", |asked| {
                let answer = asked.answer?;
                let wants = answer.result()?.get("resultType")? == "input_required";
                wants.then(|| {
                    let expected = "no question to a client that declares nothing";
                    Finding::new(expected, show(answer.message), answer.place)
                })
            }),
            ASKS_NOTHING,
        )
    },
    mutants: &[to("remembers what a client could before", "bare-in-between", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
            "resultType": "input_required", "_meta": { proofmark_record::meta::SERVER_INFO: {} },
            "inputRequests": { "a": { "method": "roots/list" } } } });
    })
    .also(&["M127", "M275"])],
};

pub(crate) const S273: Check = Check {
    how: "asks for logs of a level that does not exist",
    fix: "answer -32602 to a logLevel that does not exist",
    judge: |evidence| {
        refused(evidence, Topic::UnknownLevel, &[-32602], "no unknown level was named")
    },
    mutants: &[Mutant::new(
        "takes any level",
        Mutation::Says(|context, message| {
            if context.params["_meta"][proofmark_record::meta::LOG_LEVEL]
                == "proofmark-no-such-level"
            {
                message["error"]["code"] = json!(-32603);
            }
        }),
    )],
};

pub(crate) const M564: Check = Check {
    how: "looks at the capabilities in every result of server/discover",
    fix: "advertise tasks as an extension only",
    judge: |evidence| {
        each(evidence.results("server/discover"), "there was no result", |(answer, result)| {
            let tasks = result.pointer("/capabilities/tasks")?;
            Some(Finding::new("no capability tasks", show(tasks), answer.place))
        })
    },
    mutants: &[result("advertises tasks as it used to", |context, result| {
        if context.method == Some("server/discover") {
            result["capabilities"]["tasks"] = json!({});
        }
    })],
};

/// Calls without capabilities that were refused.
fn refused_for_capabilities(evidence: &Evidence) -> impl Iterator<Item = Asked<'_>> {
    evidence
        .asked(Topic::BareCall)
        .filter(|asked| asked.answer.is_some_and(|answer| answer.error().is_some()))
}

/// Judges the status of the answers to requests about a topic.
pub(super) fn status_is(evidence: &Evidence, topic: Topic, wanted: u16) -> Outcome {
    each(evidence.asked(topic), "it was not tried", |asked| wrong_status(evidence, &asked, wanted))
}

pub(super) fn wrong_status(evidence: &Evidence, asked: &Asked<'_>, wanted: u16) -> Option<Finding> {
    let exchange = evidence.exchange_of(asked)?;
    (exchange.status != Some(wanted)).then(|| {
        let expected = format!("status {wanted}");
        Finding::new(expected, super::http::told(&exchange), exchange.answered)
    })
}

pub(super) fn error(id: &Value, code: i64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "no" } })
}

/// Changes the answer to the request with this id.
pub(super) const fn to(name: &'static str, id: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name, Mutation::Answer { id, change })
}

/// Sends the answer to the request with this id as if all were well.
pub(super) const fn status(name: &'static str, id: &'static str) -> Mutant {
    Mutant::new(name, Mutation::Status { id, status: 200 })
}

const fn without_capability(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (message["error"]["code"] == -32021).then_some(message)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const ASKS_NOTHING: &str = "no tool that was called asks its client anything";
