//! Tasks of the extension, which a server begins where it likes.

pub(crate) mod asking;
pub(crate) mod claims;
pub(crate) mod offers;
pub(crate) mod states;

use serde_json::{Value, json};

use super::{
    Check, claims::to, results::result, shape::show, tasks::is_timestamp, tools::none_applies,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Answer, Asked, Evidence},
    topic::Topic,
};

pub(crate) const M534: Check = Check {
    how: "looks at every call that became a task",
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

pub(crate) const M535: Check = Check {
    how: "looks for the resultType task among all results",
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

pub(crate) const M540: Check = Check {
    how: "looks at each task as soon as it began",
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
                *message = super::claims::error(&message["id"], -32602);
            }
        }),
    )],
};

pub(crate) const M546: Check = Check {
    how: "looks at every result of tasks/get",
    fix: "give the resultType complete",
    judge: |evidence| complete(evidence, "tasks/get"),
    mutants: &[result("calls a look at a task a new one", |context, result| {
        if context.method == Some("tasks/get") {
            result["resultType"] = json!("task");
        }
    })
    .also(&["M535"])],
};

pub(crate) const M550: Check = Check {
    how: "looks at every result of tasks/update",
    fix: "give the resultType complete",
    judge: |evidence| complete(evidence, "tasks/update"),
    mutants: &[result("wants more where it was given all", |context, result| {
        if context.method == Some("tasks/update") {
            result["resultType"] = json!("input_required");
            result["requestState"] = json!("a");
        }
    })
    .also(&["M268", "M549"])],
};

pub(crate) const M553: Check = Check {
    how: "looks at every result of tasks/cancel",
    fix: "give the resultType complete",
    judge: |evidence| complete(evidence, "tasks/cancel"),
    mutants: &[result("wants more before it cancels", |context, result| {
        if context.method == Some("tasks/cancel") {
            result["resultType"] = json!("input_required");
            result["requestState"] = json!("a");
        }
    })
    .also(&["M268", "M552"])],
};

pub(crate) const M549: Check = Check {
    how: "answers what a task asks",
    fix: "acknowledge tasks/update with an empty result",
    judge: |evidence| {
        let updates = evidence.asked(Topic::UpdateTask);
        acknowledged(evidence, updates, "no task asked for anything")
    },
    mutants: &[result("gives the task for its answers", |context, result| {
        if context.method == Some("tasks/update") {
            result["taskId"] = context.params["taskId"].clone();
        }
    })],
};

pub(crate) const M552: Check = Check {
    how: "cancels a task",
    fix: "acknowledge tasks/cancel with an empty result",
    judge: |evidence| acknowledged(evidence, evidence.asked(Topic::CancelTask), NO_TASK),
    mutants: &[result("gives back what was cancelled", |context, result| {
        if context.method == Some("tasks/cancel") {
            result["status"] = json!("cancelled");
        }
    })],
};

pub(crate) const M557: Check = Check {
    how: "looks at a task that does not exist",
    fix: "answer tasks/get for an unknown task with the error -32602",
    judge: |evidence| unknown(evidence, |method| method == "tasks/get"),
    mutants: &[to("has lost a task by its own fault", "unknown/tasks/get", |message| {
        message["error"]["code"] = json!(-32603);
    })],
};

pub(crate) const S303: Check = Check {
    how: "answers and cancels a task that does not exist",
    fix: "answer tasks/update and tasks/cancel for an unknown task with the error -32602",
    judge: |evidence| unknown(evidence, |method| method != "tasks/get"),
    mutants: &[
        to("thanks for answers to nobody", "unknown/tasks/update", |message| {
            *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                "resultType": "complete",
                "_meta": { proofmark_record::meta::SERVER_INFO: {} } } });
        }),
        to("cannot cancel what is not there", "unknown/tasks/cancel", |message| {
            message["error"]["code"] = json!(-32603);
        }),
    ],
};

