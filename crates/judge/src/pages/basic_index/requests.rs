//! `basic/index`: `#messages`, `#requests`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{NO_REQUEST, modern},
        envelope::{asks, beside, each_request, server_requests},
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::{
    Batches, RequestMethod,
    Revision::{V2024_11_05, V2025_03_26, V2025_11_25, V2026_07_28},
};
use proofmark_record::{
    event::{Border, EventKind, Frame},
    evidence::{Evidence, PeerMessage, PeerRequest, Place},
    side::Side,
    text::excerpt,
    transport::Transport,
};
use serde_json::{Value, json};

pub(super) const M001: Requirement = Requirement {
    id: "M001",
    name: "every-message-exchanged-valid-json-rpc-2-0",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Every message exchanged is a valid JSON-RPC 2.0 message.",
    section: "docs/specification/2024-11-05/basic/index.mdx ; docs/specification/2024-11-05/basic/messages.mdx ; docs/specification/{2025-03-26..2026-07-28}/basic/index.mdx#messages",
    observed: Observed::Each {
        server: &Observed::By(&M001_SERVER),
        client: &Observed::By(&M001_CLIENT),
    },
};

const M001_SERVER: Check = Check {
    how: "looks at every message of every conversation",
    seen: seen_everywhere(),
    fix: "write each message as one JSON object with \"jsonrpc\": \"2.0\"",
    judge: |evidence| {
        each(evidence.frames(), "the server sent no message", |(place, frame)| {
            let expected = "a JSON-RPC 2.0 message";
            if let Err(error) = &frame.json {
                // On a pipe this is for the rule about what may be on it.
                let over_http = !frame.border.is_of_pipe();
                return over_http
                    .then(|| Finding::new(expected, format!("no JSON: {error}"), place));
            }
            if frame.has_byte_order_mark() && !frame.border.is_of_pipe() {
                return Some(Finding::new(expected, "a byte order mark in front of it", place));
            }
            if frame.json.as_ref().is_ok_and(|it| it.as_array().is_some_and(Vec::is_empty)) {
                return Some(Finding::new(expected, "an empty array", place));
            }
            if is_needless_batch(evidence, place, frame) {
                return Some(Finding::new("one message", excerpt(&frame.bytes), place));
            }
            let wrong = frame.messages().iter().find(|message| {
                message.get("jsonrpc") != Some(&json!("2.0")) || is_torn(message)
            })?;
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
        Mutant::new(
            "answers in arrays",
            Mutation::Writes(|context, message| {
                let listed = matches!(context.method, Some("tools/list" | "roots/list"));
                let text = message.to_string();
                vec![if listed { format!("[{text}]") } else { text }]
            }),
        )
        .over(Transport::Http),
        NAMES_METHOD,
        EMPTY_BATCH,
    ],
};

const M001_CLIENT: Check = Check {
    how: M001_SERVER.how,
    seen: seen_everywhere(),
    fix: M001_SERVER.fix,
    judge: M001_SERVER.judge,
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
        NAMES_METHOD,
        EMPTY_BATCH,
    ],
};

const NAMES_METHOD: Mutant = Mutant::new(
    "names the method in its answers",
    Mutation::Says(|_, message| {
        if message["id"] == "ping-by-string" {
            message["method"] = json!("ping");
        }
    }),
)
.also(&["M004", "M079"]);

const EMPTY_BATCH: Mutant = Mutant {
    revision: Some(V2025_03_26),
    ..Mutant::new(
        "answers a batch of notifications with an empty one",
        Mutation::Hears(|message| {
            let silent = |it: &Vec<Value>| it.iter().all(|it| it.get("id").is_none());
            message.as_array().is_some_and(silent).then(|| vec!["[]".to_owned()])
        }),
    )
}
.also(&["M109"]);

/// Whether messages come in an array over HTTP where there are no batches, or where a request came alone.
fn is_needless_batch(evidence: &Evidence, place: Place, frame: &Frame) -> bool {
    let over_http = !frame.border.is_of_pipe();
    if !over_http
        || evidence.side != Side::Server
        || !frame.json.as_ref().is_ok_and(Value::is_array)
    {
        return false;
    }
    match evidence.revision.rules().batches {
        Batches::Removed => return true,
        Batches::Unstated => return false,
        Batches::Accepted => {}
    }
    let events = &evidence.conversations[place.conversation].events;
    let EventKind::Received { exchange, .. } = &events[place.event].kind else { return false };
    let sent = events[..place.event].iter().rev().find_map(|event| match &event.kind {
        EventKind::Sent { exchange: it, frame, .. } if it == exchange => Some(frame),
        _ => None,
    });
    let alone = sent.is_some_and(|it| it.json.as_ref().is_ok_and(Value::is_object));
    frame.border == Border::Body && alone
}

/// Whether a message is a request and a response at once.
fn is_torn(message: &Value) -> bool {
    let has = |member: &str| message.get(member).is_some();
    has("method") && (has("result") || has("error"))
}

pub(super) const M002: Requirement = Requirement {
    id: "M002",
    name: "request-id-string-or-integer",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A request has an id that is a string or an integer.",
    section: "docs/specification/2024-11-05/basic/messages.mdx#requests ; docs/specification/{2025-03-26..2026-07-28}/basic/index.mdx#requests",
    observed: Observed::Each {
        server: &Observed::By(&M002_CHECK),
        client: &Observed::By(&M002_CHECK),
    },
};

const M002_CHECK: Check = Check {
    how: "looks at the id of every request of the server",
    seen: seen_everywhere(),
    fix: "give each request an id that is a string or an integer",
    judge: |evidence| {
        let nameless = evidence.heard_methods().find(|(heard, method)| {
            heard.message.get("id").is_none() && RequestMethod::parse(method).is_some()
        });
        if let Some((heard, _)) = nameless {
            let actual = format!("no id: {}", show(heard.message));
            let expected = "an id that is a string or an integer";
            return Outcome::Broken(Finding::new(expected, actual, heard.place));
        }
        each_request(server_requests(evidence), |heard| {
            let id = &heard.message["id"];
            let right = id.is_string() || id.is_i64() || id.is_u64() || id.is_null();
            (!right).then(|| {
                Finding::new("an id that is a string or an integer", show(id), heard.place)
            })
        })
    },
    mutants: &[
        asks("asks under an id that is a fraction", |_, message| {
            beside(message, &json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }))
        })
        .also(&["M006"]),
        asks("asks without an id", |_, message| {
            beside(message, &json!({ "jsonrpc": "2.0", "method": "ping" }))
        }),
    ],
};

