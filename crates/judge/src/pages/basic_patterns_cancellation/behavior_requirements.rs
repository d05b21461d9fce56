//! `basic/patterns/cancellation`: `#behavior-requirements`, `#transport-specific-cancellation`.

use super::shared::{ASKS_NOTHING, S101_CHECK, cancelled_at};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        cancellation::{answered_at, cancellations, precedes},
        client::{
            NEVER_CANCELS, NOT_CANCELLED, S020_CLIENT, cancelled as cancelled_cancelling, gives_up,
            unless_cancelled,
        },
        disconnecting::left,
        envelope::server_requests,
        shape::{doubtful, show},
        stateless::at_last as at_last_stateless,
        subscription_ends::{at_last, cancelled, listens, not_ended},
        tools::none_applies,
        utilities::{beside, extra, notifications, was_in_time},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2026_07_28};
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, Place},
    meta::{SERVER_INFO, SUBSCRIPTION},
    topic::Topic,
    transport::Transport,
};
use serde_json::json;

pub(super) const M081: Requirement = Requirement {
    id: "M081",
    name: "cancellation-only-names-request-sender",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A cancellation only names a request the sender issued before and believes to be running (2026-07-28: issued by the client).",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#behavior-requirements ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#behavior-requirements",
    observed: Observed::Each {
        server: &Observed::By(&M081_SERVER),
        client: &Observed::By(&M081_CLIENT),
    },
};

const M081_SERVER: Check = Check {
    how: "compares what the server cancels with what it asked before",
    seen: seen_everywhere(),
    fix: "cancel only your own requests, and only while they are not answered",
    judge: |evidence| {
        let outcome = each(cancellations(evidence), "", |(heard, id)| {
            // A server ends a subscription so.
            let listens = evidence
                .asked(Topic::Listen)
                .any(|it| precedes(it.place, heard.place) && it.id == id && it.method == LISTEN);
            if listens {
                return None;
            }
            let asked = server_requests(evidence).find(|request| {
                precedes(request.place, heard.place) && request.message.get("id") == Some(id)
            });
            let expected = "a request that the server sent and that is not answered";
            let Some(asked) = asked else {
                return Some(Finding::new(expected, show(heard.message), heard.place));
            };
            let answered = answered_at(evidence, asked);
            answered.is_some_and(|at| precedes(at, heard.place)).then(|| {
                let actual = format!("{}, after its answer", show(heard.message));
                Finding::new(expected, actual, heard.place)
            })
        });
        // An answer may cross a cancellation on the way; what was never asked cannot.
        none_applies(outcome, "the server cancelled nothing")
    },
    mutants: &[extra("cancels what it never asked", |_, message| {
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": "never-asked" } });
        beside(message, &cancel.to_string())
    })],
};

const M081_CLIENT: Check = Check {
    how: "compares every cancellation with the requests that the client has sent and that are not answered",
    seen: seen_everywhere(),
    fix: "cancel only requests that you sent and that still run",
    judge: |evidence| {
        let outcome = each(evidence.told("notifications/cancelled"), "", |heard| {
            let id = heard.message.pointer("/params/requestId")?;
            let running = evidence.requests().any(|request| {
                // Over HTTP each message goes its own way, and one may overtake another.
                let before = evidence.transport != Transport::Stdio
                    || request.place.event < heard.place.event;
                request.id == id && request.place.conversation == heard.place.conversation && before
            });
            let expected = "the id of a request of the client";
            (!running).then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        unless_cancelled(outcome)
    },
    mutants: &[Mutant::new(
        "cancels what it never asked for",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/cancelled" {
                message["params"]["requestId"] = json!("never-asked");
            }
        }),
    )
    .also(&["S020", "S078"])],
};

pub(super) const M222: Requirement = Requirement {
    id: "M222",
    name: "server-tears-down-subscription-sends",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A server that tears down a subscription sends notifications/cancelled for its listen request (the schema limits this to stdio; the Subscriptions page asks for a final result instead).",
    section: "docs/specification/2026-07-28/basic/patterns/cancellation.mdx ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#behavior-requirements",
    observed: Observed::By(&M222_CHECK),
};

