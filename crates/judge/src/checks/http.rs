//! Streamable HTTP: statuses, sessions, streams.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{Check, envelope::is_response, shape::show};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::{HttpContext, Mutation, Reply};
use proofmark_record::{
    event::{Border, What, header},
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};

pub(crate) const M018: Check = Check {
    how: "sends POST and GET to the same path",
    fix: "answer GET at the path that takes POST, if only with 405",
    judge: |evidence| {
        each(evidence.exchanges_about(Topic::OpenStream), NO_GET, |exchange| {
            (exchange.status == Some(404))
                .then(|| Finding::new("an answer to GET", "status 404", exchange.answered))
        })
    },
    mutants: &[mutated("does not know GET", |context, reply| {
        if context.method == "GET" {
            reply.replace(404, "text/plain", "not found");
        }
    })
    .also(&["M025", "S002", "M055", "S023", "S024", "S025"])],
};

pub(crate) const M025: Check = Check {
    how: "opens a stream with GET",
    fix: "answer GET with an event stream, or with 405",
    judge: |evidence| {
        let opened = || evidence.exchanges_about(Topic::OpenStream);
        // Clients may have several, but nobody says what a server answers that has room for one.
        let is_one_too_many = |exchange: &HttpExchange<'_>| {
            let earlier = |it: &HttpExchange<'_>| {
                it.place.conversation == exchange.place.conversation
                    && it.place.event < exchange.place.event
                    && it.status == Some(200)
            };
            exchange.status == Some(409) && opened().any(|it| earlier(&it))
        };
        let finding = |exchange: HttpExchange<'_>| {
            Finding::new("an event stream or 405", told(&exchange), exchange.answered)
        };
        let others = opened().filter(|exchange| !is_one_too_many(exchange));
        let outcome = each(others, NO_GET, |exchange| {
            let stream = exchange.content_type().as_deref() == Some("text/event-stream");
            let right = match exchange.status {
                Some(405) => true,
                Some(200) => stream,
                _ => false,
            };
            (!right).then(|| finding(exchange))
        });
        match opened().find(is_one_too_many) {
            Some(exchange) if outcome == Outcome::Kept => Outcome::Doubtful(finding(exchange)),
            _ => outcome,
        }
    },
    mutants: &[mutated("answers GET with a page", |context, reply| {
        if context.method == "GET" {
            reply.replace(200, "text/html", "<h1>Welcome</h1>");
        }
    })
    .also(&["S002", "M055", "S023", "S024", "S025"])],
};

