//! `basic/transports`: `#sending-messages-to-the-server`.

use super::shared::{S079_CHECK, is_stream, resumes};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{NEVER_CANCELS, NOTHING, S020_CLIENT, body, gives_up, mutated, posts, says},
        disconnecting::left,
        resumption::{ENDING, NO_STREAM, Stream, posted_streams},
        shape::show,
        stream_routing::{REPORTS_OTHERS, on_streams},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, only},
};
use proofmark_converse::{
    mutation::{Mutation, Passing},
    scenario::Scenario,
};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18, V2025_11_25};
use proofmark_record::{
    event::{Border, EventKind, Frame},
    evidence::{Evidence, HttpExchange, Place},
    text::excerpt,
    topic::Topic,
};
use serde_json::Value;

pub(super) const M021: Requirement = Requirement {
    id: "M021",
    name: "post-body-one-json-rpc-message-or-batch",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "A POST body is one JSON-RPC message or a batch (2025-03-26 only; a batch mixes no responses with requests).",
    section: "docs/specification/2025-03-26/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&M021_CHECK),
};

const M021_CHECK: Check = Check {
    how: "looks at the body of every POST",
    seen: seen_in(&["hosted behave"]),
    fix: "post one message, or a batch that has no responses beside requests",
    judge: |evidence| {
        each(posts(evidence), NOTHING, |exchange| {
            let frame = body(evidence, &exchange)?;
            let right = match &frame.json {
                Ok(Value::Array(batch)) => {
                    let responses = batch.iter().filter(|it| it.get("method").is_none()).count();
                    !batch.is_empty() && (responses == 0 || responses == batch.len())
                }
                Ok(message) => message.is_object(),
                Err(_) => false,
            };
            let expected = "one message, or a batch of one kind";
            (!right).then(|| Finding::new(expected, excerpt(&frame.bytes), exchange.place))
        })
    },
    mutants: &[mutated("mixes answers with requests", |request| {
        if says(request, "tools/list") {
            let message = String::from_utf8_lossy(&request.body).into_owned();
            let mixed =
                format!("[{message},{{\"jsonrpc\":\"2.0\",\"id\":\"mixed\",\"result\":{{}}}}]");
            request.body = mixed.into_bytes();
        }
    })
    .also(&["M006", "M077"])],
};

pub(super) const M175: Requirement = Requirement {
    id: "M175",
    name: "post-body-exactly-one-request-notification",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_06_18, V2025_11_25),
    text: "A POST body is exactly one request, notification or response.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&M175_CHECK),
};

const M175_CHECK: Check = Check {
    how: "looks at the body of every POST",
    seen: seen_in(&["hosted behave"]),
    fix: "post one message at a time; batches are gone",
    judge: |evidence| {
        each(posts(evidence), NOTHING, |exchange| {
            let frame = body(evidence, &exchange)?;
            let right = frame.json.as_ref().is_ok_and(Value::is_object);
            (!right).then(|| Finding::new("one message", excerpt(&frame.bytes), exchange.place))
        })
    },
    mutants: &[mutated("posts batches", |request| {
        if says(request, "tools/list") {
            let message = String::from_utf8_lossy(&request.body).into_owned();
            request.body = format!("[{message}]").into_bytes();
        }
    })],
};

pub(super) const M182: Requirement = Requirement {
    id: "M182",
    name: "client-waits-retry-value-before-reconnects",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "The client waits for the retry value before it reconnects.",
    section: "docs/specification/2025-11-25/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&M182_CHECK),
};

const M182_CHECK: Check = Check {
    how: "lets a stream break off after a retry of a second, and measures how long the client stays away",
    seen: seen_in(&["hosted resume"]),
    fix: "wait for as long as retry says before you reconnect",
    judge: |evidence| {
        resumes(evidence, |request, exchange| {
            let events = &evidence.conversations[exchange.place.conversation].events;
            let cut = evidence.after(request.place).find(
                |(_, what)| matches!(what, EventKind::Ended { exchange: it } if *it == request.exchange),
            );
            let cut = events[cut?.0.event].at;
            let away = events[exchange.place.event].at.saturating_sub(cut).as_millis();
            let actual = format!("{away} ms");
            (away < 995).then(|| Finding::new("1000 ms", actual, exchange.place))
        })
    },
    mutants: &[Mutant::new(
        "comes back at once",
        Mutation::Event(|_, text| text.replace("retry: 1000", "retry: 1")),
    )],
};

pub(super) const S002: Requirement = Requirement {
    id: "S002",
    name: "post-event-stream-eventually-carries",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A POST's event stream eventually carries the response to each request posted.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&S002_CHECK),
};

