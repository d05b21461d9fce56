//! `basic/transports`: `#listening-for-messages-from-the-server`.

use super::shared::{NO_GET, NO_GET_HTTP, gets, is_stream, streamed};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{accepts, mutated},
        envelope::is_response,
        http::{mutated as mutated_http, told},
        resumption::posted_streams,
        shape::show,
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, only},
};
use proofmark_converse::{mutation::Mutation, scenario::Scenario};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_11_25};
use proofmark_record::{
    event::{Border, EventKind, header},
    evidence::HttpExchange,
    meta::RELATED_TASK,
    topic::Topic,
};
use serde_json::Value;

pub(super) const M024: Requirement = Requirement {
    id: "M024",
    name: "get-opens-stream-lists-text-event-stream",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A GET that opens a stream lists text/event-stream in Accept.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#listening-for-messages-from-the-server",
    observed: Observed::By(&M024_CHECK),
};

const M024_CHECK: Check = Check {
    how: "looks at Accept of every GET",
    seen: seen_in(&["hosted behave"]),
    fix: "send Accept: text/event-stream with GET",
    judge: |evidence| {
        let outcome = each(gets(evidence), "", |exchange| {
            let accept = header(exchange.asked, "accept").unwrap_or_default();
            let right = accepts(accept, "text/event-stream");
            let expected = "text/event-stream in Accept";
            (!right).then(|| Finding::new(expected, format!("{accept:?}"), exchange.place))
        });
        unless_seen(outcome, "the client opens no stream with GET")
    },
    mutants: &[mutated("wants JSON of the stream", |request| {
        if request.method == "GET" {
            request.set("accept", "application/json");
        }
    })],
};

pub(super) const M025: Requirement = Requirement {
    id: "M025",
    name: "get-gets-event-stream-or-405",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A GET gets an event stream or 405.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#listening-for-messages-from-the-server",
    observed: Observed::By(&M025_CHECK),
};

