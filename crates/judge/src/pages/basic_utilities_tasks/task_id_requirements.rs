//! `basic/utilities/tasks`: `#task-id-requirements`, `#task-status-lifecycle`, `#associating-task-related-messages`.

use super::shared::{ASKS_NOTHING, STATUSES, of_created, of_look, questions, related};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{NO_WISH, remove as remove_client},
        request_metadata::{error, to},
        shape::show,
        tasks::{
            Look, NO_TASK, RELATED, applies, created, each_task, is_terminal, looks, looks_at,
            remove, shown,
        },
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only},
};
use proofmark_converse::{mutation::Mutation, scenario::OWN_TASK};
use proofmark_core::revision::Revision::V2025_11_25;
use proofmark_record::{evidence::Evidence, topic::Topic};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) const M238: Requirement = Requirement {
    id: "M238",
    name: "task-id-string",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A task id is a string.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-id-requirements",
    observed: Observed::Each {
        server: &Observed::By(&M238_CHECK),
        client: &Observed::By(&M238_CHECK),
    },
};

const M238_CHECK: Check = Check {
    how: "looks at every task that it is told of",
    seen: seen_everywhere(),
    fix: "use strings as ids of tasks",
    judge: |evidence| {
        each_task(evidence, |place, task| {
            let id = task.get("taskId")?;
            (!id.is_string()).then(|| Finding::new("a string as taskId", show(id), place))
        })
    },
    mutants: &[Mutant::new(
        "counts its tasks",
        Mutation::Says(|context, message| {
            if context.method == Some("tasks/cancel") && message.get("result").is_some() {
                message["result"]["taskId"] = json!(7);
            }
        }),
    )],
};

pub(super) const M239: Requirement = Requirement {
    id: "M239",
    name: "receiver-makes-task-id",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] The receiver makes the task id.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-id-requirements",
    observed: Observed::Each {
        server: &Observed::By(&M239_CHECK),
        client: &Observed::By(&M239_CHECK),
    },
};

const M239_CHECK: Check = Check {
    how: "names an id of its own in a request for a task",
    seen: seen_in(&["hosted tasks", "tasks"]),
    fix: "make the ids of tasks yourself",
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            each(evidence.asked(Topic::OwnTaskId), NO_TASK, |asked| {
                let answer = asked.answer?;
                let id = answer.result()?.pointer("/task/taskId")?;
                (id == OWN_TASK).then(|| Finding::new("another id", show(id), answer.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "leaves the choice of ids to others",
        Mutation::Says(|context, message| {
            if let Some(wish) = context.params.pointer("/task/taskId")
                && let Some(id) = message.pointer_mut("/result/task/taskId")
            {
                id.clone_from(wish);
            }
        }),
    )],
};

pub(super) const M240: Requirement = Requirement {
    id: "M240",
    name: "task-ids-unique-at-receiver",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Task ids are unique at the receiver.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-id-requirements",
    observed: Observed::Each {
        server: &Observed::By(&M240_CHECK),
        client: &Observed::By(&M240_CHECK),
    },
};

const M240_CHECK: Check = Check {
    how: "compares the ids of all tasks that began, and of all that are listed together",
    seen: seen_everywhere(),
    fix: "give each task an id that no other has",
    judge: |evidence| {
        let begun =
            created(evidence).filter_map(|it| Some((it.answer.place, it.task.get("taskId")?)));
        let mut known = BTreeSet::new();
        let twice = begun.into_iter().find(|(_, id)| !known.insert(id.to_string()));
        let lists = evidence.results("tasks/list").find_map(|(answer, result)| {
            let mut known = BTreeSet::new();
            let ids = result.get("tasks")?.as_array()?.iter().filter_map(|it| it.get("taskId"));
            let mut ids = ids.filter(|id| !known.insert(id.to_string()));
            ids.next().map(|id| (answer.place, id))
        });
        if let Some((place, id)) = twice.or(lists) {
            return Outcome::Broken(Finding::new("an id of its own", show(id), place));
        }
        each_task(evidence, |_, _| None)
    },
    mutants: &[Mutant::new(
        "has two tasks under one id",
        Mutation::Says(|_, message| {
            let tasks = message.pointer_mut("/result/tasks").and_then(Value::as_array_mut);
            if let Some(tasks) = tasks {
                tasks.extend(tasks.first().cloned());
            }
        }),
    )],
};

pub(super) const M241: Requirement = Requirement {
    id: "M241",
    name: "new-task-working",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A new task is working.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-status-lifecycle",
    observed: Observed::Each {
        server: &Observed::By(&M241_CHECK),
        client: &Observed::By(&M241_CHECK),
    },
};

const M241_CHECK: Check = Check {
    how: "looks at every task that begins",
    seen: seen_everywhere(),
    fix: "let tasks begin as working",
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            each(created(evidence), NO_TASK, |it| {
                let status = it.task.get("status");
                let right = status.is_some_and(|status| status == "working");
                (!right).then(|| Finding::new("working", show(it.task), it.answer.place))
            })
        })
    },
    mutants: &[of_created("begins with a question", |result| {
        result["task"]["status"] = json!("input_required");
    })],
};

pub(super) const M242: Requirement = Requirement {
    id: "M242",
    name: "only-working-input-required-have-successors",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Only working and input_required have successors, along the listed transitions.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-status-lifecycle",
    observed: Observed::Each {
        server: &Observed::By(&M242_CHECK),
        client: &Observed::By(&M242_CHECK),
    },
};

