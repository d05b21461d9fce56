//! How a task of the extension is shown in each of its statuses.

use serde_json::{Value, json};

use super::{NO_TASK, created, each_look, looks, remove, undeclared};
use crate::{
    checks::{
        Check,
        shape::{lacks, show},
        tasks::{is_step, is_terminal},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, each},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::{
    evidence::{Answer, Asked, Evidence},
    topic::Topic,
};

pub(crate) const M541: Check = Check {
    how: "looks at tasks from their beginning to their end",
    fix: "give tasks the statuses working, input_required, completed, cancelled and failed",
    judge: |evidence| {
        let seen = looks(evidence).filter_map(|(asked, answer, task)| Some((asked, answer, task?)));
        let seen: Vec<_> = seen.collect();
        let over = |asked: &Asked<'_>, task: &Value| {
            seen.iter().any(|(other, answer, earlier)| {
                other.place.conversation == asked.place.conversation
                    && answer.place.event < asked.place.event
                    && earlier.get("taskId") == task.get("taskId")
                    && earlier["status"].as_str().is_some_and(is_terminal)
            })
        };
        undeclared(evidence).unwrap_or_else(|| {
            each(&seen, NO_TASK, |(asked, answer, task)| {
                let status = task.get("status").and_then(Value::as_str).unwrap_or_default();
                let known = STATUSES.contains(&status);
                let again = status == "working" && over(asked, task);
                let expected = "the status that the task has";
                (!known || again).then(|| Finding::new(expected, show(task), answer.place))
            })
        })
    },
    mutants: &[of_look("runs where it should work", |task| {
        if task["status"] == "working" {
            task["status"] = json!("running");
        }
    })],
};

pub(crate) const M543: Check = Check {
    how: "looks at every task that is completed",
    fix: "give the result of a completed task in result",
    judge: |evidence| {
        each_look(evidence, "completed", |answer, task| {
            lacks(answer.place, task, "result", "an object", Value::is_object)
        })
    },
    mutants: &[of_look("completes a task without a result", |task| {
        if task["status"] == "completed" {
            remove(task, "result");
        }
    })],
};

pub(crate) const M544: Check = Check {
    how: "looks at a cancelled task again and again",
    fix: "show a cancelled task as cancelled",
    judge: |evidence| {
        let seen: Vec<_> = looks(evidence).collect();
        let cancelled = seen.iter().filter(|(_, _, task)| status(*task) == Some("cancelled"));
        let pairs = cancelled.flat_map(|(asked, answer, task)| {
            let later = seen.iter().filter(move |(other, ..)| {
                other.place.conversation == asked.place.conversation
                    && other.place.event > answer.place.event
                    && id(other) == id(asked)
            });
            later.map(move |later| (task, later))
        });
        let outcome = each(pairs, "", |(_, (_, answer, task))| {
            // It may be forgotten.
            let task = (*task)?;
            let still = task.get("status").is_some_and(|it| it == "cancelled");
            (!still).then(|| Finding::new("cancelled", show(task), answer.place))
        });
        undeclared(evidence)
            .unwrap_or_else(|| none_applies(outcome, "no task was seen to be cancelled"))
    },
    mutants: &[Mutant::new(
        "takes up again what was cancelled",
        Mutation::Says(|_, message| {
            if is_step(message, "/cancelled-later") && message.get("result").is_some() {
                message["result"]["status"] = json!("completed");
                message["result"]["result"] = json!({ "content": [] });
            }
        }),
    )],
};

pub(crate) const M545: Check = Check {
    how: "looks at every task that failed",
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

pub(crate) const M539: Check = Check {
    how: "looks at the error of every task that failed",
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

pub(crate) const M537: Check = Check {
    how: "compares every task that failed with the same call without a task",
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

pub(crate) const M538: Check = Check {
    how: "looks at tasks whose tool failed",
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

pub(crate) const S301: Check = Check {
    how: "looks at every task that failed",
    fix: "say in statusMessage why a task failed",
    judge: |evidence| {
        each_look(evidence, "failed", |answer, task| {
            lacks(answer.place, task, "statusMessage", "a string", Value::is_string)
        })
    },
    mutants: &[of_look("does not say why a task failed", |task| remove(task, "statusMessage"))],
};

/// Whether the tool of a task fails when it is called without one.
fn failed_without(evidence: &Evidence, task: &Value) -> bool {
    let begun = created(evidence).find(|(_, _, it)| it.get("taskId") == task.get("taskId"));
    let Some((begun, ..)) = begun else { return false };
    let of = |asked: &Asked<'_>, member: &str| asked.params.and_then(|it| it.get(member)).cloned();
    let mut same = evidence.asked(Topic::Call).filter(|asked| {
        of(asked, "name") == of(&begun, "name") && of(asked, "arguments") == of(&begun, "arguments")
    });
    same.any(|asked| {
        let result = asked.answer.and_then(Answer::result);
        result.is_some_and(|result| result.get("isError") == Some(&Value::Bool(true)))
    })
}

fn status(task: Option<&Value>) -> Option<&str> {
    task?.get("status")?.as_str()
}

fn id<'e>(asked: &Asked<'e>) -> Option<&'e Value> {
    asked.params?.get("taskId")
}

const fn of_look(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tasks/get")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const STATUSES: [&str; 5] = ["working", "input_required", "completed", "failed", "cancelled"];
