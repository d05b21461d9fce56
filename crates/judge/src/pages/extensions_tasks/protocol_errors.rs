//! `extensions/tasks`: `#security-implications`, `#task-update-requests`, `#task-cancellation`, `#protocol-errors`.

use super::shared::{
    NO_TASK, NO_TASK_TASK_EXTENSION, about, begun, created, declared, looks, missing, shown,
    undeclared,
};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        authorization::{demanding, guarded},
        http::told,
        request_metadata::{error, to},
        shape::show,
        tasks::{FIX, unguessable},
        tools::none_applies,
        utilities::{extra, notifications},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{evidence::Evidence, topic::Topic, transport::Transport};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) const M547: Requirement = Requirement {
    id: "M547",
    name: "input-requests-task-get-same-trust-user",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Input requests of a task get the same trust and user handling as direct ones.",
    section: "seps/2663-tasks-extension.md#task-update-requests ; seps/2663-tasks-extension.md#security-implications",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M565: Requirement = Requirement {
    id: "M565",
    name: "task-ids-cannot-guessed",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Task ids cannot be guessed.",
    section: "seps/2663-tasks-extension.md#security-implications",
    observed: Observed::By(&M565_CHECK),
};

const M565_CHECK: Check = Check {
    how: "compares the ids of all calls that became tasks",
    seen: seen_everywhere(),
    fix: FIX,
    judge: |evidence| {
        let ids = created(evidence)
            .filter_map(|(_, answer, task)| Some((answer.place, task.get("taskId")?)));
        let ids: Vec<_> = ids.collect();
        undeclared(evidence).unwrap_or_else(|| unguessable(&ids))
    },
    mutants: &[Mutant::new(
        "has short ids for its tasks",
        Mutation::Says(|context, message| {
            let begins = message.pointer("/result/resultType").is_some_and(|it| it == "task");
            if begins && context.params["name"] == "protocol_error_job" {
                message["result"]["taskId"] = json!("t1");
            }
        }),
    )
    .also(&["M540"])],
};

pub(super) const M566: Requirement = Requirement {
    id: "M566",
    name: "every-task-request-authenticated-authorized",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Every task request is authenticated and authorized.",
    section: "seps/2663-tasks-extension.md#security-implications",
    observed: Observed::By(&M566_CHECK),
};

const M566_CHECK: Check = Check {
    how: "begins with a token, and asks for a task without one",
    seen: seen_in(&["authorization"]),
    fix: "answer 401 to every request about tasks that comes without a token, whichever task it names",
    judge: |evidence| {
        let asked = || evidence.asked(Topic::SlipIn).filter(|it| it.method == "tasks/get");
        demanding(evidence, |_| {
            let answered = asked().filter_map(|it| evidence.exchange_of(&it));
            let answered = answered.filter(|it| it.status.is_some());
            let outcome = each(answered, "nothing could be begun with a token", |exchange| {
                let refused = matches!(exchange.status, Some(401 | 403));
                (!refused).then(|| Finding::new("status 401", told(&exchange), exchange.answered))
            });
            undeclared(evidence).unwrap_or(outcome)
        })
    },
    mutants: &[guarded("says to everybody which tasks there are", |context, reply| {
        if context.message["id"] == "slip-in-to-task" {
            let body = "{\"jsonrpc\":\"2.0\",\"id\":\"slip-in-to-task\",\"error\":{\"code\":-32602,\"message\":\"there is no such task\"}}";
            reply.replace(200, "application/json", body);
        }
    })
    .over(Transport::Http)],
};

pub(super) const A164: Requirement = Requirement {
    id: "A164",
    name: "task-ids-may-act-bearer-tokens",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Task ids may act as bearer tokens.",
    section: "seps/2663-tasks-extension.md#security-implications",
    observed: Observed::Unobservable("a rule for those who design a peer"),
};

pub(super) const M548: Requirement = Requirement {
    id: "M548",
    name: "inputrequests-key-never-reused-task-life",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] An inputRequests key is never reused in a task's life.",
    section: "seps/2663-tasks-extension.md#task-update-requests",
    observed: Observed::By(&M548_CHECK),
};

