//! Errors that JSON-RPC itself defines, and batches.
//!
//! MCP's pages only list the codes; the duty to use them is JSON-RPC's. Deviations are warnings.

use serde_json::{Value, json};

use super::{
    Check,
    envelope::is_response,
    shape::{doubtful, refused, show},
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    event::What,
    evidence::{Evidence, Place},
    side::Side,
    topic::Topic,
};

pub(crate) const M108: Check = Check {
    how: "sends half a message",
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

pub(crate) const M109: Check = Check {
    how: "sends a request without a method, and one whose id is null",
    fix: "answer what is no request with the error -32600",
    judge: |evidence| {
        let first = rejected(evidence, Topic::NotARequest, &[-32600]);
        if first == Outcome::Kept { rejected(evidence, Topic::NullId, &[-32600]) } else { first }
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
    ],
};

pub(crate) const M110: Check = Check {
    how: "asks for a method that does not exist",
    fix: "answer an unknown method with the error -32601",
    judge: |evidence| {
        doubtful(refused(
            evidence,
            Topic::UnknownMethod,
            &[-32601],
            "no unknown method was asked for",
        ))
    },
    mutants: &[Mutant::new(
        "calls an unknown method an internal error",
        Mutation::Says(|context, message| {
            if context.method == Some("proofmark/no-such-method") {
                message["error"]["code"] = json!(-32603);
            }
        }),
    )],
};

pub(crate) const M111: Check = Check {
    how: "leaves out the parameter that a method cannot do without",
    fix: "answer params of the wrong shape with the error -32602",
    judge: |evidence| match refused(evidence, Topic::WrongParams, &[-32602], "") {
        Outcome::Unobserved(_) => Outcome::NotApplicable(
            "the server declares nothing that has a method with parameters".to_owned(),
        ),
        other => doubtful(other),
    },
    mutants: &[Mutant::new(
        "calls wrong params an internal error",
        Mutation::Says(|context, message| {
            if context.method == Some("prompts/get") && context.params == &json!({}) {
                message["error"]["code"] = json!(-32603);
            }
        }),
    )],
};

pub(crate) const M011: Check = Check {
    how: "sends two pings in one batch, and a batch of nothing but a notification",
    fix: "take arrays apart, and answer each request in them",
    judge: |evidence| {
        each(evidence.asked(Topic::Batch), "no batch was sent", |asked| match asked.answer {
            Some(answer) if answer.result().is_some() => None,
            Some(answer) => {
                Some(Finding::new("a result for each request", show(answer.message), answer.place))
            }
            None => Some(Finding::new("a result for each request", "no answer", asked.place)),
        })
    },
    mutants: &[Mutant::new(
        "does not take batches",
        Mutation::Hears(|message| {
            let refusal = json!({ "jsonrpc": "2.0", "id": null,
            "error": { "code": -32600, "message": "no batches" } });
            message.is_array().then(|| vec![refusal.to_string()])
        }),
    )],
};

pub(crate) const A003: Check = Check {
    how: "looks for arrays among everything that the server sends",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.frames(), "batches of its own", |(_, frame)| {
            frame.json.as_ref().is_ok_and(Value::is_array)
        })
    },
    mutants: &[Mutant::new(
        "answers a batch one by one",
        Mutation::Writes(|_, message| match message {
            Value::Array(batch) => batch.iter().map(Value::to_string).collect(),
            single => vec![single.to_string()],
        }),
    )],
};

/// The answer to something that may have no id. Silence and other codes are doubtful: no page of MCP demands otherwise.
pub(super) fn rejected(evidence: &Evidence, topic: Topic, codes: &[i64]) -> Outcome {
    let sent = evidence.events().filter_map(|(place, event)| match &event.what {
        What::Sent { topic: it, frame, .. } if *it == topic => Some((place, frame)),
        _ => None,
    });
    let expected = format!("the error {}", codes[0]);
    doubtful(each(sent, "the handshake of that conversation failed", |(place, frame)| {
        // Whoever repeats the id says what is meant, however much is said between.
        let id = frame.messages().first().and_then(|message| message.get("id"));
        let named = id.filter(|id| !id.is_null()).and_then(|id| evidence.answer(place, id));
        let until_next = evidence.after(place).take_while(|(_, what)| {
            // A late answer may come after the ping that follows, and after what is told meanwhile.
            let follows =
                |topic: &Topic| matches!(topic, Topic::News | Topic::Reply | Topic::StillThere);
            !matches!(what, What::Sent { topic, .. } if !follows(topic))
        });
        let answer = until_next.into_iter().find_map(|(place, what)| match what {
            What::Received { frame, .. } => {
                let mut answers = frame.messages().iter().filter(|message| is_response(message));
                // Not the answer to the ping, and not what a client says late about text that is not even JSON.
                let of_text = |message: &Value| {
                    evidence.side == Side::Client
                        && topic != Topic::NotJson
                        && message["id"].is_null()
                        && message["error"]["code"] == -32700
                };
                let refuses = |it: &&Value| it.get("result").is_none() && !of_text(it);
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
    let of = |what: &What| match what {
        What::Sent { exchange, .. } => Some(*exchange),
        _ => None,
    };
    let exchange = of(&evidence.conversations[sent.conversation].events[sent.event].what);
    let responded = evidence.after(sent).find_map(|(place, what)| match what {
        What::Responded { exchange: it, status, .. } if Some(*it) == exchange => {
            Some((format!("status {status} without a JSON-RPC error"), place))
        }
        _ => None,
    });
    responded.unwrap_or_else(|| ("no answer".to_owned(), sent))
}
