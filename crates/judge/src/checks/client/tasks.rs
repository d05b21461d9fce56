//! Clients that wish for tasks, and those that run some, as the experiment has it.

use serde_json::{Value, json};

use super::hosted_at;
use crate::{
    checks::{
        Check,
        claims::to,
        shape::{doubtful, show},
        tasks::{self, RELATED, STATUS, requesting::about},
        utilities::{extra, notifications},
    },
    mutant::Mutant,
    outcome::{Finding, each},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_record::{
    event::What,
    evidence::{Asked, Evidence, PeerRequest, Place},
    topic::Topic,
};

pub(crate) const M231: Check = Check {
    how: "declares no tasks, and looks at every call",
    fix: "call no tool as a task where the server does not declare tasks.requests.tools.call",
    judge: |evidence| {
        let calls = calls(evidence).filter(|call| !offers_tasks(evidence, call.place));
        each(calls, "no tool was called", |call| {
            let wish = call.params?.get("task")?;
            Some(Finding::new("no task", show(wish), call.place))
        })
    },
    mutants: &[WISHES.also(&["M232", "S110"])],
};

pub(crate) const M232: Check = Check {
    how: "declares tasks, and looks at calls of tools that do not say that they can be one",
    fix: "call a tool as a task only if its taskSupport is optional or required",
    judge: |evidence| {
        let calls = calls(evidence).filter(|call| {
            offers_tasks(evidence, call.place) && call.text("/name") == Some("add_numbers")
        });
        each(calls, "no such tool was called", |call| {
            let wish = call.params?.get("task")?;
            Some(Finding::new("no task", show(wish), call.place))
        })
    },
    mutants: &[WISHES.also(&["M231", "S110"])],
};

pub(crate) const M233: Check = Check {
    how: "declares tasks and a tool that must be one",
    fix: "call a tool whose taskSupport is required as a task",
    judge: |evidence| {
        let calls = calls(evidence)
            .filter(|call| offers_tasks(evidence, call.place) && call.text("/name") == Some("job"));
        each(calls, "the tool job was not called", |call| {
            let wished = call.params.is_some_and(|params| params.get("task").is_some());
            (!wished).then(|| Finding::new("a task", "none", call.place))
        })
    },
    mutants: &[Mutant::new(
        "calls at once what must be a task",
        Mutation::Says(|_, message| {
            if message.pointer("/params/name") == Some(&json!("job")) {
                super::remove(&mut message["params"], "task");
            }
        }),
    )],
};

pub(crate) const S110: Check = Check {
    how: "looks at every request with a task",
    fix: "wish for tasks only where the server declares them",
    judge: |evidence| {
        each(calls(evidence), "no tool was called", |call| {
            let wish = call.params?.get("task")?;
            (!offers_tasks(evidence, call.place))
                .then(|| Finding::new("no task", show(wish), call.place))
        })
    },
    mutants: &[WISHES.also(&["M231", "M232"])],
};

pub(crate) const M224: Check = Check {
    how: "looks for cancellations of calls that became tasks",
    fix: "cancel tasks with tasks/cancel",
    judge: |evidence| {
        each(begun(evidence), NO_WISH, |(call, _)| {
            let cancelled = notifications(evidence, "notifications/cancelled").find(|heard| {
                heard.place.conversation == call.place.conversation
                    && heard.message.pointer("/params/requestId") == Some(call.id)
            })?;
            Some(Finding::new("tasks/cancel", show(cancelled.message), cancelled.place))
        })
    },
    mutants: &[extra("cancels a task as if it were none", |_, message| {
        let mut texts = vec![message.to_string()];
        if message.pointer("/params/task").is_some() {
            let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": { "requestId": message["id"] } });
            texts.push(cancel.to_string());
        }
        texts
    })],
};

pub(crate) const M236: Check = Check {
    how: "runs tasks, says nothing of their status, and waits for the client to look",
    fix: "ask for tasks with tasks/get or tasks/result; status notifications need not come",
    judge: |evidence| {
        each(begun(evidence), NO_WISH, |(call, task)| {
            let asked = about(evidence, &call, task).next().is_some();
            let expected = "tasks/get, tasks/result or tasks/cancel";
            (!asked).then(|| Finding::new(expected, "nothing of it", call.place))
        })
    },
    mutants: &[extra("waits to be told of its tasks", |_, message| {
        let asks =
            ["tasks/get", "tasks/result", "tasks/cancel"].iter().any(|it| message["method"] == *it);
        if asks { Vec::new() } else { vec![message.to_string()] }
    })
    .also(&["M236", "S113"])],
};

pub(crate) const S115: Check = Check {
    how: "asks for input of a task on the stream of tasks/result, then on the one that GET opened, and compares the answers",
    fix: "take requests and notifications about tasks from any stream",
    judge: |evidence| {
        let related = |asked: &Asked<'_>| {
            let task = asked.params?.pointer("/_meta")?.get(RELATED)?.get("taskId")?;
            Some((asked.place.conversation, task.clone()))
        };
        let apart = evidence.asked(Topic::AskApart).filter_map(|apart| {
            let usual = evidence
                .asked(Topic::AskElicitation)
                .find(|usual| related(usual).is_some_and(|it| Some(it) == related(&apart)))?;
            // Who does not read the stream any more, or does nothing more, cannot answer.
            let mut later = evidence.after(apart.place).map(|(_, what)| what);
            let left = matches!(
                later.find(|what| matches!(what, What::Received { .. } | What::Left { .. })),
                None | Some(What::Left { .. })
            );
            (!left).then_some((usual.answer?, apart))
        });
        each(apart, "no task could ask on the stream that GET opens", |(usual, apart)| {
            let expected = "an answer as on the stream of tasks/result";
            match apart.answer {
                None => Some(Finding::new(expected, "no answer", apart.place)),
                Some(answer) => (answer.error().is_some() && usual.error().is_none())
                    .then(|| Finding::new(expected, show(answer.message), answer.place)),
            }
        })
    },
    mutants: &[
        Mutant::new(
            "does not hear of tasks on the stream that GET opens",
            Mutation::Hears(|message| is_apart(message).then(Vec::new)),
        ),
        Mutant::new(
            "refuses questions of tasks on the stream that GET opens",
            Mutation::Hears(|message| {
                let refusal = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "error": { "code": -32600, "message": "not here" } });
                is_apart(message).then(|| vec![refusal.to_string()])
            }),
        ),
    ],
};

