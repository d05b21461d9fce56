//! The requirements of `basic/patterns/index`.

use proofmark_core::revision::Revision::V2026_07_28;

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, since};
use crate::checks::{client, offers, stateless};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        id: "M158",
        name: "client-sends-no-json-rpc-response",
        level: Level::Must,
        party: Party::Client,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "The client sends no JSON-RPC response.",
        section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#sending-messages ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#sending-messages ; docs/specification/2026-07-28/basic/patterns/index.mdx",
        observed: Observed::By(&client::stateless::M158),
    },
    Requirement {
        id: "M159",
        name: "server-sends-no-json-rpc-request",
        level: Level::Must,
        party: Party::Server,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "The server sends no JSON-RPC request.",
        section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#receiving-messages ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#receiving-messages ; docs/specification/2026-07-28/basic/patterns/index.mdx",
        observed: Observed::By(&stateless::M159),
    },
    Requirement {
        id: "A069",
        name: "server-may-send-progress-log-notifications",
        level: Level::May,
        party: Party::Server,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "The server may send progress and log notifications while a request is in flight.",
        section: "docs/specification/2026-07-28/basic/patterns/progress.mdx ; docs/specification/2026-07-28/basic/patterns/index.mdx#request-and-response",
        observed: Observed::By(&offers::A069),
    },
];
