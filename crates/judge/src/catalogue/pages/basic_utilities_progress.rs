//! The requirements of `basic/utilities/progress`.

use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25};

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, between, only};
use crate::checks::{offers, tasks};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        id: "M228",
        name: "task-progress-keeps-token-original-request",
        level: Level::Must,
        party: Party::Both,
        transports: Transports::Any,
        span: only(V2025_11_25),
        text: "[tasks exp] A task's progress keeps the token of the original request until a terminal status.",
        section: "docs/specification/2025-11-25/basic/utilities/progress.mdx#behavior-requirements",
        observed: Observed::Each {
            server: &Observed::By(&tasks::progress::M228_OF_SERVERS),
            client: &Observed::By(&tasks::progress::M228),
        },
    },
    Requirement {
        id: "M229",
        name: "progress-stops-once-task-terminal",
        level: Level::Must,
        party: Party::Both,
        transports: Transports::Any,
        span: only(V2025_11_25),
        text: "[tasks exp] Progress stops once a task is terminal.",
        section: "docs/specification/2025-11-25/basic/utilities/progress.mdx#behavior-requirements",
        observed: Observed::Each {
            server: &Observed::By(&tasks::progress::M229_OF_SERVERS),
            client: &Observed::By(&tasks::progress::M229),
        },
    },
    Requirement {
        id: "A068",
        name: "receiver-token-may-send-progress",
        level: Level::May,
        party: Party::Both,
        transports: Transports::Any,
        span: between(V2024_11_05, V2025_11_25),
        text: "The receiver of a token may send progress.",
        section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#progress-flow",
        observed: Observed::By(&offers::A068),
    },
];