const S002_CHECK: Check = Check {
    how: "follows the event stream of every posted request, through reconnections",
    seen: seen_in(&["tour"]),
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
                |(_, what)| matches!(what, EventKind::Ended { exchange } if *exchange == asked.exchange),
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

pub(super) const S003: Requirement = Requirement {
    id: "S003",
    name: "server-does-not-close-post-event-stream",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_06_18),
    text: "The server does not close a POST's event stream before the response is sent (2025-11-25 replaces this with permission to close and be polled).",
    section: "docs/specification/{2025-03-26..2025-06-18}/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&S003_CHECK),
};

const S003_CHECK: Check = Check {
    how: "looks whether the stream of a posted request ends before its response",
    seen: seen_in(&["tour"]),
    fix: "keep the stream of a request open until its response is sent",
    judge: |evidence| {
        let streamed = evidence.asked_all().filter(|asked| {
            let topic = asked.topic;
            let exchange = of(evidence, asked.place, asked.exchange);
            !matches!(topic, Topic::Slow | Topic::Unanswered) && exchange.is_some_and(is_stream)
        });
        let outcome = each(streamed, "", |asked| {
            let answered = evidence.frames_of(asked.place, asked.exchange).any(|(_, frame)| {
                frame.messages().iter().any(|message| {
                    message.get("method").is_none() && message.get("id") == Some(asked.id)
                })
            });
            let ended = evidence.after(asked.place).find_map(|(place, what)| match what {
                EventKind::Ended { exchange } if *exchange == asked.exchange => Some(place),
                _ => None,
            })?;
            (!answered).then(|| {
                let expected = "the response before the end of the stream";
                Finding::new(expected, "the stream ended without it", ended)
            })
        });
        none_applies(outcome, "no request was answered with a stream")
    },
    mutants: &[Mutant::new(
        "hangs up before it has answered",
        Mutation::Event(|_, text| {
            let last = text.contains("The tool has logged three times");
            if last { String::new() } else { text.to_owned() }
        }),
    )
    .also(&["S002"])],
};

pub(super) const S075: Requirement = Requirement {
    id: "S075",
    name: "what-precedes-response-on-post-stream",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "What precedes the response on a POST's stream relates to that request.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&S075_CHECK),
};

const S075_CHECK: Check = Check {
    how: "looks at every report of progress on the stream of a request",
    seen: seen_in(&["tour"]),
    fix: "send on the stream of a request only what belongs to it",
    judge: |evidence| {
        let reports =
            on_streams(evidence).filter(|told| told.message["method"] == "notifications/progress");
        let outcome = each(reports, "", |told| {
            let (its, wanted) = ("/params/progressToken", "/params/_meta/progressToken");
            let foreign = told.message.pointer(its) != told.request.pointer(wanted);
            let expected = format!("what belongs to {}", show(told.request));
            foreign.then(|| Finding::new(expected, show(told.message), told.place))
        });
        none_applies(outcome, "no request was answered with notifications on its stream")
    },
    mutants: &[REPORTS_OTHERS],
};

pub(super) const S076: Requirement = Requirement {
    id: "S076",
    name: "post-event-stream-ends-once-response-out",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A POST's event stream ends once the response is out.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&S076_CHECK),
};

const S076_CHECK: Check = ENDING;

pub(super) const S077: Requirement = Requirement {
    id: "S077",
    name: "disconnection-not-taken-cancellation",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A disconnection is not taken as a cancellation (2026-07-28 turns this around).",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&S077_CHECK),
};

const S077_CHECK: Check = Check {
    how: "closes the connection of a call that announces a change in the end, and listens for it",
    seen: seen_in(&["leaving"]),
    fix: "go on with a request when its connection breaks; clients say if they want to cancel it",
    judge: |evidence| match left(evidence) {
        Err(why) => Outcome::Unobserved(why.to_owned()),
        Ok((_, Some(_))) => Outcome::Kept,
        Ok((place, None)) => {
            let expected = "the change that the call announces in the end";
            Outcome::Broken(Finding::new(expected, "nothing", place))
        }
    },
    mutants: &[Mutant::new(
        "gives up when its client has gone",
        Mutation::Hangs(|message| {
            message.pointer("/params/_meta/progressToken").and_then(Value::as_str) == Some("left")
        }),
    )],
};

pub(super) const S078: Requirement = Requirement {
    id: "S078",
    name: "cancel-over-http-client-sends",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "To cancel over HTTP the client sends notifications/cancelled.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&S078_CHECK),
};

