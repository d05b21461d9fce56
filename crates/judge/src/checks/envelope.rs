//! The envelope of every message.

use serde_json::{Value, json};

use super::{Check, shape::show};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation, scenario::Scenario};
use proofmark_record::{
    event::{Border, What},
    evidence::{Evidence, Heard, PeerRequest},
    topic::Topic,
};

pub(crate) const M001: Check = Check {
    how: "looks at every message of every conversation",
    fix: "write each message as one JSON object with \"jsonrpc\": \"2.0\"",
    judge: |evidence| {
        each(evidence.frames(), "the server sent no message", |(place, frame)| {
            let expected = "a JSON-RPC 2.0 message";
            if let Err(error) = &frame.json {
                // On a pipe this is for the rule about what may be on it.
                let over_http = !matches!(frame.border, Border::Line | Border::Cut);
                return over_http
                    .then(|| Finding::new(expected, format!("no JSON: {error}"), place));
            }
            let wrong = frame
                .messages()
                .iter()
                .find(|message| message.get("jsonrpc") != Some(&json!("2.0")))?;
            Some(Finding::new(expected, show(wrong), place))
        })
    },
    mutants: &[
        Mutant::new(
            "leaves out jsonrpc",
            Mutation::Says(|context, message| {
                if context.method == Some("ping") {
                    message.as_object_mut().map(|message| message.remove("jsonrpc"));
                }
            }),
        ),
        Mutant::new(
            "speaks JSON-RPC 1.0",
            Mutation::Says(|context, message| {
                if context.method == Some("ping") {
                    message["jsonrpc"] = json!("1.0");
                }
            }),
        ),
    ],
};

pub(crate) const M002: Check = Check {
    how: "looks at the id of every request of the server",
    fix: "give each request an id that is a string or an integer",
    judge: |evidence| {
        each_request(server_requests(evidence), |heard| {
            let id = &heard.message["id"];
            let right = id.is_string() || id.is_i64() || id.is_u64() || id.is_null();
            (!right).then(|| {
                Finding::new("an id that is a string or an integer", show(id), heard.place)
            })
        })
    },
    mutants: &[asks("asks under an id that is a fraction", |_, message| {
        beside(message, &json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }))
    })
    .also(&["M006"])],
};

pub(crate) const M003: Check = Check {
    how: "looks at the id of every request of the server",
    fix: "never send a request whose id is null",
    judge: |evidence| {
        each_request(server_requests(evidence), |heard| {
            let null = heard.message["id"].is_null();
            null.then(|| Finding::new("an id that is not null", show(heard.message), heard.place))
        })
    },
    mutants: &[asks("asks under null", |_, message| {
        beside(message, &json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }))
    })
    .also(&["M006"])],
};

pub(crate) const M004: Check = Check {
    how: "compares the ids of all requests of the server in one conversation",
    fix: "count upwards and never begin again within a session",
    judge: |evidence| {
        let requests: Vec<_> = server_requests(evidence).collect();
        each_request(requests.iter().enumerate(), |(index, heard)| {
            let same = |earlier: &&Heard<'_>| {
                earlier.place.conversation == heard.place.conversation
                    && earlier.message["id"] == heard.message["id"]
            };
            let reused = requests[..index].iter().find(same).is_some();
            reused.then(|| {
                Finding::new("an id that was not used before", show(heard.message), heard.place)
            })
        })
    },
    mutants: &[asks("asks twice under the same id", |_, message| {
        let ping = json!({ "jsonrpc": "2.0", "id": "again", "method": "ping" });
        let mut texts = beside(message, &ping);
        if texts.len() > 1 {
            texts.push(ping.to_string());
        }
        texts
    })],
};

pub(crate) const M095: Check = Check {
    how: "compares the ids of all requests of the server that are open at the same time",
    fix: "give each request an id that no other open request of yours has",
    judge: |evidence| {
        let requests: Vec<_> = evidence.requests().collect();
        each_request(requests.iter().enumerate(), |(index, request)| {
            let open = |earlier: &&PeerRequest<'_>| {
                let answered = earlier.answer.map(|answer| answer.place.event);
                earlier.place.conversation == request.place.conversation
                    && earlier.id == request.id
                    && answered.is_none_or(|answered| answered > request.place.event)
            };
            let reused = requests[..index].iter().find(open).is_some();
            reused.then(|| {
                Finding::new("an id that no open request has", show(request.id), request.place)
            })
        })
    },
    mutants: &[Mutant::new(
        "asks twice under one id before it is answered",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "last-ping" {
                let ask = json!({ "jsonrpc": "2.0", "id": "again", "method": "proofmark/ask" });
                texts.extend([ask.to_string(), ask.to_string()]);
            }
            texts
        }),
    )
    .also(&["M157", "M159"])],
};

