//! `extensions/tasks`: `#response`.

use super::shared::{ALLOWED, looks, remove};
use crate::requirement::seen_everywhere;
use crate::{
    common::{request_metadata::error, tasks::is_step},
    mutant::Mutant,
    outcome::offered,
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{
    evidence::{CheckerRequest, Evidence},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const A158: Requirement = Requirement {
    id: "A158",
    name: "tasks-update-acknowledgement-may-come-before",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] The tasks/update acknowledgement may come before the status changes.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&A158_CHECK),
};

const A158_CHECK: Check = Check {
    how: "looks at a task right after its question was answered",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(answered(evidence), "answers that take effect later", |(keys, next)| {
            let open = next.get("inputRequests").and_then(Value::as_object);
            open.is_some_and(|open| keys.iter().any(|key| open.contains_key(*key)))
        })
    },
    mutants: &[Mutant::new(
        "takes its time with an answer",
        Mutation::Says(|_, message| {
            if message["id"] == "confirm_delete/get-2" && message.get("result").is_some() {
                let task = &mut message["result"];
                remove(task, "result");
                task["status"] = json!("input_required");
                task["inputRequests"] = json!({ "confirm": { "method": "elicitation/create",
                    "params": { "message": "Delete test?", "requestedSchema": {
                        "type": "object", "properties": { "confirm": { "type": "boolean" } },
                        "required": ["confirm"] } } } });
            }
        }),
    )],
};

pub(super) const A159: Requirement = Requirement {
    id: "A159",
    name: "partial-set-inputresponses-may-accepted",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A partial set of inputResponses may be accepted.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&A159_CHECK),
};

const A159_CHECK: Check = Check {
    how: "answers one of several questions of a task",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.asked(Topic::PartialUpdate), "one answer at a time", |asked| {
            asked.answer.is_some_and(|answer| answer.result().is_some())
        })
    },
    mutants: &[Mutant::new(
        "wants all answers at once",
        Mutation::Says(|_, message| {
            if is_step(message, "/partial") {
                *message = error(&message["id"], -32602);
            }
        }),
    )],
};

pub(super) const A160: Requirement = Requirement {
    id: "A160",
    name: "after-tasks-cancel-task-may-go-on-end",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] After tasks/cancel the task may go on and end otherwise.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&A160_CHECK),
};

const A160_CHECK: Check = Check {
    how: "looks at a task after it was cancelled",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.asked(Topic::CancelTask), "tasks that outlast their end", |asked| {
            let acknowledged = asked.answer.is_some_and(|answer| answer.result().is_some());
            acknowledged && after(evidence, &asked).any(|task| task["status"] != "cancelled")
        })
    },
    mutants: &[Mutant::new(
        "goes on for a while when it is cancelled",
        Mutation::Says(|_, message| {
            if is_step(message, "/cancelled") && message.get("result").is_some() {
                message["result"]["status"] = json!("working");
            }
        }),
    )],
};

pub(super) const A161: Requirement = Requirement {
    id: "A161",
    name: "client-may-forget-task-cancelled",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] The client may forget a task it cancelled.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

/// The keys of each answer that a task was given, with the next sight of it.
fn answered(evidence: &Evidence) -> impl Iterator<Item = (Vec<&String>, &Value)> {
    evidence.asked(Topic::UpdateTask).filter_map(|asked| {
        let keys = asked.params?.get("inputResponses")?.as_object()?.keys().collect();
        Some((keys, after(evidence, &asked).next()?))
    })
}

/// All sights of the task that a request is about, after its answer.
fn after<'e>(
    evidence: &'e Evidence,
    asked: &CheckerRequest<'e>,
) -> impl Iterator<Item = &'e Value> {
    let id = asked.params.and_then(|params| params.get("taskId"));
    let place = asked.answer.map_or(asked.place, |answer| answer.place);
    looks(evidence).filter_map(move |(look, _, task)| {
        let about = look.params.and_then(|params| params.get("taskId"));
        let later = look.place.conversation == place.conversation && look.place.event > place.event;
        task.filter(|_| later && about == id)
    })
}