const S078_CHECK: Check = Check {
    how: S020_CLIENT.how,
    seen: seen_in(&["hosted slow"]),
    fix: S020_CLIENT.fix,
    judge: gives_up,
    mutants: &[NEVER_CANCELS.also(&["S020"])],
};

pub(super) const S082: Requirement = Requirement {
    id: "S082",
    name: "new-event-stream-starts-event-id-empty-data",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "A new event stream starts with an event that has an id and empty data.",
    section: "docs/specification/2025-11-25/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&S082_CHECK),
};

const S082_CHECK: Check = Check {
    how: "looks at the first event of every event stream of a posted request",
    seen: seen_in(&["tour"]),
    fix: "begin each stream with an event that has an id and no data, so that clients can come back",
    judge: |evidence| {
        // Where another revision is agreed upon, it is not asked for.
        let here = |stream: &Stream<'_>| {
            let offered = Scenario::version_offered_at(evidence, stream.0.place);
            offered.is_none_or(|version| version == evidence.revision.as_str())
        };
        let outcome = each(posted_streams(evidence).filter(here), "", |stream| {
            let (place, first) = stream.frames(evidence).next()?;
            let has_id = matches!(&first.border, Border::Event { id: Some(_), .. });
            let expected = "an event with an id and without data";
            let right = has_id && first.bytes.is_empty();
            (!right).then(|| Finding::new(expected, told(first), place))
        });
        none_applies(outcome, NO_STREAM)
    },
    mutants: &[Mutant::new(
        "begins its streams with a message",
        Mutation::Event(|context, text| {
            if context.method == "POST" && !text.contains("data: {") {
                String::new()
            } else {
                text.to_owned()
            }
        }),
    )
    .also(&["S002", "S084"])],
};

pub(super) const S083: Requirement = Requirement {
    id: "S083",
    name: "when-server-drops-connection-but-keeps",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "When the server drops a connection but keeps the stream, the client reconnects to poll it.",
    section: "docs/specification/2025-11-25/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&S083_CHECK),
};

const S083_CHECK: Check = Check {
    how: S079_CHECK.how,
    seen: seen_in(&["hosted resume"]),
    fix: "come back for a stream that was closed before its response",
    judge: |evidence| resumes(evidence, |_, _| None),
    mutants: &[Mutant::new(
        "never comes back",
        Mutation::Request(|request| {
            let comes = request.method == "GET" && request.header("last-event-id").is_some();
            if comes { Passing::No } else { Passing::Yes }
        }),
    )
    .also(&["S079", "M182"])],
};

pub(super) const A005: Requirement = Requirement {
    id: "A005",
    name: "requests-notifications-may-precede-response",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "Requests and notifications may precede the response on a POST's stream (2026-07-28: notifications only).",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::By(&A005_CHECK),
};

const A005_CHECK: Check = Check {
    how: "looks at the streams of posted requests",
    seen: seen_everywhere(),
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

pub(super) const A053: Requirement = Requirement {
    id: "A053",
    name: "responses-on-post-stream-may-batched",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "Responses on a POST's stream may be batched.",
    section: "docs/specification/2025-03-26/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::Unobservable(
        "a permission: batches and single responses are both right, and each response is judged by itself",
    ),
};

pub(super) const A055: Requirement = Requirement {
    id: "A055",
    name: "disconnection-may-happen-at-any-time",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A disconnection may happen at any time.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::Unobservable(
        "that a connection breaks by itself cannot be caused from the other end",
    ),
};

pub(super) const A057: Requirement = Requirement {
    id: "A057",
    name: "after-event-id-server-may-drop-connection",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "After an event with an id the server may drop the connection without ending the stream.",
    section: "docs/specification/2025-11-25/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::Unobservable(
        "a permission: a connection that is dropped is taken up again by the checker, and what comes then has rows of its own",
    ),
};

pub(super) const A058: Requirement = Requirement {
    id: "A058",
    name: "post-event-stream-may-end-when-session",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "A POST's event stream may end when its session expires.",
    section: "docs/specification/2025-11-25/basic/transports.mdx#sending-messages-to-the-server",
    observed: Observed::Unobservable("it would take longer to see than a run may last"),
};

fn of(evidence: &Evidence, place: Place, exchange: u32) -> Option<HttpExchange<'_>> {
    evidence
        .exchanges()
        .find(|it| it.exchange == exchange && it.place.conversation == place.conversation)
}

fn told(frame: &Frame) -> String {
    if frame.bytes.is_empty() { "an event without an id".to_owned() } else { excerpt(&frame.bytes) }
}
