//! `extensions/tasks`: `#response`.

use super::shared::{
    ALLOWED, NO_TASK, about, begun, declared, each_look, looks, of_look, remove, shown, undeclared,
};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        request_metadata::error,
        results::result,
        shape::{lacks, show},
        tasks::{is_step, is_terminal},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{
    evidence::{CheckerRequest, Evidence, PeerRequest},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M541: Requirement = Requirement {
    id: "M541",
    name: "tasks-get-on-working-task-reports-working",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks/get on a working task reports working.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&M541_CHECK),
};

const M541_CHECK: Check = Check {
    how: "looks at tasks from their beginning to their end",
    seen: seen_in(&["tasks"]),
    fix: "give tasks the statuses working, input_required, completed, cancelled and failed",
    judge: |evidence| {
        let seen = looks(evidence).filter_map(|(asked, answer, task)| Some((asked, answer, task?)));
        let seen: Vec<_> = seen.collect();
        let over = |asked: &CheckerRequest<'_>, task: &Value| {
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

pub(super) const M542: Requirement = Requirement {
    id: "M542",
    name: "tasks-get-on-input-required-task-every",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks/get on an input_required task has every outstanding request in inputRequests.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&M542_CHECK),
};

const M542_CHECK: Check = Check {
    how: "looks at every task that waits for input",
    seen: seen_in(&["tasks"]),
    fix: "list everything that the task waits for in inputRequests",
    judge: |evidence| {
        each_look(evidence, "input_required", |answer, task| {
            let requests = task.get("inputRequests").and_then(Value::as_object);
            let right = requests.is_some_and(|requests| {
                !requests.is_empty() && requests.values().all(|it| it["method"].is_string())
            });
            (!right).then(|| Finding::new("inputRequests", show(task), answer.place))
        })
    },
    mutants: &[result("does not say what a task waits for", |context, result| {
        if context.method == Some("tasks/get") {
            remove(result, "inputRequests");
        }
    })],
};

pub(super) const M543: Requirement = Requirement {
    id: "M543",
    name: "tasks-get-on-completed-task-result",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks/get on a completed task has result.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&M543_CHECK),
};

const M543_CHECK: Check = Check {
    how: "looks at every task that is completed",
    seen: seen_in(&["tasks"]),
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

pub(super) const M544: Requirement = Requirement {
    id: "M544",
    name: "tasks-get-on-cancelled-task-reports",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks/get on a cancelled task reports cancelled.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&M544_CHECK),
};

const M544_CHECK: Check = Check {
    how: "looks at a cancelled task again and again",
    seen: seen_in(&["tasks"]),
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

pub(super) const M546: Requirement = Requirement {
    id: "M546",
    name: "tasks-get-result-resulttype-complete",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A tasks/get result has resultType complete (two examples in the SEP show task by mistake).",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&M546_CHECK),
};

const M546_CHECK: Check = Check {
    how: "looks at every result of tasks/get",
    seen: seen_everywhere(),
    fix: "give the resultType complete",
    judge: |evidence| complete(evidence, "tasks/get"),
    mutants: &[result("calls a look at a task a new one", |context, result| {
        if context.method == Some("tasks/get") {
            result["resultType"] = json!("task");
        }
    })
    .also(&["M535"])],
};

pub(super) const M549: Requirement = Requirement {
    id: "M549",
    name: "tasks-update-acknowledged-empty-result",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks/update is acknowledged with an empty result.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&M549_CHECK),
};

const M549_CHECK: Check = Check {
    how: "answers what a task asks",
    seen: seen_in(&["tasks"]),
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

pub(super) const M550: Requirement = Requirement {
    id: "M550",
    name: "tasks-update-result-resulttype-complete",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A tasks/update result has resultType complete.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&M550_CHECK),
};

const M550_CHECK: Check = Check {
    how: "looks at every result of tasks/update",
    seen: seen_everywhere(),
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

pub(super) const M552: Requirement = Requirement {
    id: "M552",
    name: "tasks-cancel-acknowledged-empty-result",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks/cancel is acknowledged with an empty result.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&M552_CHECK),
};

const M552_CHECK: Check = Check {
    how: "cancels a task",
    seen: seen_in(&["tasks"]),
    fix: "acknowledge tasks/cancel with an empty result",
    judge: |evidence| acknowledged(evidence, evidence.asked(Topic::CancelTask), NO_TASK),
    mutants: &[result("gives back what was cancelled", |context, result| {
        if context.method == Some("tasks/cancel") {
            result["status"] = json!("cancelled");
        }
    })],
};

pub(super) const M553: Requirement = Requirement {
    id: "M553",
    name: "tasks-cancel-result-resulttype-complete",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A tasks/cancel result has resultType complete.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&M553_CHECK),
};