const M222_CHECK: Check = Check {
    how: "looks for notifications/cancelled where the server ended a subscription",
    seen: seen_everywhere(),
    fix: "send notifications/cancelled for a subscription that you end on a pipe",
    judge: |evidence| {
        if evidence.transport != Transport::Stdio {
            return Outcome::NotApplicable("streams end by themselves".to_owned());
        }
        let ended = listens(evidence).filter(|asked| asked.answer.is_some());
        let outcome = each(ended, "", |asked| {
            let told = cancelled(evidence, &asked).is_some();
            let expected = "notifications/cancelled for the request to listen";
            (!told).then(|| Finding::new(expected, "none", asked.answer.map(|it| it.place)))
        });
        // The page about subscriptions asks for a result only.
        doubtful(not_ended(outcome))
    },
    mutants: &[Mutant::new(
        "ends a subscription without a cancellation",
        Mutation::Writes(|_, message| {
            let end = json!({ "jsonrpc": "2.0", "id": "listen-all", "result": {
                "resultType": "complete",
                "_meta": { SERVER_INFO: { "name": "a", "version": "1" }, SUBSCRIPTION: "listen-all" } } });
            at_last(message, &end)
        }),
    )],
};

pub(super) const M223: Requirement = Requirement {
    id: "M223",
    name: "server-sends-notifications-cancelled-nothing",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The server sends notifications/cancelled for nothing else.",
    section: "docs/specification/2026-07-28/basic/patterns/cancellation.mdx ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#behavior-requirements",
    observed: Observed::By(&M223_CHECK),
};

const M223_CHECK: Check = Check {
    how: "looks at every cancellation by the server",
    seen: seen_in(&["tour"]),
    fix: "cancel nothing but subscriptions",
    judge: |evidence| {
        let cancelled = notifications(evidence, "notifications/cancelled");
        let outcome = each(cancelled, "", |heard| {
            let id = heard.message.pointer("/params/requestId");
            let listening = evidence.asked(Topic::Listen).any(|asked| Some(asked.id) == id);
            (!listening).then(|| {
                Finding::new(
                    "cancellations of subscriptions only",
                    show(heard.message),
                    heard.place,
                )
            })
        });
        match outcome {
            Outcome::Unobserved(_) => Outcome::Kept,
            other => other,
        }
    },
    mutants: &[extra("cancels a request of the client", |_, message| {
        at_last_stateless(
            message,
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": "last-ping" } }),
        )
    })
    .also(&["M081"])],
};

pub(super) const S027: Requirement = Requirement {
    id: "S027",
    name: "cancelled-request-processing-stops",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A cancelled request's processing stops.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#behavior-requirements ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#behavior-requirements",
    observed: Observed::Each {
        server: &Observed::By(&S027_SERVER),
        client: &Observed::By(&S027_CLIENT),
    },
};

const S027_SERVER: Check = Check {
    how: "cancels a call that reports progress, and looks whether the reports go on",
    seen: seen_in(&["cancelling"]),
    fix: "stop working on a request when it is cancelled",
    judge: |evidence| {
        let slow = evidence.asked(Topic::Slow).filter(|asked| was_in_time(evidence, asked.place));
        let reporting = slow.filter_map(|asked| {
            let cancelled = cancelled_at(evidence, asked.place)?;
            let settled =
                evidence.asked(Topic::AfterCancel).find(|it| precedes(cancelled, it.place));
            let settled = settled?.answer?.place;
            let reports: Vec<_> = notifications(evidence, "notifications/progress")
                .filter(|heard| {
                    heard.place.conversation == asked.place.conversation
                        && heard.message.pointer("/params/progressToken")
                            == asked.params.and_then(|it| it.pointer("/_meta/progressToken"))
                })
                .map(|heard| heard.place)
                .collect();
            let reported = reports.iter().any(|place| precedes(*place, cancelled));
            let late = reports.into_iter().filter(|place| precedes(settled, *place)).collect();
            reported.then_some(late)
        });
        each(reporting, NOTHING_SLOW, |late: Vec<Place>| {
            // One may have been on its way.
            let actual = format!("{} reports of progress after the cancellation", late.len());
            let expected = "no work on a cancelled request";
            late.get(1).map(|place| Finding::new(expected, actual, *place))
        })
    },
    mutants: &[Mutant::new(
        "works on in spite of a cancellation",
        Mutation::Hears(|message| (message["method"] == "notifications/cancelled").then(Vec::new)),
    )
    .also(&["S098"])],
};

