//! The requirements of `basic/patterns/subscriptions`, how each is judged, and the mutants that prove it.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{hosted_at, is_over},
        shape::show,
        subscription_ends::{at_last, cancelled, listens as listens_closing, not_ended},
        subscriptions::{ACKNOWLEDGED, NOTHING, answered_listens, of_change, tag, told, wanted_by},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, since},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{
    event::EventKind,
    evidence::{CheckerRequest, Evidence, PeerMessage, PeerRequest, Place},
    meta::SUBSCRIPTION,
    topic::Topic,
    transport::Transport,
};
use serde_json::json;

pub(super) const PAGE: Page = Page {
    name: "basic/patterns/subscriptions",
    why: "Whoever subscribed relies on hearing of changes, and on hearing nothing that was not asked for.",
    requirements: &[&M160, &M163, &M284, &M285, &M286, &M287, &S143, &S144, &A089, &A090, &A091],
};

const M160: Requirement = Requirement {
    id: "M160",
    name: "on-stdio-client-matches-stream-notifications",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2026_07_28),
    text: "On stdio the client matches stream notifications by subscriptionId.",
    section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#receiving-messages ; docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#receiving-notifications",
    observed: Observed::Unobservable(
        "by what a client matches notifications is inside it; what it does next is the same either way",
    ),
};

const M163: Requirement = Requirement {
    id: "M163",
    name: "after-stdio-restart-client-sends",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2026_07_28),
    text: "After a stdio restart the client sends subscriptions/listen again.",
    section: "docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#graceful-closure",
    observed: Observed::By(&M163_CHECK),
};

const M163_CHECK: Check = Check {
    how: "dies while the client listens, and looks at what it says to the server that it starts again",
    seen: seen_in(&["hosted restart"]),
    fix: "send subscriptions/listen again to a server that was started again",
    judge: |evidence| {
        let said: Vec<PeerRequest<'_>> = evidence
            .requests()
            .filter(|it| hosted_at(evidence, it.place) == Some(HostedScenario::RESTART))
            .collect();
        let listens = |it: &&PeerRequest<'_>| it.method == "subscriptions/listen";
        let Some(open) = said.iter().filter(listens).find(|it| !is_over(evidence, it)) else {
            return Outcome::Unobserved(
                "the client had no subscription that stayed open".to_owned(),
            );
        };
        // Each life of the server is a conversation.
        let mut later = said.iter().filter(|it| it.place.conversation > open.place.conversation);
        let Some(first) = later.clone().next() else {
            let why = "the client did not start the server again, or had nothing to say to it";
            return Outcome::Unobserved(why.to_owned());
        };
        if later.any(|it| listens(&it)) {
            return Outcome::Kept;
        }
        let expected = "subscriptions/listen once more";
        Outcome::Broken(Finding::new(expected, "requests for other things only", first.place))
    },
    mutants: &[Mutant::new(
        "does not listen to a server that it has started again",
        Mutation::Forgets(|message| message["method"] == "subscriptions/listen"),
    )],
};

const M284: Requirement = Requirement {
    id: "M284",
    name: "listen-stream-carries-only-notification",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A listen stream carries only notification types its filter asked for.",
    section: "docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#opening-a-stream ; schema/2026-07-28/schema.ts#SubscriptionFilter",
    observed: Observed::By(&M284_CHECK),
};

const M284_CHECK: Check = Check {
    how: "listens for changes of prompts while everything changes",
    seen: seen_in(&["listening"]),
    fix: "send only what the filter asks for",
    judge: |evidence| {
        let told = answered_listens(evidence)
            .flat_map(|asked| told(evidence, &asked).into_iter().map(move |heard| (asked, heard)));
        each(told, NOTHING, |(asked, heard)| {
            let method = heard.message.get("method")?.as_str()?;
            let wanted = wanted_by(method)?;
            let filter = asked.params?.get("notifications")?;
            let right =
                filter.get(wanted).is_some_and(|it| *it != json!(false) && *it != json!([]));
            (!right).then(|| {
                let expected = format!("nothing that {} does not ask for", show(filter));
                Finding::new(expected, show(heard.message), heard.place)
            })
        })
    },
    mutants: &[Mutant::new(
        "tells everything to everybody",
        Mutation::Says(|_, message| {
            let prompts = message["method"] == "notifications/prompts/list_changed";
            if prompts && tag(message) == Some(&json!("listen-some")) {
                message["method"] = json!("notifications/tools/list_changed");
            }
        }),
    )],
};