const M548_CHECK: Check = Check {
    how: "compares everything that a task asks",
    seen: seen_in(&["tasks"]),
    fix: "give each question of a task a key of its own",
    judge: |evidence| {
        let mut asked: BTreeMap<(String, &String), &Value> = BTreeMap::new();
        let mut seen = false;
        for (look, answer, task) in looks(evidence) {
            let id = look.params.and_then(|params| params.get("taskId")).map(Value::to_string);
            let requests = task.and_then(|task| task.get("inputRequests")?.as_object());
            for (key, request) in requests.into_iter().flatten() {
                seen = true;
                let known = asked.insert((id.clone().unwrap_or_default(), key), request);
                if known.is_some_and(|known| known != request) {
                    let expected = format!("one question under {key:?}");
                    return Outcome::Broken(Finding::new(expected, show(request), answer.place));
                }
            }
        }
        let nothing = || Outcome::NotApplicable("no task asked for anything".to_owned());
        undeclared(evidence).unwrap_or_else(|| if seen { Outcome::Kept } else { nothing() })
    },
    mutants: &[Mutant::new(
        "asks something else under the same key",
        Mutation::Says(|_, message| {
            let again = message["id"].as_str().is_some_and(|id| !id.ends_with("/get-0"));
            let requests = message.pointer_mut("/result/inputRequests");
            for request in requests
                .filter(|_| again)
                .and_then(Value::as_object_mut)
                .into_iter()
                .flat_map(|requests| requests.values_mut())
            {
                request["params"]["message"] = json!("Something else?");
            }
        }),
    )],
};

pub(super) const S296: Requirement = Requirement {
    id: "S296",
    name: "client-answers-inputrequests-tasks-update",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] The client answers inputRequests with tasks/update.",
    section: "seps/2663-tasks-extension.md#task-status ; seps/2663-tasks-extension.md#task-update-requests",
    observed: Observed::By(&S296_CHECK),
};

const S296_CHECK: Check = Check {
    how: "asks a question in inputRequests of a task",
    seen: seen_everywhere().momentary(),
    fix: "answer what a task asks with tasks/update",
    judge: |evidence| {
        let waiting = begun(evidence).filter(|(call, task)| {
            about(evidence, call, task).any(|it| shown(&it) == Some("input_required"))
        });
        declared(evidence, || {
            each(waiting, NO_TASK_TASK_EXTENSION, |(call, task)| {
                let methods = ["tasks/update", "tasks/cancel"];
                let answered = about(evidence, &call, task).any(|it| methods.contains(&it.method));
                (!answered).then(|| Finding::new("tasks/update", "nothing of it", call.place))
            })
        })
    },
    mutants: &[extra("leaves the questions of tasks open", |_, message| {
        if message["method"] == "tasks/update" { Vec::new() } else { vec![message.to_string()] }
    })
    .also(&["S299"])],
};

pub(super) const S299: Requirement = Requirement {
    id: "S299",
    name: "client-polls-until-terminal-status-or-until",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] The client polls until a terminal status or until it cancels.",
    section: "seps/2663-tasks-extension.md#task-polling ; seps/2663-tasks-extension.md#task-update-requests",
    observed: Observed::By(&S299_CHECK),
};

const S299_CHECK: Check = Check {
    how: "makes a task of a call, and waits to be asked for it until it is over",
    seen: seen_everywhere(),
    fix: "look at a task until it is completed, failed or cancelled, or cancel it",
    judge: |evidence| {
        declared(evidence, || {
            each(begun(evidence), NO_TASK_TASK_EXTENSION, |(call, task)| {
                let asked: Vec<_> = about(evidence, &call, task).collect();
                let cancelled = asked.iter().any(|it| it.method == "tasks/cancel");
                let last = asked.iter().rfind(|it| it.method == "tasks/get");
                let over = last
                    .and_then(shown)
                    .is_some_and(|status| ["completed", "failed", "cancelled"].contains(&status));
                (!cancelled && !over).then(|| {
                    let actual = last.and_then(shown).unwrap_or("no look at it at all");
                    Finding::new("looks until the task is over", actual, call.place)
                })
            })
        })
    },
    mutants: &[extra("looks at a task no more once it is answered", |_, message| {
        // Without it, the task never gets its answer and never ends.
        if message["method"] == "tasks/update" || message["method"] == "tasks/get" {
            return Vec::new();
        }
        vec![message.to_string()]
    })
    .also(&["M531"])],
};

pub(super) const M551: Requirement = Requirement {
    id: "M551",
    name: "notifications-cancelled-not-used-cancel-task",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] notifications/cancelled is not used to cancel a task.",
    section: "seps/2663-tasks-extension.md#task-cancellation",
    observed: Observed::By(&M551_CHECK),
};

const M551_CHECK: Check = Check {
    how: "looks for cancellations of calls that became tasks",
    seen: seen_everywhere(),
    fix: "cancel tasks with tasks/cancel",
    judge: |evidence| {
        declared(evidence, || {
            each(begun(evidence), NO_TASK_TASK_EXTENSION, |(call, _)| {
                let cancelled =
                    notifications(evidence, "notifications/cancelled").find(|heard| {
                        heard.place.conversation == call.place.conversation
                            && call.answer.is_some_and(|it| it.place.event < heard.place.event)
                            && heard.message.pointer("/params/requestId") == Some(call.id)
                    })?;
                Some(Finding::new("tasks/cancel", show(cancelled.message), cancelled.place))
            })
        })
    },
    mutants: &[extra("cancels a task as if it were none", |_, message| {
        let mut texts = vec![message.to_string()];
        if message["method"] == "tasks/cancel"
            && let Some(id) = message["id"].as_u64()
        {
            // The request before it began the task.
            let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": { "requestId": id - 1 } });
            texts.push(cancel.to_string());
        }
        texts
    })],
};

