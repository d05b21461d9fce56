//! `basic/utilities/tasks`: `#task-execution-errors`, `#task-listing`.

use super::shared::{lists, looked_at, of_look};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        shape::{doubtful, show},
        tasks::{
            NO_TASK, RELATED, applies, created, fetched, is_step, is_terminal, looks, looks_at,
            remove, shown,
        },
        tasks_requesting::beside,
        tools::none_applies,
        utilities::extra,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2025_11_25;
use proofmark_record::{
    evidence::{Answer, CheckerRequest, Evidence, Place},
    side::Side,
    topic::Topic,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) const M249: Requirement = Requirement {
    id: "M249",
    name: "tasks-result-on-terminal-task-returns-just",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] tasks/result on a terminal task returns just what the request itself would have, result or error.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#result-retrieval ; docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-execution-errors",
    observed: Observed::Each {
        server: &Observed::By(&M249_SERVER),
        client: &Observed::By(&M249_CLIENT),
    },
};

const M249_SERVER: Check = Check {
    how: "asks twice for the result of each task, and compares it with that of the same request without a task",
    seen: seen_in(&["tasks"]),
    fix: "answer tasks/result with just what the request would have been answered with",
    judge: |evidence| {
        if let Some(outcome) = applies(evidence) {
            return outcome;
        }
        let all = looks(evidence);
        let over = fetched(evidence).filter(|(asked, _, id)| {
            let seen = looks_at(&all, asked.place.conversation, id);
            // What a cancelled task leaves is not said anywhere.
            seen.iter().any(|look| look.status().is_some_and(is_terminal))
                && seen.iter().all(|look| look.status() != Some("cancelled"))
        });
        let over: Vec<_> = over.collect();
        each(&over, NO_TASK, |(asked, answer, id)| {
            let again = over.iter().find(|(other, _, other_id)| {
                other_id == id
                    && other.place.conversation == asked.place.conversation
                    && other.place.event > answer.place.event
            });
            if let Some((_, other, _)) = again
                && content(*other) != content(*answer)
            {
                let expected = show(answer.message);
                return Some(Finding::new(expected, show(other.message), other.place));
            }
            let plain = without_task(evidence, asked, id)?;
            (kind(plain) != kind(*answer)).then(|| {
                let expected = format!("like without a task: {}", show(plain.message));
                Finding::new(expected, show(answer.message), answer.place)
            })
        })
    },
    mutants: &[
        Mutant::new(
            "has another result the second time",
            Mutation::Says(|_, message| {
                if is_step(message, "/result-again") && message.get("result").is_some() {
                    message["result"]["content"] = json!([]);
                }
            }),
        ),
        Mutant::new(
            "takes an error for a success once it is a task's",
            Mutation::Says(|context, message| {
                if context.method == Some("tasks/result") && message["error"]["code"] == -32603 {
                    let id = &context.params["taskId"];
                    *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "content": [],
                "_meta": { RELATED: { "taskId": id } } } });
                }
            }),
        ),
    ],
};

const M249_CLIENT: Check = Check {
    seen: seen_in(&["hosted tasks"]),
    how: "asks twice for the result of each task",
    mutants: &[Mutant::new(
        "has another result the second time",
        Mutation::Says(|_, message| {
            if is_step(message, "/result-again") && message.get("result").is_some() {
                message["result"]["more"] = json!(true);
            }
        }),
    )],
    ..M249_SERVER
};

pub(super) const M262: Requirement = Requirement {
    id: "M262",
    name: "tool-result-iserror-true-makes-task-failed",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A tool result with isError true makes its task failed (lower case in the text; the 2026 extension says completed).",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-execution-errors",
    observed: Observed::Each {
        server: &Observed::By(&M262_CHECK),
        client: &Observed::Unobservable("only tools have isError, and a client has none"),
    },
};

