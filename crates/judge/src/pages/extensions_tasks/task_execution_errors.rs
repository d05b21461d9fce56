//! `extensions/tasks`: `#polymorphic-results`, `#task-status`, `#task-execution-errors`, `#task-creation`.

use super::shared::{NO_TASK, created, declared, each_look, looks, of_look, remove, undeclared};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        request_metadata::error,
        results::result,
        shape::{lacks, show},
        tasks::{is_terminal, is_timestamp},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{
    evidence::{Answer, CheckerRequest, Evidence},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M534: Requirement = Requirement {
    id: "M534",
    name: "task-answer-resulttype-task-taskid-status",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A task answer has resultType task with taskId, status, createdAt, lastUpdatedAt and ttlMs at the top level.",
    section: "seps/2663-tasks-extension.md#polymorphic-results",
    observed: Observed::By(&M534_CHECK),
};

const M534_CHECK: Check = Check {
    how: "looks at every call that became a task",
    seen: seen_everywhere(),
    fix: "give resultType task with taskId, status, createdAt, lastUpdatedAt and ttlMs beside it",
    judge: |evidence| {
        each_created(evidence, |_, answer, task| {
            let text = |member: &str| task.get(member).is_some_and(Value::is_string);
            let time =
                |member: &str| task.get(member).and_then(Value::as_str).is_some_and(is_timestamp);
            let ttl = task.get("ttlMs").is_some_and(|ttl| ttl.is_null() || ttl.is_number());
            let typed = task.get("resultType").is_some_and(|kind| kind == "task");
            let right = typed
                && text("taskId")
                && text("status")
                && time("createdAt")
                && time("lastUpdatedAt")
                && ttl;
            let expected = "resultType task, taskId, status, createdAt, lastUpdatedAt and ttlMs";
            (!right).then(|| Finding::new(expected, show(task), answer.place))
        })
    },
    mutants: &[
        of_created("does not say how long a task is kept", |task| remove(task, "ttlMs")),
        of_created("counts the seconds since a task began", |task| {
            task["createdAt"] = json!(1_764_066_600);
        }),
    ],
};

pub(super) const M535: Requirement = Requirement {
    id: "M535",
    name: "resulttype-task-used-nothing-else",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] resultType task is used for nothing else.",
    section: "seps/2663-tasks-extension.md#polymorphic-results",
    observed: Observed::By(&M535_CHECK),
};

const M535_CHECK: Check = Check {
    how: "looks for the resultType task among all results",
    seen: seen_everywhere(),
    fix: "use the resultType task for nothing but a new task",
    judge: |evidence| {
        undeclared(evidence).unwrap_or_else(|| {
            let results = evidence.asked_all().filter_map(|asked| {
                let answer = asked.answer?;
                Some((asked, answer, answer.result()?))
            });
            each(results, NO_TASK, |(asked, answer, result)| {
                let typed = result.get("resultType")? == "task";
                let begun = asked.method == "tools/call" && result.get("taskId").is_some();
                (typed && !begun).then(|| {
                    let expected = format!("another resultType for {}", asked.method);
                    Finding::new(expected, show(answer.message), answer.place)
                })
            })
        })
    },
    mutants: &[result("calls an acknowledgement a task", |context, result| {
        if context.method == Some("tasks/cancel") {
            result["resultType"] = json!("task");
        }
    })
    .also(&["M553"])],
};

pub(super) const A153: Requirement = Requirement {
    id: "A153",
    name: "sdk-may-expose-task-lifecycle",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] An SDK may expose the task lifecycle.",
    section: "seps/2663-tasks-extension.md#polymorphic-results",
    observed: Observed::Unobservable("it concerns the interface of a library, not the protocol"),
};

pub(super) const M536: Requirement = Requirement {
    id: "M536",
    name: "on-input-required-client-looks-at",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] On input_required the client looks at inputRequests.",
    section: "seps/2663-tasks-extension.md#task-status",
    observed: Observed::By(&M536_CHECK),
};

