//! The requirements of `changelog`, how each is judged, and the mutants that prove it.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{NO_REQUEST, beside_call, hides_revision, hosted_at, notification},
        shape::show,
        stateless::{GONE, answer, at_last, gone as gone_stateless},
        subscriptions::{NOTHING, answered_listens, told},
        utilities::extra,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, since},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, PeerRequest},
    meta::SUBSCRIPTION,
    transport::Transport,
};
use serde_json::json;

pub(super) const PAGE: Page = Page {
    name: "changelog",
    why: "What a revision changed has to be done as that revision says, because the other side was told which one is spoken.",
    requirements: &[&M225, &M289, &M493, &M515, &M516, &M517, &M519],
};

const M225: Requirement = Requirement {
    id: "M225",
    name: "ping-does-not-exist-2026-07-28-answered",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "ping does not exist in 2026-07-28 and is answered as an unknown method (derived from its removal).",
    section: "docs/specification/2026-07-28/changelog.mdx",
    observed: Observed::Each {
        server: &Observed::By(&M225_SERVER),
        client: &Observed::By(&M225_CLIENT),
    },
};

const M225_SERVER: Check = Check {
    how: "pings",
    seen: seen_in(&["tour"]),
    fix: GONE,
    judge: |evidence| gone_stateless(evidence, &["ping"]),
    mutants: &[Mutant::new(
        "still plays ping",
        Mutation::Says(|context, message| {
            answer(context.method == Some("ping"), message);
        }),
    )],
};

const M225_CLIENT: Check = Check {
    how: "looks for pings among the requests of the client",
    seen: seen_in(&["hosted behave"]),
    fix: "do not ping; any request shows whether the server is there",
    judge: |evidence| gone(evidence, &["ping"]),
    mutants: &[beside_call("still pings", |message| {
        message["method"] = json!("ping");
        message["params"] = json!({ "_meta": message["params"]["_meta"] });
    })],
};

const M289: Requirement = Requirement {
    id: "M289",
    name: "progress-log-notifications-never-appear-on",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Progress and log notifications never appear on a listen stream.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#receiving-messages ; docs/specification/2026-07-28/changelog.mdx",
    observed: Observed::By(&M289_CHECK),
};