const M285: Requirement = Requirement {
    id: "M285",
    name: "notifications-subscriptions-acknowledged",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "notifications/subscriptions/acknowledged is the first message of a subscription, tagged with its id.",
    section: "docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#acknowledgment ; schema/2026-07-28/schema.ts#SubscriptionsAcknowledgedNotification",
    observed: Observed::By(&M285_CHECK),
};

const M285_CHECK: Check = Check {
    how: "listens, and looks at what comes first",
    seen: seen_in(&["tour"]),
    fix: "begin every subscription with notifications/subscriptions/acknowledged",
    judge: |evidence| {
        each(answered_listens(evidence), NOTHING, |asked| {
            let expected = "an acknowledgement first";
            let Some(first) = told(evidence, &asked).into_iter().next() else {
                return Some(Finding::new(expected, "nothing", asked.place));
            };
            (first.message["method"] != ACKNOWLEDGED)
                .then(|| Finding::new(expected, show(first.message), first.place))
        })
    },
    mutants: &[Mutant::new(
        "does not acknowledge subscriptions",
        Mutation::Writes(|_, message| {
            if message["method"] == ACKNOWLEDGED { Vec::new() } else { vec![message.to_string()] }
        }),
    )],
};

const M286: Requirement = Requirement {
    id: "M286",
    name: "subscription-acknowledgement-lists-subset",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The subscription acknowledgement lists the subset of the filter the server honours, leaving out what it does not support.",
    section: "docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#acknowledgment ; schema/2026-07-28/schema.ts#SubscriptionsAcknowledgedNotification",
    observed: Observed::By(&M286_CHECK),
};

