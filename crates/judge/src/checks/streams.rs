//! Streams and sessions of Streamable HTTP: what goes where, and who ends what.

use std::time::Duration;

use serde_json::Value;

use super::{Check, shape::show, tools::none_applies};
use crate::{
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::{mutation::Mutation, scenario::Scenario};
use proofmark_record::{
    event::{Border, What},
    evidence::{Evidence, HttpExchange, Place},
    meta::RELATED_TASK,
    topic::Topic,
};

pub(crate) const M027: Check = Check {
    how: "opens two streams with GET and compares what comes on them and on those of posted requests",
    fix: "send each message on one stream only",
    judge: |evidence| {
        let said: Vec<_> =
            streamed(evidence).filter(|it| it.message.get("method").is_some()).collect();
        if said.is_empty() {
            let why = "the server said nothing on its streams that could have gone to another one";
            return Outcome::Unobserved(why.to_owned());
        }
        let standing = said.iter().filter(|it| it.topic == Topic::OpenStream);
        let outcome = each(standing, "", |one| {
            let twin = said.iter().find(|other| {
                other.place.conversation == one.place.conversation
                    && other.exchange != one.exchange
                    && other.message == one.message
                    && other.at.abs_diff(one.at) < TOGETHER
            })?;
            let actual = format!("{} on two", show(twin.message));
            Some(Finding::new("each message on one stream", actual, twin.place))
        });
        none_applies(outcome, "nothing came on a stream of GET")
    },
    mutants: &[Mutant::new(
        "tells every stream the same",
        Mutation::Http(|context, reply| {
            if context.method == "GET" && context.header("last-event-id").is_none() {
                reply.replace(200, "text/event-stream", BROADCAST);
            }
        }),
    )
    .also(&["M055", "S023", "S024"])],
};

pub(crate) const S003: Check = Check {
    how: "looks whether the stream of a posted request ends before its response",
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
                What::Ended { exchange } if *exchange == asked.exchange => Some(place),
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

pub(crate) const S004: Check = Check {
    how: "looks for progress of posted requests on the streams of GET",
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

pub(crate) const A008: Check = Check {
    how: "looks whether the streams of GET end",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        // Where there are two, one may have to give way.
        let standing = evidence.exchanges_about(Topic::OpenStream).filter(|it| {
            let scenario = Scenario::at(evidence, it.place);
            scenario == Some(Scenario::TOUR) && is_stream(*it)
        });
        offered(standing, "streams of GET that end early", |exchange| {
            evidence.after(exchange.place).any(
                |(_, what)| matches!(what, What::Ended { exchange: it } if *it == exchange.exchange),
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
    .also(&["M055", "S023", "S024", "S025"])],
};

pub(crate) const A013: Check = Check {
    how: "looks for a session id on the answer to initialize",
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

pub(crate) const A014: Check = Check {
    how: "looks whether a session that the checker did not end is gone",
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

/// A message on an event stream.
struct Streamed<'e> {
    topic: Topic,
    exchange: u32,
    place: Place,
    at: Duration,
    message: &'e Value,
}

/// Every message on a stream, but not what is told again to those who come back.
fn streamed(evidence: &Evidence) -> impl Iterator<Item = Streamed<'_>> {
    evidence.exchanges().filter(|exchange| exchange.topic != Topic::Resume).flat_map(
        move |exchange| {
            evidence.frames_of(exchange.place, exchange.exchange).flat_map(move |(place, frame)| {
                let is_event = matches!(frame.border, Border::Event { .. });
                let at = evidence.conversations[place.conversation].events[place.event].at;
                let messages = if is_event { frame.messages() } else { &[] };
                let (topic, exchange) = (exchange.topic, exchange.exchange);
                messages.iter().map(move |message| Streamed { topic, exchange, place, at, message })
            })
        },
    )
}

fn of(evidence: &Evidence, place: Place, exchange: u32) -> Option<HttpExchange<'_>> {
    evidence
        .exchanges()
        .find(|it| it.exchange == exchange && it.place.conversation == place.conversation)
}

fn is_stream(exchange: HttpExchange<'_>) -> bool {
    exchange.content_type().as_deref() == Some("text/event-stream")
}

/// What is the same and comes on two streams within this time is one message.
const TOGETHER: Duration = Duration::from_secs(2);
const BROADCAST: &str = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
const PROGRESS: &str = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"call-0\",\"progress\":1}}\n\n";
