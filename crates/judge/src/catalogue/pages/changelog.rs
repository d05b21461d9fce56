//! The requirements of `changelog`.

use proofmark_core::revision::Revision::V2026_07_28;

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, since};
use crate::checks::{client, stateless, subscriptions};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        id: "M225",
        name: "ping-does-not-exist-2026-07-28-answered",
        level: Level::Must,
        party: Party::Both,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "ping does not exist in 2026-07-28 and is answered as an unknown method (derived from its removal).",
        section: "docs/specification/2026-07-28/changelog.mdx",
        observed: Observed::Each {
            server: &Observed::By(&stateless::M225),
            client: &Observed::By(&client::stateless::M225),
        },
    },
    Requirement {
        id: "M289",
        name: "progress-log-notifications-never-appear-on",
        level: Level::Must,
        party: Party::Server,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "Progress and log notifications never appear on a listen stream.",
        section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#receiving-messages ; docs/specification/2026-07-28/changelog.mdx",
        observed: Observed::By(&subscriptions::M289),
    },
    Requirement {
        id: "M493",
        name: "logging-setlevel-does-not-exist-2026-07-28",
        level: Level::Must,
        party: Party::Both,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "logging/setLevel does not exist in 2026-07-28 (derived from its removal).",
        section: "docs/specification/2026-07-28/changelog.mdx",
        observed: Observed::Each {
            server: &Observed::By(&stateless::M493),
            client: &Observed::By(&client::stateless::M493),
        },
    },
    Requirement {
        id: "M515",
        name: "resources-subscribe-resources-unsubscribe-do",
        level: Level::Must,
        party: Party::Server,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "resources/subscribe and resources/unsubscribe do not exist in 2026-07-28 (derived from their removal).",
        section: "docs/specification/2026-07-28/changelog.mdx",
        observed: Observed::By(&stateless::M515),
    },
    Requirement {
        id: "M516",
        name: "client-sends-no-notifications-initialized-no",
        level: Level::Must,
        party: Party::Client,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "The client sends no notifications/initialized and no notifications/roots/list_changed under 2026-07-28 (derived from their removal).",
        section: "docs/specification/2026-07-28/changelog.mdx",
        observed: Observed::By(&client::stateless::M516),
    },
    Requirement {
        id: "M517",
        name: "server-sends-no",
        level: Level::Must,
        party: Party::Server,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "The server sends no notifications/elicitation/complete and no notifications/tasks/status under 2026-07-28 (derived from their removal).",
        section: "docs/specification/2026-07-28/changelog.mdx",
        observed: Observed::By(&stateless::M517),
    },
    Requirement {
        id: "M519",
        name: "request-lost-broken-response-stream-issued",
        level: Level::Must,
        party: Party::Client,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "A request lost with its broken response stream is issued anew with a new id (changelog wording; streams cannot be resumed).",
        section: "docs/specification/2026-07-28/changelog.mdx",
        observed: Observed::By(&client::kinds::M519),
    },
];
