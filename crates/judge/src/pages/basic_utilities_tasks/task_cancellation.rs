//! `basic/utilities/tasks`: `#protocol-errors`, `#task-cancellation`.

use super::shared::lists;
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        request_metadata::{error, to},
        shape::{refused, show},
        tasks::{ALLOWED, Look, RELATED, applies, follows, is_step, is_terminal, looks, looks_at},
        utilities::extra,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2025_11_25;
use proofmark_record::{
    evidence::{CheckerRequest, Evidence},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M255: Requirement = Requirement {
    id: "M255",
    name: "cancelling-terminal-task-gets-32602",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Cancelling a terminal task gets -32602.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-cancellation ; docs/specification/2025-11-25/basic/utilities/tasks.mdx#protocol-errors",
    observed: Observed::Each {
        server: &Observed::By(&M255_CHECK),
        client: &Observed::By(&M255_CHECK),
    },
};

const M255_CHECK: Check = Check {
    how: "cancels tasks that are over",
    seen: seen_in(&["hosted tasks", "tasks"]),
    fix: "answer -32602 to the cancellation of a task that is over",
    judge: |evidence| {
        let all = looks(evidence);
        cancels(evidence).unwrap_or_else(|| {
            let over = evidence.asked(Topic::CancelEndedTask).filter(|asked| {
                last_before(&all, asked).and_then(|look| look.status()).is_some_and(is_terminal)
            });
            each(over, "no task was seen to end", |asked| {
                let expected = "the error -32602";
                let Some(answer) = asked.answer else {
                    return Some(Finding::new(expected, "no answer", asked.place));
                };
                (answer.code() != Some(-32602))
                    .then(|| Finding::new(expected, show(answer.message), answer.place))
            })
        })
    },
    mutants: &[to("cannot tell whether it may cancel", "cancel-ended", |message| {
        message["error"]["code"] = json!(-32603);
    })],
};

pub(super) const M259: Requirement = Requirement {
    id: "M259",
    name: "unknown-taskid-gets-32602",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] An unknown taskId gets -32602.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#protocol-errors",
    observed: Observed::Each {
        server: &Observed::By(&M259_CHECK),
        client: &Observed::By(&M259_CHECK),
    },
};

const M259_CHECK: Check = Check {
    how: "asks for a task that does not exist, for its result and for its end",
    seen: seen_in(&["hosted tasks", "tasks"]),
    fix: "answer an unknown taskId with the error -32602",
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            refused(evidence, Topic::UnknownTask, &[-32602], "no unknown task was asked for")
        })
    },
    mutants: &[
        to("has lost a task by its own fault", "unknown/tasks/get", |message| {
            message["error"]["code"] = json!(-32603);
        }),
        to("knows no results of unknown tasks", "unknown/tasks/result", |message| {
            message["error"]["code"] = json!(-32601);
        }),
    ],
};

pub(super) const M260: Requirement = Requirement {
    id: "M260",
    name: "bad-tasks-list-cursor-gets-32602",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A bad tasks/list cursor gets -32602.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#protocol-errors",
    observed: Observed::Each {
        server: &Observed::By(&M260_CHECK),
        client: &Observed::By(&M260_CHECK),
    },
};

const M260_CHECK: Check = Check {
    how: "asks for a page of tasks that does not exist",
    seen: seen_in(&["hosted tasks", "tasks"]),
    fix: "answer a bad cursor with the error -32602",
    judge: |evidence| {
        lists(evidence).unwrap_or_else(|| {
            refused(evidence, Topic::BogusTaskCursor, &[-32602], "no bad cursor was tried")
        })
    },
    mutants: &[to("takes any cursor for tasks", "bogus-tasks", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "tasks": [] } });
    })],
};

pub(super) const M261: Requirement = Requirement {
    id: "M261",
    name: "internal-task-errors-32603",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Internal task errors are -32603.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#protocol-errors",
    observed: Observed::Unobservable("a sound peer does not fail inside, whatever it is sent"),
};

