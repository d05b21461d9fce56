//! What a server does that wishes for tasks itself.

use serde_json::{Value, json};

use super::RELATED;
use crate::{
    checks::{
        Check,
        shape::show,
        tools::none_applies,
        utilities::{extra, notifications},
    },
    mutant::Mutant,
    outcome::{Finding, each},
};
use proofmark_converse::{mutation::Mutation, scenario::TASK_PAUSE};
use proofmark_record::evidence::{Evidence, PeerRequest};

pub(crate) const S110: Check = Check {
    how: "compares every request with a task with what the other side declared",
    fix: "wish for tasks only where the other side declares them",
    judge: |evidence| {
        let asked = evidence.requests().filter(|request| {
            ["elicitation/create", "sampling/createMessage"].contains(&request.method)
        });
        let outcome = each(asked, "", |request| {
            let wish = request.params?.get("task")?;
            let declared = evidence.declared_to_peer(request.place)?;
            let path = format!("/tasks/requests/{}", request.method);
            declared.pointer(&path).is_none().then(|| {
                let expected = format!("no task without {path}");
                Finding::new(expected, show(wish), request.place)
            })
        });
        none_applies(outcome, ASKS_NOTHING)
    },
    mutants: &[Mutant::new(
        "wishes for tasks that nobody offered",
        Mutation::Says(|_, message| {
            let asks = message["method"] == "elicitation/create"
                || message["method"] == "sampling/createMessage";
            if asks && message.pointer("/params/_meta").is_none() {
                message["params"]["task"] = json!({});
            }
        }),
    )],
};

pub(crate) const M224: Check = Check {
    how: "looks for cancellations of requests that wished for a task",
    fix: "cancel tasks with tasks/cancel",
    judge: |evidence| {
        let wished: Vec<_> = wishes(evidence).collect();
        let outcome = each(&wished, "", |request| {
            let cancelled = notifications(evidence, "notifications/cancelled").find(|heard| {
                heard.place.conversation == request.place.conversation
                    && heard.message.pointer("/params/requestId") == Some(request.id)
            })?;
            Some(Finding::new("tasks/cancel", show(cancelled.message), cancelled.place))
        });
        none_applies(outcome, WISHES_NOTHING)
    },
    mutants: &[extra("cancels a task as if it were none", |_, message| {
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": "own-task" } });
        beside(message, &[wish(), cancel])
    })
    .also(&["M081", "S113"])],
};

pub(crate) const M236: Check = Check {
    how: "runs tasks for the server, tells it nothing of their status, and waits for it to look",
    fix: "ask for tasks with tasks/get or tasks/result; status notifications need not come",
    judge: |evidence| {
        let outcome = each(begun(evidence), "", |(request, task)| {
            let asked = about(evidence, &request, task).next().is_some();
            let cancelled = notifications(evidence, "notifications/cancelled")
                .any(|heard| heard.message.pointer("/params/requestId") == Some(request.id));
            (!asked && !cancelled).then(|| {
                Finding::new("tasks/get or tasks/result", "neither of them", request.place)
            })
        });
        none_applies(outcome, WISHES_NOTHING)
    },
    mutants: &[extra("waits to be told of its task", |_, message| beside(message, &[wish()]))
        .also(&["S113"])],
};

