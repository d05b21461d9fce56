//! Who may have tasks: whoever says in a request that it knows them, and nobody else.

use serde_json::{Value, json};

use super::{created, looks, undeclared};
use crate::{
    checks::{
        Check,
        claims::{error, to},
        shape::show,
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Answer, Asked, Evidence},
    meta::{CAPABILITIES, SERVER_INFO},
    topic::Topic,
};

pub(crate) const M530: Check = Check {
    how: "calls every tool without declaring the extension",
    fix: "answer with a task only where the request itself declares the extension",
    judge: |evidence| {
        let calls = evidence.asked_by_method("tools/call").filter(|asked| !declares(asked));
        undeclared(evidence).unwrap_or_else(|| {
            each(calls, "no tool was called", |asked| {
                let answer = asked.answer?;
                let result = answer.result()?;
                let task = result.get("resultType").is_some_and(|kind| kind == "task");
                task.then(|| Finding::new("no task", show(result), answer.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "has tasks for those who know none",
        Mutation::Says(|context, message| {
            let tool = context.params["name"] == "confirm_delete";
            if tool && !knows_tasks(context.params) && context.params.get("task").is_none() {
                *message = a_task(&message["id"]);
            }
        }),
    )
    .also(&["M152", "M561"])],
};

pub(crate) const M533: Check = Check {
    how: "calls, without the extension, what is a task with it",
    fix: "answer -32021 with the extension in data.requiredCapabilities where only a task would do",
    judge: |evidence| {
        let refused = evidence.asked(Topic::Call).filter_map(|asked| {
            let answer = asked.answer?;
            answer.error()?;
            let needed = answer.code() == Some(-32021) && !declares(&asked);
            (became_task(evidence, &asked) && (needed || completes(evidence, &asked)))
                .then_some(answer)
        });
        let outcome = each(refused, "", missing);
        undeclared(evidence)
            .unwrap_or_else(|| none_applies(outcome, "every tool can do without a task"))
    },
    mutants: &[
        Mutant::new(
            "does not say that it wants the extension",
            Mutation::Says(|context, message| {
                if context.params["name"] == "failing_job" && !knows_tasks(context.params) {
                    message["error"]["data"] = json!({ "requiredCapabilities": {} });
                }
            }),
        ),
        Mutant::new(
            "takes the missing extension for a missing method",
            Mutation::Says(|context, message| {
                let tool = context.params["name"] == "failing_job";
                if tool && !knows_tasks(context.params) && message.get("error").is_some() {
                    message["error"]["code"] = json!(-32601);
                }
            }),
        ),
    ],
};

pub(crate) const M554: Check = Check {
    how: "listens to a task without declaring the extension",
    fix: "answer -32021 to a listener for tasks that does not declare the extension",
    judge: |evidence| unclaimed(evidence, |method| method == "subscriptions/listen"),
    mutants: &[to("lets anybody listen to tasks", "unclaimed/listen", |message| {
        *message = error(&message["id"], -32602);
    })],
};

pub(crate) const M559: Check = Check {
    how: "looks at, answers and cancels a task without declaring the extension",
    fix: "answer -32021 to tasks/get, tasks/update and tasks/cancel without the extension",
    judge: |evidence| unclaimed(evidence, |method| method != "subscriptions/listen"),
    mutants: &[
        to("takes an undeclared look for wrong params", "unclaimed/tasks/get", |message| {
            *message = error(&message["id"], -32602);
        }),
        to("takes undeclared answers for wrong params", "unclaimed/tasks/update", |message| {
            *message = error(&message["id"], -32602);
        }),
        to("takes an undeclared end for wrong params", "unclaimed/tasks/cancel", |message| {
            *message = error(&message["id"], -32602);
        }),
    ],
};

pub(crate) const M561: Check = Check {
    how: "calls what becomes a task, as a client that knows the tasks of 2025-11-25 only",
    fix: "take a client that declares only capabilities.tasks for one without tasks",
    judge: |evidence| {
        let outcome = each(evidence.asked(Topic::OutdatedTaskClaim), "", |asked| {
            let answer = asked.answer?;
            let result = answer.result()?;
            let task = result.get("resultType").is_some_and(|kind| kind == "task")
                || result.get("task").is_some();
            task.then(|| Finding::new("no task", show(result), answer.place))
        });
        undeclared(evidence).unwrap_or_else(|| none_applies(outcome, super::NO_TASK))
    },
    mutants: &[to("has new tasks for old clients", "outdated-claim", |message| {
        *message = a_task(&message["id"]);
    })
    .also(&["M152", "M530"])],
};

pub(crate) const M563: Check = Check {
    how: "calls a tool with the parameter that asked for tasks in 2025-11-25",
    fix: "take no notice of task in a call",
    judge: |evidence| {
        let outcome = each(evidence.asked(Topic::OutdatedTaskParameter), "", |asked| {
            let answer = asked.answer?;
            let usual = answer.result().is_some_and(|result| {
                result.get("task").is_none()
                    && result.get("resultType").is_none_or(|kind| kind != "task")
            });
            let expected = "the usual result";
            (!usual).then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        undeclared(evidence).unwrap_or_else(|| none_applies(outcome, "every call became a task"))
    },
    mutants: &[to("minds a wish for a task", "outdated-parameter", |message| {
        *message = error(&message["id"], -32602);
    })],
};

pub(crate) const M560: Check = Check {
    how: "declares the extension in the handshake, and calls a tool that can be a task without one",
    fix: "take no notice of the extension where the revision does not define it",
    judge: |evidence| {
        let calls = evidence.asked_by_method("tools/call").filter(|asked| {
            let declared = evidence.declared_to_peer(asked.place);
            let known = declared.and_then(|it| it.get("extensions")?.get(EXTENSION)).is_some();
            known && asked.params.is_none_or(|params| params.get("task").is_none())
        });
        let outcome = each(calls, "", |asked| {
            let answer = asked.answer?;
            let result = answer.result()?;
            let task = result.get("resultType").is_some_and(|kind| kind == "task")
                || result.get("taskId").is_some()
                || result.get("task").is_some();
            task.then(|| Finding::new("no task", show(result), answer.place))
        });
        none_applies(outcome, "no tool says that it can be a task")
    },
    mutants: &[to("has tasks of the future", "task-not-wanted", |message| {
        *message = a_task(&message["id"]);
    })
    .also(&["M068"])],
};

/// Judges that a client without the extension was told so.
fn unclaimed(evidence: &Evidence, of: fn(&str) -> bool) -> Outcome {
    let asked = evidence.asked(Topic::UnclaimedTask).filter(|asked| of(asked.method));
    let outcome = each(asked, "", |asked| match asked.answer {
        Some(answer) => missing(answer),
        None => Some(Finding::new("the error -32021", "no answer", asked.place)),
    });
    undeclared(evidence).unwrap_or_else(|| none_applies(outcome, super::NO_TASK))
}

/// A finding unless this says that the extension is missing.
fn missing(answer: Answer<'_>) -> Option<Finding> {
    let needed = answer
        .error()
        .and_then(|error| error.pointer("/data/requiredCapabilities/extensions")?.get(EXTENSION));
    let right = answer.code() == Some(-32021) && needed.is_some();
    let expected = "the error -32021 with the extension in data.requiredCapabilities";
    (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
}

fn declares(asked: &Asked<'_>) -> bool {
    asked.params.is_some_and(knows_tasks)
}

fn knows_tasks(params: &Value) -> bool {
    let declared = params.get("_meta").and_then(|meta| meta.get(CAPABILITIES));
    declared.and_then(|it| it.get("extensions")?.get(EXTENSION)).is_some()
}

/// Whether the same call became a task when the extension was declared.
fn became_task(evidence: &Evidence, asked: &Asked<'_>) -> bool {
    task_of(evidence, asked).is_some()
}

/// Whether it even did what it was called for.
fn completes(evidence: &Evidence, asked: &Asked<'_>) -> bool {
    let task = task_of(evidence, asked);
    task.is_some_and(|id| {
        looks(evidence).any(|(_, _, shown)| {
            shown.is_some_and(|it| it.get("taskId") == Some(id) && it["status"] == "completed")
        })
    })
}

fn task_of<'e>(evidence: &'e Evidence, asked: &Asked<'_>) -> Option<&'e Value> {
    let of = |asked: &Asked<'_>, member: &str| asked.params.and_then(|it| it.get(member)).cloned();
    let (_, _, task) = created(evidence).find(|(other, ..)| {
        of(other, "name") == of(asked, "name") && of(other, "arguments") == of(asked, "arguments")
    })?;
    task.get("taskId")
}

fn a_task(id: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": { "resultType": "task", "taskId": "a-task-of-everybody",
        "status": "working", "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": null, "_meta": { SERVER_INFO: {} } } })
}

const EXTENSION: &str = proofmark_record::meta::TASKS_EXTENSION;
