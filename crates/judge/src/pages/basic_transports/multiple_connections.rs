//! `basic/transports`: `#multiple-connections`.

use super::shared::{NO_GET_HTTP, streamed};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{client::requests, shape::show, tools::none_applies},
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2025_03_26, V2025_11_25};
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, HttpExchange, Place},
    topic::Topic,
};
use std::time::Duration;

pub(super) const M027: Requirement = Requirement {
    id: "M027",
    name: "each-server-message-goes-out-on-exactly-one",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "Each server message goes out on exactly one open stream; no broadcasting.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#multiple-connections",
    observed: Observed::By(&M027_CHECK),
};

const M027_CHECK: Check = Check {
    how: "opens two streams with GET and compares what comes on them and on those of posted requests",
    seen: seen_in(&["streams"]),
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
    .also(&["M055", "S023", "S024", "M165", "M167", "M178", "M181", "S006"])],
};

pub(super) const A010: Requirement = Requirement {
    id: "A010",
    name: "client-may-hold-several-streams-at-once",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "The client may hold several streams at once.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#multiple-connections",
    observed: Observed::By(&A010_CHECK),
};

const A010_CHECK: Check = Check {
    how: "looks for several streams at once",
    seen: seen_everywhere(),
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
    mutants: &[NO_GET_HTTP],
};

pub(super) const A056: Requirement = Requirement {
    id: "A056",
    name: "event-stream-may-made-resumable",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_11_25),
    text: "An event stream may be made resumable.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#sending-messages-to-the-server ; docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#multiple-connections",
    observed: Observed::Unobservable(
        "a permission: streams with and without event ids are both right; ids have rows of their own",
    ),
};

/// The event at which the response to a request was over.
fn over(evidence: &Evidence, exchange: &HttpExchange<'_>) -> usize {
    let ends = |(place, what): (Place, &EventKind)| {
        let is_it = matches!(what, EventKind::Ended { exchange: it } | EventKind::Left { exchange: it }
            if *it == exchange.exchange);
        is_it.then_some(place.event)
    };
    evidence.after(exchange.place).find_map(ends).unwrap_or(usize::MAX)
}

/// What is the same and comes on two streams within this time is one message.
const TOGETHER: Duration = Duration::from_secs(2);

const BROADCAST: &str = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
