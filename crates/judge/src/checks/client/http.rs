//! What a client sends over HTTP: methods, headers, streams.

use proofmark_core::revision::{Revision, VersionHeader};
use serde_json::{Value, json};

use super::{handshakes, hosted_at};
use crate::{
    checks::Check,
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::{
    hosted::HostedScenario,
    http_request::HttpRequest,
    mutation::{Mutation, Passing},
};
use proofmark_record::{
    event::{Border, Conversation, What, header},
    evidence::{Evidence, HttpExchange, PeerRequest, Place, is_modern},
    text::excerpt,
    topic::Topic,
};

pub(crate) const M019: Check = Check {
    how: "looks at the method of every HTTP request that carries a message",
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

pub(crate) const M020: Check = Check {
    how: "looks at Accept of every POST",
    fix: "send Accept: application/json, text/event-stream",
    judge: |evidence| {
        let expected = "application/json and text/event-stream in Accept";
        let outcome = each(posts(evidence), NOTHING, |exchange| {
            let accept = header(exchange.asked, "accept").unwrap_or_default();
            let lists = |kind: &str| accepts(accept, kind) || accepts(accept, "*/*");
            let right = lists("application/json") && lists("text/event-stream");
            (!right).then(|| Finding::new(expected, format!("{accept:?}"), exchange.place))
        });
        if outcome != Outcome::Kept {
            return outcome;
        }
        // A wildcard means both, but lists neither.
        let vague = posts(evidence).find(|exchange| {
            let accept = header(exchange.asked, "accept").unwrap_or_default();
            !accepts(accept, "application/json") || !accepts(accept, "text/event-stream")
        });
        vague.map_or(Outcome::Kept, |exchange| {
            let accept = header(exchange.asked, "accept").unwrap_or_default();
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

pub(crate) const M021: Check = Check {
    how: "looks at the body of every POST",
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
    .also(&["M006"])],
};

pub(crate) const M175: Check = Check {
    how: "looks at the body of every POST",
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

pub(crate) const M024: Check = Check {
    how: "looks at Accept of every GET",
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

pub(crate) const M174: Check = Check {
    how: "answers with bodies in one run and with event streams in another",
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

pub(crate) const M180: Check = Check {
    how: "looks for MCP-Protocol-Version in every request after the handshake",
    fix: "send MCP-Protocol-Version with every request after initialize",
    judge: |evidence| {
        let demanding = after_handshake(evidence).filter(|(_, agreed)| demands_version(agreed));
        each(demanding, NOTHING, |(exchange, _)| {
            let known = header(exchange.asked, "mcp-protocol-version").is_some();
            let expected = "MCP-Protocol-Version";
            (!known).then(|| Finding::new(expected, "no such header", exchange.place))
        })
    },
    mutants: &[mutated("forgets the version", |request| {
        if says(request, "tools/call") {
            request.remove("mcp-protocol-version");
        }
    })],
};

pub(crate) const S080: Check = Check {
    how: "compares MCP-Protocol-Version with the version that was agreed upon",
    fix: "send the version that the server answered with",
    judge: |evidence| {
        each(after_handshake(evidence), NOTHING, |(exchange, agreed)| {
            let version = header(exchange.asked, "mcp-protocol-version")?;
            (version != agreed).then(|| Finding::new(agreed, version, exchange.place))
        })
    },
    mutants: &[mutated("sends another version", |request| {
        if says(request, "tools/call") {
            request.set("mcp-protocol-version", Revision::ALL[0].as_str());
        }
    })],
};

pub(crate) const S079: Check = Check {
    how: "lets the stream of a call break off after an event with an id",
    fix: "come back with GET and Last-Event-ID",
    judge: |evidence| {
        resumes(evidence, |_, exchange| {
            let last = header(exchange.asked, "last-event-id");
            let expected = "Last-Event-ID: before-the-cut";
            (last != Some("before-the-cut"))
                .then(|| Finding::new(expected, format!("{last:?}"), exchange.place))
        })
    },
    mutants: &[mutated("does not say where it was", |request| {
        if request.method == "GET" && request.header("last-event-id").is_some() {
            request.set("last-event-id", "elsewhere");
        }
    })],
};

pub(crate) const S083: Check = Check {
    how: S079.how,
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

pub(crate) const M182: Check = Check {
    how: "lets a stream break off after a retry of a second, and measures how long the client stays away",
    fix: "wait for as long as retry says before you reconnect",
    judge: |evidence| {
        resumes(evidence, |request, exchange| {
            let events = &evidence.conversations[exchange.place.conversation].events;
            let cut = evidence.after(request.place).find(
                |(_, what)| matches!(what, What::Ended { exchange: it } if *it == request.exchange),
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

pub(crate) const A006: Check = Check {
    how: "looks for GET",
    fix: "nothing: this is allowed",
    judge: |evidence| offered(gets(evidence), "to listen on a stream of GET", |_| true),
    mutants: &[NO_GET],
};

pub(crate) const A009: Check = Check {
    how: "looks at how streams of GET end",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(gets(evidence), "to close a stream of GET", |exchange| {
            evidence.after(exchange.place).any(
                |(_, what)| matches!(what, What::Left { exchange: it } if *it == exchange.exchange),
            )
        })
    },
    mutants: &[NO_GET],
};

pub(crate) const A010: Check = Check {
    how: "looks for several streams at once",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let streams: Vec<_> = requests(evidence)
            .filter(|it| it.content_type().as_deref() == Some("text/event-stream"))
            .map(|it| (it.place, over(evidence, &it)))
            .collect();
        offered(streams.iter(), "several streams at once", |(begun, over)| {
            streams.iter().any(|(other, _)| {
                other.conversation == begun.conversation
                    && (begun.event + 1..*over).contains(&other.event)
            })
        })
    },
    mutants: &[NO_GET],
};

/// Every request at the endpoint.
pub(super) fn requests(evidence: &Evidence) -> impl Iterator<Item = HttpExchange<'_>> {
    evidence.exchanges().filter(|it| it.topic != Topic::Elsewhere && !it.topic.is_about_tokens())
}

pub(super) fn posts(evidence: &Evidence) -> impl Iterator<Item = HttpExchange<'_>> {
    requests(evidence).filter(|exchange| exchange.line.starts_with("POST "))
}

fn gets(evidence: &Evidence) -> impl Iterator<Item = HttpExchange<'_>> {
    requests(evidence).filter(|exchange| exchange.line.starts_with("GET "))
}

/// The body of a request.
pub(super) fn body<'e>(
    evidence: &'e Evidence,
    exchange: &HttpExchange<'_>,
) -> Option<&'e proofmark_record::event::Frame> {
    evidence
        .frames_of(exchange.place, exchange.exchange)
        .find(|(_, frame)| frame.border == Border::Body)
        .map(|(_, frame)| frame)
}

/// Requests after a version was agreed upon, with that version.
fn after_handshake(evidence: &Evidence) -> impl Iterator<Item = (HttpExchange<'_>, &str)> {
    requests(evidence).filter_map(|exchange| {
        let begins = is_beginning(evidence, &exchange);
        let agreed = handshakes(evidence)
            .filter_map(|it| it.answer)
            .filter(|answer| {
                answer.place.conversation == exchange.place.conversation
                    && answer.place.event < exchange.place.event
            })
            .filter_map(|answer| answer.result()?.get("protocolVersion")?.as_str())
            .last();
        agreed.filter(|_| !begins).map(|agreed| (exchange, agreed))
    })
}

/// Whether a request begins a session, or has nothing to do with sessions.
pub(super) fn is_beginning(evidence: &Evidence, exchange: &HttpExchange<'_>) -> bool {
    body(evidence, exchange).is_some_and(|frame| {
        frame.messages().iter().any(|it| it["method"] == "initialize" || is_modern(it))
    })
}

/// Whether requests under this version have to name it.
fn demands_version(agreed: &str) -> bool {
    agreed.parse().is_ok_and(|revision: Revision| {
        matches!(revision.rules().http.version_header, VersionHeader::AfterInitialize { .. })
    })
}

/// The request that comes back for a stream that broke off.
fn resumes(
    evidence: &Evidence,
    judge: impl Fn(PeerRequest<'_>, HttpExchange<'_>) -> Option<Finding>,
) -> Outcome {
    let cut = evidence
        .requests_for("tools/call")
        .filter(|request| hosted_at(evidence, request.place) == Some(HostedScenario::RESUME));
    each(cut, "the client made no call whose stream could break off", |request| {
        let back = gets(evidence).find(|it| {
            it.place.conversation == request.place.conversation
                && it.place.event > request.place.event
                && header(it.asked, "last-event-id").is_some()
        });
        let Some(exchange) = back else {
            let expected = "GET with Last-Event-ID";
            return Some(Finding::new(expected, "the client did not come back", request.place));
        };
        judge(request, exchange)
    })
}

/// The event at which the response to a request was over.
fn over(evidence: &Evidence, exchange: &HttpExchange<'_>) -> usize {
    let ends = |(place, what): (Place, &What)| {
        let is_it = matches!(what, What::Ended { exchange: it } | What::Left { exchange: it }
            if *it == exchange.exchange);
        is_it.then_some(place.event)
    };
    evidence.after(exchange.place).find_map(ends).unwrap_or(usize::MAX)
}

fn accepts(accept: &str, kind: &str) -> bool {
    accept
        .split(',')
        .any(|item| item.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(kind))
}

pub(super) fn says(request: &HttpRequest, method: &str) -> bool {
    serde_json::from_slice(&request.body).is_ok_and(|it: Value| it["method"] == json!(method))
}

fn unless_seen(outcome: Outcome, why: &str) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::NotApplicable(why.to_owned()),
        other => other,
    }
}

/// A client whose requests are changed and all pass.
pub(super) const fn mutated(name: &'static str, change: fn(&mut HttpRequest)) -> Mutant {
    Mutant::new(name, Mutation::Head(change))
}

const NO_GET: Mutant = Mutant::new(
    "never opens a stream",
    Mutation::Request(|request| if request.method == "GET" { Passing::No } else { Passing::Yes }),
)
.also(&["M182", "S079", "S083"]);

pub(super) const NOTHING: &str = "the client sent nothing over HTTP";
/// What a client asks for before it calls anything.
const EARLY: [&str; 3] = ["initialize", "server/discover", "tools/list"];