pub(crate) const S297: Check = Check {
    how: "gives a call what it asks for until it becomes a task",
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

/// Calls that became tasks.
pub(super) fn created(
    evidence: &Evidence,
) -> impl Iterator<Item = (Asked<'_>, Answer<'_>, &Value)> {
    evidence.asked_by_method("tools/call").filter_map(|asked| {
        let answer = asked.answer?;
        let task = answer.result()?;
        let typed = task.get("resultType").is_some_and(|kind| kind == "task");
        (typed || task.get("taskId").is_some()).then_some((asked, answer, task))
    })
}

/// Answers to `tasks/get` for tasks that may exist.
pub(super) fn looks(
    evidence: &Evidence,
) -> impl Iterator<Item = (Asked<'_>, Answer<'_>, Option<&Value>)> {
    let known = |topic| matches!(topic, Topic::GetTask | Topic::Overheard);
    evidence.asked_by_method("tasks/get").filter_map(move |asked| {
        let answer = asked.answer.filter(|_| known(asked.topic))?;
        Some((asked, answer, answer.result()))
    })
}

/// Judges each sight of a task with this status.
pub(super) fn each_look(
    evidence: &Evidence,
    status: &str,
    judge: impl Fn(Answer<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    let seen = looks(evidence).filter_map(|(_, answer, task)| {
        let task = task.filter(|task| task.get("status").is_some_and(|it| it == status))?;
        Some((answer, task))
    });
    let nothing = format!("no task was {status} when it was looked at");
    undeclared(evidence).unwrap_or_else(|| {
        none_applies(each(seen, "", |(answer, task)| judge(answer, task)), &nothing)
    })
}

fn each_created(
    evidence: &Evidence,
    judge: impl Fn(Asked<'_>, Answer<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    undeclared(evidence).unwrap_or_else(|| {
        each(created(evidence), NO_TASK, |(asked, answer, task)| judge(asked, answer, task))
    })
}

fn complete(evidence: &Evidence, method: &str) -> Outcome {
    let results = evidence.asked_by_method(method).filter_map(|asked| {
        let answer = asked.answer?;
        Some((answer, answer.result()?))
    });
    undeclared(evidence).unwrap_or_else(|| {
        each(results, NO_TASK, |(answer, result)| {
            let right = result.get("resultType").is_some_and(|kind| kind == "complete");
            (!right).then(|| Finding::new("the resultType complete", show(result), answer.place))
        })
    })
}

/// Judges that nothing but an acknowledgement comes back.
fn acknowledged<'e>(
    evidence: &'e Evidence,
    asked: impl Iterator<Item = Asked<'e>>,
    nothing: &str,
) -> Outcome {
    let outcome = each(asked, "", |asked| {
        let expected = "an empty result";
        let Some(answer) = asked.answer else {
            return Some(Finding::new(expected, "no answer", asked.place));
        };
        let empty = |result: &Value| {
            let of_all =
                |key: &String| ["_meta", "resultType", "requestState"].contains(&key.as_str());
            result.as_object().is_some_and(|members| members.keys().all(of_all))
        };
        let right = answer.result().is_some_and(empty);
        (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
    });
    undeclared(evidence).unwrap_or_else(|| none_applies(outcome, nothing))
}

fn unknown(evidence: &Evidence, of: fn(&str) -> bool) -> Outcome {
    undeclared(evidence).unwrap_or_else(|| {
        let asked = evidence.asked(Topic::UnknownTask).filter(|asked| of(asked.method));
        each(asked, "no unknown task was asked for", |asked| {
            let expected = "the error -32602";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            (answer.code() != Some(-32602))
                .then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    })
}

/// Why nothing about the extension applies, if so.
pub(super) fn undeclared(evidence: &Evidence) -> Option<Outcome> {
    (!evidence.capability("/extensions/io.modelcontextprotocol~1tasks")).then(|| {
        let why = "the server does not declare the extension io.modelcontextprotocol/tasks";
        Outcome::NotApplicable(why.to_owned())
    })
}

pub(super) fn remove(object: &mut Value, member: &str) {
    if let Some(object) = object.as_object_mut() {
        object.remove(member);
    }
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

pub(super) const NO_TASK: &str =
    "no call became a task; name a tool that does with --call NAME=JSON";
