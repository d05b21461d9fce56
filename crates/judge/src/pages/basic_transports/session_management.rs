//! `basic/transports`: `#session-management`, `#custom-transports`.

use super::shared::is_beginning;
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{body, ended_by_itself, hosted_at, mutated as mutated_http, requests, says},
        http::{is_not_there, mutated, told},
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, only},
};
use proofmark_converse::{
    hosted::HostedScenario,
    mutation::{Mutation, Passing},
};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2025_11_25};
use proofmark_record::{
    event::header,
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};
use std::collections::BTreeMap;

pub(super) const M028: Requirement = Requirement {
    id: "M028",
    name: "session-id-uses-only-visible-ascii-0x21-0x7e",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A session id uses only visible ASCII, 0x21 to 0x7E.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#session-management",
    observed: Observed::By(&M028_CHECK),
};

const M028_CHECK: Check = Check {
    how: "looks at every session id",
    seen: seen_in(&["version 2024-11-05"]),
    fix: "use visible ASCII only",
    judge: |evidence| {
        sessions(evidence, |exchange, id| {
            let right = !id.is_empty() && id.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
            (!right).then(|| Finding::new("visible ASCII", format!("{id:?}"), exchange.answered))
        })
    },
    mutants: &[mutated("has spaces in its session ids", |context, reply| {
        if context.message["params"]["protocolVersion"] == "2024-11-05" {
            reply.set("mcp-session-id", "a session");
        }
    })
    .also(&["M577", "S311"])],
};

pub(super) const M029: Requirement = Requirement {
    id: "M029",
    name: "once-given-session-id-client-repeats-on",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "Once given a session id, the client repeats it on every later HTTP request.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#session-management",
    observed: Observed::By(&M029_CHECK),
};

const M029_CHECK: Check = Check {
    how: "looks for the session id in every request after the one that gave it",
    seen: seen_in(&["hosted behave"]),
    fix: "send Mcp-Session-Id with every request of the session",
    judge: |evidence| {
        let later =
            requests(evidence).filter(|it| !is_beginning(evidence, it)).filter_map(|exchange| {
                let given = requests(evidence).filter(|it| {
                    it.place.conversation == exchange.place.conversation
                        && it.answered.is_some_and(|at| at.event < exchange.place.event)
                });
                let given: Vec<&str> =
                    given.filter_map(|it| header(it.headers, "mcp-session-id")).collect();
                (!given.is_empty()).then_some((exchange, given))
            });
        each(later, "the client never used a session", |(exchange, given)| {
            let id = exchange.asked_header("mcp-session-id");
            let right = id.as_deref().is_some_and(|id| given.contains(&id));
            let expected = format!("Mcp-Session-Id: {}", given.join(" or "));
            let actual = id.unwrap_or_else(|| "no such header".to_owned());
            (!right).then(|| Finding::new(expected, actual, exchange.place))
        })
    },
    mutants: &[mutated_http("forgets its session", |request| {
        if says(request, "tools/call") {
            request.remove("mcp-session-id");
        }
    })],
};

pub(super) const M178: Requirement = Requirement {
    id: "M178",
    name: "terminated-session-id-answered-404",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A terminated session id is answered 404.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#session-management",
    observed: Observed::By(&M178_CHECK),
};

const M178_CHECK: Check = Check {
    how: "ends a session with DELETE, and posts to it, listens to it and ends it again",
    seen: seen_in(&["headers"]),
    fix: "answer 404 under the id of a session that is over",
    judge: |evidence| {
        let ended = evidence
            .exchanges_about(Topic::EndSession)
            .any(|exchange| exchange.status.is_some_and(|status| (200..300).contains(&status)));
        if !ended && session_ids(evidence).next().is_some() {
            return Outcome::Unobserved("the server does not let clients end sessions".to_owned());
        }
        about_sessions(evidence, Topic::EndedSession, |exchange| {
            (exchange.status != Some(404) && !is_not_there(&exchange))
                .then(|| Finding::new("status 404", told(&exchange), exchange.answered))
        })
    },
    mutants: &[
        mutated("ends sessions that are over once more", |context, reply| {
            if context.method == "DELETE" && reply.status == 404 {
                reply.replace(200, "text/plain", "");
            }
        }),
        mutated("lets clients listen to sessions that are over", |context, reply| {
            if context.method == "GET" && reply.status == 404 {
                reply.replace(200, "text/event-stream", ": nothing\n\n");
            }
        }),
        mutated("goes on serving sessions that are over", |context, reply| {
            if context.message["id"] == "ended-session" {
                reply.replace(
                    200,
                    "application/json",
                    "{\"jsonrpc\":\"2.0\",\"id\":\"ended-session\",\"result\":{}}",
                );
            }
        }),
    ],
};