const M262_CHECK: Check = Check {
    how: "looks at tasks whose result has isError",
    seen: seen_everywhere(),
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

pub(super) const S128: Requirement = Requirement {
    id: "S128",
    name: "failed-task-statusmessage",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A failed task has a statusMessage.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-execution-errors",
    observed: Observed::Each {
        server: &Observed::By(&S128_CHECK),
        client: &Observed::By(&S128_CHECK),
    },
};

const S128_CHECK: Check = Check {
    how: "looks at every task that failed",
    seen: seen_everywhere(),
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

pub(super) const M252: Requirement = Requirement {
    id: "M252",
    name: "tasks-list-gives-nextcursor-when-there-more",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] tasks/list gives nextCursor when there is more.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-listing",
    observed: Observed::Each {
        server: &Observed::By(&M252_CHECK),
        client: &Observed::By(&M252_CHECK),
    },
};

const M252_CHECK: Check = Check {
    how: "asks for all pages of the list of tasks, and looks for those that it knows",
    seen: seen_in(&["hosted tasks", "tasks"]),
    fix: "give nextCursor as long as there are more tasks",
    judge: listed,
    mutants: &[shortened("has no next page for the tasks that are left").also(&["M254"])],
};

pub(super) const M253: Requirement = Requirement {
    id: "M253",
    name: "task-cursors-opaque",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Task cursors are opaque.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-listing",
    observed: Observed::Each {
        server: &Observed::By(&M253_CHECK),
        client: &Observed::Unobservable(
            "no client asks for a second page of tasks of its own accord",
        ),
    },
};

const M253_CHECK: Check = Check {
    how: "looks at every request of the server for a list of tasks",
    seen: seen_everywhere(),
    fix: "send nothing as a cursor but what came as nextCursor",
    judge: |evidence| {
        let outcome = each(evidence.requests_for("tasks/list"), "", |request| {
            // The checker has no second page to offer.
            let cursor = request.params?.get("cursor")?;
            Some(Finding::new("no cursor that nobody gave", show(cursor), request.place))
        });
        none_applies(outcome, "the server asked for no list of tasks")
    },
    mutants: &[extra("makes cursors of its own", |_, message| {
        let list = json!({ "jsonrpc": "2.0", "id": "own-list", "method": "tasks/list",
            "params": { "cursor": "page-2" } });
        beside(message, &[list])
    })],
};

pub(super) const M254: Requirement = Requirement {
    id: "M254",
    name: "what-tasks-get-can-reach-tasks-list-shows",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] What tasks/get can reach, tasks/list shows.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-listing",
    observed: Observed::Each {
        server: &Observed::By(&M254_CHECK),
        client: &Observed::By(&M254_CHECK),
    },
};

const M254_CHECK: Check = Check {
    how: "asks for all pages of the list of tasks, and looks for those that it knows",
    seen: seen_in(&["hosted tasks", "tasks"]),
    fix: "list every task that tasks/get finds",
    judge: listed,
    mutants: &[shortened("lists not all of its tasks").also(&["M252"])],
};

pub(super) const S124: Requirement = Requirement {
    id: "S124",
    name: "tasks-list-paginated",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] tasks/list is paginated.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-listing",
    observed: Observed::Each {
        server: &Observed::By(&S124_CHECK),
        client: &Observed::By(&S124_CHECK),
    },
};

