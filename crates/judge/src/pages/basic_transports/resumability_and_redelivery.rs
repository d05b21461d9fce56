//! `basic/transports`: `#security-warning`, `#http-with-sse`, `#resumability-and-redelivery`.

use super::shared::S079_CHECK;
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{ELSEWHERE, posted},
        endpoint::SSE_ENDPOINT,
        envelope::is_response,
        http::{mutated as mutated_http, origin_is_validated},
        resumption::request_id,
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, only},
};
use proofmark_converse::mutation::{HttpContext, Mutation, Reply};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2025_11_25};
use proofmark_record::{
    event::{Border, EventKind, Frame},
    evidence::{Evidence, HttpExchange},
    text::excerpt,
    topic::Topic,
};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) const M166: Requirement = Requirement {
    id: "M166",
    name: "http-sse-server-validates-origin-header-each",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Sse,
    span: only(V2024_11_05),
    text: "The HTTP+SSE server validates the Origin header of each connection.",
    section: "docs/specification/2024-11-05/basic/transports.mdx#security-warning",
    observed: Observed::By(&M166_CHECK),
};

const M166_CHECK: Check = Check {
    how: "opens a stream with the Origin of a page from elsewhere",
    seen: seen_in(&["headers"]),
    fix: "compare Origin, where it is given, with the origins that you trust",
    judge: origin_is_validated,
    mutants: &[mutated("lets every page listen", |context, reply| {
        if context.header("origin").is_some() {
            reply.replace(200, "text/event-stream", "event: endpoint\ndata: /message\n\n");
        }
    })],
};

pub(super) const M168: Requirement = Requirement {
    id: "M168",
    name: "http-sse-server-sse-endpoint-clients-connect",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Sse,
    span: only(V2024_11_05),
    text: "An HTTP+SSE server has an SSE endpoint that clients connect to.",
    section: "docs/specification/2024-11-05/basic/transports.mdx#security-warning",
    observed: Observed::By(&M168_CHECK),
};

const M168_CHECK: Check = SSE_ENDPOINT;

pub(super) const M169: Requirement = Requirement {
    id: "M169",
    name: "http-sse-server-post-endpoint-client",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Sse,
    span: only(V2024_11_05),
    text: "An HTTP+SSE server has a POST endpoint for client messages.",
    section: "docs/specification/2024-11-05/basic/transports.mdx#security-warning",
    observed: Observed::By(&M169_CHECK),
};

const M169_CHECK: Check = Check {
    how: "posts every message to the endpoint that the server named",
    seen: seen_in(&["tour"]),
    fix: "accept messages with POST where the endpoint event says",
    judge: |evidence| {
        let posted = evidence.exchanges().filter(|exchange| {
            !matches!(exchange.topic, Topic::OpenStream | Topic::ForeignOrigin | Topic::NotJson)
        });
        each(posted, "nothing was posted", |exchange| {
            let status = exchange.status?;
            matches!(status, 404 | 405).then(|| {
                Finding::new(
                    "a status that accepts the message",
                    format!("{status}"),
                    exchange.answered,
                )
            })
        })
    },
    mutants: &[mutated("does not know its own endpoint", |context, reply| {
        if context.says("notifications/proofmark/unknown") {
            reply.replace(404, "text/plain", "not found");
        }
    })],
};

pub(super) const M170: Requirement = Requirement {
    id: "M170",
    name: "on-connection-http-sse-server-sends-endpoint",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Sse,
    span: only(V2024_11_05),
    text: "On connection the HTTP+SSE server sends an endpoint event with the URI to post to.",
    section: "docs/specification/2024-11-05/basic/transports.mdx#security-warning",
    observed: Observed::By(&M170_CHECK),
};

