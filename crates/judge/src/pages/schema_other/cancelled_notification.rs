//! `schema/other`: `#ListRootsResult`, `#Root`, `#CancelledNotification`, `#CompleteResult`, `#MethodNotFoundError`, `#PARSE_ERROR`,
//! `#INVALID_REQUEST`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        cancellation::cancellations,
        capabilities::{hides, remove as remove_capabilities},
        client::{each_root, hosted_at, remove, result, results, roots},
        envelope::is_response,
        shape::{doubtful, lacks, lacks_text, show},
        tools::none_applies,
        unanswered::no_answer,
        utilities::{beside, completed, completions, extra, notifications},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    hosted::HostedScenario,
    mutation::{Mutation, result_of},
};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2026_07_28};
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, Place},
    side::Side,
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M072: Requirement = Requirement {
    id: "M072",
    name: "roots-list-result-roots-array",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The roots/list result has a roots array (2026-07-28: inside inputResponses).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ListRootsResult",
    observed: Observed::By(&M072_CHECK),
};

const M072_CHECK: Check = Check {
    how: "asks for roots",
    seen: seen_everywhere(),
    fix: "answer roots/list with an array of roots",
    judge: |evidence| {
        results(evidence, "roots", "roots/list", |answer, result| {
            lacks(answer.place, result, "roots", "an array", Value::is_array)
        })
    },
    mutants: &[result("answers roots/list without roots", "roots/list", |result| {
        remove(result, "roots");
    })],
};

pub(super) const M073: Requirement = Requirement {
    id: "M073",
    name: "every-root-uri",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Every root has a uri.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Root",
    observed: Observed::By(&M073_CHECK),
};

const M073_CHECK: Check = Check {
    how: "looks at every root",
    seen: seen_everywhere(),
    fix: "give each root a uri",
    judge: |evidence| each_root(evidence, |place, root| lacks_text(place, root, "uri")),
    mutants: &[result("has a root without a place", "roots/list", |result| {
        remove(&mut result["roots"][0], "uri");
    })],
};

pub(super) const A021: Requirement = Requirement {
    id: "A021",
    name: "root-may-have-name",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A root may have a name.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Root",
    observed: Observed::By(&A021_CHECK),
};

const A021_CHECK: Check = Check {
    how: "looks at every root",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(roots(evidence), "names of roots", |(_, root)| root.get("name").is_some())
    },
    mutants: &[result("has roots without names", "roots/list", |result| {
        remove(&mut result["roots"][0], "name");
    })],
};

pub(super) const M080: Requirement = Requirement {
    id: "M080",
    name: "notifications-cancelled-names-requestid",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "notifications/cancelled names the requestId (the 2025-11-25 schema makes it optional but still requires it for anything that is not a task).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CancelledNotification",
    observed: Observed::Each {
        server: &Observed::By(&M080_CHECK),
        client: &Observed::By(&M080_CHECK),
    },
};

const M080_CHECK: Check = Check {
    how: "looks at every cancellation by the server",
    seen: seen_everywhere(),
    fix: "name the request in requestId",
    judge: |evidence| {
        let outcome = each(notifications(evidence, "notifications/cancelled"), "", |heard| {
            let id = heard.message.pointer("/params/requestId");
            let named = id.is_some_and(|id| id.is_string() || id.is_number());
            (!named).then(|| Finding::new("a requestId", show(heard.message), heard.place))
        });
        none_applies(outcome, "the server cancelled nothing")
    },
    mutants: &[extra("cancels nobody knows what", |_, message| {
        beside(
            message,
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}",
        )
    })],
};

pub(super) const A023: Requirement = Requirement {
    id: "A023",
    name: "cancellation-may-give-reason",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A cancellation may give a reason.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CancelledNotification",
    observed: Observed::Each {
        server: &Observed::By(&A023_SERVER),
        client: &Observed::By(&A023_CLIENT),
    },
};

const A023_SERVER: Check = Check {
    how: "looks at every cancellation by the server",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(cancellations(evidence), "reasons of cancellations", |(heard, _)| {
            heard.message.pointer("/params/reason").is_some()
        })
    },
    mutants: &[Mutant::new(
        "thinks otherwise about giving reasons",
        Mutation::Writes(|_, message| {
            let mut message = message.clone();
            if message["method"] == "notifications/cancelled" {
                if message["params"].get("reason").is_some() {
                    message["params"].as_object_mut().map(|params| params.remove("reason"));
                } else {
                    message["params"]["reason"] = json!("nobody waits for it");
                }
            }
            vec![message.to_string()]
        }),
    )],
};