pub(super) const S127: Requirement = Requirement {
    id: "S127",
    name: "error-messages-say-what-went-wrong",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Error messages say what went wrong.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#protocol-errors",
    observed: Observed::Unobservable("what a message means can only be judged by people"),
};

pub(super) const A078: Requirement = Requirement {
    id: "A078",
    name: "receiver-may-refuse-plain-requests-type",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A receiver may refuse plain requests of a type with -32600.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-support-and-handling ; docs/specification/2025-11-25/basic/utilities/tasks.mdx#protocol-errors",
    observed: Observed::Each {
        server: &Observed::By(&A078_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A078_CHECK: Check = Check {
    how: "calls a tool without a task that could be one",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.asked(Topic::TaskNotWanted), "nothing without a task", |asked| {
            asked.answer.is_some_and(|answer| answer.code() == Some(-32600))
        })
    },
    mutants: &[to("runs nothing without a task", "task-not-wanted", |message| {
        *message = error(&message["id"], -32600);
    })],
};

pub(super) const M256: Requirement = Requirement {
    id: "M256",
    name: "task-cancelled-before-tasks-cancel-response",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] The task is cancelled before the tasks/cancel response is sent.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-cancellation",
    observed: Observed::Each {
        server: &Observed::By(&M256_CHECK),
        client: &Observed::By(&M256_CHECK),
    },
};