const M025_CHECK: Check = Check {
    how: "opens a stream with GET",
    seen: seen_in(&["tour"]),
    fix: "answer GET with an event stream, or with 405",
    judge: |evidence| {
        let opened = || evidence.exchanges_about(Topic::OpenStream);
        // Clients may have several, but the page does not say what a server answers that has room for one.
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
    mutants: &[mutated_http("answers GET with a page", |context, reply| {
        if context.method == "GET" {
            reply.replace(200, "text/html", "<h1>Welcome</h1>");
        }
    })
    .also(&["S002", "M055", "S023", "S024", "S025", "M165", "M167", "M178", "M181", "S006"])],
};

pub(super) const M026: Requirement = Requirement {
    id: "M026",
    name: "no-json-rpc-response-appears-on-get-stream",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "No JSON-RPC response appears on a GET stream unless that stream resumes an earlier request's stream.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#listening-for-messages-from-the-server",
    observed: Observed::By(&M026_CHECK),
};

const M026_CHECK: Check = Check {
    how: "listens on streams that GET opened, at once and later",
    seen: seen_in(&["envelopes", "tour"]),
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

pub(super) const S004: Requirement = Requirement {
    id: "S004",
    name: "messages-on-get-stream-unrelated-running",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "Messages on a GET stream are unrelated to running client requests.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#listening-for-messages-from-the-server",
    observed: Observed::By(&S004_CHECK),
};

const S004_CHECK: Check = Check {
    how: "looks for progress of posted requests on the streams of GET",
    seen: seen_in(&["tour"]),
    fix: "send what belongs to a request on the stream of that request",
    judge: |evidence| {
        let is_open = |it: HttpExchange<'_>| it.status == Some(200);
        if !evidence.exchanges_about(Topic::OpenStream).any(is_open) {
            return Outcome::NotApplicable("the server has no stream for GET".to_owned());
        }
        let nothing = "the server said nothing on its streams";
        each(streamed(evidence), nothing, |it| {
            // A task goes on when its request is over, and may be heard of anywhere.
            let of_task = it
                .message
                .pointer("/params/_meta")
                .is_some_and(|it| it.get(RELATED_TASK).is_some());
            let related = it.topic == Topic::OpenStream
                && it.message.get("method").and_then(Value::as_str)
                    == Some("notifications/progress");
            (related && !of_task).then(|| {
                let expected = "progress on the stream of its request";
                Finding::new(expected, show(it.message), it.place)
            })
        })
    },
    mutants: &[Mutant::new(
        "reports progress on the stream of GET",
        Mutation::Event(|context, text| {
            if context.method == "GET" && text.contains("notifications/tools/list_changed") {
                format!("{text}{PROGRESS}")
            } else {
                text.to_owned()
            }
        }),
    )
    .also(&["M085", "M086", "M227"])],
};

pub(super) const S084: Requirement = Requirement {
    id: "S084",
    name: "before-drops-connection-without-ending",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "Before it drops a connection without ending the stream the server sends an SSE retry value (POST and GET streams alike).",
    section: "docs/specification/2025-11-25/basic/transports.mdx#sending-messages-to-the-server ; docs/specification/2025-11-25/basic/transports.mdx#listening-for-messages-from-the-server",
    observed: Observed::By(&S084_CHECK),
};

const S084_CHECK: Check = Check {
    how: "looks for a retry in every stream that ended before its response",
    seen: seen_in(&["tour"]),
    fix: "send an SSE retry before you close a connection whose stream goes on",
    judge: |evidence| {
        let cut = posted_streams(evidence)
            .filter(|stream| stream.ended(evidence) && stream.answered(evidence).is_none());
        let outcome = each(cut, "", |stream| {
            let retries = stream
                .frames(evidence)
                .any(|(_, frame)| matches!(&frame.border, Border::Event { retry: Some(_), .. }));
            (!retries).then(|| Finding::new("an event with retry", "none", stream.0.answered))
        });
        none_applies(outcome, "no connection was closed before its response")
    },
    mutants: &[Mutant::new(
        "does not say when to come back",
        Mutation::Event(|_, text| {
            let kept = text.split('\n').filter(|line| !line.starts_with("retry:"));
            kept.collect::<Vec<_>>().join("\n")
        }),
    )],
};

pub(super) const A006: Requirement = Requirement {
    id: "A006",
    name: "client-may-open-stream-get",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "The client may open a stream with GET.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#listening-for-messages-from-the-server",
    observed: Observed::By(&A006_CHECK),
};

const A006_CHECK: Check = Check {
    how: "looks for GET",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| offered(gets(evidence), "to listen on a stream of GET", |_| true),
    mutants: &[NO_GET_HTTP],
};

pub(super) const A007: Requirement = Requirement {
    id: "A007",
    name: "server-may-send-requests-notifications-on",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "The server may send requests and notifications on a GET stream.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#listening-for-messages-from-the-server",
    observed: Observed::By(&A007_CHECK),
};

const A007_CHECK: Check = Check {
    how: "listens on the stream that GET opened",
    seen: seen_everywhere(),
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

pub(super) const A008: Requirement = Requirement {
    id: "A008",
    name: "server-may-close-get-stream-whenever-wants",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "The server may close a GET stream whenever it wants.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#listening-for-messages-from-the-server",
    observed: Observed::By(&A008_CHECK),
};

const A008_CHECK: Check = Check {
    how: "looks whether the streams of GET end",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        // Where there are two, one may have to give way.
        let standing = evidence.exchanges_about(Topic::OpenStream).filter(|it| {
            let scenario = Scenario::at(evidence, it.place);
            scenario == Some(Scenario::TOUR) && is_stream(*it)
        });
        offered(standing, "streams of GET that end early", |exchange| {
            evidence.after(exchange.place).any(
                |(_, what)| matches!(what, EventKind::Ended { exchange: it } if *it == exchange.exchange),
            )
        })
    },
    mutants: &[Mutant::new(
        "closes the stream of GET at once",
        Mutation::Http(|context, reply| {
            if context.method == "GET" && context.header("last-event-id").is_none() {
                reply.replace(200, "text/event-stream", ": goodbye\n\n");
            }
        }),
    )
    .also(&["M055", "S023", "S024", "S025", "M165", "M167", "M178", "M181", "S006"])],
};

pub(super) const A009: Requirement = Requirement {
    id: "A009",
    name: "client-may-close-get-stream-whenever-wants",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "The client may close a GET stream whenever it wants.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#listening-for-messages-from-the-server",
    observed: Observed::By(&A009_CHECK),
};

const A009_CHECK: Check = Check {
    how: "looks at how streams of GET end",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(gets(evidence), "to close a stream of GET", |exchange| {
            evidence.after(exchange.place).any(
                |(_, what)| matches!(what, EventKind::Left { exchange: it } if *it == exchange.exchange),
            )
        })
    },
    mutants: &[NO_GET_HTTP],
};

pub(super) const A054: Requirement = Requirement {
    id: "A054",
    name: "requests-notifications-on-stream-may-batched",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "Requests and notifications on a stream may be batched.",
    section: "docs/specification/2025-03-26/basic/transports.mdx#sending-messages-to-the-server ; docs/specification/2025-03-26/basic/transports.mdx#listening-for-messages-from-the-server",
    observed: Observed::Unobservable(
        "a permission: batches and single messages on a stream are both right, and each message is judged by itself",
    ),
};

fn unless_seen(outcome: Outcome, why: &str) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::NotApplicable(why.to_owned()),
        other => other,
    }
}

const PROGRESS: &str = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"call-0\",\"progress\":1}}\n\n";