const A023_CLIENT: Check = Check {
    how: "looks at every cancellation of the client",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.told("notifications/cancelled"), "reasons of cancellations", |heard| {
            heard.message.pointer("/params/reason").is_some()
        })
    },
    mutants: &[Mutant::new(
        "changes its mind about reasons",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/cancelled" {
                let known = message["params"].get("reason").is_some();
                if known {
                    remove(&mut message["params"], "reason");
                } else {
                    message["params"]["reason"] = json!("because");
                }
            }
        }),
    )],
};

pub(super) const A064: Requirement = Requirement {
    id: "A064",
    name: "cancellation-reason-may-logged-or-shown",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A cancellation reason may be logged or shown (schema comment).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CancelledNotification",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M089: Requirement = Requirement {
    id: "M089",
    name: "completion-complete-returns",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "completion/complete returns completion.values.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CompleteResult",
    observed: Observed::By(&M089_CHECK),
};

const M089_CHECK: Check = Check {
    how: "completes an argument of a prompt or template",
    seen: seen_everywhere(),
    fix: "answer completion/complete with an array of strings in completion.values",
    judge: |evidence| {
        // What had to be refused is no completion, whatever it was answered with.
        let refusable: Vec<_> = [Topic::CompleteNothing, Topic::CompleteNumber]
            .into_iter()
            .flat_map(|topic| evidence.asked(topic))
            .filter_map(|asked| Some(asked.answer?.place))
            .collect();
        completions(evidence, |place, result| {
            (!refusable.contains(&place)).then_some(())?;
            let values = result.pointer("/completion/values").and_then(Value::as_array);
            let right = values.is_some_and(|values| values.iter().all(Value::is_string));
            (!right).then(|| Finding::new("strings in completion.values", show(result), place))
        })
    },
    mutants: &[completed("completes without values", |result| {
        *result = json!({ "completion": {} });
    })],
};

pub(super) const A026: Requirement = Requirement {
    id: "A026",
    name: "completion-result-may-give-total-number",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A completion result may give the total number of matches.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CompleteResult",
    observed: Observed::By(&A026_CHECK),
};

const A026_CHECK: Check = Check {
    how: "looks at every completion",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.results("completion/complete"), "the number of matches", |(_, result)| {
            result.pointer("/completion/total").is_some()
        })
    },
    mutants: &[Mutant::new(
        "changes its mind about totals",
        Mutation::Says(|context, message| {
            if let Some(result) = result_of(context, message, "completion/complete") {
                let known = result["completion"].get("total").is_some();
                if known {
                    result["completion"]
                        .as_object_mut()
                        .map(|completion| completion.remove("total"));
                } else {
                    result["completion"]["total"] = json!(1);
                }
            }
        }),
    )],
};

pub(super) const M107: Requirement = Requirement {
    id: "M107",
    name: "method-behind-capability-server-did-not",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A method behind a capability the server did not advertise is answered -32601 (schema comment).",
    section: "schema/2026-07-28/schema.ts#MethodNotFoundError",
    observed: Observed::By(&M107_CHECK),
};

const M107_CHECK: Check = Check {
    how: "asks for what belongs to a capability that is not declared",
    seen: seen_in(&["tour"]),
    fix: "answer methods of capabilities that you do not declare with -32601",
    judge: |evidence| {
        let outcome = each(evidence.asked(Topic::Undeclared), "", |asked| {
            let answer = asked.answer?;
            (answer.code() != Some(-32601))
                .then(|| Finding::new("the error -32601", show(answer.message), answer.place))
        });
        none_applies(outcome, "the server declares all that was asked for")
    },
    mutants: &[hides("serves what it does not declare", |context, message| {
        remove_capabilities(context, message, "/prompts", None);
    })
    .also(&["M058", "M064", "M453", "S235"])],
};

pub(super) const M108: Requirement = Requirement {
    id: "M108",
    name: "text-not-json-answered-32700",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Text that is not JSON is answered with -32700 (JSON-RPC rule; the code is listed in every schema).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#PARSE_ERROR",
    observed: Observed::Each {
        server: &Observed::By(&M108_SERVER),
        client: &Observed::By(&M108_CLIENT),
    },
};

