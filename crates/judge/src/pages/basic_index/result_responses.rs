//! `basic/index`: `#result-responses`, `#error-responses`, `#notifications`.

use super::shared::{is_asked_for, is_rejection};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::remove,
        envelope::is_response,
        results::{NO_RESULT, result, results},
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2025_11_25, V2026_07_28};
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, PeerMessage},
    topic::Topic,
    transport::Transport,
};
use serde_json::{Value, json};
use std::collections::HashMap;

pub(super) const M006: Requirement = Requirement {
    id: "M006",
    name: "response-repeats-id-request",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A response repeats the id of its request (since 2025-11-25 an error may omit it only if the id could not be read).",
    section: "docs/specification/2024-11-05/basic/messages.mdx#responses ; docs/specification/{2025-03-26..2025-06-18}/basic/index.mdx#responses ; docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#result-responses",
    observed: Observed::Each {
        server: &Observed::By(&M006_CHECK),
        client: &Observed::By(&M006_CHECK),
    },
};

const M006_CHECK: Check = Check {
    how: "compares the id of every response with those of the requests before it, as JSON values: 1 is not \"1\"",
    seen: seen_in(&["envelopes", "hosted ask", "tour"]),
    fix: "copy the id of the request into the response as it came, and answer once",
    judge: |evidence| {
        let unmatched = unmatched(evidence);
        each(responses(evidence), "the server sent no response", |heard| {
            let known = unmatched.iter().all(|it| !std::ptr::eq(*it, heard.message));
            if known || is_rejection(evidence, heard) {
                return None;
            }
            let expected = if is_asked_for(evidence, heard) {
                "one answer to each request"
            } else {
                "the id of a request that was sent before"
            };
            Some(Finding::new(expected, show(heard.message), heard.place))
        })
    },
    mutants: &[
        Mutant::new(
            "answers under an id of its own",
            Mutation::Says(|context, message| {
                if context.method == Some("proofmark/no-such-method") {
                    message["id"] = json!("own");
                }
            }),
        )
        .also(&["M110"]),
        Mutant::new(
            "turns numbers in ids into strings",
            Mutation::Says(|context, message| {
                if context.method == Some("proofmark/no-such-method") {
                    message["id"] = json!(message["id"].to_string());
                }
            }),
        )
        .also(&["M110"]),
        changes_id("takes strings of digits for numbers", |id| {
            let number = id.as_str().and_then(|it| it.parse::<i64>().ok());
            number.map(Value::from)
        })
        .also(&["M079", "M110"]),
        changes_id("takes an empty id for none", |id| (id == "").then_some(Value::Null))
            .also(&["M079"]),
        changes_id("takes the id 0 for none", |id| (*id == json!(0)).then_some(Value::Null))
            .also(&["M079"]),
        changes_id("has no negative ids", |id| {
            id.as_i64().filter(|it| *it < 0).map(|it| Value::from(-it))
        })
        .also(&["M079", "M110", "M042"]),
        changes_id("reads large ids as floating point numbers", |id| {
            let large = id.as_i64().filter(|it| *it > i64::from(i32::MAX));
            large.map(|it| json!(format!("{it}.0").parse::<f64>().unwrap_or_default()))
        })
        .also(&["M079"]),
        changes_id("cuts long ids", |id| {
            let text = id.as_str().filter(|it| it.len() > 64)?;
            Some(Value::from(&text[..64]))
        })
        .also(&["M079"]),
        changes_id("trims ids", |id| {
            let text = id.as_str()?;
            (text.trim() != text).then(|| Value::from(text.trim()))
        })
        .also(&["M079"]),
        changes_id("spells ids in ASCII", |id| {
            let text = id.as_str().filter(|it| !it.is_ascii())?;
            Some(Value::from(text.replace(|it: char| !it.is_ascii(), "?")))
        })
        .also(&["M079", "M110"]),
        Mutant::new(
            "answers twice",
            Mutation::Writes(|_, message| {
                let twice = message["id"] == "ping-by-string";
                vec![message.to_string(); if twice { 2 } else { 1 }]
            }),
        ),
        Mutant::new(
            "gives errors twice",
            Mutation::Writes(|context, message| {
                let twice = context.method == Some("proofmark/no-such-method");
                vec![message.to_string(); if twice { 2 } else { 1 }]
            }),
        ),
        Mutant::new(
            "turns every id into a string",
            Mutation::Says(|_, message| {
                if is_response(message) && message["id"].is_number() {
                    message["id"] = json!(message["id"].to_string());
                }
            }),
        ),
        Mutant::new(
            "turns every id into a fraction",
            Mutation::Says(|_, message| {
                if is_response(message)
                    && let Some(id) = message["id"].as_f64()
                {
                    message["id"] = json!(id);
                }
            }),
        ),
        Mutant::new(
            "answers everything under null",
            Mutation::Says(|_, message| {
                if is_response(message) {
                    message["id"] = Value::Null;
                }
            }),
        )
        .also(&["M108", "M109", "M110", "M111", "M221", "M055", "M079"]),
    ],
};

