//! The requirements of `basic/utilities/ping`, how each is judged, and the mutants that prove it.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::also_says,
        resources::is_empty,
        shape::{doubtful, show},
        tools::none_applies,
        utilities::extra,
    },
    mutant::Mutant,
    outcome::{Finding, all_of, each},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, between},
};
use proofmark_converse::{mutation::Mutation, scenario::LEAST_DURATION};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25};
use proofmark_record::{
    event::{Event, EventKind},
    evidence::{Evidence, Place},
    topic::Topic,
};
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const PAGE: Page = Page {
    name: "basic/utilities/ping",
    why: "A ping is how either side finds out that the other one is gone; who does not answer is taken for dead.",
    requirements: &[&M079, &S026, &S102, &S103, &S104, &S105, &S106, &A022, &A065, &A066, &A067],
};

const M079: Requirement = Requirement {
    id: "M079",
    name: "ping-answered-promptly-empty-result",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "ping is answered promptly with an empty result.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#behavior-requirements",
    observed: Observed::Each {
        server: &Observed::By(&M079_SERVER),
        client: &Observed::By(&M079_CLIENT),
    },
};

const M079_SERVER: Check = Check {
    how: "pings, under numbers and strings of every form",
    seen: seen_in(&["cancelling", "envelopes", "hosted ask", "tour"]),
    fix: "answer ping at once with {}",
    judge: |evidence| {
        let pings = [Topic::Ping, Topic::PingByString, Topic::PingById];
        let pings = pings.into_iter().flat_map(|topic| evidence.asked(topic));
        let answered = each(pings, "no ping was sent", |asked| {
            let Some(answer) = asked.answer else {
                // Of a peer that gets ids wrong, M006 says so.
                let lost = asked.topic == Topic::PingById && has_strays(evidence, asked.place);
                return (!lost).then(|| Finding::new("an empty result", "no answer", asked.place));
            };
            let empty = answer.result().is_some_and(is_empty);
            (!empty).then(|| Finding::new("an empty result", show(answer.message), answer.place))
        });
        // An ordinary conversation that ends because the peer has fallen silent.
        let last = evidence.asked(Topic::StillThere).filter(|asked| {
            let tour = &evidence.conversations[asked.place.conversation].scenario;
            asked.method == "ping" && asked.id.is_number() && tour.as_str() == "tour"
        });
        let alive = each(last, "", |asked| {
            let silent = asked.answer.is_none();
            let actual = "no answer, nor to the requests before it";
            silent.then(|| Finding::new("an empty result", actual, asked.place))
        });
        // What promptly means is not said.
        let busy = doubtful(each(evidence.asked(Topic::BusyPing), "", |asked| {
            let call = evidence.asked(Topic::Call).find(|call| {
                *call.id == json!("busy-call")
                    && call.place.conversation == asked.place.conversation
            })?;
            let (done, answer) = (call.answer?.place, asked.answer?.place);
            let took = evidence.at(done)?.saturating_sub(evidence.at(call.place)?);
            (took >= LEAST_DURATION && done.event < answer.event).then(|| {
                let expected = "an answer while the call before it is carried out";
                let actual = format!("an answer after that was done, in {} ms", took.as_millis());
                Finding::new(expected, actual, answer)
            })
        }));
        all_of([answered, alive, busy])
    },
    mutants: &[
        PONG,
        UNKNOWN_PING,
        Mutant::new(
            "answers nothing while it works",
            Mutation::Writes(|_, message| {
                let pong = json!({ "jsonrpc": "2.0", "id": "busy-ping", "result": {} });
                if message["id"] == "busy-ping" {
                    return Vec::new();
                }
                let mut texts = vec![message.to_string()];
                if message["id"] == "busy-call" {
                    texts.push(pong.to_string());
                }
                texts
            }),
        ),
    ],
};

/// Whether responses came under ids under which nothing was asked.
fn has_strays(evidence: &Evidence, place: Place) -> bool {
    let events = &evidence.conversations[place.conversation].events;
    let sent = |id: &Value| {
        events.iter().any(|event| match &event.kind {
            EventKind::Sent { frame, .. } => {
                frame.messages().iter().any(|it| it.get("id") == Some(id))
            }
            _ => false,
        })
    };
    events.iter().skip(place.event).any(|event| match &event.kind {
        EventKind::Received { frame, .. } => {
            let is_stray =
                |it: &Value| it.get("method").is_none() && it.get("id").is_none_or(|id| !sent(id));
            frame.json.is_err() || frame.messages().iter().any(is_stray)
        }
        _ => false,
    })
}

const M079_CLIENT: Check = Check {
    how: M079_SERVER.how,
    seen: seen_in(&["hosted ask"]),
    fix: M079_SERVER.fix,
    judge: M079_SERVER.judge,
    mutants: &[PONG, UNKNOWN_PING],
};

