//! The requirements of `schema/tasks`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        shape::show,
        tasks::{each_task, of_cancelled, remove},
    },
    outcome::Finding,
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, only},
};
use proofmark_core::revision::Revision::V2025_11_25;

pub(super) const PAGE: Page = Page {
    name: "schema/tasks",
    why: "Clients decide by these members how long to wait and when to ask again.",
    requirements: &[&M529],
};

const M529: Requirement = Requirement {
    id: "M529",
    name: "task-taskid-status-createdat-lastupdatedat",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A task has taskId, status, createdAt, lastUpdatedAt and ttl.",
    section: "schema/2025-11-25/schema.ts#Task",
    observed: Observed::Each {
        server: &Observed::By(&M529_CHECK),
        client: &Observed::By(&M529_CHECK),
    },
};

const M529_CHECK: Check = Check {
    how: "looks at every task that it is told of",
    seen: seen_everywhere(),
    fix: "give each task taskId, status, createdAt, lastUpdatedAt and ttl",
    judge: |evidence| {
        each_task(evidence, |place, task| {
            let members = ["taskId", "status", "createdAt", "lastUpdatedAt", "ttl"];
            let missing = members.into_iter().find(|member| task.get(member).is_none())?;
            Some(Finding::new(missing, show(task), place))
        })
    },
    mutants: &[of_cancelled("does not say when a task was changed", |task| {
        remove(task, "lastUpdatedAt");
    })
    .also(&["M246"])],
};