pub(crate) const M022: Check = Check {
    how: "posts notifications and a response",
    fix: "answer 202 without a body once a notification or response is accepted",
    judge: |evidence| {
        let posted = evidence.exchanges().filter(|exchange| {
            matches!(
                exchange.topic,
                Topic::Initialized
                    | Topic::PostNotification
                    | Topic::PostResponse
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
        mutated("answers notifications with 200", |context, reply| {
            if context.says("notifications/cancelled") {
                reply.status = 200;
            }
        }),
        mutated("has something to say about notifications", |context, reply| {
            if context.says("notifications/cancelled") {
                reply.replace(202, "text/plain", "thanks");
            }
        }),
    ],
};

pub(crate) const M023: Check = Check {
    how: "looks at the type of every answer to a posted request",
    fix: "answer requests as application/json or as text/event-stream",
    judge: |evidence| {
        let answered = evidence.asked_all().filter_map(|asked| {
            let exchange = evidence.exchanges().find(|it| {
                it.exchange == asked.exchange && it.place.conversation == asked.place.conversation
            })?;
            (exchange.status == Some(200)).then_some(exchange)
        });
        each(answered, "no request was answered with 200", |exchange| {
            let kind = exchange.content_type().unwrap_or_default();
            let right = ["application/json", "text/event-stream"].contains(&kind.as_str());
            (!right).then(|| {
                Finding::new(
                    "application/json or text/event-stream",
                    told(&exchange),
                    exchange.answered,
                )
            })
        })
    },
    mutants: &[mutated("answers as plain text", |context, reply| {
        if context.says("prompts/list") {
            reply.set("content-type", "text/plain");
        }
    })],
};

pub(crate) const M026: Check = Check {
    how: "listens on the stream that GET opened",
    fix: "send responses on the stream of their own POST",
    judge: |evidence| {
        let streams = evidence
            .exchanges_about(Topic::OpenStream)
            .filter(|exchange| exchange.status == Some(200));
        let outcome = each(streams, "", |exchange| {
            evidence.frames_of(exchange.place, exchange.exchange).find_map(|(place, frame)| {
                let response = frame.messages().iter().find(|message| is_response(message))?;
                Some(Finding::new("no response", show(response), place))
            })
        });
        match outcome {
            Outcome::Unobserved(_) => Outcome::NotApplicable("the server has no stream for GET".to_owned()),
            other => other,
        }
    },
    mutants: &[Mutant::new("answers on the wrong stream", Mutation::Event(|context, text| {
        if context.method == "GET" && context.header("last-event-id").is_none() && !text.contains("response-here") {
            format!("{text}event: message\ndata: {{\"jsonrpc\":\"2.0\",\"id\":\"last-ping\",\"result\":{{}}}}\n\n")
        } else {
            text.to_owned()
        }
    }))
    .also(&["M006"])],
};

pub(crate) const M028: Check = Check {
    how: "looks at every session id",
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

pub(crate) const S005: Check = Check {
    how: "compares the session ids of all conversations",
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

pub(crate) const S006: Check = Check {
    how: "posts a request without the session id",
    fix: "answer 400 to requests other than initialize that have no session id",
    judge: |evidence| {
        about_sessions(evidence, Topic::WithoutSession, |exchange| {
            (exchange.status != Some(400))
                .then(|| Finding::new("status 400", told(&exchange), exchange.answered))
        })
    },
    mutants: &[mutated("serves requests without a session", |context, reply| {
        if context.message["id"] == "no-session" {
            reply.replace(
                200,
                "application/json",
                "{\"jsonrpc\":\"2.0\",\"id\":\"no-session\",\"result\":{}}",
            );
        }
    })],
};

pub(crate) const M178: Check = Check {
    how: "ends a session with DELETE and posts to it",
    fix: "answer 404 under the id of a session that is over",
    judge: |evidence| {
        let ended = evidence
            .exchanges_about(Topic::EndSession)
            .any(|exchange| exchange.status.is_some_and(|status| (200..300).contains(&status)));
        if !ended && session_ids(evidence).next().is_some() {
            return Outcome::Unobserved("the server does not let clients end sessions".to_owned());
        }
        about_sessions(evidence, Topic::EndedSession, |exchange| {
            (exchange.status != Some(404))
                .then(|| Finding::new("status 404", told(&exchange), exchange.answered))
        })
    },
    mutants: &[mutated("goes on serving sessions that are over", |context, reply| {
        if context.message["id"] == "ended-session" {
            reply.replace(
                200,
                "application/json",
                "{\"jsonrpc\":\"2.0\",\"id\":\"ended-session\",\"result\":{}}",
            );
        }
    })],
};

pub(crate) const M181: Check = Check {
    how: "posts a request under a version of 1999 in MCP-Protocol-Version",
    fix: "answer 400 to a version in the header that you do not speak",
    judge: |evidence| {
        each(
            evidence.exchanges_about(Topic::UnknownVersionHeader),
            "it was not tried",
            |exchange| {
                (exchange.status != Some(400))
                    .then(|| Finding::new("status 400", told(&exchange), exchange.answered))
            },
        )
    },
    mutants: &[mutated("does not look at the version header", |context, reply| {
        if context.message["id"] == "odd-version" {
            reply.replace(
                200,
                "application/json",
                "{\"jsonrpc\":\"2.0\",\"id\":\"odd-version\",\"result\":{}}",
            );
        }
    })],
};

pub(crate) const M165: Check = Check {
    how: "initializes with the Origin of a page from elsewhere",
    fix: "compare Origin, where it is given, with the origins that you trust",
    judge: origin_is_validated,
    mutants: &[mutated("lets every page in", |context, reply| {
        if context.header("origin").is_some() {
            let result = json!({ "jsonrpc": "2.0", "id": "foreign", "result": {
                "protocolVersion": context.message["params"]["protocolVersion"],
                "capabilities": {}, "serverInfo": { "name": "spoiled", "version": "0" } } });
            reply.replace(200, "application/json", &result.to_string());
        }
    })
    .also(&["M167"])],
};

pub(crate) const M167: Check = Check {
    how: "initializes with the Origin of a page from elsewhere",
    fix: "answer 403 to an Origin that you do not trust",
    judge: |evidence| {
        each(evidence.exchanges_about(Topic::ForeignOrigin), "it was not tried", |exchange| {
            (exchange.status != Some(403))
                .then(|| Finding::new("status 403", told(&exchange), exchange.answered))
        })
    },
    mutants: &[mutated("calls a foreign page a bad request", |context, reply| {
        if context.header("origin").is_some() {
            reply.replace(400, "text/plain", "bad origin");
        }
    })],
};

pub(crate) const M176: Check = Check {
    how: "compares the event ids of all streams of a session",
    fix: "never give two events of one session the same id",
    judge: |evidence| {
        let mut seen = BTreeSet::new();
        for exchange in evidence.exchanges().filter(|exchange| exchange.topic != Topic::Resume) {
            for (place, frame) in evidence.frames_of(exchange.place, exchange.exchange) {
                let Border::Event { id: Some(id), .. } = &frame.border else { continue };
                if !id.is_empty() && !seen.insert((place.conversation, id)) {
                    let actual = format!("{id:?} again");
                    return Outcome::Broken(Finding::new(
                        "an id of its own for each event",
                        actual,
                        place,
                    ));
                }
            }
        }
        if seen.is_empty() {
            return Outcome::NotApplicable("the server gives its events no ids".to_owned());
        }
        Outcome::Kept
    },
    mutants: &[Mutant::new(
        "gives each event the same id",
        Mutation::Event(|context, text| {
            let is_it = context.message["params"]["name"] == "test_tool_with_logging";
            if is_it { with_id(text, "id: the-same") } else { text.to_owned() }
        }),
    )],
};

pub(crate) const S002: Check = Check {
    how: "follows the event stream of every posted request, through reconnections",
    fix: "send the response before you end the stream of its request",
    judge: |evidence| {
        let streamed = evidence.asked_all().filter(|asked| {
            asked.topic != Topic::Slow
                && evidence.exchanges().any(|exchange| {
                    exchange.exchange == asked.exchange
                        && exchange.place.conversation == asked.place.conversation
                        && exchange.content_type().as_deref() == Some("text/event-stream")
                })
        });
        let outcome = each(streamed, "", |asked| {
            let over = evidence.after(asked.place).any(
                |(_, what)| matches!(what, What::Ended { exchange } if *exchange == asked.exchange),
            );
            (over && asked.answer.is_none()).then(|| {
                Finding::new(
                    "the response on the stream",
                    "the stream ended without it",
                    asked.place,
                )
            })
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::NotApplicable("no request was answered with a stream".to_owned())
            }
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "forgets the response on a stream",
        Mutation::Event(|_, text| {
            if text.contains("The tool has logged three times") {
                String::new()
            } else {
                text.to_owned()
            }
        }),
    )],
};

pub(crate) const A005: Check = Check {
    how: "looks at the streams of posted requests",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let posted =
            evidence.asked_all().flat_map(|asked| evidence.frames_of(asked.place, asked.exchange));
        offered(posted, "messages before the response", |(_, frame)| {
            frame.messages().iter().any(|message| message.get("method").is_some())
        })
    },
    mutants: &[Mutant::new(
        "says nothing before it answers",
        Mutation::Event(|context, text| {
            let hides = context.method == "POST" && text.contains("\"method\"");
            if hides { String::new() } else { text.to_owned() }
        }),
    )
    .also(&["A011", "S119"])],
};

pub(crate) const A007: Check = Check {
    how: "listens on the stream that GET opened",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let heard = evidence
            .exchanges_about(Topic::OpenStream)
            .flat_map(|exchange| evidence.frames_of(exchange.place, exchange.exchange));
        offered(heard, "messages on the stream of GET", |(_, frame)| !frame.messages().is_empty())
    },
    mutants: &[Mutant::new(
        "is silent on the stream of GET",
        Mutation::Event(|context, text| {
            if context.method == "GET" && context.header("last-event-id").is_none() {
                String::new()
            } else {
                text.to_owned()
            }
        }),
    )
    .also(&["M055", "S023", "S024", "S025"])],
};

pub(crate) const A011: Check = Check {
    how: "looks at the events of every stream",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let received = evidence.events().filter_map(|(_, event)| match &event.what {
            What::Received { frame, .. } => Some(frame),
            _ => None,
        });
        offered(received, "ids of events", |frame| {
            matches!(&frame.border, Border::Event { id: Some(_), .. })
        })
    },
    mutants: &[Mutant::new(
        "gives its events no ids",
        Mutation::Event(|_, text| with_id(text, ":")),
    )
    .also(&["A012", "S002", "S082", "A056"])],
};

pub(crate) const A012: Check = Check {
    how: "comes back with Last-Event-ID when a stream broke off before its response",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let resumed = evidence.exchanges_about(Topic::Resume);
        offered(resumed, "resumption of streams", |exchange| exchange.status == Some(200))
    },
    mutants: &[mutated("does not resume streams", |context, reply| {
        if context.header("last-event-id").is_some() {
            reply.replace(405, "text/plain", "no");
        }
    })
    .also(&["S002"])],
};

pub(crate) const A015: Check = Check {
    how: "ends sessions with DELETE",
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

pub(crate) const M173: Check = Check {
    how: "posts half a message",
    fix: "answer what you cannot accept with an HTTP error status, such as 400",
    judge: |evidence| {
        // The text speaks of notifications and responses; half a message could be one.
        super::shape::doubtful(each(
            evidence.exchanges_about(Topic::NotJson),
            "it was not tried",
            |exchange| {
                let accepted = exchange.status.is_none_or(|status| status < 400);
                let expected = "an HTTP error status";
                accepted.then(|| Finding::new(expected, told(&exchange), exchange.answered))
            },
        ))
    },
    mutants: &[mutated("accepts half a message", |context, reply| {
        if context.method == "POST" && context.message.is_null() {
            reply.status = 200;
        }
    })],
};

pub(super) fn origin_is_validated(evidence: &Evidence) -> Outcome {
    each(evidence.exchanges_about(Topic::ForeignOrigin), "it was not tried", |exchange| {
        let status = exchange.status?;
        (200..300)
            .contains(&status)
            .then(|| Finding::new("a refusal", told(&exchange), exchange.answered))
    })
}

pub(super) fn told(exchange: &HttpExchange<'_>) -> String {
    match (exchange.status, exchange.content_type()) {
        (None, _) => "no answer".to_owned(),
        (Some(status), None) => format!("status {status}"),
        (Some(status), Some(kind)) => {
            format!("status {status} and {}", proofmark_record::text::plain(&kind))
        }
    }
}

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

/// An event under another id.
fn with_id(text: &str, id: &str) -> String {
    let mut changed = String::new();
    for line in text.lines() {
        changed.push_str(if line.starts_with("id:") { id } else { line });
        changed.push('\n');
    }
    changed
}

const fn mutated(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    Mutant::new(name, Mutation::Http(http))
}

const NO_GET: &str = "no stream was opened with GET";
