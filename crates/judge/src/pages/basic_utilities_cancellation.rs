//! The requirements of `basic/utilities/cancellation`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        client::{NO_WISH, begun, notification, unless_cancelled},
        shape::show,
        tasks_requesting::{WISHES_NOTHING, beside, wish, wishes},
        tools::none_applies,
        utilities::{extra, notifications},
    },
    mutant::Mutant,
    outcome::{Finding, each},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, between, only},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25};
use serde_json::json;

pub(super) const PAGE: Page = Page {
    name: "basic/utilities/cancellation",
    why: "Work that nobody waits for costs money and time, and an answer that comes too late can be taken for another one.",
    requirements: &[&M082, &M224],
};

const M082: Requirement = Requirement {
    id: "M082",
    name: "client-never-cancels-initialize-request",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "The client never cancels its initialize request.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#behavior-requirements",
    observed: Observed::By(&M082_CHECK),
};

const M082_CHECK: Check = Check {
    how: "looks for a cancellation of initialize",
    seen: seen_everywhere(),
    fix: "never cancel initialize",
    judge: |evidence| {
        let outcome = each(evidence.told("notifications/cancelled"), "", |heard| {
            let id = heard.message.pointer("/params/requestId")?;
            let handshake = evidence.requests_for("initialize").any(|request| {
                request.id == id && request.place.conversation == heard.place.conversation
            });
            let expected = "a request other than initialize";
            handshake.then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        unless_cancelled(outcome)
    },
    mutants: &[Mutant::new(
        "cancels the handshake",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["method"] == "initialize" {
                let params = json!({ "requestId": message["id"] });
                texts.push(notification("notifications/cancelled", &params).to_string());
            }
            texts
        }),
    )],
};

const M224: Requirement = Requirement {
    id: "M224",
    name: "task-augmented-request-cancelled",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A task-augmented request is cancelled with tasks/cancel, not with notifications/cancelled.",
    section: "docs/specification/2025-11-25/basic/utilities/cancellation.mdx#behavior-requirements ; schema/2025-11-25/schema.ts#CancelledNotification",
    observed: Observed::Each {
        server: &Observed::By(&M224_SERVER),
        client: &Observed::By(&M224_CLIENT),
    },
};

const M224_SERVER: Check = Check {
    how: "looks for cancellations of requests that wished for a task",
    seen: seen_everywhere(),
    fix: "cancel tasks with tasks/cancel",
    judge: |evidence| {
        let wished: Vec<_> = wishes(evidence).collect();
        let outcome = each(&wished, "", |request| {
            let cancelled = notifications(evidence, "notifications/cancelled").find(|heard| {
                heard.place.conversation == request.place.conversation
                    && heard.message.pointer("/params/requestId") == Some(request.id)
            })?;
            Some(Finding::new("tasks/cancel", show(cancelled.message), cancelled.place))
        });
        none_applies(outcome, WISHES_NOTHING)
    },
    mutants: &[extra("cancels a task as if it were none", |_, message| {
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": "own-task" } });
        beside(message, &[wish(), cancel])
    })
    .also(&["M081", "S113"])],
};

const M224_CLIENT: Check = Check {
    how: "looks for cancellations of calls that became tasks",
    seen: seen_everywhere(),
    fix: "cancel tasks with tasks/cancel",
    judge: |evidence| {
        each(begun(evidence), NO_WISH, |(call, _)| {
            let cancelled = notifications(evidence, "notifications/cancelled").find(|heard| {
                heard.place.conversation == call.place.conversation
                    && heard.message.pointer("/params/requestId") == Some(call.id)
            })?;
            Some(Finding::new("tasks/cancel", show(cancelled.message), cancelled.place))
        })
    },
    mutants: &[extra("cancels a task as if it were none", |_, message| {
        let mut texts = vec![message.to_string()];
        if message.pointer("/params/task").is_some() {
            let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": { "requestId": message["id"] } });
            texts.push(cancel.to_string());
        }
        texts
    })],
};