const PONG: Mutant = Mutant::new(
    "answers ping with pong",
    Mutation::Says(|context, message| {
        if context.method == Some("ping") {
            message["result"] = json!({ "pong": true });
        }
    }),
);

const UNKNOWN_PING: Mutant = Mutant::new(
    "does not know ping",
    Mutation::Says(|context, message| {
        if context.method == Some("ping") && message["id"] == "ping-by-string" {
            *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "error": { "code": -32601, "message": "no such method" } });
        }
    }),
);

const S026: Requirement = Requirement {
    id: "S026",
    name: "pings-issued-periodically-watch-connection",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Pings are issued periodically to watch the connection.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#implementation-considerations",
    observed: Observed::Unobservable(
        "how often a peer pings is its own choice, and may be less often than any check lasts",
    ),
};

const S102: Requirement = Requirement {
    id: "S102",
    name: "ping-interval-configurable",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "The ping interval is configurable.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#implementation-considerations",
    observed: Observed::Unobservable("it concerns the interface of a library, not the protocol"),
};

const S103: Requirement = Requirement {
    id: "S103",
    name: "ping-timeouts-suit-network",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Ping timeouts suit the network.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#implementation-considerations",
    observed: Observed::Unobservable("a matter of configuration"),
};

const S104: Requirement = Requirement {
    id: "S104",
    name: "pinging-not-excessive",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Pinging is not excessive.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#implementation-considerations",
    observed: Observed::Each {
        server: &Observed::By(&S104_SERVER),
        client: &Observed::By(&S104_CLIENT),
    },
};

const S104_SERVER: Check = Check {
    how: "counts the pings of every second",
    seen: seen_everywhere(),
    fix: "ping a connection that has been silent for a while, and not all the time",
    judge: |evidence| {
        let pings: Vec<_> = evidence
            .events()
            .filter(|(_, event)| is_ping(event))
            .map(|(place, event)| (place, event.at))
            .collect();
        let outcome = each(pings.iter().enumerate(), "", |(index, (place, at))| {
            let (first, began) = index.checked_sub(MOST).and_then(|it| pings.get(it))?;
            let storm =
                first.conversation == place.conversation && at.saturating_sub(*began) < A_SECOND;
            let expected = format!("no more than {MOST} pings in a second");
            storm.then(|| Finding::new(expected, "more", *place))
        });
        // How much is too much is not written anywhere.
        doubtful(none_applies(outcome, "it does not ping"))
    },
    mutants: &[extra("pings all the time", |_, message| {
        let mut texts = vec![message.to_string()];
        if message["id"] == "last-ping" {
            texts.extend(storm());
        }
        texts
    })],
};

const S104_CLIENT: Check = Check {
    mutants: &[also_says("pings all the time", |_, message| {
        let mut texts = vec![message.to_string()];
        if message["id"] == "ping-by-string" {
            texts.extend(storm());
        }
        texts
    })],
    ..S104_SERVER
};

const S105: Requirement = Requirement {
    id: "S105",
    name: "ping-timeout-counts-connection-failure",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "A ping timeout counts as a connection failure.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#error-handling",
    observed: Observed::Each {
        server: &Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
        client: &Observed::Unobservable(
            "how long a peer waits for a pong is its own choice, and may be longer than any check",
        ),
    },
};

const S106: Requirement = Requirement {
    id: "S106",
    name: "ping-failures-logged",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Ping failures are logged.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#error-handling",
    observed: Observed::Unobservable("log files of the peer cannot be seen from outside"),
};

const A022: Requirement = Requirement {
    id: "A022",
    name: "after-unanswered-ping-sender-may-end",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "After an unanswered ping the sender may end the connection.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#behavior-requirements",
    observed: Observed::Unobservable(
        "how long a peer waits before it hangs up is its own choice, and the checker answers every ping",
    ),
};

const A065: Requirement = Requirement {
    id: "A065",
    name: "after-unanswered-ping-connection-may",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "After an unanswered ping the connection may be considered stale.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#behavior-requirements",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const A066: Requirement = Requirement {
    id: "A066",
    name: "after-unanswered-ping-reconnection-may-tried",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "After an unanswered ping reconnection may be tried.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#behavior-requirements",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const A067: Requirement = Requirement {
    id: "A067",
    name: "repeated-ping-failures-may-reset-connection",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Repeated ping failures may reset the connection.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#error-handling",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

/// More pings at once than any peer needs.
fn storm() -> impl Iterator<Item = String> {
    (0..2 * MOST).map(|number| {
        json!({ "jsonrpc": "2.0", "id": format!("storm-{number}"), "method": "ping" }).to_string()
    })
}

fn is_ping(event: &Event) -> bool {
    let EventKind::Received { frame, .. } = &event.kind else { return false };
    frame.messages().iter().any(|message| message["method"] == "ping")
}

const MOST: usize = 10;

const A_SECOND: Duration = Duration::from_secs(1);
