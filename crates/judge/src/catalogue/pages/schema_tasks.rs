//! The requirements of `schema/tasks`.

use proofmark_core::revision::Revision::V2025_11_25;

use crate::catalogue::{Level, Observed, Party, Requirement, Transports, only};
use crate::checks::tasks;

pub(super) const REQUIREMENTS: &[Requirement] = &[Requirement {
    id: "M529",
    name: "task-taskid-status-createdat-lastupdatedat",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A task has taskId, status, createdAt, lastUpdatedAt and ttl.",
    section: "schema/2025-11-25/schema.ts#Task",
    observed: Observed::Each {
        server: &Observed::By(&tasks::M529),
        client: &Observed::By(&tasks::M529),
    },
}];