const M108_SERVER: Check = Check {
    how: "sends half a message",
    seen: seen_in(&["garbage"]),
    fix: "answer what is not JSON with the error -32700",
    judge: |evidence| rejected(evidence, Topic::NotJson, &[-32700]),
    mutants: &[Mutant::new(
        "takes broken JSON for a bad request",
        Mutation::Says(|_, message| {
            if message["error"]["code"] == -32700 {
                message["error"]["code"] = json!(-32603);
            }
        }),
    )],
};

const M108_CLIENT: Check = Check {
    how: "sends half a message, and looks at what the client says to that",
    seen: seen_in(&["hosted babble"]),
    fix: "answer what is not JSON with the error -32700, or not at all",
    judge: |evidence| {
        let sent = |wanted: Topic, conversation: usize| {
            let mut sent = evidence.events().filter(move |(place, event)| {
                place.conversation == conversation
                    && matches!(event.kind, EventKind::Sent { topic, .. } if topic == wanted)
            });
            sent.next().map(|(place, _)| place.event)
        };
        // Nothing else is answered without an id.
        let answers = evidence.frames().flat_map(|(place, frame)| {
            let said = frame.messages().iter().map(move |message| (place, message));
            said.filter(|(_, it)| it.get("error").is_some() && it["id"].is_null())
        });
        let answers = answers.filter(|(place, message)| {
            // What is no request is answered so, if its id was not read.
            let of_another = message["error"]["code"] == -32600
                && sent(Topic::NotARequest, place.conversation).is_some_and(|it| it < place.event);
            sent(Topic::NotJson, place.conversation).is_some() && !of_another
        });
        let outcome = each(answers, "", |(at, message)| {
            let right = message["error"]["code"] == -32700;
            (!right).then(|| Finding::new("the error -32700", show(message), at))
        });
        match doubtful(outcome) {
            // What cannot be read may have been an answer, and answers have none.
            Outcome::Unobserved(_) => Outcome::NotApplicable(
                "the client is silent about what may have been no request".to_owned(),
            ),
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "takes broken JSON for wrong params",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "no-request" {
                let answer = json!({ "jsonrpc": "2.0", "id": null,
                    "error": { "code": -32602, "message": "what?" } });
                texts.push(answer.to_string());
            }
            texts
        }),
    )],
};

pub(super) const M109: Requirement = Requirement {
    id: "M109",
    name: "json-not-valid-request-object-answered",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "JSON that is not a valid request object is answered with -32600 (JSON-RPC rule; the code is listed in every schema).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#INVALID_REQUEST",
    observed: Observed::Each {
        server: &Observed::By(&M109_SERVER),
        client: &Observed::By(&M109_CLIENT),
    },
};

const M109_SERVER: Check = Check {
    how: "sends a request without a method, one whose id is null, and an empty batch where there are batches",
    seen: seen_in(&["garbage"]),
    fix: "answer what is no request with the error -32600",
    judge: |evidence| {
        let first = rejected(evidence, Topic::NotARequest, &[-32600]);
        if first != Outcome::Kept {
            return first;
        }
        match rejected(evidence, Topic::NullId, &[-32600]) {
            Outcome::Kept if evidence.revision.rules().batches.accepted() => {
                rejected(evidence, Topic::EmptyBatch, &[-32600])
            }
            // A server that still takes batches has said something, too.
            Outcome::Kept if evidence.asked(Topic::OddBatch).all(|it| it.answer.is_none()) => {
                rejected(evidence, Topic::OddBatch, &[-32600])
            }
            other => other,
        }
    },
    mutants: &[
        Mutant::new(
            "takes what is no request for an unknown method",
            Mutation::Says(|_, message| {
                if message["error"]["code"] == -32600 {
                    message["error"]["code"] = json!(-32601);
                }
            }),
        ),
        Mutant::new(
            "drops requests whose id is null",
            Mutation::Hears(|message| message.get("id").is_some_and(Value::is_null).then(Vec::new)),
        ),
        Mutant::new(
            "says nothing to batches where there are none",
            Mutation::Hears(|message| message.is_array().then(Vec::new)),
        ),
        Mutant {
            revision: Some(V2025_03_26),
            ..Mutant::new(
                "says nothing to an empty batch",
                Mutation::Hears(|message| (*message == json!([])).then(Vec::new)),
            )
        },
    ],
};