const M286_CHECK: Check = Check {
    how: "compares what is acknowledged with what was asked for",
    seen: seen_in(&["listening"]),
    fix: "acknowledge what you honour of the filter, and nothing else",
    judge: |evidence| {
        let acknowledged = answered_listens(evidence).flat_map(|asked| {
            let told = told(evidence, &asked).into_iter();
            told.filter(|it| it.message["method"] == ACKNOWLEDGED).map(move |it| (asked, it))
        });
        each(acknowledged, NOTHING, |(asked, heard)| {
            let expected = "the filter or a part of it in notifications";
            let Some(honoured) = heard.message["params"]["notifications"].as_object() else {
                return Some(Finding::new(expected, show(heard.message), heard.place));
            };
            let filter = asked.params?.get("notifications")?;
            let more = honoured.iter().any(|(key, value)| {
                *value != json!(false) && filter.get(key).is_none_or(|asked| *asked == json!(false))
            });
            more.then(|| Finding::new(expected, show(heard.message), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "promises more than was asked for",
        Mutation::Says(|_, message| {
            if message["method"] == ACKNOWLEDGED && tag(message) == Some(&json!("listen-some")) {
                message["params"]["notifications"]["toolsListChanged"] = json!(true);
            }
        }),
    )],
};

const M287: Requirement = Requirement {
    id: "M287",
    name: "subscriptionid-equals-json-rpc-id-listen",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "subscriptionId equals the JSON-RPC id of the listen request.",
    section: "docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#receiving-notifications",
    observed: Observed::By(&M287_CHECK),
};

const M287_CHECK: Check = Check {
    how: "compares the subscription of every change with the requests to listen",
    seen: seen_in(&["tour"]),
    fix: "repeat the id of the request, with its type",
    judge: |evidence| {
        let tagged = evidence.heard().filter_map(|heard| Some((heard, tag(heard.message)?)));
        each(tagged, NOTHING, |(heard, id)| {
            let known = listens(evidence, heard).any(|asked| asked.id == id);
            (!known).then(|| {
                let expected = "the id of a request to listen";
                Finding::new(expected, show(heard.message), heard.place)
            })
        })
    },
    mutants: &[of_change("has a name of its own for a subscription", |message| {
        message["params"]["_meta"][SUBSCRIPTION] = json!("mine");
    })
    .also(&["M284"])],
};

const S143: Requirement = Requirement {
    id: "S143",
    name: "client-compares-acknowledged-filter-what",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The client compares the acknowledged filter with what it asked.",
    section: "docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#acknowledgment",
    observed: Observed::Unobservable("what a client compares leaves no trace on the wire"),
};

const S144: Requirement = Requirement {
    id: "S144",
    name: "subscription-server-ends-closed-complete",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A subscription the server ends is closed with a complete result for the listen request.",
    section: "docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#cancellation ; docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#graceful-closure",
    observed: Observed::By(&S144_CHECK),
};

const S144_CHECK: Check = Check {
    how: "looks for the result of a request to listen where the server ended the subscription",
    seen: seen_everywhere(),
    fix: "answer the request to listen with a complete result when you end the subscription",
    judge: |evidence| {
        let ended = listens_closing(evidence).filter_map(|asked| {
            let end = cancelled(evidence, &asked).or_else(|| stream_end(evidence, &asked));
            Some((asked, asked.answer.map(|answer| answer.place).or(end)?))
        });
        let outcome = each(ended, "", |(asked, end)| {
            let expected = "a result for the request to listen";
            let said = asked.answer.map_or_else(|| "none".to_owned(), |it| show(it.message));
            let right = asked.answer.is_some_and(|answer| answer.result().is_some());
            (!right).then(|| Finding::new(expected, said, end))
        });
        not_ended(outcome)
    },
    mutants: &[Mutant::new(
        "ends a subscription without a result",
        Mutation::Writes(|_, message| {
            let end = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": { "requestId": "listen-all", "_meta": { SUBSCRIPTION: "listen-all" } } });
            at_last(message, &end)
        }),
    )
    .also(&["M081"])],
};

const A089: Requirement = Requirement {
    id: "A089",
    name: "on-stdio-other-subscriptions-messages-may",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Stdio,
    span: since(V2026_07_28),
    text: "On stdio other subscriptions' messages may come before the acknowledgement.",
    section: "docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#acknowledgment",
    observed: Observed::Unobservable(
        "a permission about the order of two subscriptions, in which both orders are right",
    ),
};

const A090: Requirement = Requirement {
    id: "A090",
    name: "several-subscriptions-may-open-at-once",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Several subscriptions may be open at once.",
    section: "docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#multiple-concurrent-subscriptions",
    observed: Observed::Unobservable(
        "a permission for clients: how many subscriptions one opens is its own choice",
    ),
};

const A091: Requirement = Requirement {
    id: "A091",
    name: "listen-stream-ends-without-closing-result",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A listen stream that ends without a closing result may be reopened.",
    section: "docs/specification/2026-07-28/basic/patterns/subscriptions.mdx#graceful-closure",
    observed: Observed::Unobservable(
        "a permission: a client that does not listen again has only chosen not to",
    ),
};

/// Requests to listen that came before a message in its conversation.
fn listens<'e>(
    evidence: &'e Evidence,
    heard: PeerMessage<'_>,
) -> impl Iterator<Item = CheckerRequest<'e>> {
    let place = heard.place;
    evidence.asked(Topic::Listen).filter(move |asked| {
        asked.place.conversation == place.conversation && asked.place.event < place.event
    })
}

/// Where the server closed the stream of this request, which stays until one side closes it.
fn stream_end(evidence: &Evidence, asked: &CheckerRequest<'_>) -> Option<Place> {
    if evidence.transport != Transport::Http {
        return None;
    }
    let streams =
        evidence.exchange_of(asked)?.content_type().as_deref() == Some("text/event-stream");
    let end = evidence.after(asked.place).find_map(|(place, what)| match what {
        EventKind::Ended { exchange } if *exchange == asked.exchange => Some(place),
        _ => None,
    });
    end.filter(|_| streams)
}