const M170_CHECK: Check = Check {
    how: "looks at the first event of the stream",
    seen: seen_everywhere(),
    fix: "begin each stream with an event named endpoint whose data is the URI to post to",
    judge: |evidence| {
        let first = evidence.conversations.iter().enumerate().filter_map(|(conversation, it)| {
            it.events.iter().enumerate().find_map(|(event, it)| match &it.kind {
                EventKind::Received { exchange: 0, frame } => {
                    Some((proofmark_record::evidence::Place { conversation, event }, frame))
                }
                _ => None,
            })
        });
        let outcome = each(first, "no stream was opened", |(place, frame)| {
            let named = matches!(&frame.border, Border::Event { name, .. } if name == "endpoint");
            let is_uri = frame.json.is_err() && !frame.bytes.iter().any(u8::is_ascii_whitespace);
            let expected = "an event named endpoint, whose data is a URI";
            (!named || !is_uri || frame.bytes.is_empty())
                .then(|| Finding::new(expected, shown(frame), place))
        });
        match outcome {
            Outcome::Unobserved(why) => {
                // A stream that is open and says nothing.
                let silent = evidence.exchanges_about(Topic::OpenStream).find(|exchange| {
                    let kind = exchange.content_type();
                    exchange.status == Some(200) && kind.as_deref() == Some("text/event-stream")
                });
                silent.map_or(Outcome::Unobserved(why), |exchange| {
                    let expected = "an event named endpoint at the beginning of the stream";
                    Outcome::Broken(Finding::new(expected, "no event", exchange.answered))
                })
            }
            other => other,
        }
    },
    mutants: &[
        Mutant::new(
            "names the endpoint in a message",
            Mutation::Event(|_, text| text.replacen("event: endpoint", "event: message", 1)),
        ),
        Mutant::new(
            "puts the endpoint into JSON",
            Mutation::Event(|_, text| match text.split_once("event: endpoint\ndata: ") {
                Some((before, uri)) => {
                    format!("{before}event: endpoint\ndata: \"{}\"\n\n", uri.trim_end())
                }
                None => text.to_owned(),
            }),
        ),
        Mutant::new(
            "does not say where to post to",
            Mutation::Event(|_, text| {
                let says = text.contains("event: endpoint");
                if says { String::new() } else { text.to_owned() }
            }),
        ),
    ],
};

/// The name of an event and its data.
fn shown(frame: &Frame) -> String {
    match &frame.border {
        Border::Event { name, .. } => format!("{name}: {}", excerpt(&frame.bytes)),
        _ => excerpt(&frame.bytes),
    }
}

pub(super) const M171: Requirement = Requirement {
    id: "M171",
    name: "every-client-message-posted-uri-from",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Sse,
    span: only(V2024_11_05),
    text: "Every client message is posted to the URI from the endpoint event.",
    section: "docs/specification/2024-11-05/basic/transports.mdx#security-warning",
    observed: Observed::By(&M171_CHECK),
};

const M171_CHECK: Check = Check {
    how: "looks at where every message is posted to",
    seen: seen_everywhere(),
    fix: "post to the URI that the endpoint event names",
    judge: |evidence| {
        let posts = evidence.exchanges().filter(|it| it.line.starts_with("POST "));
        let after = posts.filter(|it| opened(evidence, it));
        each(after, "the client never opened the stream", |exchange| {
            let right = exchange.line == posted();
            (!right).then(|| Finding::new(posted(), exchange.line, exchange.place))
        })
    },
    mutants: &[ELSEWHERE],
};

pub(super) const S069: Requirement = Requirement {
    id: "S069",
    name: "local-http-sse-server-listens-on-localhost",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Sse,
    span: only(V2024_11_05),
    text: "A local HTTP+SSE server listens on localhost only.",
    section: "docs/specification/2024-11-05/basic/transports.mdx#security-warning",
    observed: Observed::Unobservable(
        "on which other addresses a server listens cannot be seen from the one that was given",
    ),
};

pub(super) const S071: Requirement = Requirement {
    id: "S071",
    name: "all-http-sse-connections-authenticated",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Sse,
    span: only(V2024_11_05),
    text: "All HTTP+SSE connections are authenticated.",
    section: "docs/specification/2024-11-05/basic/transports.mdx#security-warning",
    observed: Observed::Unobservable(
        "whether a server has to know its clients depends on where it is deployed",
    ),
};