pub(super) const M179: Requirement = Requirement {
    id: "M179",
    name: "on-404-session-client-starts-over-fresh",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "On 404 for its session the client starts over with a fresh initialize without session id.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#session-management",
    observed: Observed::By(&M179_CHECK),
};

const M179_CHECK: Check = Check {
    how: "answers 404 to a session after its first call",
    seen: seen_in(&["hosted forget"]).momentary(),
    fix: "begin again with initialize, without the id of the session that is gone",
    judge: |evidence| {
        let gone = requests(evidence).filter(|exchange| {
            exchange.status == Some(404)
                && hosted_at(evidence, exchange.place) == Some(HostedScenario::FORGET)
                && !begins(evidence, exchange)
        });
        each(gone.take(1), "the client sent nothing more after its first call", |exchange| {
            let again = requests(evidence).find(|it| {
                it.place.conversation == exchange.place.conversation
                    && it.place.event > exchange.place.event
                    && begins(evidence, it)
            });
            let expected = "initialize without a session id";
            let Some(again) = again else {
                return Some(Finding::new(expected, "no initialize", exchange.place));
            };
            let id = header(again.asked, "mcp-session-id")?;
            Some(Finding::new(expected, format!("initialize in session {id:?}"), again.place))
        })
    },
    mutants: &[mutated_http("begins again in the session that is gone", |request| {
        if says(request, "initialize") {
            request.set("mcp-session-id", "hosted-forget-1");
        }
    })
    .also(&["M029", "M180", "S007"])],
};

pub(super) const M183: Requirement = Requirement {
    id: "M183",
    name: "session-id-kept-secure-by-client",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "The session id is kept secure by the client.",
    section: "docs/specification/2025-11-25/basic/transports.mdx#session-management",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S005: Requirement = Requirement {
    id: "S005",
    name: "session-id-globally-unique-cryptographically",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A session id is globally unique and cryptographically secure.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#session-management",
    observed: Observed::By(&S005_CHECK),
};

const S005_CHECK: Check = Check {
    how: "compares the session ids of all conversations",
    seen: seen_in(&["version 2025-03-26"]),
    fix: "make session ids from a cryptographic source of randomness",
    judge: |evidence| {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (exchange, id) in session_ids(evidence) {
            let conversation = exchange.place.conversation;
            if seen.insert(id, conversation).is_some_and(|earlier| earlier != conversation) {
                let actual = format!("{id:?} for two sessions");
                return Outcome::Broken(Finding::new(
                    "an id of its own for each session",
                    actual,
                    exchange.answered,
                ));
            }
        }
        if seen.is_empty() { no_sessions() } else { Outcome::Kept }
    },
    mutants: &[mutated("gives two clients the same session", |context, reply| {
        let version = &context.message["params"]["protocolVersion"];
        if version == "2024-11-05" || version == "2025-03-26" {
            reply.set("mcp-session-id", "the-same-session");
        }
    })],
};

pub(super) const S006: Requirement = Requirement {
    id: "S006",
    name: "server-needs-session-id-answers-400-when",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A server that needs a session id answers 400 when it is missing, initialize excepted.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#session-management",
    observed: Observed::By(&S006_CHECK),
};

const S006_CHECK: Check = Check {
    how: "posts a request and opens a stream without the session id",
    seen: seen_in(&["headers"]),
    fix: "answer 400 to requests other than initialize that have no session id",
    judge: |evidence| {
        about_sessions(evidence, Topic::WithoutSession, |exchange| {
            (exchange.status != Some(400) && !is_not_there(&exchange))
                .then(|| Finding::new("status 400", told(&exchange), exchange.answered))
        })
    },
    mutants: &[
        mutated("opens streams without a session", |context, reply| {
            if context.method == "GET" && context.header("mcp-session-id").is_none() {
                reply.replace(200, "text/event-stream", ": nothing\n\n");
            }
        }),
        mutated("serves requests without a session", |context, reply| {
            if context.message["id"] == "no-session" {
                reply.replace(
                    200,
                    "application/json",
                    "{\"jsonrpc\":\"2.0\",\"id\":\"no-session\",\"result\":{}}",
                );
            }
        }),
    ],
};

pub(super) const S007: Requirement = Requirement {
    id: "S007",
    name: "client-done-session-ends-http-delete",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A client done with a session ends it with HTTP DELETE.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#session-management",
    observed: Observed::By(&S007_CHECK),
};

const S007_CHECK: Check = Check {
    how: "looks for DELETE when the client is done",
    seen: seen_in(&["hosted behave"]).momentary(),
    fix: "end the session with DELETE",
    judge: |evidence| {
        let done = requests(evidence).filter(|exchange| {
            exchange.status == Some(200)
                && begins(evidence, exchange)
                && header(exchange.headers, "mcp-session-id").is_some()
                && hosted_at(evidence, exchange.place) != Some(HostedScenario::FORGET)
                && ended_by_itself(evidence, exchange.place.conversation)
        });
        each(done, "no session was over when the client ended", |exchange| {
            let deleted = requests(evidence).any(|it| {
                it.place.conversation == exchange.place.conversation
                    && it.line.starts_with("DELETE ")
            });
            (!deleted).then(|| Finding::new("DELETE", "the client just left", exchange.place))
        })
    },
    mutants: &[Mutant::new(
        "leaves its sessions behind",
        Mutation::Request(
            |request| {
                if request.method == "DELETE" { Passing::No } else { Passing::Yes }
            },
        ),
    )],
};

pub(super) const A013: Requirement = Requirement {
    id: "A013",
    name: "session-id-may-assigned-on-initialize",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A session id may be assigned on the initialize response.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#session-management",
    observed: Observed::By(&A013_CHECK),
};

const A013_CHECK: Check = Check {
    how: "looks for a session id on the answer to initialize",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.exchanges_about(Topic::Initialize), "sessions", |exchange| {
            exchange.header("mcp-session-id").is_some()
        })
    },
    mutants: &[Mutant::new("has no sessions", Mutation::Nothing)
        .of(Variant::Sessionless)
        .also(&["M055", "M252", "M254", "S023", "S024", "S025", "S027", "S082", "S098"])],
};

