//! `basic/transports/streamable-http`: `#sending-messages`.

use super::shared::{each_request, says as says_headers};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{
            NOTHING, accepts, body, hides_revision, hosted_at, mutated, posts, requests, says,
        },
        http::{mutated as mutated_http, told},
        shape::doubtful,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    hosted::HostedScenario,
    mutation::{Mutation, Passing},
};
use proofmark_core::revision::Revision::{V2025_03_26, V2026_07_28};
use proofmark_record::{
    event::{Border, Conversation, EventKind, header},
    evidence::{Evidence, HttpExchange},
    text::excerpt,
    topic::Topic,
};

pub(super) const M019: Requirement = Requirement {
    id: "M019",
    name: "client-sends-each-json-rpc-message-http-post",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "The client sends each JSON-RPC message with HTTP POST.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#sending-messages",
    observed: Observed::By(&M019_CHECK),
};

const M019_CHECK: Check = Check {
    how: "looks at the method of every HTTP request that carries a message",
    seen: seen_in(&["hosted behave"]),
    fix: "send each message with POST",
    judge: |evidence| {
        let carrying = requests(evidence).filter(|it| body(evidence, it).is_some());
        each(carrying, NOTHING, |exchange| {
            let right = exchange.line.starts_with("POST ");
            (!right).then(|| Finding::new("POST", exchange.line, exchange.place))
        })
    },
    mutants: &[mutated("puts its messages", |request| {
        if says(request, "tools/list") {
            "PUT".clone_into(&mut request.method);
        }
    })],
};

pub(super) const M020: Requirement = Requirement {
    id: "M020",
    name: "post-lists-application-json",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "A POST lists application/json and text/event-stream in Accept.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#sending-messages",
    observed: Observed::By(&M020_CHECK),
};

const M020_CHECK: Check = Check {
    how: "looks at Accept of every POST",
    seen: seen_in(&["hosted behave"]),
    fix: "send Accept: application/json, text/event-stream",
    judge: |evidence| {
        let expected = "application/json and text/event-stream in Accept";
        let outcome = each(posts(evidence), NOTHING, |exchange| {
            let accept = exchange.asked_header("accept").unwrap_or_default();
            let lists = |kind: &str| accepts(&accept, kind) || accepts(&accept, "*/*");
            let right = lists("application/json") && lists("text/event-stream");
            (!right).then(|| Finding::new(expected, format!("{accept:?}"), exchange.place))
        });
        if outcome != Outcome::Kept {
            return outcome;
        }
        // A wildcard means both, but lists neither.
        let vague = posts(evidence).find(|exchange| {
            let accept = exchange.asked_header("accept").unwrap_or_default();
            !accepts(&accept, "application/json") || !accepts(&accept, "text/event-stream")
        });
        vague.map_or(Outcome::Kept, |exchange| {
            let accept = exchange.asked_header("accept").unwrap_or_default();
            Outcome::Doubtful(Finding::new(expected, format!("{accept:?}"), exchange.place))
        })
    },
    mutants: &[
        mutated("does not take streams", |request| {
            if says(request, "tools/list") {
                request.set("accept", "application/json");
            }
        }),
        mutated("takes anything", |request| {
            if says(request, "tools/list") {
                request.set("accept", "*/*");
            }
        }),
    ],
};

pub(super) const M022: Requirement = Requirement {
    id: "M022",
    name: "post-holding-only-notifications-or-responses",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "A POST holding only notifications or responses, once accepted, gets 202 with an empty body (2026-07-28: notifications only, as clients no longer send responses).",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#sending-messages",
    observed: Observed::By(&M022_CHECK),
};

const M022_CHECK: Check = Check {
    how: "posts notifications and a response",
    seen: seen_in(&["answers", "headers", "tour"]),
    fix: "answer 202 without a body once a notification or response is accepted",
    judge: |evidence| {
        let posted = evidence.exchanges().filter(|exchange| {
            matches!(
                exchange.topic,
                Topic::CancelUnknown
                    | Topic::Initialized
                    | Topic::OddNotification
                    | Topic::PostNotification
                    | Topic::PostResponse
                    | Topic::RootsChanged
                    | Topic::UnknownNotification
            )
        });
        each(posted, "no notification was posted", |exchange| {
            let status = exchange.status?;
            if !(200..300).contains(&status) {
                return None;
            }
            let body = evidence.frames_of(exchange.place, exchange.exchange).next();
            let right = status == 202 && body.is_none();
            let actual = match body {
                Some((_, frame)) => format!("status {status} and {} bytes", frame.bytes.len()),
                None => format!("status {status}"),
            };
            (!right).then(|| Finding::new("202 without a body", actual, exchange.answered))
        })
    },
    mutants: &[
        mutated_http("answers notifications with 200", |context, reply| {
            if context.says("notifications/cancelled") {
                reply.status = 200;
            }
        }),
        mutated_http("answers notifications that it does not know with 200", |context, reply| {
            if context.says("notifications/proofmark/unknown") {
                reply.status = 200;
            }
        })
        .modern(),
        mutated_http("has something to say about notifications", |context, reply| {
            if context.says("notifications/cancelled") {
                reply.replace(202, "text/plain", "thanks");
            }
        }),
    ],
};