pub(crate) const S118: Check = Check {
    how: "shows a task as input_required, and waits to be asked for its result",
    fix: "ask for the result of a task that is input_required, so that it can ask for its input",
    judge: |evidence| {
        let waiting = begun(evidence).filter_map(|(call, task)| {
            let looked = about(evidence, &call, task).find(|it| {
                let shown = it.answer.and_then(|answer| answer.result()?.get("status"));
                it.method == "tasks/get" && shown.is_some_and(|it| it == "input_required")
            })?;
            Some((call, task, looked))
        });
        each(waiting, NO_WISH, |(call, task, looked)| {
            let fetched = about(evidence, &call, task)
                .any(|it| ["tasks/result", "tasks/cancel"].contains(&it.method));
            let expected = "tasks/result after input_required";
            (!fetched).then(|| Finding::new(expected, "nothing of it", looked.place))
        })
    },
    mutants: &[extra("lets a task wait for input", |_, message| {
        if message["method"] == "tasks/result" { Vec::new() } else { vec![message.to_string()] }
    })],
};

pub(crate) const S121: Check = Check {
    how: "looks at every request about a task",
    fix: "leave related-task out of requests that have a taskId",
    judge: |evidence| {
        let methods = ["tasks/get", "tasks/result", "tasks/cancel"];
        let asked = evidence.requests().filter(|request| methods.contains(&request.method));
        each(asked, NO_WISH, |request| {
            let related = request.params?.get("_meta")?.get(RELATED)?;
            Some(Finding::new("no related-task", show(related), request.place))
        })
    },
    mutants: &[Mutant::new(
        "says twice which task it asks for",
        Mutation::Says(|_, message| {
            if message["method"] == "tasks/result" {
                let id = message["params"]["taskId"].clone();
                message["params"]["_meta"][RELATED] = json!({ "taskId": id });
            }
        }),
    )],
};

pub(crate) const M244: Check = Check {
    how: "asks for input of a task, and looks at the answer",
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
                super::remove(&mut message["result"], "_meta");
            }
        }),
    )],
};

pub(crate) const M249: Check = Check {
    how: "asks twice for the result of each task",
    mutants: &[Mutant::new(
        "has another result the second time",
        Mutation::Says(|_, message| {
            if tasks::is_step(message, "/result-again") && message.get("result").is_some() {
                message["result"]["more"] = json!(true);
            }
        }),
    )],
    ..tasks::results::M249
};

pub(crate) const M264: Check = Check {
    // A client that is known to nobody but its server may count.
    judge: |evidence| doubtful((tasks::guessing::M264.judge)(evidence)),
    mutants: &[to("has short ids for its tasks", "own-task-id", |message| {
        message["result"]["task"]["taskId"] = json!("t1");
    })],
    ..tasks::guessing::M264
};

pub(crate) const S123: Check = Check {
    mutants: &[extra("tells twice whose status it tells", |_, message| {
        let mut texts = vec![message.to_string()];
        if message["id"] == "ping-as-task" {
            let told = json!({ "jsonrpc": "2.0", "method": STATUS, "params": { "taskId": "a",
                "status": "working", "ttl": null, "createdAt": "2026-01-01T00:00:00Z",
                "lastUpdatedAt": "2026-01-01T00:00:00Z",
                "_meta": { RELATED: { "taskId": "a" } } } });
            texts.push(told.to_string());
        }
        texts
    })],
    ..tasks::S123
};

/// Whether this is the question that the first task asks away from the stream of its result.
fn is_apart(message: &Value) -> bool {
    message["id"] == "other question of hosted-job-1"
}

fn calls(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests_for("tools/call")
}

/// Whether the server that was met there declared that calls can be tasks.
fn offers_tasks(evidence: &Evidence, place: Place) -> bool {
    hosted_at(evidence, place) == Some(HostedScenario::TASKS)
}

/// Calls that became tasks.
pub(super) fn begun(evidence: &Evidence) -> impl Iterator<Item = (PeerRequest<'_>, &Value)> {
    calls(evidence).filter_map(|call| {
        let task = call.answer?.result()?.pointer("/task/taskId")?;
        Some((call, task))
    })
}

/// A client that wishes for tasks of a tool that cannot be one, wherever it is.
const WISHES: Mutant = Mutant::new(
    "calls every tool as a task",
    Mutation::Says(|_, message| {
        if message.pointer("/params/name") == Some(&json!("add_numbers")) {
            message["params"]["task"] = json!({});
        }
    }),
);
pub(super) const NO_WISH: &str = "the client wished for no task";
