//! The requirements of `basic/utilities/ping`.

use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25};

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, between};
use crate::checks::{client, pinging, utilities};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        id: "M079",
        name: "ping-answered-promptly-empty-result",
        level: Level::Must,
        party: Party::Both,
        transports: Transports::Any,
        span: between(V2024_11_05, V2025_11_25),
        text: "ping is answered promptly with an empty result.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#behavior-requirements",
        observed: Observed::Each {
            server: &Observed::By(&utilities::M079),
            client: &Observed::By(&utilities::M079),
        },
    },
    Requirement {
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
    },
    Requirement {
        id: "S102",
        name: "ping-interval-configurable",
        level: Level::Should,
        party: Party::Both,
        transports: Transports::Any,
        span: between(V2024_11_05, V2025_11_25),
        text: "The ping interval is configurable.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#implementation-considerations",
        observed: Observed::Unobservable(
            "it concerns the interface of a library, not the protocol",
        ),
    },
    Requirement {
        id: "S103",
        name: "ping-timeouts-suit-network",
        level: Level::Should,
        party: Party::Both,
        transports: Transports::Any,
        span: between(V2024_11_05, V2025_11_25),
        text: "Ping timeouts suit the network.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#implementation-considerations",
        observed: Observed::Unobservable("a matter of configuration"),
    },
    Requirement {
        id: "S104",
        name: "pinging-not-excessive",
        level: Level::Should,
        party: Party::Both,
        transports: Transports::Any,
        span: between(V2024_11_05, V2025_11_25),
        text: "Pinging is not excessive.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#implementation-considerations",
        observed: Observed::Each {
            server: &Observed::By(&pinging::S104),
            client: &Observed::By(&client::sticking::S104),
        },
    },
    Requirement {
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
            client: &Observed::NotYet,
        },
    },
    Requirement {
        id: "S106",
        name: "ping-failures-logged",
        level: Level::Should,
        party: Party::Both,
        transports: Transports::Any,
        span: between(V2024_11_05, V2025_11_25),
        text: "Ping failures are logged.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#error-handling",
        observed: Observed::Unobservable("log files of the peer cannot be seen from outside"),
    },
    Requirement {
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
    },
    Requirement {
        id: "A065",
        name: "after-unanswered-ping-connection-may",
        level: Level::May,
        party: Party::Both,
        transports: Transports::Any,
        span: between(V2024_11_05, V2025_11_25),
        text: "After an unanswered ping the connection may be considered stale.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#behavior-requirements",
        observed: Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
    },
    Requirement {
        id: "A066",
        name: "after-unanswered-ping-reconnection-may-tried",
        level: Level::May,
        party: Party::Both,
        transports: Transports::Any,
        span: between(V2024_11_05, V2025_11_25),
        text: "After an unanswered ping reconnection may be tried.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#behavior-requirements",
        observed: Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
    },
    Requirement {
        id: "A067",
        name: "repeated-ping-failures-may-reset-connection",
        level: Level::May,
        party: Party::Both,
        transports: Transports::Any,
        span: between(V2024_11_05, V2025_11_25),
        text: "Repeated ping failures may reset the connection.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/ping.mdx#error-handling",
        observed: Observed::Unobservable(
            "what a peer does inside itself leaves no trace on the wire",
        ),
    },
];