pub(super) const M007: Requirement = Requirement {
    id: "M007",
    name: "response-contains-exactly-one-result-error",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A response contains exactly one of result and error (since 2025-11-25 stated as two disjoint response shapes).",
    section: "docs/specification/2024-11-05/basic/messages.mdx#responses ; docs/specification/{2025-03-26..2025-06-18}/basic/index.mdx#responses ; docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#result-responses",
    observed: Observed::Each {
        server: &Observed::By(&M007_CHECK),
        client: &Observed::By(&M007_CHECK),
    },
};

const M007_CHECK: Check = Check {
    how: "looks at every response",
    seen: seen_everywhere(),
    fix: "send either result or error, never both and never neither",
    judge: |evidence| {
        let answers = evidence.heard().filter(|heard| {
            let has = |member: &str| heard.message.get(member).is_some();
            is_response(heard.message) || (has("id") && !has("method"))
        });
        each(answers, "the server sent no response", |heard| {
            let has = |member: &str| heard.message.get(member).is_some();
            let one = has("result") != has("error");
            (!one).then(|| Finding::new("either result or error", show(heard.message), heard.place))
        })
    },
    mutants: &[
        Mutant::new(
            "sends a result beside the error",
            Mutation::Says(|context, message| {
                if context.method == Some("proofmark/no-such-method") {
                    message["result"] = json!({});
                }
            }),
        ),
        Mutant::new(
            "sends an error of null beside every result",
            Mutation::Says(|_, message| {
                if message.get("result").is_some() {
                    message["error"] = Value::Null;
                }
            }),
        ),
    ],
};

pub(super) const M094: Requirement = Requirement {
    id: "M094",
    name: "success-response-result-member",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "A success response has a result member.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#result-responses",
    observed: Observed::Each {
        server: &Observed::By(&M094_SERVER),
        client: &Observed::By(&M094_CLIENT),
    },
};

