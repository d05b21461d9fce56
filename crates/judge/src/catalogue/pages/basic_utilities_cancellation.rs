//! The requirements of `basic/utilities/cancellation`.

use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25};

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, between, only};
use crate::checks::{client, tasks};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        id: "M082",
        name: "client-never-cancels-initialize-request",
        level: Level::Must,
        party: Party::Client,
        transports: Transports::Any,
        span: between(V2024_11_05, V2025_11_25),
        text: "The client never cancels its initialize request.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#behavior-requirements",
        observed: Observed::By(&client::cancelling::M082),
    },
    Requirement {
        id: "M224",
        name: "task-augmented-request-cancelled",
        level: Level::Must,
        party: Party::Both,
        transports: Transports::Any,
        span: only(V2025_11_25),
        text: "[tasks exp] A task-augmented request is cancelled with tasks/cancel, not with notifications/cancelled.",
        section: "docs/specification/2025-11-25/basic/utilities/cancellation.mdx#behavior-requirements ; schema/2025-11-25/schema.ts#CancelledNotification",
        observed: Observed::Each {
            server: &Observed::By(&tasks::requesting::M224),
            client: &Observed::By(&client::tasks::M224),
        },
    },
];
