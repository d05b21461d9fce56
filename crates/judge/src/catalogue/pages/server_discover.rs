//! The requirements of `server/discover`.

use proofmark_core::revision::Revision::V2026_07_28;

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, since};
use crate::checks::{claims, client, results};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        id: "M149",
        name: "server-implements-server-discover",
        level: Level::Must,
        party: Party::Server,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "The server implements server/discover.",
        section: "docs/specification/2026-07-28/basic/versioning.mdx#protocol-version-negotiation ; docs/specification/2026-07-28/server/discover.mdx",
        observed: Observed::By(&claims::M149),
    },
    Requirement {
        id: "S045",
        name: "each-result",
        level: Level::Should,
        party: Party::Server,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "Each result has io.modelcontextprotocol/serverInfo in _meta.",
        section: "docs/specification/2026-07-28/server/discover.mdx#discoverresult",
        observed: Observed::By(&results::S045),
    },
    Requirement {
        id: "S046",
        name: "clientinfo-serverinfo-change-no-behaviour",
        level: Level::Should,
        party: Party::Both,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "clientInfo and serverInfo change no behaviour and decide nothing about security.",
        section: "docs/specification/2026-07-28/basic/index.mdx#meta ; docs/specification/2026-07-28/server/discover.mdx#discoverresult",
        observed: Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
    },
    Requirement {
        id: "S059",
        name: "dual-era-client-probes-stdio-server",
        level: Level::Should,
        party: Party::Client,
        transports: Transports::Stdio,
        span: since(V2026_07_28),
        text: "A dual-era client probes a stdio server with server/discover before anything else.",
        section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#backward-compatibility ; docs/specification/2026-07-28/server/discover.mdx#when-to-call",
        observed: Observed::By(&client::eras::S059),
    },
];