const M536_CHECK: Check = Check {
    how: "asks a question in inputRequests of a task",
    seen: seen_everywhere(),
    fix: "look into inputRequests of a task that is input_required, and answer under the same keys",
    judge: |evidence| {
        declared(evidence, || {
            each(evidence.requests_for("tasks/update"), NO_UPDATE, |update| {
                let given = update.params?.get("inputResponses")?.as_object()?;
                let odd = given.keys().find(|key| *key != "who")?;
                Some(Finding::new("an answer under the key who", odd.as_str(), update.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "answers what was not asked",
        Mutation::Says(|_, message| {
            let updates = message["method"] == "tasks/update";
            let given = message.pointer_mut("/params/inputResponses");
            if let Some(given) = given.filter(|_| updates).and_then(Value::as_object_mut)
                && let Some(answer) = given.get("who").cloned()
            {
                given.insert("whoever".to_owned(), answer);
            }
        }),
    )],
};

pub(super) const M537: Requirement = Requirement {
    id: "M537",
    name: "failed-used-only-json-rpc-errors",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] failed is used only for JSON-RPC errors.",
    section: "seps/2663-tasks-extension.md#task-status ; seps/2663-tasks-extension.md#task-execution-errors",
    observed: Observed::By(&M537_CHECK),
};

const M537_CHECK: Check = Check {
    how: "compares every task that failed with the same call without a task",
    seen: seen_in(&["tasks"]),
    fix: "let a task fail only by an error of JSON-RPC; a tool that fails completes its task",
    judge: |evidence| {
        each_look(evidence, "failed", |answer, task| {
            let by_error = task.pointer("/error/code").is_some_and(Value::is_i64);
            let right = by_error && task.get("result").is_none() && !failed_without(evidence, task);
            (!right)
                .then(|| Finding::new("failed for JSON-RPC errors only", show(task), answer.place))
        })
    },
    mutants: &[of_look("lets a task fail that has a result", |task| {
        if task["status"] == "completed" && task["result"]["isError"] == true {
            task["status"] = json!("failed");
            task["statusMessage"] = json!("the tool failed");
            task["error"] = json!({ "code": -32603, "message": "the tool failed" });
        }
    })
    .also(&["M538"])],
};

pub(super) const M538: Requirement = Requirement {
    id: "M538",
    name: "tool-result-iserror-true-ends-completed",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A tool result with isError true ends as completed with that result.",
    section: "seps/2663-tasks-extension.md#task-execution-errors",
    observed: Observed::By(&M538_CHECK),
};

const M538_CHECK: Check = Check {
    how: "looks at tasks whose tool failed",
    seen: seen_in(&["tasks"]),
    fix: "complete a task whose tool failed, with isError in its result",
    judge: |evidence| {
        let failing = looks(evidence).filter_map(|(_, answer, task)| {
            let task = task.filter(|task| task["status"].as_str().is_some_and(is_terminal))?;
            let failed = task.pointer("/result/isError") == Some(&Value::Bool(true));
            (failed || failed_without(evidence, task)).then_some((answer, task))
        });
        let outcome = each(failing, "", |(answer, task)| {
            let right = task["status"] == "completed"
                && task.pointer("/result/isError") == Some(&Value::Bool(true));
            let cancelled = task["status"] == "cancelled";
            let expected = "completed, with isError in result";
            (!right && !cancelled).then(|| Finding::new(expected, show(task), answer.place))
        });
        undeclared(evidence).unwrap_or_else(|| none_applies(outcome, "no tool failed as a task"))
    },
    mutants: &[of_look("lets a task fail because its tool did", |task| {
        if task["result"]["isError"] == true {
            task["status"] = json!("failed");
            task["statusMessage"] = json!("the tool failed");
            task["error"] = json!({ "code": -32603, "message": "the tool failed" });
        }
    })
    .also(&["M537"])],
};

pub(super) const M539: Requirement = Requirement {
    id: "M539",
    name: "failed-task-carries-json-rpc-error-error",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A failed task carries the JSON-RPC error in error.",
    section: "seps/2663-tasks-extension.md#task-execution-errors",
    observed: Observed::By(&M539_CHECK),
};

const M539_CHECK: Check = Check {
    how: "looks at the error of every task that failed",
    seen: seen_in(&["tasks"]),
    fix: "give the JSON-RPC error, with its code and message, in error of a failed task",
    judge: |evidence| {
        each_look(evidence, "failed", |answer, task| {
            let error = task.get("error").unwrap_or(&Value::Null);
            let code = error.get("code").is_some_and(Value::is_i64);
            let right = code && error.get("message").is_some_and(Value::is_string);
            (!right)
                .then(|| Finding::new("an error with code and message", show(task), answer.place))
        })
    },
    mutants: &[of_look("says in words why a task failed", |task| {
        if task["status"] == "failed" {
            task["error"] = json!({ "reason": "it went wrong" });
        }
    })
    .also(&["M537"])],
};

pub(super) const M545: Requirement = Requirement {
    id: "M545",
    name: "tasks-get-on-failed-task-error",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks/get on a failed task has error.",
    section: "seps/2663-tasks-extension.md#response ; seps/2663-tasks-extension.md#task-execution-errors",
    observed: Observed::By(&M545_CHECK),
};

const M545_CHECK: Check = Check {
    how: "looks at every task that failed",
    seen: seen_in(&["tasks"]),
    fix: "give the error of a failed task in error",
    judge: |evidence| {
        each_look(evidence, "failed", |answer, task| {
            lacks(answer.place, task, "error", "an object", Value::is_object)
        })
    },
    mutants: &[of_look("lets a task fail for no reason", |task| {
        if task["status"] == "failed" {
            remove(task, "error");
        }
    })
    .also(&["M537", "M539"])],
};

pub(super) const S301: Requirement = Requirement {
    id: "S301",
    name: "failed-task-statusmessage-2",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A failed task has a statusMessage.",
    section: "seps/2663-tasks-extension.md#task-execution-errors",
    observed: Observed::By(&S301_CHECK),
};

const S301_CHECK: Check = Check {
    how: "looks at every task that failed",
    seen: seen_in(&["tasks"]),
    fix: "say in statusMessage why a task failed",
    judge: |evidence| {
        each_look(evidence, "failed", |answer, task| {
            lacks(answer.place, task, "statusMessage", "a string", Value::is_string)
        })
    },
    mutants: &[of_look("does not say why a task failed", |task| remove(task, "statusMessage"))],
};

pub(super) const M540: Requirement = Requirement {
    id: "M540",
    name: "task-can-fetched-tasks-get-from-moment",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] The task can be fetched with tasks/get from the moment its answer is sent.",
    section: "seps/2663-tasks-extension.md#task-creation",
    observed: Observed::By(&M540_CHECK),
};

const M540_CHECK: Check = Check {
    how: "looks at each task as soon as it began",
    seen: seen_in(&["tasks"]),
    fix: "answer with a task only when tasks/get can find it",
    judge: |evidence| {
        each_created(evidence, |asked, answer, task| {
            let id = task.get("taskId")?;
            let next = looks(evidence).find(|(look, ..)| {
                look.place.conversation == asked.place.conversation
                    && look.place.event > answer.place.event
                    && look.params.and_then(|params| params.get("taskId")) == Some(id)
            });
            let (_, found, _) = next?;
            found.error().map(|_| Finding::new("the task", show(found.message), found.place))
        })
    },
    mutants: &[Mutant::new(
        "begins a task some time after it said so",
        Mutation::Says(|_, message| {
            if message["id"] == "confirm_delete/get-0" {
                *message = error(&message["id"], -32602);
            }
        }),
    )],
};

pub(super) const S297: Requirement = Requirement {
    id: "S297",
    name: "multi-round-trip-exchanges-finished-before",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Multi round-trip exchanges are finished before the task is created.",
    section: "seps/2663-tasks-extension.md#task-creation",
    observed: Observed::By(&S297_CHECK),
};

const S297_CHECK: Check = Check {
    how: "gives a call what it asks for until it becomes a task",
    seen: seen_everywhere(),
    fix: "ask everything before the call becomes a task, or let the task ask",
    judge: |evidence| {
        let after_rounds = created(evidence).filter(|(asked, ..)| {
            asked.params.is_some_and(|params| params.get("inputResponses").is_some())
        });
        let outcome = each(after_rounds, "", |(_, answer, task)| {
            let left = task.get("inputRequests").or_else(|| task.get("requestState"))?;
            Some(Finding::new("nothing more to ask", show(left), answer.place))
        });
        undeclared(evidence)
            .unwrap_or_else(|| none_applies(outcome, "nothing asked before it became a task"))
    },
    mutants: &[Mutant::new(
        "goes on with its rounds when it is a task",
        Mutation::Says(|context, message| {
            let rounds = context.params.get("inputResponses").is_some();
            if rounds && message["result"]["resultType"] == "task" {
                message["result"]["requestState"] = json!("a");
            }
        }),
    )],
};

fn each_created(
    evidence: &Evidence,
    judge: impl Fn(CheckerRequest<'_>, Answer<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    undeclared(evidence).unwrap_or_else(|| {
        each(created(evidence), NO_TASK, |(asked, answer, task)| judge(asked, answer, task))
    })
}

/// Changes the answer to a call that becomes a task.
const fn of_created(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(
        context: &proofmark_converse::mutation::Context<'_>,
        message: &'m mut Value,
    ) -> Option<&'m mut Value> {
        let result = proofmark_converse::mutation::result_of(context, message, "tools/call")?;
        (result["resultType"] == "task").then_some(result)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Whether the tool of a task fails when it is called without one.
fn failed_without(evidence: &Evidence, task: &Value) -> bool {
    let begun = created(evidence).find(|(_, _, it)| it.get("taskId") == task.get("taskId"));
    let Some((begun, ..)) = begun else { return false };
    let of = |asked: &CheckerRequest<'_>, member: &str| {
        asked.params.and_then(|it| it.get(member)).cloned()
    };
    let mut same = evidence.asked(Topic::Call).filter(|asked| {
        of(asked, "name") == of(&begun, "name") && of(asked, "arguments") == of(&begun, "arguments")
    });
    same.any(|asked| {
        let result = asked.answer.and_then(Answer::result);
        result.is_some_and(|result| result.get("isError") == Some(&Value::Bool(true)))
    })
}

const NO_UPDATE: &str = "the client answered no question of a task";