pub(super) const M172: Requirement = Requirement {
    id: "M172",
    name: "server-messages-sse-events-named-message",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Sse,
    span: only(V2024_11_05),
    text: "Server messages are SSE events named message whose data is JSON (descriptive in the text).",
    section: "docs/specification/2024-11-05/basic/transports.mdx#http-with-sse",
    observed: Observed::By(&M172_CHECK),
};

const M172_CHECK: Check = Check {
    how: "looks at the name of every event after the first",
    seen: seen_everywhere(),
    fix: "send messages as events named message whose data is JSON",
    judge: |evidence| {
        let events = evidence.events().filter_map(|(place, event)| match &event.kind {
            EventKind::Received { exchange: 0, frame } => match &frame.border {
                Border::Event { name, .. }
                    if name != "endpoint" && !evidence.is_greeting(place, frame) =>
                {
                    Some((place, frame, name))
                }
                _ => None,
            },
            _ => None,
        });
        let posted = evidence.events().find_map(|(place, event)| match &event.kind {
            EventKind::Received { exchange, frame } if frame.border == Border::Body => {
                let mut messages = frame.messages().iter();
                let is_one = messages.any(|it| it.get("jsonrpc").is_some());
                (is_one && evidence.is_success(place, *exchange)).then_some((place, frame))
            }
            _ => None,
        });
        if let Some((place, frame)) = posted {
            let actual = format!("an answer to the POST: {}", excerpt(&frame.bytes));
            return Outcome::Doubtful(Finding::new("an event named message", actual, place));
        }
        let outcome = each(events, "no message was received", |(place, frame, name)| {
            let right = name == "message" && frame.json.is_ok();
            (!right).then(|| {
                Finding::new(
                    "an event named message",
                    format!("{name}: {}", excerpt(&frame.bytes)),
                    place,
                )
            })
        });
        let in_body = evidence.events().find_map(|(place, event)| match &event.kind {
            EventKind::Received { exchange: 1.., frame } if frame.border == Border::Body => {
                let answer = frame.messages().iter().find(|it| is_response(it))?;
                Some(Finding::new("an event on the stream", show(answer), place))
            }
            _ => None,
        });
        match (outcome, in_body) {
            // A client that listens to the stream never hears of it.
            (Outcome::Unobserved(_), Some(finding)) => Outcome::Broken(finding),
            // The word is descriptive in the text.
            (Outcome::Broken(finding), _) => Outcome::Doubtful(finding),
            (other, _) => other,
        }
    },
    mutants: &[
        Mutant::new(
            "answers pings where they are posted",
            Mutation::Http(|context, reply| {
                if context.message["id"] == "last-ping" {
                    let pong = "{\"jsonrpc\":\"2.0\",\"id\":\"last-ping\",\"result\":{}}";
                    reply.replace(200, "application/json", pong);
                }
            }),
        )
        .also(&["M006"]),
        Mutant::new(
            "calls its messages responses",
            Mutation::Event(|_, text| {
                if text.contains("last-ping") {
                    text.replacen("event: message", "event: response", 1)
                } else {
                    text.to_owned()
                }
            }),
        ),
    ],
};

pub(super) const M176: Requirement = Requirement {
    id: "M176",
    name: "sse-event-id-unique-across-all-streams",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "An SSE event id is unique across all streams of the session, or of the client if there is no session.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#resumability-and-redelivery",
    observed: Observed::By(&M176_CHECK),
};

