//! `basic/utilities/tasks`: `#ttl-and-resource-management`, `#result-retrieval`.

use super::shared::{STATUSES, looked_at, of_created, of_look};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::S112_CLIENT,
        request_metadata::to,
        shape::{lacks, show},
        tasks::{
            ALLOWED, NO_TASK, applies, created, each_task, fetched, is_step, is_terminal,
            is_timestamp, looks, looks_at, of_cancelled, remove,
        },
        tasks_requesting::S112_SERVER,
    },
    mutant::Mutant,
    outcome::{Finding, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2025_11_25;
use proofmark_record::{evidence::Place, topic::Topic};
use serde_json::{Value, json};

pub(super) const M245: Requirement = Requirement {
    id: "M245",
    name: "task-responses-have-createdat-iso-8601",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Task responses have createdAt in ISO 8601.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#ttl-and-resource-management ; schema/2025-11-25/schema.ts#Task",
    observed: Observed::Each {
        server: &Observed::By(&M245_CHECK),
        client: &Observed::By(&M245_CHECK),
    },
};

const M245_CHECK: Check = Check {
    how: "looks at every task that it is told of",
    seen: seen_everywhere(),
    fix: "write createdAt like 2025-11-25T10:30:00Z",
    judge: |evidence| each_task(evidence, |place, task| no_time(place, task, "createdAt")),
    mutants: &[of_cancelled("began yesterday", |task| task["createdAt"] = json!("yesterday"))],
};

pub(super) const M246: Requirement = Requirement {
    id: "M246",
    name: "task-responses-have-lastupdatedat-iso-8601",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Task responses have lastUpdatedAt in ISO 8601.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#ttl-and-resource-management ; schema/2025-11-25/schema.ts#Task",
    observed: Observed::Each {
        server: &Observed::By(&M246_CHECK),
        client: &Observed::By(&M246_CHECK),
    },
};

const M246_CHECK: Check = Check {
    how: "looks at every task that it is told of",
    seen: seen_everywhere(),
    fix: "write lastUpdatedAt like 2025-11-25T10:30:00Z",
    judge: |evidence| each_task(evidence, |place, task| no_time(place, task, "lastUpdatedAt")),
    mutants: &[of_cancelled("counts the seconds of its changes", |task| {
        task["lastUpdatedAt"] = json!(1_764_066_600);
    })],
};

pub(super) const M247: Requirement = Requirement {
    id: "M247",
    name: "tasks-get-reports-real-ttl-null-unlimited",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] tasks/get reports the real ttl, null for unlimited.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#ttl-and-resource-management",
    observed: Observed::Each {
        server: &Observed::By(&M247_CHECK),
        client: &Observed::By(&M247_CHECK),
    },
};

const M247_CHECK: Check = Check {
    how: "looks at every result of tasks/get",
    seen: seen_everywhere(),
    fix: "give the ttl that counts, in milliseconds, or null if there is no end",
    judge: |evidence| {
        looked_at(evidence, |_, answer, task| {
            lacks(answer.place, task, "ttl", "a number or null", |ttl| {
                ttl.is_null() || ttl.as_f64().is_some_and(|ttl| ttl >= 0.0)
            })
        })
    },
    mutants: &[of_look("keeps tasks for a while", |task| task["ttl"] = json!("a while"))],
};

pub(super) const S112: Requirement = Requirement {
    id: "S112",
    name: "pollinterval-respected",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] pollInterval is respected.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#getting-tasks ; docs/specification/2025-11-25/basic/utilities/tasks.mdx#ttl-and-resource-management",
    observed: Observed::Each {
        server: &Observed::By(&S112_SERVER),
        client: &Observed::By(&S112_CLIENT),
    },
};

pub(super) const A079: Requirement = Requirement {
    id: "A079",
    name: "asked-ttl-may-overridden",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] The asked ttl may be overridden.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#ttl-and-resource-management",
    observed: Observed::Each {
        server: &Observed::By(&A079_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A079_CHECK: Check = Check {
    how: "compares the ttl of each task with the one that was asked for",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(created(evidence), "another ttl than was asked for", |it| {
            let asked = it.asked.params.and_then(|params| params.pointer("/task/ttl"));
            asked.is_some() && it.task.get("ttl") != asked
        })
    },
    mutants: &[Mutant::new(
        "keeps every task for as long as it is told",
        Mutation::Says(|context, message| {
            if let Some(asked) = context.params.pointer("/task/ttl")
                && let Some(ttl) = message.pointer_mut("/result/task/ttl")
            {
                ttl.clone_from(asked);
            }
        }),
    )],
};

pub(super) const A080: Requirement = Requirement {
    id: "A080",
    name: "task-past-ttl-may-deleted",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A task past its ttl may be deleted.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#ttl-and-resource-management",
    observed: Observed::Each {
        server: &Observed::By(&A080_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A080_CHECK: Check = Check {
    how: "looks at a task that was to be kept for a moment, after everything else",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.asked(Topic::GetExpiredTask), "an end to tasks past their ttl", |asked| {
            asked.answer.is_some_and(|answer| answer.error().is_some())
        })
    },
    mutants: &[to("keeps tasks past their time", "expired-task", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
            "taskId": "a", "status": "completed", "ttl": 1, "createdAt": "2026-01-01T00:00:00Z",
            "lastUpdatedAt": "2026-01-01T00:00:00Z" } });
    })],
};