pub(super) const M554: Requirement = Requirement {
    id: "M554",
    name: "listen-filter-taskids-from-non-declaring",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A listen filter with taskIds from a non-declaring client gets -32021.",
    section: "seps/2663-tasks-extension.md#task-status-notifications ; seps/2663-tasks-extension.md#protocol-errors",
    observed: Observed::By(&M554_CHECK),
};

const M554_CHECK: Check = Check {
    how: "listens to a task without declaring the extension",
    seen: seen_in(&["tasks"]),
    fix: "answer -32021 to a listener for tasks that does not declare the extension",
    judge: |evidence| unclaimed(evidence, |method| method == "subscriptions/listen"),
    mutants: &[to("lets anybody listen to tasks", "unclaimed/listen", |message| {
        *message = error(&message["id"], -32602);
    })],
};

pub(super) const M557: Requirement = Requirement {
    id: "M557",
    name: "tasks-get-unknown-task-gets-32602",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks/get for an unknown task gets -32602.",
    section: "seps/2663-tasks-extension.md#protocol-errors",
    observed: Observed::By(&M557_CHECK),
};

const M557_CHECK: Check = Check {
    how: "looks at a task that does not exist",
    seen: seen_in(&["tasks"]),
    fix: "answer tasks/get for an unknown task with the error -32602",
    judge: |evidence| unknown(evidence, |method| method == "tasks/get"),
    mutants: &[to("has lost a task by its own fault", "unknown/tasks/get", |message| {
        message["error"]["code"] = json!(-32603);
    })],
};

pub(super) const M558: Requirement = Requirement {
    id: "M558",
    name: "internal-task-errors-32603-2",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Internal task errors are -32603.",
    section: "seps/2663-tasks-extension.md#protocol-errors",
    observed: Observed::Unobservable(
        "a sound server does not fail inside, whatever a client sends",
    ),
};

pub(super) const M559: Requirement = Requirement {
    id: "M559",
    name: "tasks-methods-from-non-declaring-client-get",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks methods from a non-declaring client get -32021.",
    section: "seps/2663-tasks-extension.md#protocol-errors",
    observed: Observed::By(&M559_CHECK),
};

const M559_CHECK: Check = Check {
    how: "looks at, answers and cancels a task without declaring the extension",
    seen: seen_in(&["tasks"]),
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

pub(super) const S303: Requirement = Requirement {
    id: "S303",
    name: "tasks-update-tasks-cancel-unknown-task-get",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks/update and tasks/cancel for an unknown task get -32602.",
    section: "seps/2663-tasks-extension.md#response ; seps/2663-tasks-extension.md#protocol-errors",
    observed: Observed::By(&S303_CHECK),
};

const S303_CHECK: Check = Check {
    how: "answers and cancels a task that does not exist",
    seen: seen_in(&["tasks"]),
    fix: "answer tasks/update and tasks/cancel for an unknown task with the error -32602",
    judge: |evidence| unknown(evidence, |method| method != "tasks/get"),
    mutants: &[
        to("thanks for answers to nobody", "unknown/tasks/update", |message| {
            *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                "resultType": "complete",
                "_meta": { proofmark_record::meta::SERVER_INFO: { "name": "a", "version": "1" } } } });
        }),
        to("cannot cancel what is not there", "unknown/tasks/cancel", |message| {
            message["error"]["code"] = json!(-32603);
        }),
    ],
};

pub(super) const S305: Requirement = Requirement {
    id: "S305",
    name: "error-messages-say-what-went-wrong-2",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Error messages say what went wrong.",
    section: "seps/2663-tasks-extension.md#protocol-errors",
    observed: Observed::Unobservable("what a message means can only be judged by people"),
};

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

/// Judges that a client without the extension was told so.
fn unclaimed(evidence: &Evidence, of: fn(&str) -> bool) -> Outcome {
    let asked = evidence.asked(Topic::UnclaimedTask).filter(|asked| of(asked.method));
    let outcome = each(asked, "", |asked| match asked.answer {
        Some(answer) => missing(answer),
        None => Some(Finding::new("the error -32021", "no answer", asked.place)),
    });
    undeclared(evidence).unwrap_or_else(|| none_applies(outcome, NO_TASK))
}