const M094_SERVER: Check = Check {
    how: "looks at every response",
    seen: seen_everywhere(),
    fix: "send \"result\": {} where there is nothing to say",
    judge: |evidence| {
        let answers = evidence.heard().filter(|heard| {
            heard.message.get("id").is_some()
                && heard.message.get("method").is_none()
                && heard.message.get("error").is_none()
        });
        each(answers, "the server sent no response", |heard| {
            let right = heard.message.get("result").is_some();
            (!right).then(|| Finding::new("a result", show(heard.message), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "answers without an outcome",
        Mutation::Says(|context, message| {
            if context.method == Some("logging/setLevel") {
                message.as_object_mut().map(|message| message.remove("result"));
            }
        }),
    )
    .also(&["M007", "M487"])],
};

const M094_CLIENT: Check = Check {
    how: M094_SERVER.how,
    seen: seen_everywhere(),
    fix: M094_SERVER.fix,
    judge: M094_SERVER.judge,
    mutants: &[Mutant::new(
        "answers without an outcome",
        Mutation::Says(|_, message| {
            if message["id"] == "ping-by-string" {
                remove(message, "result");
            }
        }),
    )
    .also(&["M007", "M079"])],
};

pub(super) const M096: Requirement = Requirement {
    id: "M096",
    name: "every-result-carries-resulttype",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Every result carries resultType.",
    section: "docs/specification/2026-07-28/basic/index.mdx#result-responses ; schema/2026-07-28/schema.ts#Result",
    observed: Observed::By(&M096_CHECK),
};

const M096_CHECK: Check = Check {
    how: "looks at every result",
    seen: seen_in(&["tour"]),
    fix: "say in resultType what kind of result it is: complete, if it is one",
    judge: |evidence| {
        each(results(evidence), NO_RESULT, |(heard, result)| {
            let typed = result.get("resultType").is_some_and(Value::is_string);
            (!typed).then(|| Finding::new("a resultType", show(result), heard.place))
        })
    },
    mutants: &[result("does not say what kind of result it is", |context, result| {
        if context.method == Some("completion/complete") {
            result.as_object_mut().map(|result| result.remove("resultType"));
        }
    })],
};

pub(super) const A029: Requirement = Requirement {
    id: "A029",
    name: "result-may-json-object-any-shape",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "A result may be a JSON object of any shape.",
    section: "docs/specification/{2025-03-26..2025-06-18}/basic/index.mdx#responses ; docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#result-responses",
    observed: Observed::Unobservable(
        "a permission for those who design results; the shapes of results have rows of their own",
    ),
};

pub(super) const M008: Requirement = Requirement {
    id: "M008",
    name: "error-object-at-least-code-message",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "An error object has at least a code and a message.",
    section: "schema/{2024-11-05..2025-06-18}/schema.ts#JSONRPCError ; docs/specification/{2025-03-26..2025-06-18}/basic/index.mdx#responses ; docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#error-responses ; schema/{2025-11-25..2026-07-28}/schema.ts#Error",
    observed: Observed::Each {
        server: &Observed::By(&M008_CHECK),
        client: &Observed::By(&M008_CHECK),
    },
};

const M008_CHECK: Check = Check {
    how: "looks at every error",
    seen: seen_everywhere(),
    fix: "give each error a code and a message",
    judge: |evidence| {
        // Beside a result it is for the rule about those.
        let errors = errors(evidence)
            .filter(|(heard, error)| !error.is_null() || heard.message.get("result").is_none());
        each(errors, "the server sent no error", |(heard, error)| {
            let right =
                error.get("code").is_some() && error.get("message").is_some_and(Value::is_string);
            (!right).then(|| Finding::new("code and message", show(error), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "gives errors without a message",
        Mutation::Says(|_, message| {
            if let Some(error) = message.get_mut("error").and_then(Value::as_object_mut) {
                error.remove("message");
            }
        }),
    )],
};

pub(super) const M092: Requirement = Requirement {
    id: "M092",
    name: "error-code-integer",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "An error code is an integer.",
    section: "docs/specification/2024-11-05/basic/messages.mdx#responses ; docs/specification/{2025-03-26..2025-06-18}/basic/index.mdx#responses ; docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#error-responses",
    observed: Observed::Each {
        server: &Observed::By(&M092_CHECK),
        client: &Observed::By(&M092_CHECK),
    },
};

const M092_CHECK: Check = Check {
    how: "looks at the code of every error",
    seen: seen_everywhere(),
    fix: "write codes as integers",
    judge: |evidence| {
        each(errors(evidence), "the server sent no error", |(heard, error)| {
            let code = error.get("code")?;
            let right = code.is_i64() || code.is_u64();
            (!right).then(|| Finding::new("a code that is an integer", show(code), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "writes codes as strings",
        Mutation::Says(|context, message| {
            if context.method == Some("proofmark/no-such-method") {
                message["error"]["code"] = json!("-32601");
            }
        }),
    )
    .also(&["M110"])],
};

pub(super) const A030: Requirement = Requirement {
    id: "A030",
    name: "error-may-carry-data-any-type",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An error may carry data of any type.",
    section: "docs/specification/2026-07-28/basic/index.mdx#error-responses",
    observed: Observed::Unobservable("a permission: data of every type, and none, are right"),
};

pub(super) const M009: Requirement = Requirement {
    id: "M009",
    name: "notification-no-id",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A notification has no id.",
    section: "docs/specification/2024-11-05/basic/messages.mdx#notifications ; docs/specification/{2025-03-26..2026-07-28}/basic/index.mdx#notifications",
    observed: Observed::Each {
        server: &Observed::By(&M009_SERVER),
        client: &Observed::By(&M009_CLIENT),
    },
};

const M009_SERVER: Check = Check {
    how: "looks for messages that are notifications by their method and yet have an id",
    seen: seen_everywhere(),
    fix: "leave the id out of notifications",
    judge: |evidence| {
        let notifications =
            evidence.heard_methods().filter(|(_, method)| method.starts_with("notifications/"));
        each(notifications, "the server sent no notification", |(heard, _)| {
            let id = heard.message.get("id")?;
            Some(Finding::new("no id", format!("the id {}", show(id)), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "numbers its notifications",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/message" {
                message["id"] = json!("numbered");
            }
        }),
    )
    .also(&["M004"])],
};

const M009_CLIENT: Check = Check {
    how: M009_SERVER.how,
    seen: seen_everywhere(),
    fix: M009_SERVER.fix,
    judge: M009_SERVER.judge,
    mutants: &[Mutant::new(
        "numbers its notifications",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/roots/list_changed" {
                message["id"] = json!("numbered");
            }
        }),
    )
    .also(&["M074"])],
};

pub(super) const M093: Requirement = Requirement {
    id: "M093",
    name: "notification-never-answered",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "A notification is never answered.",
    section: "docs/specification/{2025-03-26..2026-07-28}/basic/index.mdx#notifications",
    observed: Observed::Each {
        server: &Observed::By(&M093_CHECK),
        client: &Observed::By(&M093_CHECK),
    },
};

const M093_CHECK: Check = Check {
    how: "sends notifications that no server knows, that make no sense, or that name the method of a request, and listens",
    seen: seen_in(&["envelopes", "garbage", "hosted ask", "tour"]),
    fix: "never answer a message without an id, not even with an error",
    judge: |evidence| {
        let told = evidence.events().filter_map(|(place, event)| match &event.kind {
            EventKind::Sent {
                topic:
                    Topic::UnknownNotification
                    | Topic::CancelUnknown
                    | Topic::OddNotification
                    | Topic::BatchOfNotifications,
                exchange,
                ..
            } => Some((place, *exchange)),
            _ => None,
        });
        each(told, "no notification was sent", |(place, exchange)| {
            let until_next_request = evidence.after(place).take_while(|(_, what)| {
                let over = |topic: &Topic| {
                    matches!(topic, Topic::StillThere | Topic::Batch | Topic::EmptyBatch)
                };
                !matches!(what, EventKind::Sent { topic, .. } if over(topic))
            });
            let answer = until_next_request.into_iter().find_map(|(place, what)| match what {
                EventKind::Received { exchange: it, frame } if *it == exchange || *it == 0 => {
                    let message = frame.messages().iter().find(|message| is_response(message))?;
                    Some(PeerMessage { place, message })
                        .filter(|heard| !is_asked_for(evidence, *heard))
                }
                _ => None,
            })?;
            let refused = exchange != 0
                && evidence.transport == Transport::Http
                && !evidence.is_success(answer.place, exchange);
            (!refused).then(|| Finding::new("no answer", show(answer.message), answer.place))
        })
    },
    mutants: &[
        Mutant::new(
            "answers notifications",
            Mutation::Hears(|message| {
                let error = json!({ "jsonrpc": "2.0", "id": null,
            "error": { "code": -32601, "message": "no such notification" } });
                (message["method"] == "notifications/proofmark/unknown")
                    .then(|| vec![error.to_string()])
            }),
        )
        .also(&["M006"]),
        Mutant::new(
            "answers requests that have no id",
            Mutation::Hears(|message| {
                let result = json!({ "jsonrpc": "2.0", "id": null, "result": {} });
                (message["method"] == "ping" && message.get("id").is_none())
                    .then(|| vec![result.to_string()])
            }),
        )
        .also(&["M006"]),
        Mutant::new(
            "complains about notifications that make no sense",
            Mutation::Hears(|message| {
                let error = json!({ "jsonrpc": "2.0", "id": null,
                    "error": { "code": -32602, "message": "what is cancelled?" } });
                (message["method"] == "notifications/cancelled"
                    && message["params"].get("requestId").is_none())
                .then(|| vec![error.to_string()])
            }),
        )
        .also(&["M006"]),
    ],
};

fn responses(evidence: &Evidence) -> impl Iterator<Item = PeerMessage<'_>> {
    evidence.heard().filter(|heard| is_response(heard.message))
}

fn errors(evidence: &Evidence) -> impl Iterator<Item = (PeerMessage<'_>, &Value)> {
    evidence.heard().filter_map(|heard| Some((heard, heard.message.get("error")?)))
}

/// Changes the ids of responses.
const fn changes_id(name: &'static str, change: fn(&Value) -> Option<Value>) -> Mutant {
    Mutant::new(name, Mutation::Ids(change))
}

/// Responses that no request was left for: it was answered before, or there was none.
fn unmatched(evidence: &Evidence) -> Vec<&Value> {
    let mut unmatched = Vec::new();
    let mut open: HashMap<(usize, String), usize> = HashMap::new();
    let mut sent = evidence.events().peekable();
    for heard in responses(evidence) {
        while let Some((place, event)) = sent.next_if(|(place, _)| {
            (place.conversation, place.event) < (heard.place.conversation, heard.place.event)
        }) {
            let EventKind::Sent { frame, .. } = &event.kind else { continue };
            // An answer of the checker has the id of a request of the peer, and asks for nothing.
            let asks = |message: &&Value| !is_response(message);
            let asked = frame.messages().iter().filter(asks);
            for id in asked.filter_map(|message| message.get("id")) {
                *open.entry((place.conversation, id.to_string())).or_default() += 1;
            }
        }
        let id = heard.message.get("id").unwrap_or(&Value::Null);
        match open.get_mut(&(heard.place.conversation, id.to_string())) {
            Some(count) if *count > 0 => *count -= 1,
            _ => unmatched.push(heard.message),
        }
    }
    unmatched
}