const M176_CHECK: Check = Check {
    how: "compares the event ids of all streams of a session",
    seen: seen_in(&["tour"]),
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

pub(super) const M177: Requirement = Requirement {
    id: "M177",
    name: "replay-never-includes-messages-another",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "A replay never includes messages of another stream.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#resumability-and-redelivery",
    observed: Observed::By(&M177_CHECK),
};

const M177_CHECK: Check = Check {
    how: "comes back for the rest of a stream, and looks whose messages it gets",
    seen: seen_in(&["tour"]),
    fix: "replay only messages of the stream that the Last-Event-ID belongs to",
    judge: |evidence| {
        let resumed = evidence.exchanges_about(Topic::Resume);
        let replayed = resumed.flat_map(|exchange| {
            let owner = owner(evidence, exchange);
            let frames = evidence.frames_of(exchange.place, exchange.exchange);
            frames.map(move |(place, frame)| (owner, place, frame))
        });
        let outcome = each(replayed, "", |(owner, place, frame)| {
            let owner = owner?;
            let foreign = frame.messages().iter().find(|message| {
                let is_response = message.get("method").is_none() && message.get("id").is_some();
                is_response && message.get("id") != Some(owner)
            })?;
            let expected = format!("nothing but the stream of the request {}", show(owner));
            Some(Finding::new(expected, show(foreign), place))
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::Unobserved("no stream broke off that could be resumed".to_owned())
            }
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "tells those who come back what others were told",
        Mutation::Event(|context, text| {
            if context.header("last-event-id").is_some() && text.contains("\"result\"") {
                format!("{FOREIGN}{text}")
            } else {
                text.to_owned()
            }
        }),
    )
    .also(&["M026", "M006"])],
};

pub(super) const S079: Requirement = Requirement {
    id: "S079",
    name: "client-resumes-get-last-event-id-whichever",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "The client resumes with GET and Last-Event-ID, whichever way the stream began.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#resumability-and-redelivery",
    observed: Observed::By(&S079_CHECK),
};

pub(super) const S085: Requirement = Requirement {
    id: "S085",
    name: "event-id-encodes-which-stream-belongs",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "An event id encodes which stream it belongs to.",
    section: "docs/specification/2025-11-25/basic/transports.mdx#resumability-and-redelivery",
    observed: Observed::Unobservable(
        "an event id is opaque to everybody but the server that made it",
    ),
};

pub(super) const A011: Requirement = Requirement {
    id: "A011",
    name: "sse-events-may-carry-id",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "SSE events may carry an id.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#resumability-and-redelivery",
    observed: Observed::By(&A011_CHECK),
};

const A011_CHECK: Check = Check {
    how: "looks at the events of every stream",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let received = evidence.events().filter_map(|(_, event)| match &event.kind {
            EventKind::Received { frame, .. } => Some(frame),
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

pub(super) const A012: Requirement = Requirement {
    id: "A012",
    name: "last-event-id-may-used-replay-what-broken",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "Last-Event-ID may be used to replay what the broken stream missed.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#resumability-and-redelivery",
    observed: Observed::By(&A012_CHECK),
};

const A012_CHECK: Check = Check {
    how: "comes back with Last-Event-ID when a stream broke off before its response",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let resumed = evidence.exchanges_about(Topic::Resume);
        offered(resumed, "resumption of streams", |exchange| exchange.status == Some(200))
    },
    mutants: &[mutated_http("does not resume streams", |context, reply| {
        if context.header("last-event-id").is_some() {
            reply.replace(405, "text/plain", "no");
        }
    })
    .also(&["S002"])],
};

const fn mutated(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    Mutant::new(name, Mutation::Http(http))
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

/// The id of the request whose stream an exchange resumes.
fn owner<'e>(evidence: &'e Evidence, resumed: HttpExchange<'e>) -> Option<&'e Value> {
    let last = proofmark_record::event::header(resumed.asked, "last-event-id")?;
    let events = &evidence.conversations[resumed.place.conversation].events;
    let exchange =
        events[..resumed.place.event].iter().rev().find_map(|event| match &event.kind {
            EventKind::Received { exchange, frame } => match &frame.border {
                Border::Event { id: Some(id), .. } if id == last => Some(*exchange),
                _ => None,
            },
            _ => None,
        })?;
    let of = evidence.exchanges().find(|it| {
        it.exchange == exchange && it.place.conversation == resumed.place.conversation
    })?;
    // What was resumed before belongs to the same request.
    if of.topic == Topic::Resume { owner(evidence, of) } else { request_id(evidence, of) }
}

/// Whether the stream was open when a request came.
fn opened(evidence: &Evidence, exchange: &HttpExchange<'_>) -> bool {
    evidence.exchanges().any(|it| {
        it.line.starts_with("GET ")
            && it.place.conversation == exchange.place.conversation
            && it.answered.is_some_and(|at| at.event < exchange.place.event)
    })
}

const FOREIGN: &str =
    "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"ping-by-string\",\"result\":{}}\n\n";