pub(super) const M023: Requirement = Requirement {
    id: "M023",
    name: "post-holding-request-answered",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "A POST holding a request is answered as text/event-stream or as application/json.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#sending-messages",
    observed: Observed::By(&M023_CHECK),
};

const M023_CHECK: Check = Check {
    how: "looks at the type of every answer to a posted request",
    seen: seen_everywhere(),
    fix: "answer requests as application/json or as text/event-stream",
    judge: |evidence| {
        let accepted: Vec<_> = evidence
            .asked_all()
            .filter_map(|asked| {
                let exchange = evidence.exchange_of(&asked)?;
                // What else may be said to odd requests is not for this rule.
                let plain = matches!(
                    asked.topic,
                    Topic::CancelTask
                        | Topic::Complete
                        | Topic::GetPrompt
                        | Topic::GetTask
                        | Topic::Handshake
                        | Topic::Initialize
                        | Topic::List
                        | Topic::ListTasks
                        | Topic::Ping
                        | Topic::Read
                );
                let accepted = match exchange.status? {
                    200 => true,
                    201..=299 => plain,
                    _ => false,
                };
                accepted.then_some(exchange)
            })
            .collect();
        let typed = each(&accepted, "no request was answered with 200", |exchange| {
            mislabelled(evidence, exchange).map(|actual| {
                let expected = "application/json or text/event-stream";
                Finding::new(expected, actual, exchange.answered)
            })
        });
        // Nothing says that it has to be this one, but for the examples.
        let status = doubtful(each(&accepted, "", |exchange| {
            (exchange.status != Some(200))
                .then(|| Finding::new("status 200", told(exchange), exchange.answered))
        }));
        match (typed, status) {
            (Outcome::Kept, Outcome::Doubtful(finding)) => Outcome::Doubtful(finding),
            (typed, _) => typed,
        }
    },
    mutants: &[
        mutated_http("answers as plain text", |context, reply| {
            if context.says("prompts/list") {
                reply.set("content-type", "text/plain");
            }
        }),
        mutated_http("calls everything plain text", |_, reply| {
            if reply.status == 200 {
                reply.set("content-type", "text/plain");
            }
        })
        .also(&["M025"]),
        mutated_http("calls JSON an event stream", |context, reply| {
            if context.says("initialize") && reply.status == 200 {
                reply.set("content-type", "text/event-stream");
            }
        }),
        mutated_http("answers with a status for what was created", |context, reply| {
            if context.says("initialize") && reply.status == 200 {
                reply.status = 201;
            }
        }),
        mutated_http("answers a handshake with nothing", |context, reply| {
            if context.says("initialize") && reply.status == 200 {
                reply.status = 202;
                reply.body = Some(Vec::new());
            }
        }),
    ],
};

/// What an accepted request was answered with, if that is neither JSON nor an event stream, or is not what it is called.
fn mislabelled(evidence: &Evidence, exchange: &HttpExchange<'_>) -> Option<String> {
    let kind = exchange.content_type().unwrap_or_default();
    let mut frames = evidence.frames_of(exchange.place, exchange.exchange);
    let streamed = frames.next().map(|(_, frame)| frame.border != Border::Body);
    let ended = evidence.after(exchange.place).any(
        |(_, what)| matches!(what, EventKind::Ended { exchange: it } if *it == exchange.exchange),
    );
    match (kind.as_str(), streamed) {
        ("application/json", Some(true)) => {
            Some("an event stream called application/json".to_owned())
        }
        ("text/event-stream", Some(false)) => Some("JSON called text/event-stream".to_owned()),
        ("text/event-stream", _) | ("application/json", Some(false)) => None,
        (_, None) => ended.then(|| format!("{} without a body", told(exchange))),
        _ => Some(told(exchange)),
    }
}

pub(super) const M173: Requirement = Requirement {
    id: "M173",
    name: "input-cannot-accepted-answered-http-error",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "Input that cannot be accepted is answered with an HTTP error status such as 400.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#sending-messages",
    observed: Observed::By(&M173_CHECK),
};

const M173_CHECK: Check = Check {
    how: "posts half a message",
    seen: seen_in(&["garbage"]),
    fix: "answer what you cannot accept with an HTTP error status, such as 400",
    judge: |evidence| {
        // The text speaks of notifications and responses; half a message could be one.
        doubtful(each(evidence.exchanges_about(Topic::NotJson), "it was not tried", |exchange| {
            // That the server broke down is not what is to be said.
            let refused = exchange.status.is_some_and(|status| (400..500).contains(&status));
            let expected = "an HTTP error status of 4xx";
            (!refused).then(|| Finding::new(expected, told(&exchange), exchange.answered))
        }))
    },
    mutants: &[
        mutated_http("breaks down over half a message", |context, reply| {
            if context.method == "POST" && context.message.is_null() {
                reply.status = 500;
            }
        }),
        mutated_http("accepts half a message", |context, reply| {
            if context.method == "POST" && context.message.is_null() {
                reply.status = 200;
            }
        }),
    ],
};

