//! The requirements of `basic/transports/index`.

use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2026_07_28};

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, since};
use crate::checks::{client, envelope, stateless};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        id: "M154",
        name: "messages-utf-8",
        level: Level::Must,
        party: Party::Both,
        transports: Transports::Any,
        span: since(V2025_03_26),
        text: "Messages are UTF-8.",
        section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx ; docs/specification/2026-07-28/basic/transports/index.mdx#messages",
        observed: Observed::Each {
            server: &Observed::By(&envelope::M154),
            client: &Observed::By(&client::envelope::M154),
        },
    },
    Requirement {
        id: "M156",
        name: "custom-transport-keeps-json-rpc-format-2",
        level: Level::Must,
        party: Party::Both,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "A custom transport keeps the JSON-RPC format, the message patterns and per-request metadata.",
        section: "docs/specification/2026-07-28/basic/transports/index.mdx#custom-transports",
        observed: Observed::Unobservable("it concerns transports of somebody's own making"),
    },
    Requirement {
        id: "M157",
        name: "binding-carries-client-requests",
        level: Level::Must,
        party: Party::Both,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "A binding carries client requests and notifications one way, server responses and notifications the other.",
        section: "docs/specification/2026-07-28/basic/transports/index.mdx#messages",
        observed: Observed::Each {
            server: &Observed::By(&stateless::M157),
            client: &Observed::By(&client::stateless::M157),
        },
    },
    Requirement {
        id: "S063",
        name: "custom-transport-documents-connection-setup",
        level: Level::Should,
        party: Party::Both,
        transports: Transports::Any,
        span: since(V2024_11_05),
        text: "A custom transport documents its connection setup, framing and exchange patterns.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#custom-transports ; docs/specification/2026-07-28/basic/transports/index.mdx#custom-transports",
        observed: Observed::Unobservable("a duty of documentation"),
    },
    Requirement {
        id: "A050",
        name: "custom-transports-may-built",
        level: Level::May,
        party: Party::Both,
        transports: Transports::Any,
        span: since(V2024_11_05),
        text: "Custom transports may be built.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#custom-transports ; docs/specification/2026-07-28/basic/transports/index.mdx#custom-transports",
        observed: Observed::Unobservable(
            "a policy of those who run the peer, not something it sends",
        ),
    },
    Requirement {
        id: "A051",
        name: "binding-may-mirror-body-fields-into-envelope",
        level: Level::May,
        party: Party::Both,
        transports: Transports::Any,
        span: since(V2026_07_28),
        text: "A binding may mirror body fields into its envelope.",
        section: "docs/specification/2026-07-28/basic/transports/index.mdx#request-metadata",
        observed: Observed::NotYet,
    },
];