const S027_CLIENT: Check = Check {
    how: "asks for sampling and cancels it while it runs",
    seen: seen_in(&["hosted cancel"]),
    fix: "stop working on what was cancelled",
    judge: unanswered,
    mutants: &[DEAF.also(&["S098"])],
};

pub(super) const S028: Requirement = Requirement {
    id: "S028",
    name: "canceller-ignores-response-still-arrives",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The canceller ignores a response that still arrives.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#behavior-requirements ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#behavior-requirements",
    observed: Observed::Each {
        server: &Observed::By(&S028_SERVER),
        client: &Observed::By(&S028_CLIENT),
    },
};

const S028_SERVER: Check = Check {
    how: "answers a question of the server when its call is long cancelled, and pings",
    seen: seen_in(&["unanswered"]),
    fix: "ignore answers to what you no longer wait for",
    judge: |evidence| {
        let late = evidence.events().filter_map(|(place, event)| {
            matches!(event.kind, EventKind::Sent { topic: Topic::LateAnswer, .. }).then_some(place)
        });
        let outcome = each(late, "", |place| {
            let ping =
                evidence.asked(Topic::StillThere).find(|ping| precedes(place, ping.place))?;
            let answered = ping.answer.is_some();
            (!answered).then(|| Finding::new("an answer to the next ping", "none", ping.place))
        });
        none_applies(outcome, ASKS_NOTHING)
    },
    mutants: &[Mutant::new(
        "breaks down over a late answer",
        Mutation::Hears(|message| (message["id"] == "after-late-answer").then(Vec::new)),
    )
    .also(&["M221"])],
};

const S028_CLIENT: Check = Check {
    how: "answers a call after it was cancelled, and looks at whether the client goes on",
    seen: seen_in(&["hosted slow"]),
    fix: "ignore the answer to a request that you cancelled",
    judge: |evidence| {
        let late = cancelled_cancelling(evidence).filter_map(|(request, at)| {
            request.answer.map(|answer| answer.place).filter(|answered| answered.event > at)
        });
        each(late, NOT_CANCELLED, |answered| {
            let on = evidence.heard().any(|heard| {
                heard.place.conversation == answered.conversation
                    && heard.place.event > answered.event
            });
            // One that is done has nothing more to say.
            let done = evidence.after(answered).any(|(_, what)| match what {
                EventKind::Requested { .. } => true,
                EventKind::Exited(how) => how == "it is done" || how == "exit status: 0",
                _ => false,
            });
            let expected = "further messages after an answer that came too late";
            (!on && !done).then(|| Finding::new(expected, "silence", answered))
        })
    },
    mutants: &[Mutant::new(
        "falls silent when an answer comes too late",
        Mutation::Writes(|_, message| {
            if message["method"] == "ping" { Vec::new() } else { vec![message.to_string()] }
        }),
    )],
};

pub(super) const S097: Requirement = Requirement {
    id: "S097",
    name: "resources-cancelled-request-freed",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Resources of a cancelled request are freed.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#behavior-requirements ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#behavior-requirements",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S098: Requirement = Requirement {
    id: "S098",
    name: "cancelled-request-gets-no-response",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A cancelled request gets no response.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#behavior-requirements ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#behavior-requirements",
    observed: Observed::Each {
        server: &Observed::By(&S098_SERVER),
        client: &Observed::By(&S098_CLIENT),
    },
};

