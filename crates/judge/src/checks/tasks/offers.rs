//! What tasks of the experiment may do and need not: each is looked for, and nobody is blamed.

use serde_json::{Value, json};

use super::{
    STATUS, created, of_look, remove,
    requesting::{beside, look, wish, wishes},
};
use crate::{
    checks::{Check, claims, claims::to, utilities::extra},
    mutant::Mutant,
    outcome::offered,
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::{evidence::Evidence, topic::Topic};

pub(crate) const A075: Check = Check {
    how: "looks at every request of the server that wishes for a task",
    fix: ALLOWED,
    judge: |evidence| {
        offered(wishes(evidence), "tasks that are to be kept for some time", |request| {
            request.params.is_some_and(|params| params.pointer("/task/ttl").is_some())
        })
    },
    mutants: &[extra("says how long its task is to be kept", |_, message| {
        beside(message, &[wish(), look("tasks/result", &json!({}))])
    })],
};

pub(crate) const A077: Check = Check {
    how: "looks for notifications about the status of tasks",
    fix: ALLOWED,
    judge: |evidence| offered(evidence.told(STATUS), "news of the status of tasks", |_| true),
    mutants: &[Mutant::new(
        "says nothing of the status of its tasks",
        Mutation::Silent(|method| method == STATUS),
    )],
};

pub(crate) const A078: Check = Check {
    how: "calls a tool without a task that could be one",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.asked(Topic::TaskNotWanted), "nothing without a task", |asked| {
            asked.answer.is_some_and(|answer| answer.code() == Some(-32600))
        })
    },
    mutants: &[to("runs nothing without a task", "task-not-wanted", |message| {
        *message = claims::error(&message["id"], -32600);
    })],
};

pub(crate) const A079: Check = Check {
    how: "compares the ttl of each task with the one that was asked for",
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

pub(crate) const A080: Check = Check {
    how: "looks at a task that was to be kept for a moment, after everything else",
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

pub(crate) const A081: Check = Check {
    how: "looks at every result of tasks/get",
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

pub(crate) const A082: Check = Check {
    how: "looks at a task right after it was cancelled",
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
            if later.iter().any(|step| super::is_step(message, step)) {
                *message = claims::error(&message["id"], -32602);
            }
        }),
    )],
};

pub(crate) const A137: Check = Check {
    how: "looks at what tools say about tasks",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.listed("tools/list"), "tools that say whether they are tasks", |tool| {
            tool.message.pointer("/execution/taskSupport").is_some()
        })
    },
    mutants: &[Mutant::new("does not say which tools are tasks", {
        fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
            result_of(context, message, "tools/list")
        }
        Mutation::Part {
            of,
            change: |result| {
                for tool in result["tools"].as_array_mut().into_iter().flatten() {
                    remove(tool, "execution");
                }
            },
        }
    })],
};

/// Whether a task that was there is not found any more.
fn forgotten(evidence: &Evidence, conversation: usize, id: &Value) -> bool {
    evidence.asked_by_method("tasks/get").any(|asked| {
        asked.place.conversation == conversation
            && asked.params.and_then(|params| params.get("taskId")) == Some(id)
            && asked.answer.is_some_and(|answer| answer.code() == Some(-32602))
    })
}

const ALLOWED: &str = "nothing: this is allowed";