const M553_CHECK: Check = Check {
    how: "looks at every result of tasks/cancel",
    seen: seen_everywhere(),
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

pub(super) const S302: Requirement = Requirement {
    id: "S302",
    name: "repeated-inputrequests-keys-shown-answered",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Repeated inputRequests keys are shown and answered once.",
    section: "seps/2663-tasks-extension.md#task-update-requests ; seps/2663-tasks-extension.md#response",
    observed: Observed::By(&S302_CHECK),
};

const S302_CHECK: Check = Check {
    how: "shows the question of a task once more after it was answered",
    seen: seen_everywhere(),
    fix: "remember the keys of inputRequests that were answered, and answer each once",
    judge: |evidence| {
        let asked = begun(evidence).filter_map(|(call, task)| {
            let requests: Vec<_> = about(evidence, &call, task).collect();
            let first = requests.iter().position(|it| it.method == "tasks/update")?;
            let (update, later) = requests[first..].split_first()?;
            let again = later.iter().any(|it| shown(it) == Some("input_required"));
            again.then(|| (*update, later.to_vec()))
        });
        let outcome = each(asked, "no question was shown again", |(update, later)| {
            let keys = |it: &PeerRequest<'_>| {
                let given = it.params.and_then(|it| it.get("inputResponses")?.as_object());
                given.into_iter().flat_map(|it| it.keys().cloned()).collect::<Vec<_>>()
            };
            let known = keys(&update);
            let twice = later.iter().find(|it| keys(it).iter().any(|key| known.contains(key)))?;
            Some(Finding::new("one answer to each question", show(twice.params?), twice.place))
        });
        declared(evidence, || outcome)
    },
    mutants: &[Mutant::new(
        "answers the questions of its tasks twice",
        Mutation::Twice { method: "tasks/update", change: |_| () },
    )],
};

pub(super) const S304: Requirement = Requirement {
    id: "S304",
    name: "inputresponses-keys-not-outstanding-ignored",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] inputResponses for keys that are not outstanding are ignored.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::By(&S304_CHECK),
};

const S304_CHECK: Check = Check {
    how: "answers what a task never asked",
    seen: seen_in(&["tasks"]),
    fix: "take no notice of inputResponses that no question is open for",
    judge: |evidence| {
        let outcome = each(evidence.asked(Topic::UnaskedUpdate), "", |asked| {
            let answer = asked.answer?;
            answer.error().map(|error| Finding::new("no error", show(error), answer.place))
        });
        undeclared(evidence).unwrap_or_else(|| none_applies(outcome, "no task asked for anything"))
    },
    mutants: &[Mutant::new(
        "minds answers that a task did not ask for",
        Mutation::Says(|context, message| {
            if context.params.pointer("/inputResponses/proofmark-unasked").is_some()
                && context.method == Some("tasks/update")
            {
                *message = error(&message["id"], -32602);
            }
        }),
    )],
};

pub(super) const A154: Requirement = Requirement {
    id: "A154",
    name: "pollintervalms-ttlms-may-change",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] pollIntervalMs and ttlMs may change.",
    section: "seps/2663-tasks-extension.md#task-polling ; seps/2663-tasks-extension.md#response",
    observed: Observed::By(&A154_CHECK),
};

const A154_CHECK: Check = Check {
    how: "compares what each look at a task shows with the one before",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(pairs(evidence), "times of tasks that change", |(earlier, later)| {
            ["ttlMs", "pollIntervalMs"].iter().any(|it| earlier.get(it) != later.get(it))
        })
    },
    mutants: &[result("keeps tasks longer the more they are looked at", |context, result| {
        if context.method == Some("tasks/get") && result["status"] != "working" {
            result["ttlMs"] = json!(7_200_000);
        }
    })],
};

pub(super) const A156: Requirement = Requirement {
    id: "A156",
    name: "task-past-createdat-plus-ttlms-may-given-up",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A task past createdAt plus ttlMs may be given up.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::Unobservable("it would take longer to see than a run may last"),
};

pub(super) const A157: Requirement = Requirement {
    id: "A157",
    name: "task-past-ttl-may-failed-deleted",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A task past its TTL may be failed and deleted.",
    section: "seps/2663-tasks-extension.md#response",
    observed: Observed::Unobservable("it would take longer to see than a run may last"),
};

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
    asked: impl Iterator<Item = CheckerRequest<'e>>,
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

/// Each sight of a task with the one before it.
fn pairs(evidence: &Evidence) -> impl Iterator<Item = (&Value, &Value)> {
    let seen: Vec<_> = looks(evidence)
        .filter_map(|(asked, _, task)| Some((asked.place.conversation, task?)))
        .collect();
    seen.clone().into_iter().enumerate().filter_map(move |(at, (here, later))| {
        let mut before = seen[..at].iter().rev();
        let same = |(there, earlier): &&(usize, &Value)| {
            *there == here && earlier.get("taskId") == later.get("taskId")
        };
        before.find(same).map(|(_, earlier)| (*earlier, later))
    })
}

fn status(task: Option<&Value>) -> Option<&str> {
    task?.get("status")?.as_str()
}

fn id<'e>(asked: &CheckerRequest<'e>) -> Option<&'e Value> {
    asked.params?.get("taskId")
}

const STATUSES: [&str; 5] = ["working", "input_required", "completed", "failed", "cancelled"];