const S098_SERVER: Check = Check {
    how: "calls the tool that took longest, cancels the call and waits for as long as it took",
    seen: seen_in(&["cancelling"]),
    fix: "do not answer a request that was cancelled",
    judge: |evidence| {
        let slow = evidence.asked(Topic::Slow).filter(|asked| was_in_time(evidence, asked.place));
        each(slow, NOTHING_SLOW, |asked| {
            let answer = asked.answer?;
            Some(Finding::new("no answer", show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "does not hear cancellations",
        Mutation::Hears(|message| (message["method"] == "notifications/cancelled").then(Vec::new)),
    )
    .also(&["S027"])],
};

const S098_CLIENT: Check = Check {
    how: "asks for sampling and cancels it while it runs",
    seen: seen_in(&["hosted cancel"]),
    fix: "do not answer a request that was cancelled",
    judge: unanswered,
    mutants: &[DEAF.also(&["S027"])],
};

pub(super) const A024: Requirement = Requirement {
    id: "A024",
    name: "cancellation-unknown-finished-or",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A cancellation for an unknown, finished or uncancellable request may be ignored.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#behavior-requirements ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#behavior-requirements",
    observed: Observed::Each {
        server: &Observed::By(&A024_SERVER),
        client: &Observed::By(&A024_CLIENT),
    },
};

const A024_SERVER: Check = Check {
    how: "cancels a request that was never sent, and listens",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let cancelled = evidence.events().filter_map(|(place, event)| match &event.kind {
            EventKind::Sent { topic: Topic::CancelUnknown, exchange, .. } => {
                Some((place, *exchange))
            }
            _ => None,
        });
        offered(cancelled, "silence about cancellations of the unknown", |(place, exchange)| {
            let mut until_next = evidence
                .after(place)
                .take_while(|(_, what)| !matches!(what, EventKind::Sent { .. }));
            !until_next.any(
                |(_, what)| matches!(what, EventKind::Received { exchange: it, .. } if *it == exchange),
            )
        })
    },
    mutants: &[Mutant::new(
        "complains about cancellations of the unknown",
        Mutation::Hears(|message| {
            let error = json!({ "jsonrpc": "2.0", "id": null,
                "error": { "code": -32602, "message": "no such request" } });
            (message["params"]["requestId"] == "never-sent").then(|| vec![error.to_string()])
        }),
    )
    .also(&["M006", "M093"])],
};

const A024_CLIENT: Check = Check {
    how: "cancels a request that was never sent, and pings",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| match (S101_CHECK.judge)(evidence) {
        Outcome::Kept => {
            Outcome::Offered("ignores cancellations of what it does not know".to_owned())
        }
        _ => Outcome::NotOffered("was not seen to ignore a cancellation".to_owned()),
    },
    mutants: &[S101_CHECK.mutants[0].also(&["M221", "S101"])],
};

pub(super) const M161: Requirement = Requirement {
    id: "M161",
    name: "on-stdio-request-cancelled",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2026_07_28),
    text: "On stdio a request is cancelled with notifications/cancelled naming its id.",
    section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#cancellation ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#transport-specific-cancellation",
    observed: Observed::By(&M161_CHECK),
};

const M161_CHECK: Check = Check {
    how: S020_CLIENT.how,
    seen: seen_in(&["hosted slow"]),
    fix: "send notifications/cancelled with the id of the request",
    judge: gives_up,
    mutants: &[NEVER_CANCELS.also(&["S020", "S096"])],
};

pub(super) const M188: Requirement = Requirement {
    id: "M188",
    name: "client-closing-response-stream-cancels",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A client closing the response stream cancels the request.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#cancellation ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#transport-specific-cancellation",
    observed: Observed::By(&M188_CHECK),
};

const M188_CHECK: Check = Check {
    how: "closes the connection of a call that announces a change in the end, and listens for it",
    seen: seen_in(&["leaving"]),
    fix: "cancel a request when its client closes the connection",
    judge: |evidence| match left(evidence) {
        Err(why) => Outcome::Unobserved(why.to_owned()),
        Ok((_, None)) => Outcome::Kept,
        Ok((_, Some(heard))) => {
            let expected = "an end of what nobody waits for";
            Outcome::Broken(Finding::new(expected, show(heard.message), heard.place))
        }
    },
    mutants: &[Mutant::new("goes on when its client has gone", Mutation::Deaf)],
};

fn unanswered(evidence: &Evidence) -> Outcome {
    // What was answered before it was cancelled shows nothing.
    let in_time = evidence.asked(Topic::Slow).filter(|asked| {
        let cancelled_cancelling = evidence
            .after(asked.place)
            .find(|(_, what)| matches!(what, EventKind::Sent { topic: Topic::Cancel, .. }));
        let answered = asked.answer.map_or(usize::MAX, |answer| answer.place.event);
        cancelled_cancelling.is_some_and(|(at, _)| at.event < answered)
    });
    each(in_time, TOO_FAST, |asked| {
        let answer = asked.answer?;
        Some(Finding::new("no answer", show(answer.message), answer.place))
    })
}

const NOTHING_SLOW: &str =
    "no tool that may be called took long enough to be cancelled; name one with --call NAME=JSON";

const DEAF: Mutant = Mutant::new(
    "does not hear cancellations",
    Mutation::Hears(|message| (message["method"] == "notifications/cancelled").then(Vec::new)),
);

const TOO_FAST: &str =
    "the client answered before the request could be cancelled, or could not be asked";

const LISTEN: &str = "subscriptions/listen";
