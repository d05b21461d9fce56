//! Which stream a notification belongs to.

use serde_json::{Value, json};

use super::{Check, shape::show, tools::none_applies};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    event::What,
    evidence::{Evidence, HttpExchange, Place},
    meta::{LOG_LEVEL, SERVER_INFO, SUBSCRIPTION},
    topic::Topic,
    transport::Transport,
};

pub(crate) const M187: Check = Check {
    how: "looks at every notification on the stream of a request",
    fix: "send on the stream of a request only what belongs to it",
    judge: |evidence| {
        let outcome = each(on_streams(evidence), "", |told| {
            let method = told.message["method"].as_str().unwrap_or_default();
            let listens = told.request.pointer("/method") == Some(&json!("subscriptions/listen"));
            let foreign = match method {
                "notifications/progress" => {
                    told.message.pointer("/params/progressToken")
                        != told.request.pointer("/params/_meta/progressToken")
                }
                "notifications/resources/updated" => !listens,
                _ if method.ends_with("/list_changed") => !listens,
                _ => false,
            };
            let expected = format!("what belongs to {}", show(told.request));
            foreign.then(|| Finding::new(expected, show(told.message), told.place))
        });
        none_applies(outcome, "no request was answered with notifications on its stream")
    },
    mutants: &[REPORTS_OTHERS],
};

pub(crate) const S075: Check = Check {
    how: "looks at every report of progress on the stream of a request",
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

pub(crate) const M491: Check = Check {
    how: "looks whether every log message comes where a request asked for it",
    fix: "send log messages on the stream of the request that named a level, and nowhere else",
    judge: |evidence| {
        let logged = evidence.told("notifications/message");
        let outcome = each(logged, "", |heard| {
            let asked = match evidence.transport {
                Transport::Stdio => open_requests(evidence, heard.place).any(wants_logs),
                _ => request_of(evidence, heard.place).is_some_and(wants_logs),
            };
            let expected = "a log message for a request that asks for it";
            (!asked).then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        none_applies(outcome, "nothing was logged")
    },
    mutants: &[
        Mutant::new(
            "logs when nobody asked",
            Mutation::Writes(|_, message| {
                let mut texts = vec![message.to_string()];
                if message["id"] == "last-ping" {
                    texts.push(LOG.to_owned());
                }
                texts
            }),
        ),
        Mutant {
            transport: Some(Transport::Http),
            ..Mutant::new(
                "logs to those who listen for changes",
                Mutation::Event(|context, text| {
                    if context.says("subscriptions/listen") && text.contains("acknowledged") {
                        format!("{text}event: message\ndata: {LOG}\n\n")
                    } else {
                        text.to_owned()
                    }
                }),
            )
            .also(&["M289"])
        },
    ],
};

pub(crate) const M288: Check = Check {
    how: "looks at the results of requests to listen, which end them",
    fix: "name the subscription in _meta of the result that ends it",
    judge: |evidence| {
        let ended = evidence.asked_by_method("subscriptions/listen").filter_map(|asked| {
            let answer = asked.answer?;
            Some((asked, answer, answer.result()?))
        });
        let outcome = each(ended, "", |(asked, answer, result)| {
            let named = result.get("_meta").and_then(|meta| meta.get(SUBSCRIPTION));
            (named != Some(asked.id)).then(|| {
                let expected = format!("{SUBSCRIPTION} {}", show(asked.id));
                Finding::new(expected, show(answer.message), answer.place)
            })
        });
        match outcome {
            Outcome::Unobserved(_) => Outcome::Unobserved(
                "the server ended no subscription by itself; it would if it were shut down meanwhile"
                    .to_owned(),
            ),
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "ends a subscription without saying which",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "last-ping" {
                let end = json!({ "jsonrpc": "2.0", "id": "listen-all", "result": {
                    "resultType": "complete", "_meta": { SERVER_INFO: {} } } });
                texts.push(end.to_string());
            }
            texts
        }),
    )
    .also(&["M222"])],
};

/// A notification on the stream of a request.
struct Told<'e> {
    request: &'e Value,
    place: Place,
    message: &'e Value,
}

fn on_streams(evidence: &Evidence) -> impl Iterator<Item = Told<'_>> {
    let posts = evidence.exchanges().filter(|exchange| {
        exchange.line.starts_with("POST")
            && exchange.content_type().as_deref() == Some("text/event-stream")
    });
    posts.flat_map(move |exchange| {
        let request = sent_in(evidence, exchange);
        let frames = evidence.frames_of(exchange.place, exchange.exchange);
        frames.flat_map(move |(place, frame)| {
            let messages = frame.messages().iter();
            let told = messages.filter(|it| it.get("method").is_some() && it.get("id").is_none());
            told.filter_map(move |message| Some(Told { request: request?, place, message }))
        })
    })
}

/// The request whose response a frame belongs to.
fn request_of(evidence: &Evidence, place: Place) -> Option<&Value> {
    let What::Received { exchange, .. } =
        &evidence.conversations[place.conversation].events[place.event].what
    else {
        return None;
    };
    let number = *exchange;
    let exchange = evidence
        .exchanges()
        .find(|it| it.exchange == number && it.place.conversation == place.conversation)?;
    sent_in(evidence, exchange)
}

fn sent_in<'e>(evidence: &'e Evidence, exchange: HttpExchange<'_>) -> Option<&'e Value> {
    evidence.after(exchange.place).find_map(|(_, what)| match what {
        What::Sent { exchange: it, frame, topic } if *it == exchange.exchange => {
            (*topic != Topic::Reply).then_some(frame.json.as_ref().ok()?)
        }
        _ => None,
    })
}

/// The requests that had no answer yet.
fn open_requests(evidence: &Evidence, place: Place) -> impl Iterator<Item = &Value> {
    let events = &evidence.conversations[place.conversation].events[..place.event];
    let answered = move |id: &Value, after: usize| {
        events[after..].iter().any(|event| match &event.what {
            What::Received { frame, .. } => frame
                .messages()
                .iter()
                .any(|it| it.get("method").is_none() && it.get("id") == Some(id)),
            _ => false,
        })
    };
    events.iter().enumerate().flat_map(move |(at, event)| {
        let messages = match &event.what {
            What::Sent { frame, .. } => frame.messages(),
            _ => &[],
        };
        messages.iter().filter(move |it| it.get("id").is_some_and(|id| !answered(id, at)))
    })
}

fn wants_logs(request: &Value) -> bool {
    request.pointer("/params/_meta").is_some_and(|meta| meta.get(LOG_LEVEL).is_some())
}

/// A server that reports the progress of another request on the stream of one that wants none of it.
const REPORTS_OTHERS: Mutant = Mutant::new(
    "reports the progress of another request",
    Mutation::Event(|context, text| {
        let here = context.message["params"]["name"] == "test_tool_with_progress";
        if here && text.contains("\"result\"") {
            format!("{PROGRESS}{text}")
        } else {
            text.to_owned()
        }
    }),
)
.also(&["M085", "M086", "M227"]);

const LOG: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"a\"}}";
const PROGRESS: &str = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"call-0\",\"progress\":1}}\n\n";