pub(super) const A081: Requirement = Requirement {
    id: "A081",
    name: "pollinterval-may-given",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] pollInterval may be given.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#ttl-and-resource-management",
    observed: Observed::Each {
        server: &Observed::By(&A081_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A081_CHECK: Check = Check {
    how: "looks at every result of tasks/get",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.results("tasks/get"), "intervals to look at tasks", |(_, task)| {
            task.get("pollInterval").is_some()
        })
    },
    mutants: &[of_look("leaves it to others how often they look", |task| {
        remove(task, "pollInterval");
    })],
};

pub(super) const M248: Requirement = Requirement {
    id: "M248",
    name: "accepted-augmented-request-answered",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] An accepted augmented request is answered with a CreateTaskResult.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#result-retrieval",
    observed: Observed::Each {
        server: &Observed::By(&M248_CHECK),
        client: &Observed::By(&M248_CHECK),
    },
};

const M248_CHECK: Check = Check {
    how: "asks for tasks where they are declared",
    seen: seen_in(&["hosted tasks", "tasks"]),
    fix: "answer an accepted request for a task with the task",
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            let wished = evidence
                .asked(Topic::CreateTask)
                .filter(|asked| asked.answer.is_some_and(|answer| answer.result().is_some()));
            each(wished, NO_TASK, |asked| {
                let answer = asked.answer?;
                let right = answer.result()?.pointer("/task/taskId").is_some();
                (!right).then(|| Finding::new("a task", show(answer.message), answer.place))
            })
        })
    },
    mutants: &[of_created("answers as if nobody had wished for a task", |result| {
        *result = json!({ "content": [] });
    })
    .also(&["M077", "M227", "M401", "M402", "M403"])],
};

pub(super) const M250: Requirement = Requirement {
    id: "M250",
    name: "tasks-result-on-running-task-blocks-until",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] tasks/result on a running task blocks until it is terminal.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#result-retrieval",
    observed: Observed::Each {
        server: &Observed::By(&M250_CHECK),
        client: &Observed::By(&M250_CHECK),
    },
};

const M250_CHECK: Check = Check {
    how: "asks for the result of a task that runs, and looks at the task when the result is there",
    seen: seen_everywhere(),
    fix: "let tasks/result wait until the task is over",
    judge: |evidence| {
        let all = looks(evidence);
        let returned = fetched(evidence).filter_map(|(asked, answer, id)| {
            let then = looks_at(&all, asked.place.conversation, id);
            let next = then
                .into_iter()
                .find(|it| it.method == "tasks/get" && it.asked.event > answer.place.event)?;
            Some((answer, next))
        });
        applies(evidence).unwrap_or_else(|| {
            each(returned, NO_TASK, |(answer, next)| {
                let over =
                    next.status().is_none_or(|it| is_terminal(it) || !STATUSES.contains(&it));
                (!over).then(|| {
                    let actual = format!(
                        "{}, when the task was {}",
                        show(answer.message),
                        next.status().unwrap_or_default()
                    );
                    Finding::new("a result only when the task is over", actual, answer.place)
                })
            })
        })
    },
    mutants: &[Mutant::new(
        "has a result before its task is over",
        Mutation::Says(|_, message| {
            if is_step(message, "/ended") && message.get("result").is_some() {
                message["result"]["status"] = json!("working");
            }
        }),
    )
    .also(&["M242", "M243"])],
};

pub(super) const S120: Requirement = Requirement {
    id: "S120",
    name: "createtaskresult-comes-soon-possible",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] The CreateTaskResult comes as soon as possible.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#result-retrieval",
    observed: Observed::Unobservable("how soon is possible is known to the peer alone"),
};

fn no_time(place: Place, task: &Value, member: &str) -> Option<Finding> {
    let is_time = |value: &Value| value.as_str().is_some_and(is_timestamp);
    lacks(place, task, member, "a time like 2025-11-25T10:30:00Z", is_time)
}