pub(super) const M003: Requirement = Requirement {
    id: "M003",
    name: "request-id-never-null",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A request id is never null.",
    section: "docs/specification/2024-11-05/basic/messages.mdx#requests ; docs/specification/{2025-03-26..2026-07-28}/basic/index.mdx#requests",
    observed: Observed::Each {
        server: &Observed::By(&M003_CHECK),
        client: &Observed::By(&M003_CHECK),
    },
};

const M003_CHECK: Check = Check {
    how: "looks at the id of every request of the server",
    seen: seen_everywhere(),
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

pub(super) const M004: Requirement = Requirement {
    id: "M004",
    name: "sender-does-not-reuse-within-one-session",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "A sender does not reuse, within one session, a request id it used before (2026-07-28 narrows this to ids still in flight).",
    section: "docs/specification/2024-11-05/basic/messages.mdx#requests ; docs/specification/{2025-03-26..2025-11-25}/basic/index.mdx#requests",
    observed: Observed::Each {
        server: &Observed::By(&M004_SERVER),
        client: &Observed::By(&M004_CLIENT),
    },
};

const M004_SERVER: Check = Check {
    how: "compares the ids of all requests of the server in one conversation",
    seen: seen_everywhere(),
    fix: "count upwards and never begin again within a session",
    judge: |evidence| {
        let requests: Vec<_> = server_requests(evidence).collect();
        each_request(requests.iter().enumerate(), |(index, heard)| {
            let same = |earlier: &&PeerMessage<'_>| {
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

const M004_CLIENT: Check = Check {
    how: "compares the ids of all requests of the client in one session",
    seen: seen_everywhere(),
    fix: "count upwards and never begin again within a session",
    judge: |evidence| {
        let requests: Vec<_> = evidence.requests().collect();
        each(requests.iter().enumerate(), "the client sent no request", |(index, request)| {
            let begun = session(evidence, request);
            let reused = requests[..index]
                .iter()
                .any(|it| it.id == request.id && session(evidence, it) == begun);
            let expected = "an id that was not used before";
            reused.then(|| Finding::new(expected, show(request.id), request.place))
        })
    },
    mutants: &[Mutant::new(
        "asks under the same id again",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["params"]["name"] == "add_numbers" {
                let again =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "method": "tools/list" });
                texts.push(again.to_string());
            }
            texts
        }),
    )],
};

pub(super) const M095: Requirement = Requirement {
    id: "M095",
    name: "request-id-differs-from-every-id-same-sender",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A request id differs from every id the same sender still has unanswered.",
    section: "docs/specification/2026-07-28/basic/index.mdx#requests",
    observed: Observed::Each {
        server: &Observed::By(&M095_SERVER),
        client: &Observed::By(&M095_CLIENT),
    },
};

const M095_SERVER: Check = Check {
    how: "compares the ids of all requests of the server that are open at the same time",
    seen: seen_everywhere(),
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

const M095_CLIENT: Check = Check {
    how: "compares the id of every request with those that are not answered yet",
    seen: seen_in(&["hosted behave"]),
    fix: "give each request an id that no running request has",
    judge: |evidence| {
        let all: Vec<_> = modern(evidence).collect();
        each(all.iter().enumerate(), NO_REQUEST, |(index, request)| {
            let taken = all[..index].iter().any(|earlier| {
                earlier.id == request.id
                    && earlier.place.conversation == request.place.conversation
                    && runs(evidence, earlier, request)
            });
            let expected = "an id that no running request has";
            taken.then(|| Finding::new(expected, show(request.id), request.place))
        })
    },
    mutants: &[Mutant::new(
        "asks twice under one id",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["params"]["name"] == "add_numbers" {
                let mut twin = message.clone();
                twin["method"] = json!("tools/list");
                texts.push(twin.to_string());
            }
            texts
        }),
    )],
};