const S124_CHECK: Check = Check {
    how: "asks for all pages of the list of tasks",
    seen: seen_in(&["hosted tasks", "tasks"]),
    fix: "give tasks page by page, with cursors that lead to the next page",
    judge: |evidence| {
        if let Some(outcome) = lists(evidence) {
            return outcome;
        }
        let turned: Vec<_> = pages(evidence)
            .filter(|asked| asked.params.is_some_and(|params| params.get("cursor").is_some()))
            .collect();
        let nothing = "all tasks fit on one page";
        each(turned, nothing, |asked| {
            let answer = asked.answer?;
            let page = answer.result().and_then(|result| result.get("tasks")).is_some();
            (!page).then(|| Finding::new("the next page", show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "promises a page of tasks that it does not have",
        Mutation::Says(|context, message| {
            if context.method == Some("tasks/list")
                && let Some(result) = message.get_mut("result")
            {
                result["nextCursor"] = json!("proofmark-nowhere");
            }
        }),
    )],
};

/// What the same request was answered with when it was no task.
fn without_task<'e>(
    evidence: &'e Evidence,
    fetched: &CheckerRequest<'_>,
    id: &Value,
) -> Option<Answer<'e>> {
    if evidence.side != Side::Server {
        return None;
    }
    let began = created(evidence).find(|it| {
        it.asked.place.conversation == fetched.place.conversation
            && it.task.get("taskId") == Some(id)
    })?;
    let params = began.asked.params?;
    let same = |other: &CheckerRequest<'_>| {
        let it = other.params.unwrap_or(&Value::Null);
        it.get("task").is_none()
            && it.get("name") == params.get("name")
            && it.get("arguments") == params.get("arguments")
    };
    // A refusal because it is no task says nothing about the request, whichever form it has.
    let only_as_task = evidence.listed("tools/list").any(|tool| {
        let support = tool.message.pointer("/execution/taskSupport");
        support == Some(&json!("required")) && tool.message.get("name") == params.get("name")
    });
    let plain = evidence.asked(Topic::Call).find(same)?.answer?;
    let refused = only_as_task || matches!(plain.code(), Some(-32600 | -32601));
    (!refused).then_some(plain)
}

/// What was answered, whatever the envelope has beside it.
fn content(answer: Answer<'_>) -> (Option<&Value>, Option<&Value>) {
    (answer.message.get("result"), answer.message.get("error"))
}

/// How a request ended. What exactly it says may differ from time to time.
fn kind(answer: Answer<'_>) -> (Option<i64>, bool) {
    let failed = answer.result().and_then(|result| result.get("isError")?.as_bool());
    (answer.code(), failed.unwrap_or(false))
}

/// Judges that every task which is found by its id is on one of the pages.
fn listed(evidence: &Evidence) -> Outcome {
    if let Some(outcome) = lists(evidence) {
        return outcome;
    }
    let Some((last, known)) = whole_list(evidence) else {
        return Outcome::Unobserved("the list of tasks has no end that was reached".to_owned());
    };
    let found = evidence.asked_by_method("tasks/get").filter_map(|asked| {
        let after = asked.place.conversation == last.conversation && asked.place.event > last.event;
        let id = asked.answer.filter(|_| after)?.result()?.get("taskId")?;
        // What began after the list was asked for cannot be on it.
        let before = created(evidence)
            .any(|it| it.answer.place.event < last.event && it.task.get("taskId") == Some(id));
        before.then_some((asked, id))
    });
    each(found, NO_TASK, |(asked, id)| {
        let expected = format!("a list that has the task {id}");
        (!known.contains(&id.to_string()))
            .then(|| Finding::new(expected, "a list without it", asked.place))
    })
}

/// The place of the first page, and the ids on all of them, if the last one was reached.
fn whole_list(evidence: &Evidence) -> Option<(Place, BTreeSet<String>)> {
    let pages: Vec<_> = pages(evidence).collect();
    let results = pages.iter().map(|page| page.answer.and_then(Answer::result));
    let results: Vec<&Value> = results.collect::<Option<_>>()?;
    results.last()?.get("nextCursor").is_none().then_some(())?;
    let tasks = results.iter().filter_map(|it| it.get("tasks")?.as_array()).flatten();
    let ids = tasks.filter_map(|task| task.get("taskId")).map(Value::to_string).collect();
    Some((pages.first()?.place, ids))
}

fn pages(evidence: &Evidence) -> impl Iterator<Item = CheckerRequest<'_>> {
    evidence.asked(Topic::ListTasks)
}

const fn shortened(name: &'static str) -> Mutant {
    Mutant::new(
        name,
        Mutation::Says(|_, message| {
            let tasks = message.pointer_mut("/result/tasks").and_then(Value::as_array_mut);
            if let Some(tasks) = tasks.filter(|tasks| !tasks.is_empty()) {
                tasks.remove(0);
            }
        }),
    )
}