const M109_CLIENT: Check = Check {
    how: "sends a request whose method is a number",
    seen: seen_in(&["hosted babble"]),
    fix: M109_SERVER.fix,
    judge: |evidence| {
        let stayed = evidence.asked(Topic::StillThere).any(|ping| {
            hosted_at(evidence, ping.place) == Some(HostedScenario::BABBLE) && ping.answer.is_some()
        });
        if !stayed {
            let why = "the client did not answer the ping that followed, or could not be asked";
            return Outcome::Unobserved(why.to_owned());
        }
        rejected(evidence, Topic::NotARequest, &[-32600])
    },
    mutants: &[Mutant::new(
        "takes what is no request for an unknown method",
        Mutation::Says(|_, message| {
            if message["id"] == "no-request" {
                message["error"]["code"] = json!(-32601);
            }
        }),
    )],
};

/// The answer to something that may have no id. Silence and other codes are doubtful: no page of MCP demands otherwise.
fn rejected(evidence: &Evidence, topic: Topic, codes: &[i64]) -> Outcome {
    let sent = evidence.events().filter_map(|(place, event)| match &event.kind {
        EventKind::Sent { topic: it, frame, .. } if *it == topic => Some((place, frame)),
        _ => None,
    });
    let expected = format!("the error {}", codes[0]);
    doubtful(each(sent, "the handshake of that conversation failed", |(place, frame)| {
        // A client that repeats the id says what is meant, however much is said between.
        let id = frame.messages().first().and_then(|message| message.get("id"));
        let named = id.filter(|id| !id.is_null()).and_then(|id| evidence.answer(place, id));
        let until_next = evidence.after(place).take_while(|(_, what)| {
            // A late answer may come after the ping that follows, and after what is told meanwhile.
            let follows =
                |topic: &Topic| matches!(topic, Topic::News | Topic::Reply | Topic::StillThere);
            !matches!(what, EventKind::Sent { topic, .. } if !follows(topic))
        });
        let until_next: Vec<_> = until_next.collect();
        let of_ping = |message: &Value| {
            until_next.iter().any(|(_, what)| {
                matches!(what, EventKind::Sent { topic: Topic::StillThere, frame, .. }
                    if frame.messages().iter().any(|ping| ping["id"] == message["id"]))
            })
        };
        let answer = until_next.iter().copied().find_map(|(place, what)| match what {
            EventKind::Received { frame, .. } => {
                let mut answers = frame.messages().iter().filter(|message| is_response(message));
                // Not the answer to the ping, and not what a client says late about text that is not even JSON.
                let of_text = |message: &Value| {
                    evidence.side == Side::Client
                        && topic != Topic::NotJson
                        && message["id"].is_null()
                        && message["error"]["code"] == -32700
                };
                let refuses =
                    |it: &&Value| it.get("result").is_none() && !of_text(it) && !of_ping(it);
                Some((place, answers.find(refuses)?))
            }
            _ => None,
        });
        let named = named.map(|answer| (answer.place, answer.message));
        let Some((at, message)) = named.or(answer) else {
            let (actual, at) = status_of(evidence, place);
            return Some(Finding::new(expected.as_str(), actual, at));
        };
        let code = message["error"]["code"].as_i64();
        let right = code.is_some_and(|code| codes.contains(&code));
        (!right).then(|| Finding::new(expected.as_str(), show(message), at))
    }))
}

/// What HTTP said about something that was sent, where it said anything.
fn status_of(evidence: &Evidence, sent: Place) -> (String, Place) {
    let of = |what: &EventKind| match what {
        EventKind::Sent { exchange, .. } => Some(*exchange),
        _ => None,
    };
    let exchange = of(&evidence.conversations[sent.conversation].events[sent.event].kind);
    let responded = evidence.after(sent).find_map(|(place, what)| match what {
        EventKind::Responded { exchange: it, status, .. } if Some(*it) == exchange => {
            Some((format!("status {status} without a JSON-RPC error"), place))
        }
        _ => None,
    });
    responded.unwrap_or_else(|| (no_answer(evidence, sent), sent))
}

#[cfg(test)]
mod tests;