pub(crate) const M253: Check = Check {
    how: "looks at every request of the server for a list of tasks",
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

pub(crate) const S112: Check = Check {
    how: "runs tasks for the server, and measures how often it looks at them",
    fix: "look at a task no more often than its pollInterval says",
    judge: |evidence| {
        let outcome = each(begun(evidence), "", |(request, task)| {
            let looks: Vec<_> =
                about(evidence, &request, task).filter(|it| it.method == "tasks/get").collect();
            let hasty = looks.windows(2).find_map(|pair| {
                let shown = evidence.at(pair[0].answer?.place)?;
                let passed = evidence.at(pair[1].place)?.saturating_sub(shown);
                // Clocks differ, and so do the two ends of a wire.
                (passed < TASK_PAUSE / 2).then_some((pair[1], passed))
            });
            let (look, passed) = hasty?;
            let expected = format!("{} ms between looks at a task", TASK_PAUSE.as_millis());
            Some(Finding::new(expected, format!("{} ms", passed.as_millis()), look.place))
        });
        none_applies(outcome, WISHES_NOTHING)
    },
    mutants: &[extra("looks at its task all the time", |_, message| {
        let mut again = look("tasks/get", &json!({}));
        again["id"] = json!("own-look-again");
        let mut end = look("tasks/result", &json!({}));
        end["id"] = json!("own-end");
        beside(message, &[wish(), look("tasks/get", &json!({})), again, end])
    })],
};

pub(crate) const S113: Check = Check {
    how: "runs tasks for the server, and waits for it to look at them until they are over",
    fix: "look at a task until it is over or needs input, or wait for its result",
    judge: |evidence| {
        let outcome = each(begun(evidence), "", |(request, task)| {
            let seen = about(evidence, &request, task).any(|it| {
                let shown = it.answer.and_then(|answer| answer.result()?.get("status"));
                it.method != "tasks/get" || shown.is_none_or(|status| status != "working")
            });
            let expected = "looks at the task until it is over";
            (!seen).then(|| Finding::new(expected, "none that shows its end", request.place))
        });
        none_applies(outcome, WISHES_NOTHING)
    },
    mutants: &[extra("begins a task and leaves it alone", |_, message| beside(message, &[wish()]))
        .also(&["M236"])],
};

pub(crate) const S118: Check = Check {
    how: "runs a task for the server that is input_required",
    fix: "ask for the result of a task that is input_required, so that it can ask for its input",
    judge: |evidence| {
        let outcome = each(begun(evidence), "", |(request, task)| {
            let looked = about(evidence, &request, task).find(|it| {
                let shown = it.answer.and_then(|answer| answer.result()?.get("status"));
                it.method == "tasks/get" && shown.is_some_and(|it| it == "input_required")
            })?;
            let fetched = about(evidence, &request, task).any(|it| it.method == "tasks/result");
            (!fetched).then(|| {
                Finding::new("tasks/result after input_required", "nothing of it", looked.place)
            })
        });
        none_applies(outcome, WISHES_NOTHING)
    },
    mutants: &[extra("lets a task wait for input", |_, message| {
        beside(message, &[wish(), look("tasks/get", &json!({}))])
    })],
};

pub(crate) const S121: Check = Check {
    how: "looks at every request of the server about a task",
    fix: "leave related-task out of requests that have a taskId",
    judge: |evidence| {
        let methods = ["tasks/get", "tasks/result", "tasks/cancel"];
        let asked = evidence.requests().filter(|request| methods.contains(&request.method));
        let outcome = each(asked, "", |request| {
            let related = request.params?.get("_meta")?.get(RELATED)?;
            Some(Finding::new("no related-task", show(related), request.place))
        });
        none_applies(outcome, WISHES_NOTHING)
    },
    mutants: &[extra("says twice which task it asks for", |_, message| {
        let meta = json!({ RELATED: { "taskId": OWN } });
        beside(message, &[wish(), look("tasks/result", &meta)])
    })],
};

/// Requests of the peer that wish for a task where that is offered.
pub(super) fn wishes(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests().filter(|request| {
        let path = format!("/tasks/requests/{}", request.method);
        let declared = evidence.declared_to_peer(request.place);
        request.params.is_some_and(|params| params.get("task").is_some())
            && declared.is_some_and(|declared| declared.pointer(&path).is_some())
    })
}

/// Those that got one.
fn begun(evidence: &Evidence) -> impl Iterator<Item = (PeerRequest<'_>, &Value)> {
    wishes(evidence).filter_map(|request| {
        let task = request.answer?.result()?.pointer("/task/taskId")?;
        Some((request, task))
    })
}

/// What the peer asks about a task that it wished for.
pub(in crate::checks) fn about<'e>(
    evidence: &'e Evidence,
    wish: &PeerRequest<'_>,
    task: &'e Value,
) -> impl Iterator<Item = PeerRequest<'e>> {
    let conversation = wish.place.conversation;
    evidence.requests().filter(move |request| {
        let named = request.params.and_then(|params| params.get("taskId"));
        request.place.conversation == conversation
            && request.method.starts_with("tasks/")
            && named == Some(task)
    })
}

pub(super) fn wish() -> Value {
    json!({ "jsonrpc": "2.0", "id": "own-task", "method": "elicitation/create", "params": {
        "mode": "form", "message": "Will you?", "task": { "ttl": 60_000 },
        "requestedSchema": { "type": "object", "properties": {} } } })
}

pub(super) fn look(method: &str, meta: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": "own-look", "method": method,
        "params": { "taskId": OWN, "_meta": meta } })
}

/// Something more beside an answer in the conversation about tasks.
pub(super) fn beside(message: &Value, others: &[Value]) -> Vec<String> {
    let mut texts = vec![message.to_string()];
    if message["id"] == "ping-as-task" {
        texts.extend(others.iter().map(Value::to_string));
    }
    texts
}

/// The name of the task that the checker makes of that wish.
const OWN: &str = "elicitation/create#\"own-task\"";
const ASKS_NOTHING: &str = "the server asked nothing that could be a task";
const WISHES_NOTHING: &str = "the server wished for no task";
