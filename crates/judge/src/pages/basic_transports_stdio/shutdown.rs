//! `basic/transports/stdio`: `#shutdown`, `#custom-transports`, `#unexpected-termination`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::client::{ended_by_itself, hosted_at, is_over},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_core::revision::Revision::{V2024_11_05, V2026_07_28};
use proofmark_record::{event::EventKind, evidence::Place};

pub(super) const S001: Requirement = Requirement {
    id: "S001",
    name: "client-starts-stdio-shutdown-by-closing",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "The client starts stdio shutdown by closing the server's stdin.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx#shutdown",
    observed: Observed::By(&S001_CHECK),
};

const S001_CHECK: Check = Check {
    how: "looks at how the pipe ends when the client is done",
    seen: seen_everywhere(),
    fix: "close the server's input first, and use signals only if the server stays",
    judge: |evidence| {
        let mut seen = false;
        for (place, event) in evidence.events() {
            match &event.kind {
                EventKind::Ended { exchange: 0 } => seen = true,
                EventKind::Broken { exchange: 0, why }
                    if ended_by_itself(evidence, place.conversation) =>
                {
                    let expected = "the server's input is closed first";
                    return Outcome::Broken(Finding::new(expected, why.clone(), place));
                }
                _ => {}
            }
        }
        if seen {
            Outcome::Kept
        } else {
            Outcome::Unobserved("the client did not end by itself".to_owned())
        }
    },
    mutants: &[Mutant::new("kills the server", Mutation::Farewell(None))],
};

pub(super) const S050: Requirement = Requirement {
    id: "S050",
    name: "after-closing-stdin-client-waits-uses",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "After closing stdin the client waits, and uses SIGTERM if the server stays (2026-07-28: the platform's forced termination).",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx#shutdown",
    observed: Observed::Unobservable(
        "the command that a client is given for a stdio server ends as soon as its input is closed, so that there is nothing left to terminate",
    ),
};

pub(super) const S051: Requirement = Requirement {
    id: "S051",
    name: "server-ignores-softer-step-killed",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "A server that ignores the softer step is killed.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx#shutdown",
    observed: Observed::Unobservable(
        "the command that a client is given for a stdio server ends as soon as its input is closed, so that there is nothing left to kill",
    ),
};

pub(super) const S066: Requirement = Requirement {
    id: "S066",
    name: "server-exits-soon-after-stdin-reaches-end",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Stdio,
    span: since(V2026_07_28),
    text: "The server exits soon after its stdin reaches end of file.",
    section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#shutdown",
    observed: Observed::By(&S066_CHECK),
};

const S066_CHECK: Check = Check {
    how: "closes the server's input, and waits for it to end",
    seen: seen_everywhere(),
    fix: "exit when standard input ends",
    judge: |evidence| {
        let farewells = || {
            let conversations = evidence.conversations.iter().enumerate();
            conversations.filter_map(|(conversation, it)| {
                let (event, last) = it.events.iter().enumerate().rev().find(|(_, event)| {
                    matches!(
                        event.kind,
                        EventKind::Exited(_) | EventKind::Ended { .. } | EventKind::Silence(_)
                    )
                })?;
                let stayed = match &last.kind {
                    EventKind::Exited(how) => how == "ended by the checker",
                    EventKind::Ended { .. } => false,
                    _ => true,
                };
                Some((Place { conversation, event }, stayed))
            })
        };
        // A machine that is busy once is no reason to blame the peer.
        let all_stay = farewells().all(|(_, stayed)| stayed);
        each(farewells(), "nothing was seen of its end", |(place, _)| {
            let expected = "its end, soon after its input ended";
            all_stay.then(|| Finding::new(expected, "a server that stays", place))
        })
    },
    mutants: &[Mutant::new("stays when its input ends", Mutation::Lingers)],
};

pub(super) const A037: Requirement = Requirement {
    id: "A037",
    name: "server-may-end-connection-by-closing-stdout",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "The server may end the connection by closing stdout and exiting.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx#shutdown",
    observed: Observed::Unobservable("a permission: a server that ends by itself breaks nothing"),
};

pub(super) const S064: Requirement = Requirement {
    id: "S064",
    name: "custom-transport-over-byte-stream-reuses",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A custom transport over a byte stream reuses the stdio framing.",
    section: "docs/specification/2026-07-28/basic/transports/index.mdx#custom-transports ; docs/specification/2026-07-28/basic/transports/stdio.mdx",
    observed: Observed::Unobservable("it concerns custom transports"),
};

pub(super) const S067: Requirement = Requirement {
    id: "S067",
    name: "server-process-dies-restarted",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2026_07_28),
    text: "A server process that dies is restarted.",
    section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#unexpected-termination",
    observed: Observed::By(&S067_CHECK),
};

const S067_CHECK: Check = Check {
    how: "dies while the client listens, and waits to be started again",
    seen: seen_in(&["hosted restart"]).momentary(),
    fix: "start a server again that ended without being asked to",
    judge: |evidence| {
        let listens = evidence.requests_for("subscriptions/listen");
        let open = listens.filter(|it| {
            hosted_at(evidence, it.place) == Some(HostedScenario::RESTART) && !is_over(evidence, it)
        });
        let why = "the client had no subscription that stayed open";
        each(open.take(1), why, |listen| {
            // Each life of the server is a conversation.
            let next = evidence.conversations.get(listen.place.conversation + 1);
            let again =
                next.is_some_and(|it| HostedScenario::of(it) == Some(HostedScenario::RESTART));
            let expected = "another start of the server";
            (!again).then(|| Finding::new(expected, "none", listen.place))
        })
    },
    mutants: &[Mutant::new("gives up a server that has died", Mutation::GivesUp)],
};