pub(super) const M174: Requirement = Requirement {
    id: "M174",
    name: "client-copes-both-json-event-stream-answer",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "The client copes with both the JSON and the event-stream answer.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#sending-messages",
    observed: Observed::By(&M174_CHECK),
};

const M174_CHECK: Check = Check {
    how: "answers with bodies in one run and with event streams in another",
    seen: seen_in(&["hosted streams"]).momentary(),
    fix: "read both kinds of answers",
    judge: |evidence| {
        let called = |scenario: HostedScenario| {
            evidence
                .requests_for("tools/call")
                .any(|it| hosted_at(evidence, it.place) == Some(scenario))
        };
        if !called(HostedScenario::BEHAVE) {
            return Outcome::Unobserved("the client called no tool".to_owned());
        }
        if called(HostedScenario::STREAMS) {
            return Outcome::Kept;
        }
        let met = |it: &Conversation| HostedScenario::of(it) == Some(HostedScenario::STREAMS);
        if !evidence.conversations.iter().any(met) {
            return Outcome::Unobserved("the client met no server that streams".to_owned());
        }
        // Nothing came of the list, or of what comes before it.
        let answered = evidence
            .requests()
            .filter(|it| hosted_at(evidence, it.place) == Some(HostedScenario::STREAMS))
            .filter(|it| EARLY.contains(&it.method));
        let place = answered.filter_map(|it| it.answer).last().map(|answer| answer.place);
        let expected = "the same calls as with bodies";
        Outcome::Broken(Finding::new(expected, "no call after a list in an event stream", place))
    },
    mutants: &[Mutant::new(
        "does not read streams",
        Mutation::Request(|request| {
            let streams = request.header("mcp-session-id").is_some_and(|it| it.contains("streams"));
            if streams && says(request, "tools/call") { Passing::No } else { Passing::Yes }
        }),
    )],
};

pub(super) const M185: Requirement = Requirement {
    id: "M185",
    name: "each-post-carries-request-metadata-headers",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Each POST carries the request metadata headers.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#sending-messages",
    observed: Observed::By(&M185_CHECK),
};

const M185_CHECK: Check = Check {
    how: "looks at the headers of every POST that carries a request",
    seen: seen_in(&["hosted behave"]),
    fix: "send MCP-Protocol-Version and Mcp-Method with every request",
    judge: |evidence| {
        each_request(evidence, |exchange, _| {
            let names = ["mcp-protocol-version", "mcp-method"];
            let missing = names.into_iter().find(|name| header(exchange.asked, name).is_none())?;
            Some(Finding::new(missing, "no such header", exchange.place))
        })
    },
    mutants: &[mutated("says nothing in headers", |request| {
        if says_headers(request, "tools/list") {
            request.remove("mcp-method");
        }
    })
    .also(&["M194"])],
};

pub(super) const M186: Requirement = Requirement {
    id: "M186",
    name: "post-body-exactly-one-request-or",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A POST body is exactly one request or notification.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#sending-messages",
    observed: Observed::By(&M186_CHECK),
};

const M186_CHECK: Check = Check {
    how: "looks at the body of every POST",
    seen: seen_in(&["hosted behave"]),
    fix: "post one request or one notification at a time",
    judge: |evidence| {
        let ordinary = posts(evidence).filter(|it| !hides_revision(evidence, it.place));
        each(ordinary, NOTHING, |exchange| {
            let frame = body(evidence, &exchange)?;
            let right = frame.json.as_ref().is_ok_and(|it| it.get("method").is_some());
            let expected = "one request or one notification";
            (!right).then(|| Finding::new(expected, excerpt(&frame.bytes), exchange.place))
        })
    },
    mutants: &[mutated("posts batches", |request| {
        if says_headers(request, "tools/list") {
            let message = String::from_utf8_lossy(&request.body).into_owned();
            request.body = format!("[{message}]").into_bytes();
        }
    })],
};

pub(super) const A052: Requirement = Requirement {
    id: "A052",
    name: "body-403-origin-or-refused-notification-may",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "The body of a 403 for Origin, or of a refused notification, may be a JSON-RPC error without id.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server ; docs/specification/2025-11-25/basic/transports.mdx#security-warning ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#security-endpoint ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#sending-messages",
    observed: Observed::Unobservable(
        "a permission: a body without an id is as right as none, and the shape of every body has rows of its own",
    ),
};

/// What a client asks for before it calls anything.
const EARLY: [&str; 3] = ["initialize", "server/discover", "tools/list"];