const M242_CHECK: Check = Check {
    how: "follows the status of every task",
    seen: seen_everywhere(),
    fix: "go from working and input_required to one of the other statuses, and from no other",
    judge: |evidence| {
        let all = looks(evidence);
        let odd = all.iter().find(|look| look.status().is_none_or(|it| !STATUSES.contains(&it)));
        if let Some(look) = odd {
            let expected = "working, input_required, completed, failed or cancelled";
            return Outcome::Broken(Finding::new(expected, show(look.task), look.answered));
        }
        successors(evidence, &all)
    },
    mutants: &[of_look("has a status of its own", |task| {
        if task["status"] == "completed" {
            task["status"] = json!("done");
        }
    })],
};

pub(super) const M243: Requirement = Requirement {
    id: "M243",
    name: "completed-failed-cancelled-final",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] completed, failed and cancelled are final.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-status-lifecycle",
    observed: Observed::Each {
        server: &Observed::By(&M243_CHECK),
        client: &Observed::By(&M243_CHECK),
    },
};

const M243_CHECK: Check = Check {
    how: "looks again at tasks that are over",
    seen: seen_everywhere(),
    fix: "change nothing about the status of a task that is completed, failed or cancelled",
    judge: |evidence| successors(evidence, &looks(evidence)),
    mutants: &[Mutant::new(
        "lists tasks as working that are over",
        Mutation::Says(|context, message| {
            if context.method == Some("tasks/list") {
                for task in shown(message) {
                    task["status"] = json!("working");
                }
            }
        }),
    )
    .also(&["M242", "M257"])],
};

pub(super) const M244: Requirement = Requirement {
    id: "M244",
    name: "every-message-about-task-carries",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Every message about a task carries io.modelcontextprotocol/related-task with its taskId.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#input-required-status ; docs/specification/2025-11-25/basic/utilities/tasks.mdx#associating-task-related-messages",
    observed: Observed::Each {
        server: &Observed::By(&M244_SERVER),
        client: &Observed::By(&M244_CLIENT),
    },
};

const M244_SERVER: Check = Check {
    how: "looks at what it is asked while nothing but tasks runs",
    seen: seen_everywhere(),
    fix: "name the task under io.modelcontextprotocol/related-task in _meta of all that belongs to it",
    judge: |evidence| {
        let outcome = each(questions(evidence), "", |heard| {
            let named = related(heard);
            let known = created(evidence).any(|it| {
                it.asked.place.conversation == heard.place.conversation
                    && it.task.get("taskId") == named
            });
            let expected = format!("{RELATED} with the id of its task");
            (!known).then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        applies(evidence).unwrap_or_else(|| none_applies(outcome, ASKS_NOTHING))
    },
    mutants: &[Mutant::new(
        "does not say for which task it asks",
        Mutation::Says(|_, message| {
            if let Some(params) = message.get_mut("params") {
                remove(params, "_meta");
            }
        }),
    )],
};

const M244_CLIENT: Check = Check {
    how: "asks for input of a task, and looks at the answer",
    seen: seen_in(&["hosted tasks"]),
    fix: "name the task of the question under io.modelcontextprotocol/related-task in _meta of the answer",
    judge: |evidence| {
        let answered = evidence.asked(Topic::AskElicitation).filter_map(|asked| {
            let task = asked.params?.pointer("/_meta")?.get(RELATED)?.get("taskId")?;
            let answer = asked.answer?;
            Some((answer, answer.result()?, task))
        });
        each(answered, NO_WISH, |(answer, result, task)| {
            let named = result.get("_meta").and_then(|meta| meta.get(RELATED)?.get("taskId"));
            let expected = format!("{RELATED} with {task} in _meta");
            (named != Some(task)).then(|| Finding::new(expected, show(result), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "does not say for which task it answers",
        Mutation::Says(|context, message| {
            if context.method == Some("elicitation/create") && message.get("result").is_some() {
                remove_client(&mut message["result"], "_meta");
            }
        }),
    )],
};

pub(super) const M251: Requirement = Requirement {
    id: "M251",
    name: "taskid-params-decides-related-task-metadata",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] taskId in the params decides; related-task metadata there is ignored.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#associating-task-related-messages",
    observed: Observed::Each {
        server: &Observed::By(&M251_CHECK),
        client: &Observed::By(&M251_CHECK),
    },
};

const M251_CHECK: Check = Check {
    how: "looks at a task with another one named in _meta",
    seen: seen_in(&["hosted tasks", "tasks"]),
    fix: "take the task from taskId, and no notice of related-task",
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            each(evidence.asked(Topic::MisleadingTask), NO_TASK, |asked| {
                let id = asked.params?.get("taskId")?;
                let answer = asked.answer?;
                let right = answer.result().is_some_and(|task| task.get("taskId") == Some(id));
                let expected = format!("the task {id}");
                (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
            })
        })
    },
    mutants: &[to("believes _meta rather than the request", "misleading-task", |message| {
        *message = error(&message["id"], -32602);
    })],
};

/// Judges that nothing comes after the end.
fn successors(evidence: &Evidence, all: &[Look<'_>]) -> Outcome {
    applies(evidence).unwrap_or_else(|| {
        let over = all.iter().filter(|look| look.status().is_some_and(is_terminal));
        let pairs = over.flat_map(|look| {
            let id = look.task.get("taskId").unwrap_or(&Value::Null);
            let others = looks_at(all, look.asked.conversation, id);
            others.into_iter().map(move |other| (look, other))
        });
        each(pairs, NO_TASK, |(look, later)| {
            let changed = later.follows(look) && later.status() != look.status();
            // What is no status at all is another matter.
            let known = later.status().is_some_and(|it| STATUSES.contains(&it));
            (changed && known).then(|| {
                let expected = format!("still {}", look.status().unwrap_or_default());
                Finding::new(expected, show(later.task), later.answered)
            })
        })
    })
}