pub(crate) const M005: Check = Check {
    how: "looks at the method of every message with an id and no outcome",
    fix: "name the method with a string",
    judge: |evidence| {
        let requests = evidence.heard().filter(|heard| {
            heard.message.get("id").is_some() && heard.message.get("method").is_some()
        });
        each_request(requests, |heard| {
            let right = heard.message["method"].is_string();
            (!right).then(|| {
                Finding::new("a method that is a string", show(heard.message), heard.place)
            })
        })
    },
    mutants: &[asks("asks for a method that is a number", |_, message| {
        beside(message, &json!({ "jsonrpc": "2.0", "id": "odd", "method": 5 }))
    })],
};

pub(crate) const M006: Check = Check {
    how: "compares the id of every response with those of the requests before it, as JSON values: 1 is not \"1\"",
    fix: "copy the id of the request into the response as it came",
    judge: |evidence| {
        each(responses(evidence), "the server sent no response", |heard| {
            if is_asked_for(evidence, heard) || is_rejection(evidence, heard) {
                return None;
            }
            let expected = "the id of a request that was sent before";
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
    ],
};

pub(crate) const M007: Check = Check {
    how: "looks at every response",
    fix: "send either result or error, never both and never neither",
    judge: |evidence| {
        each(responses(evidence), "the server sent no response", |heard| {
            let both =
                heard.message.get("result").is_some() && heard.message.get("error").is_some();
            both.then(|| Finding::new("either result or error", show(heard.message), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "sends a result beside the error",
        Mutation::Says(|context, message| {
            if context.method == Some("proofmark/no-such-method") {
                message["result"] = json!({});
            }
        }),
    )],
};

pub(crate) const M008: Check = Check {
    how: "looks at every error",
    fix: "give each error a code and a message",
    judge: |evidence| {
        each(errors(evidence), "the server sent no error", |(heard, error)| {
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

pub(crate) const M092: Check = Check {
    how: "looks at the code of every error",
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

pub(crate) const M009: Check = Check {
    how: "looks for messages that are notifications by their method and yet have an id",
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

pub(crate) const M010: Check = Check {
    how: "looks at the method of every message without an id and without an outcome",
    fix: "name the method with a string",
    judge: |evidence| {
        let notifications = evidence.heard().filter(|heard| {
            heard.message.is_object()
                && ["id", "result", "error"]
                    .iter()
                    .all(|member| heard.message.get(member).is_none())
        });
        each(notifications, "the server sent no notification", |heard| {
            let right = heard.message.get("method").is_some_and(Value::is_string);
            (!right).then(|| {
                Finding::new("a method that is a string", show(heard.message), heard.place)
            })
        })
    },
    mutants: &[asks("notifies of a number", |_, message| {
        beside(message, &json!({ "jsonrpc": "2.0", "method": 5 }))
    })],
};

pub(crate) const M093: Check = Check {
    how: "sends a notification that no server knows, and one that cancels nothing, and listens",
    fix: "never answer a message without an id, not even with an error",
    judge: |evidence| {
        let told = evidence.events().filter_map(|(place, event)| match &event.what {
            What::Sent {
                topic: Topic::UnknownNotification | Topic::CancelUnknown,
                exchange,
                ..
            } => Some((place, *exchange)),
            _ => None,
        });
        each(told, "no notification was sent", |(place, exchange)| {
            let until_next_request = evidence.after(place).take_while(|(_, what)| {
                !matches!(what, What::Sent { topic: Topic::StillThere, .. })
            });
            let answer = until_next_request.into_iter().find_map(|(place, what)| match what {
                What::Received { exchange: it, frame } if *it == exchange => {
                    let message = frame.messages().iter().find(|message| is_response(message))?;
                    Some(Heard { place, message }).filter(|heard| !is_asked_for(evidence, *heard))
                }
                _ => None,
            })?;
            (evidence.is_success(answer.place, exchange) || exchange == 0)
                .then(|| Finding::new("no answer", show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "answers notifications",
        Mutation::Hears(|message| {
            let error = json!({ "jsonrpc": "2.0", "id": null,
            "error": { "code": -32601, "message": "no such notification" } });
            (message["method"] == "notifications/proofmark/unknown")
                .then(|| vec![error.to_string()])
        }),
    )
    .also(&["M006"])],
};

pub(crate) const M094: Check = Check {
    how: "looks at every response",
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
    .also(&["M487"])],
};

pub(crate) const M154: Check = Check {
    how: "looks at the bytes of every message",
    fix: "write UTF-8",
    judge: |evidence| {
        each(evidence.frames(), "the server sent no message", |(place, frame)| {
            let error = std::str::from_utf8(&frame.bytes).err()?;
            Some(Finding::new("UTF-8", error.to_string(), place))
        })
    },
    mutants: &[Mutant::new("writes Latin-1", Mutation::Line(|text| {
        let mut bytes = text.as_bytes().to_vec();
        if text.contains("\"last-ping\"") {
            bytes = b"{\"jsonrpc\":\"2.0\",\"id\":\"last-ping\",\"result\":{\"_meta\":{\"a\":\"\xe9\"}}}".to_vec();
        }
        bytes.push(b'\n');
        bytes
    }))
    .also(&["M016", "M221", "S101"])],
};

pub(crate) const A002: Check = Check {
    how: "looks for params in notifications of the server",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let notifications =
            evidence.heard_methods().filter(|(heard, _)| heard.message.get("id").is_none());
        crate::outcome::offered(notifications, "notifications with params", |(heard, _)| {
            heard.message.get("params").is_some()
        })
    },
    mutants: &[Mutant::new(
        "never gives params in notifications",
        Mutation::Says(|_, message| {
            if message.get("id").is_none() {
                message.as_object_mut().map(|message| message.remove("params"));
            }
        }),
    )
    .also(&["M080", "M084", "M086", "M226", "M418", "M466", "M488"])],
};

pub(super) fn is_response(message: &Value) -> bool {
    message.get("method").is_none()
        && (message.get("result").is_some() || message.get("error").is_some())
}

fn responses(evidence: &Evidence) -> impl Iterator<Item = Heard<'_>> {
    evidence.heard().filter(|heard| is_response(heard.message))
}

fn errors(evidence: &Evidence) -> impl Iterator<Item = (Heard<'_>, &Value)> {
    evidence.heard().filter_map(|heard| Some((heard, heard.message.get("error")?)))
}

pub(super) fn server_requests(evidence: &Evidence) -> impl Iterator<Item = Heard<'_>> {
    evidence.heard().filter(|heard| {
        heard.message.get("id").is_some()
            && heard.message.get("method").is_some_and(Value::is_string)
    })
}

/// A server that never asks cannot ask wrongly.
fn each_request<T>(
    requests: impl IntoIterator<Item = T>,
    judge: impl Fn(T) -> Option<Finding>,
) -> Outcome {
    match each(requests, "", judge) {
        Outcome::Unobserved(_) => Outcome::NotApplicable(NO_REQUEST.to_owned()),
        other => other,
    }
}

fn is_asked_for(evidence: &Evidence, heard: Heard<'_>) -> bool {
    let Some(id) = heard.message.get("id") else { return false };
    let before = &evidence.conversations[heard.place.conversation].events[..heard.place.event];
    // Most answers come soon after what they answer, and there may be very many of them.
    before.iter().rev().any(|event| match &event.what {
        What::Sent { frame, .. } => {
            frame.messages().iter().any(|message| message.get("id") == Some(id))
        }
        _ => false,
    })
}

/// An error without an id, where what was sent had none that could be read.
fn is_rejection(evidence: &Evidence, heard: Heard<'_>) -> bool {
    let conversation = &evidence.conversations[heard.place.conversation];
    let garbled = Scenario::of(conversation) == Some(Scenario::GARBAGE)
        || HostedScenario::of(conversation) == Some(HostedScenario::BABBLE);
    let nameless = heard.message.get("id").is_none_or(Value::is_null);
    let over_http = conversation.events[..heard.place.event]
        .iter()
        .rev()
        .any(|event| matches!(&event.what, What::Responded { status: 400.., .. }));
    nameless && heard.message.get("error").is_some() && (garbled || over_http)
}

/// A mutant that says something more after its answer to the first ping.
const fn asks(
    name: &'static str,
    writes: fn(&proofmark_converse::mutation::Context<'_>, &Value) -> Vec<String>,
) -> Mutant {
    Mutant::new(name, Mutation::Writes(writes))
}

/// The message, and beside the last answer of the tour another one.
fn beside(message: &Value, other: &Value) -> Vec<String> {
    let mut texts = vec![message.to_string()];
    if message["id"] == "ping-by-string" {
        texts.push(other.to_string());
    }
    texts
}

const NO_REQUEST: &str =
    "the server sent no request, although the checker declared every capability of a client";
