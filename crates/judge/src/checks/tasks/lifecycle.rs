//! How tasks go on, and how they end.

use serde_json::{Value, json};

use super::{
    Look, NO_TASK, RELATED, applies, fetched, is_step, is_terminal, looked_at, looks, looks_at,
    of_look, remove, shown,
};
use crate::{
    checks::{
        Check,
        claims::to,
        shape::{doubtful, refused, show},
        tools::none_applies,
        utilities::extra,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Asked, Evidence},
    topic::Topic,
};

pub(crate) const M242: Check = Check {
    how: "follows the status of every task",
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

pub(crate) const M243: Check = Check {
    how: "looks again at tasks that are over",
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
    .also(&["M242"])],
};

pub(crate) const M250: Check = Check {
    how: "asks for the result of a task that runs, and looks at the task when the result is there",
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

pub(crate) const M255: Check = Check {
    how: "cancels tasks that are over",
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

pub(crate) const M256: Check = Check {
    how: "cancels a task that runs, and looks at it",
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

pub(crate) const M257: Check = Check {
    how: "looks at a cancelled task when it would have been over",
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

pub(crate) const S125: Check = Check {
    how: "cancels a task, and listens for as long as it would have taken",
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
                        && heard.place.event > look.answered.event
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

pub(crate) const M259: Check = Check {
    how: "asks for a task that does not exist, for its result and for its end",
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

pub(crate) const M262: Check = Check {
    how: "looks at tasks whose result has isError",
    fix: "let a task fail whose tool has failed",
    judge: |evidence| {
        let all = looks(evidence);
        let failed = fetched(evidence).filter_map(|(asked, answer, id)| {
            let failed = answer.result()?.get("isError")? == &Value::Bool(true);
            let then = looks_at(&all, asked.place.conversation, id);
            let next = then
                .into_iter()
                .find(|it| it.method == "tasks/get" && it.asked.event > answer.place.event)?;
            (failed && next.status().is_some_and(is_terminal)).then_some(next)
        });
        let outcome = each(failed, "", |look| {
            (look.status() != Some("failed"))
                .then(|| Finding::new("failed", show(look.task), look.answered))
        });
        // The page describes the status so, but demands it in lower case.
        none_applies(doubtful(outcome), "no tool failed as a task")
    },
    mutants: &[Mutant::new(
        "completes what has failed",
        Mutation::Says(|_, message| {
            for task in shown(message) {
                if task["status"] == "failed" {
                    task["status"] = json!("completed");
                }
            }
        }),
    )],
};

pub(crate) const S128: Check = Check {
    how: "looks at every task that failed",
    fix: "say in statusMessage why a task failed",
    judge: |evidence| {
        let outcome = looked_at(evidence, |_, answer, task| {
            let mute = task.get("status")? == "failed" && task.get("statusMessage").is_none();
            mute.then(|| Finding::new("a statusMessage", show(task), answer.place))
        });
        let failed = looks(evidence).iter().any(|look| look.status() == Some("failed"));
        match outcome {
            Outcome::Kept if !failed => Outcome::NotApplicable("no task failed".to_owned()),
            other => other,
        }
    },
    mutants: &[of_look("does not say why a task failed", |task| remove(task, "statusMessage"))],
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

/// What was last seen of the task that a request is about.
fn last_before<'e>(all: &[Look<'e>], asked: &Asked<'_>) -> Option<Look<'e>> {
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

const STATUSES: [&str; 5] = ["working", "input_required", "completed", "failed", "cancelled"];
const NOTHING_LONG: &str =
    "no task took long enough to be cancelled; name a tool with --call NAME=JSON";