const M289_CHECK: Check = Check {
    how: "looks for progress and logs on the streams of subscriptions",
    seen: seen_in(&["tour"]),
    fix: "send progress and logs on the stream of their request",
    judge: |evidence| {
        let told = answered_listens(evidence).flat_map(|asked| told(evidence, &asked));
        each(told, NOTHING, |heard| {
            let method = heard.message.get("method")?.as_str()?;
            let stray = ["notifications/message", "notifications/progress"].contains(&method);
            stray.then(|| Finding::new("changes only", show(heard.message), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "reports progress to subscribers",
        Mutation::Says(|_, message| {
            let token = message["params"]["progressToken"].as_str();
            let in_tour = token.is_some_and(|it| it.starts_with("call-"));
            if message["method"] == "notifications/progress" && in_tour {
                message["params"]["_meta"] = json!({ SUBSCRIPTION: "listen-all" });
            }
        }),
    )],
};

const M493: Requirement = Requirement {
    id: "M493",
    name: "logging-setlevel-does-not-exist-2026-07-28",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "logging/setLevel does not exist in 2026-07-28 (derived from its removal).",
    section: "docs/specification/2026-07-28/changelog.mdx",
    observed: Observed::Each {
        server: &Observed::By(&M493_SERVER),
        client: &Observed::By(&M493_CLIENT),
    },
};

const M493_SERVER: Check = Check {
    how: "sets a log level for the connection",
    seen: seen_in(&["tour"]),
    fix: GONE,
    judge: |evidence| gone_stateless(evidence, &["logging/setLevel"]),
    mutants: &[Mutant::new(
        "still has a level for all",
        Mutation::Says(|context, message| {
            answer(context.method == Some("logging/setLevel"), message);
        }),
    )],
};

const M493_CLIENT: Check = Check {
    how: "looks for logging/setLevel among the requests of the client",
    seen: seen_in(&["hosted behave"]),
    fix: "say in _meta of each request what you want logged",
    judge: |evidence| gone(evidence, &["logging/setLevel"]),
    mutants: &[beside_call("still sets a level", |message| {
        message["method"] = json!("logging/setLevel");
        let meta = &message["params"]["_meta"];
        message["params"] = json!({ "_meta": meta, "level": "info" });
    })],
};

const M515: Requirement = Requirement {
    id: "M515",
    name: "resources-subscribe-resources-unsubscribe-do",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "resources/subscribe and resources/unsubscribe do not exist in 2026-07-28 (derived from their removal).",
    section: "docs/specification/2026-07-28/changelog.mdx",
    observed: Observed::By(&M515_CHECK),
};

const M515_CHECK: Check = Check {
    how: "subscribes to a resource as in earlier revisions",
    seen: seen_in(&["tour"]),
    fix: GONE,
    judge: |evidence| gone_stateless(evidence, &["resources/subscribe", "resources/unsubscribe"]),
    mutants: &[Mutant::new(
        "still takes subscriptions",
        Mutation::Says(|context, message| {
            answer(context.method == Some("resources/subscribe"), message);
        }),
    )],
};

const M516: Requirement = Requirement {
    id: "M516",
    name: "client-sends-no-notifications-initialized-no",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The client sends no notifications/initialized and no notifications/roots/list_changed under 2026-07-28 (derived from their removal).",
    section: "docs/specification/2026-07-28/changelog.mdx",
    observed: Observed::By(&M516_CHECK),
};

const M516_CHECK: Check = Check {
    how: "looks for notifications that went with the handshake",
    seen: seen_in(&["hosted behave"]),
    fix: "send neither notifications/initialized nor notifications/roots/list_changed",
    judge: |evidence| {
        gone(evidence, &["notifications/initialized", "notifications/roots/list_changed"])
    },
    mutants: &[
        beside_call("still says that it is ready", |message| {
            *message = notification("notifications/initialized", &json!({}));
        }),
        beside_call("still announces new roots", |message| {
            *message = notification("notifications/roots/list_changed", &json!({}));
        })
        .also(&["M075"]),
    ],
};

const M517: Requirement = Requirement {
    id: "M517",
    name: "server-sends-no",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The server sends no notifications/elicitation/complete and no notifications/tasks/status under 2026-07-28 (derived from their removal).",
    section: "docs/specification/2026-07-28/changelog.mdx",
    observed: Observed::By(&M517_CHECK),
};

const M517_CHECK: Check = Check {
    how: "looks at every notification",
    seen: seen_everywhere(),
    fix: "leave out notifications of earlier revisions",
    judge: |evidence| {
        let old = ["notifications/elicitation/complete", "notifications/tasks/status"];
        let heard = evidence.heard_methods().find(|(_, method)| old.contains(method));
        heard.map_or(Outcome::Kept, |(heard, _)| {
            Outcome::Broken(Finding::new(
                "none of earlier revisions",
                show(heard.message),
                heard.place,
            ))
        })
    },
    mutants: &[extra("still tells of completed elicitations", |_, message| {
        at_last(
            message,
            &json!({ "jsonrpc": "2.0",
            "method": "notifications/elicitation/complete", "params": { "elicitationId": "a" } }),
        )
    })],
};

const M519: Requirement = Requirement {
    id: "M519",
    name: "request-lost-broken-response-stream-issued",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A request lost with its broken response stream is issued anew with a new id (changelog wording; streams cannot be resumed).",
    section: "docs/specification/2026-07-28/changelog.mdx",
    observed: Observed::By(&M519_CHECK),
};

const M519_CHECK: Check = Check {
    how: "lets the stream of a call break off before its answer",
    seen: seen_in(&["hosted resume"]),
    fix: "ask again, as a new request under a new id",
    judge: |evidence| {
        let lost = || {
            let calls = evidence.requests_for("tools/call");
            calls.filter(|it| {
                hosted_at(evidence, it.place) == Some(HostedScenario::RESUME)
                    && is_cut(evidence, it)
            })
        };
        let again = |request: &PeerRequest<'_>| {
            evidence.requests_for("tools/call").find(|it| {
                it.place.conversation == request.place.conversation
                    && it.place.event > request.place.event
                    && it.text("/name") == request.text("/name")
            })
        };
        let outcome = each(lost(), NOT_LOST, |request| {
            let again = again(&request)?;
            (again.id == request.id).then(|| Finding::new("a new id", show(again.id), again.place))
        });
        if outcome != Outcome::Kept {
            return outcome;
        }
        // Whether a call may be made twice is for its user to know.
        let given_up = lost().find(|request| again(request).is_none());
        given_up.map_or(Outcome::Kept, |request| {
            let expected = "the call once more, under a new id";
            let actual = "the client did not ask again";
            Outcome::Doubtful(Finding::new(expected, actual, request.place))
        })
    },
    mutants: &[Mutant::new(
        "asks again under the same id",
        Mutation::Says(|_, message| {
            if message.pointer("/params/name") == Some(&json!("add_numbers")) {
                message["id"] = json!("the same");
            }
        }),
    )
    .over(Transport::Http)
    .also(&["M282", "S089"])],
};

/// Whether the response was over, without an answer.
fn is_cut(evidence: &Evidence, request: &PeerRequest<'_>) -> bool {
    let mut ends = evidence.after(request.place);
    let ended = ends.any(
        |(_, what)| matches!(what, EventKind::Ended { exchange } if *exchange == request.exchange),
    );
    ended
        && request.answer.is_none_or(|answer| {
            !evidence.after(request.place).any(|(place, what)| {
            place == answer.place
                && matches!(what, EventKind::Sent { exchange, .. } if *exchange == request.exchange)
        })
        })
}

/// Judges that the client says none of these.
fn gone(evidence: &Evidence, methods: &[&str]) -> Outcome {
    let said = evidence.heard_methods().filter(|(heard, _)| !hides_revision(evidence, heard.place));
    each(said, NO_REQUEST, |(heard, method)| {
        let expected = "nothing that is gone with the handshake";
        methods.contains(&method).then(|| Finding::new(expected, method, heard.place))
    })
}

const NOT_LOST: &str = "the client made no call whose stream could break off";