const M256_CHECK: Check = Check {
    how: "cancels a task that runs, and looks at it",
    seen: seen_in(&["hosted tasks", "tasks"]),
    fix: "let the task be cancelled before you answer tasks/cancel",
    judge: |evidence| {
        let all = looks(evidence);
        cancels(evidence).unwrap_or_else(|| {
            each(evidence.asked(Topic::CancelTask), NOTHING_LONG, |asked| {
                let answer = asked.answer?;
                let expected = "a task that is cancelled";
                if let Some(task) = answer.result() {
                    let right = task.get("status").is_some_and(|it| it == "cancelled");
                    return (!right).then(|| Finding::new(expected, show(task), answer.place));
                }
                // It may have been over already.
                let id = asked.params?.get("taskId")?;
                let then = looks_at(&all, asked.place.conversation, id);
                let next = then.into_iter().find(|look| look.asked.event > answer.place.event)?;
                let runs = next.status().is_some_and(|it| !is_terminal(it));
                runs.then(|| Finding::new(expected, show(answer.message), answer.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "will cancel a task some day",
        Mutation::Says(|context, message| {
            if context.method == Some("tasks/cancel") && message.get("result").is_some() {
                message["result"]["status"] = json!("working");
            }
        }),
    )],
};

pub(super) const M257: Requirement = Requirement {
    id: "M257",
    name: "cancelled-task-stays-cancelled",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A cancelled task stays cancelled.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-cancellation",
    observed: Observed::Each {
        server: &Observed::By(&M257_CHECK),
        client: &Observed::By(&M257_CHECK),
    },
};

const M257_CHECK: Check = Check {
    how: "looks at a cancelled task when it would have been over",
    seen: seen_everywhere(),
    fix: "leave a cancelled task cancelled, whatever becomes of its work",
    judge: |evidence| {
        let all = looks(evidence);
        let cancelled = all.iter().filter(|look| look.status() == Some("cancelled"));
        let later = cancelled.flat_map(|look| {
            let id = look.task.get("taskId").unwrap_or(&Value::Null);
            let others = looks_at(&all, look.asked.conversation, id);
            others.into_iter().filter(|other| other.follows(look)).collect::<Vec<_>>()
        });
        cancels(evidence).unwrap_or_else(|| {
            // A cancelled task may be forgotten, and then there is nothing to see.
            each(later, "no cancelled task was kept", |look| {
                (look.status() != Some("cancelled"))
                    .then(|| Finding::new("cancelled", show(look.task), look.answered))
            })
        })
    },
    mutants: &[Mutant::new(
        "completes what was cancelled",
        Mutation::Says(|_, message| {
            if is_step(message, "/cancelled-later") && message.get("result").is_some() {
                message["result"]["status"] = json!("completed");
            }
        }),
    )
    .also(&["M242", "M243"])],
};

pub(super) const S125: Requirement = Requirement {
    id: "S125",
    name: "cancelled-task-execution-stopped",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A cancelled task's execution is stopped.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-cancellation",
    observed: Observed::Each {
        server: &Observed::By(&S125_CHECK),
        client: &Observed::Unobservable("when work stops inside a client is not on the wire"),
    },
};

const S125_CHECK: Check = Check {
    how: "cancels a task, and listens for as long as it would have taken",
    seen: seen_everywhere().momentary(),
    fix: "stop the work of a task that is cancelled, so that nothing more is said for it",
    judge: |evidence| {
        let all = looks(evidence);
        let cancelled = all.iter().filter(|look| look.status() == Some("cancelled"));
        cancels(evidence).unwrap_or_else(|| {
            each(cancelled, NOTHING_LONG, |look| {
                let said = evidence.heard().find(|heard| {
                    let meta = heard.message.pointer("/params/_meta");
                    let task = meta.and_then(|meta| meta.get(RELATED)?.get("taskId"));
                    heard.place.conversation == look.answered.conversation
                        && follows(evidence, look.answered, heard.place)
                        && task.is_some_and(|task| Some(task) == look.task.get("taskId"))
                })?;
                Some(Finding::new("nothing more", show(said.message), said.place))
            })
        })
    },
    mutants: &[extra("works on when nobody wants it", |_, message| {
        let mut texts = vec![message.to_string()];
        if let Some(task) =
            message.pointer("/result/taskId").filter(|_| is_step(message, "/cancelled"))
        {
            let note = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": {
                "level": "error", "data": "still there",
                "_meta": { RELATED: { "taskId": task } } } });
            texts.push(note.to_string());
        }
        texts
    })],
};

pub(super) const S126: Requirement = Requirement {
    id: "S126",
    name: "nobody-counts-on-cancelled-tasks-being-kept",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Nobody counts on cancelled tasks being kept.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-cancellation",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const A082: Requirement = Requirement {
    id: "A082",
    name: "cancelled-task-may-deleted-at-once",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A cancelled task may be deleted at once.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-cancellation",
    observed: Observed::Each {
        server: &Observed::By(&A082_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A082_CHECK: Check = Check {
    how: "looks at a task right after it was cancelled",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.asked(Topic::CancelTask), "oblivion of cancelled tasks", |asked| {
            let Some(id) = asked.params.and_then(|params| params.get("taskId")) else {
                return false;
            };
            asked.answer.is_some_and(|answer| answer.result().is_some())
                && forgotten(evidence, asked.place.conversation, id)
        })
    },
    mutants: &[Mutant::new(
        "forgets what was cancelled",
        Mutation::Says(|_, message| {
            let later = ["/cancelled", "/cancelled-later"];
            if later.iter().any(|step| is_step(message, step)) {
                *message = error(&message["id"], -32602);
            }
        }),
    )],
};

/// Whether a task that was there is not found any more.
fn forgotten(evidence: &Evidence, conversation: usize, id: &Value) -> bool {
    evidence.asked_by_method("tasks/get").any(|asked| {
        asked.place.conversation == conversation
            && asked.params.and_then(|params| params.get("taskId")) == Some(id)
            && asked.answer.is_some_and(|answer| answer.code() == Some(-32602))
    })
}

/// What was last seen of the task that a request is about.
fn last_before<'e>(all: &[Look<'e>], asked: &CheckerRequest<'_>) -> Option<Look<'e>> {
    let id = asked.params?.get("taskId")?;
    let seen = looks_at(all, asked.place.conversation, id);
    seen.into_iter().rfind(|look| look.answered.event < asked.place.event)
}

/// Why nothing about cancellations applies, if so.
fn cancels(evidence: &Evidence) -> Option<Outcome> {
    applies(evidence).or_else(|| {
        (!evidence.capability("/tasks/cancel"))
            .then(|| Outcome::NotApplicable("it does not declare tasks.cancel".to_owned()))
    })
}

const NOTHING_LONG: &str =
    "no task took long enough to be cancelled; name a tool with --call NAME=JSON";