/// Whether a request still ran when another was sent.
fn runs(evidence: &Evidence, earlier: &PeerRequest<'_>, request: &PeerRequest<'_>) -> bool {
    // What a client has given up, or lost with its stream, runs no more.
    let over = evidence.after(earlier.place).take_while(|(at, _)| at.event < request.place.event);
    let over = over.into_iter().any(|(_, what)| match what {
        EventKind::Sent { frame, .. } => {
            let answers =
                |it: &Value| it.get("id") == Some(earlier.id) && it.get("method").is_none();
            frame.messages().iter().any(answers)
        }
        EventKind::Received { frame, .. } => frame.messages().iter().any(|it| {
            it["method"] == "notifications/cancelled"
                && it.pointer("/params/requestId") == Some(earlier.id)
        }),
        EventKind::Ended { exchange } | EventKind::Left { exchange } => {
            evidence.transport != Transport::Stdio && *exchange == earlier.exchange
        }
        _ => false,
    });
    !over
}

/// How many handshakes came before, in which conversation.
fn session(evidence: &Evidence, request: &PeerRequest<'_>) -> (usize, usize) {
    let events = &evidence.conversations[request.place.conversation].events;
    let handshakes = events[..=request.place.event].iter().filter(|event| match &event.kind {
        EventKind::Received { frame, .. } => {
            frame.messages().iter().any(|message| message["method"] == "initialize")
        }
        _ => false,
    });
    // What was tried before the first handshake belongs to its session.
    (request.place.conversation, handshakes.count().max(1))
}