pub(super) const A014: Requirement = Requirement {
    id: "A014",
    name: "session-may-ended-by-server-at-any-time",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A session may be ended by the server at any time.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#session-management",
    observed: Observed::By(&A014_CHECK),
};

const A014_CHECK: Check = Check {
    how: "looks whether a session that the checker did not end is gone",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let requests = evidence.exchanges().filter(|exchange| {
            matches!(exchange.topic, Topic::Call | Topic::List | Topic::Ping | Topic::StillThere)
        });
        offered(requests, "sessions that it ends itself", |exchange| exchange.status == Some(404))
    },
    mutants: &[Mutant::new(
        "ends a session by itself",
        Mutation::Http(|context, reply| {
            if context.message["id"] == "last-ping" {
                reply.replace(404, "text/plain", "no such session");
            }
        }),
    )
    .also(&["M221", "S101"])],
};

pub(super) const A015: Requirement = Requirement {
    id: "A015",
    name: "delete-may-refused-405",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "DELETE may be refused with 405.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#session-management",
    observed: Observed::By(&A015_CHECK),
};

const A015_CHECK: Check = Check {
    how: "ends sessions with DELETE",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(
            evidence.exchanges_about(Topic::EndSession),
            "sessions that clients cannot end",
            |exchange| exchange.status == Some(405),
        )
    },
    mutants: &[mutated("does not let clients end sessions", |context, reply| {
        if context.method == "DELETE" {
            reply.replace(405, "text/plain", "no");
        }
    })],
};

pub(super) const M155: Requirement = Requirement {
    id: "M155",
    name: "custom-transport-keeps-json-rpc-format",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "A custom transport keeps the JSON-RPC format and the lifecycle.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#custom-transports",
    observed: Observed::Unobservable("it concerns custom transports"),
};

/// Every session id that was handed out, with the exchange that did.
fn session_ids(evidence: &Evidence) -> impl Iterator<Item = (HttpExchange<'_>, &str)> {
    let handshakes = evidence.exchanges().filter(|exchange| {
        matches!(
            exchange.topic,
            Topic::Initialize | Topic::Handshake | Topic::KnownVersion | Topic::UnknownVersion
        )
    });
    handshakes.filter_map(|exchange| Some((exchange, header(exchange.headers, "mcp-session-id")?)))
}

fn sessions(
    evidence: &Evidence,
    judge: impl Fn(&HttpExchange<'_>, &str) -> Option<Finding>,
) -> Outcome {
    match each(session_ids(evidence), "", |(exchange, id)| judge(&exchange, id)) {
        Outcome::Unobserved(_) => no_sessions(),
        other => other,
    }
}

fn about_sessions(
    evidence: &Evidence,
    topic: Topic,
    judge: impl Fn(HttpExchange<'_>) -> Option<Finding>,
) -> Outcome {
    match each(evidence.exchanges_about(topic), "", judge) {
        Outcome::Unobserved(_) => no_sessions(),
        other => other,
    }
}

fn no_sessions() -> Outcome {
    Outcome::NotApplicable("the server has no sessions".to_owned())
}

fn begins(evidence: &Evidence, exchange: &HttpExchange<'_>) -> bool {
    body(evidence, exchange)
        .is_some_and(|it| it.messages().iter().any(|it| it["method"] == "initialize"))
}
