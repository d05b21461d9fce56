//! `basic/utilities/tasks`: `#input-required-status`, `#resource-management`, `#audit-and-logging`, `#creating-tasks`.

use super::shared::{ASKS_NOTHING, of_look, questions, related};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{NO_WISH, begun as begun_tasks},
        shape::show,
        tasks::{ALLOWED, NO_TASK, RELATED, applies, created, is_step, looks, looks_at},
        tasks_requesting::{WISHES_NOTHING, about, begun, beside, look, wish, wishes},
        tools::none_applies,
        utilities::extra,
    },
    mutant::Mutant,
    outcome::{Finding, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2025_11_25;
use proofmark_record::{
    event::EventKind,
    evidence::{CheckerRequest, Evidence, PeerMessage},
    topic::Topic,
    transport::Transport,
};
use serde_json::{Value, json};

pub(super) const S115: Requirement = Requirement {
    id: "S115",
    name: "task-messages-accepted-on-any-stream-get",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "[tasks exp] Task messages are accepted on any stream, the GET stream included.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#input-required-status",
    observed: Observed::By(&S115_CHECK),
};

const S115_CHECK: Check = Check {
    how: "asks for input of a task on the stream of tasks/result, then on the one that GET opened, and compares the answers",
    seen: seen_in(&["hosted tasks"]),
    fix: "take requests and notifications about tasks from any stream",
    judge: |evidence| {
        let related = |asked: &CheckerRequest<'_>| {
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
                later.find(|what| matches!(
                    what,
                    EventKind::Received { .. } | EventKind::Left { .. }
                )),
                None | Some(EventKind::Left { .. })
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

pub(super) const S116: Requirement = Requirement {
    id: "S116",
    name: "tasks-get-not-upgraded-event-stream",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "[tasks exp] tasks/get is not upgraded to an event stream.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#input-required-status",
    observed: Observed::By(&S116_CHECK),
};

const S116_CHECK: Check = Check {
    how: "looks at the content type of every answer to tasks/get",
    seen: seen_everywhere(),
    fix: "answer tasks/get with JSON rather than with an event stream",
    judge: |evidence| {
        let looked = evidence.asked_by_method("tasks/get").filter_map(|asked| {
            let exchange = evidence.exchange_of(&asked)?;
            exchange.status.filter(|status| *status == 200).map(|_| exchange)
        });
        applies(evidence).unwrap_or_else(|| {
            each(looked, NO_TASK, |exchange| {
                let streams = exchange.content_type().is_some_and(|it| it == "text/event-stream");
                streams.then(|| Finding::new("JSON", "text/event-stream", exchange.answered))
            })
        })
    },
    mutants: &[Mutant {
        transport: Some(Transport::Http),
        ..Mutant::new(
            "makes a stream of a look at a task",
            Mutation::Http(|context, reply| {
                if context.message["id"] == "misleading-task" {
                    let task = json!({ "taskId": context.message["params"]["taskId"],
                        "status": "completed", "createdAt": "2026-01-01T00:00:00Z",
                        "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": null });
                    let answer =
                        json!({ "jsonrpc": "2.0", "id": "misleading-task", "result": task });
                    let events = format!("id: 1\ndata:\n\nevent: message\ndata: {answer}\n\n");
                    reply.replace(200, "text/event-stream", &events);
                }
            }),
        )
    }],
};

pub(super) const S117: Requirement = Requirement {
    id: "S117",
    name: "task-needs-peer-becomes-input-required",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A task that needs the peer becomes input_required.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#input-required-status",
    observed: Observed::Each {
        server: &Observed::By(&S117_CHECK),
        client: &Observed::Unobservable(
            "what a client runs as a task has nothing to ask of the server",
        ),
    },
};

const S117_CHECK: Check = Check {
    how: "leaves a question of a task open, and looks at the task",
    seen: seen_everywhere(),
    fix: "let a task be input_required while it waits for its requestor",
    judge: |evidence| {
        let all = looks(evidence);
        let waiting = questions(evidence).filter_map(|heard| {
            let id = related(heard)?;
            let seen = looks_at(&all, heard.place.conversation, id);
            let answered = answered_at(evidence, heard);
            // Only what was looked at while the question was open shows it.
            let mut open = seen.into_iter().filter(|look| {
                let after = look.asked.event > heard.place.event;
                look.method == "tasks/get"
                    && after
                    && answered.is_none_or(|at| look.answered.event < at)
            });
            open.next_back()
        });
        let outcome = each(waiting, "", |look| {
            let right = look.status() == Some("input_required");
            (!right).then(|| Finding::new("input_required", show(look.task), look.answered))
        });
        let held = all.iter().any(|look| look.status() == Some("input_required"));
        applies(evidence).unwrap_or_else(|| match outcome {
            // Questions may be held back until the client waits for the result.
            crate::outcome::Outcome::Unobserved(_) if held => crate::outcome::Outcome::Kept,
            other => none_applies(other, ASKS_NOTHING),
        })
    },
    mutants: &[of_look("works on while it waits for an answer", |task| {
        if task["status"] == "input_required" {
            task["status"] = json!("working");
        }
    })],
};

pub(super) const S118: Requirement = Requirement {
    id: "S118",
    name: "on-input-required-requestor-calls",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] On input_required the requestor calls tasks/result.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#input-required-status",
    observed: Observed::Each {
        server: &Observed::By(&S118_SERVER),
        client: &Observed::By(&S118_CLIENT),
    },
};

const S118_SERVER: Check = Check {
    how: "runs a task for the server that is input_required",
    seen: seen_everywhere(),
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

const S118_CLIENT: Check = Check {
    how: "shows a task as input_required, and waits to be asked for its result",
    seen: seen_everywhere(),
    fix: "ask for the result of a task that is input_required, so that it can ask for its input",
    judge: |evidence| {
        let waiting = begun_tasks(evidence).filter_map(|(call, task)| {
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

pub(super) const S119: Requirement = Requirement {
    id: "S119",
    name: "all-input-received-task-leaves",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] With all input received the task leaves input_required.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#input-required-status",
    observed: Observed::Each {
        server: &Observed::By(&S119_CHECK),
        client: &Observed::Unobservable(
            "what a client runs as a task has nothing to ask of the server",
        ),
    },
};

const S119_CHECK: Check = Check {
    how: "answers what a task asks, and looks at the task",
    seen: seen_everywhere(),
    fix: "let a task leave input_required when it has all its answers",
    judge: |evidence| {
        let all = looks(evidence);
        let begun = created(evidence).filter_map(|it| {
            let id = it.task.get("taskId")?;
            let seen = looks_at(&all, it.asked.place.conversation, id);
            seen.iter().any(|look| look.status() == Some("input_required")).then_some(())?;
            let last = seen.iter().rfind(|look| look.method == "tasks/get").copied()?;
            // It may have asked something else since.
            let open = questions(evidence)
                .any(|heard| related(heard) == Some(id) && answered_at(evidence, heard).is_none());
            (!open).then_some(last)
        });
        let outcome = each(begun, "", |look| {
            let stuck = look.status() == Some("input_required");
            stuck.then(|| Finding::new("another status", show(look.task), look.answered))
        });
        applies(evidence).unwrap_or_else(|| none_applies(outcome, ASKS_NOTHING))
    },
    mutants: &[Mutant::new(
        "waits on when it was answered",
        Mutation::Says(|_, message| {
            if is_step(message, "/asked-and-ended") && message.get("result").is_some() {
                message["result"]["status"] = json!("input_required");
            }
        }),
    )
    .also(&["M250"])],
};

pub(super) const S132: Requirement = Requirement {
    id: "S132",
    name: "concurrent-tasks-ttl-limited-expired-tasks",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Concurrent tasks and ttl are limited, expired tasks cleaned up.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#resource-management",
    observed: Observed::Unobservable(
        "a limit shows only under a load that a check must not put on its peer",
    ),
};

pub(super) const S133: Requirement = Requirement {
    id: "S133",
    name: "limits-documented-usage-monitored",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Limits are documented and usage monitored.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#resource-management",
    observed: Observed::Unobservable("a duty of documentation"),
};

pub(super) const S134: Requirement = Requirement {
    id: "S134",
    name: "receivers-log-task-events-their-context",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Receivers log task events with their context and watch for odd patterns.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#audit-and-logging",
    observed: Observed::Unobservable("log files of the peer cannot be seen from outside"),
};

pub(super) const S135: Requirement = Requirement {
    id: "S135",
    name: "requestors-log-task-events-track-task-ids",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Requestors log task events and track task ids.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#audit-and-logging",
    observed: Observed::Unobservable("log files of the peer cannot be seen from outside"),
};

pub(super) const A075: Requirement = Requirement {
    id: "A075",
    name: "ttl-may-asked",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A ttl may be asked for.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#creating-tasks",
    observed: Observed::Each {
        server: &Observed::By(&A075_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A075_CHECK: Check = Check {
    how: "looks at every request of the server that wishes for a task",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(wishes(evidence), "tasks that are to be kept for some time", |request| {
            request.params.is_some_and(|params| params.pointer("/task/ttl").is_some())
        })
    },
    mutants: &[extra("says how long its task is to be kept", |_, message| {
        beside(message, &[wish(), look("tasks/result", &json!({}))])
    })],
};

/// When the checker answered a question.
fn answered_at(evidence: &Evidence, heard: PeerMessage<'_>) -> Option<usize> {
    let mut same = evidence.requests().filter(|request| request.place == heard.place);
    let request = same.find(|request| heard.message.get("id") == Some(request.id))?;
    request.answer.map(|answer| answer.place.event)
}

/// Whether this is the question that the first task asks away from the stream of its result.
fn is_apart(message: &Value) -> bool {
    message["id"] == "other question of hosted-job-1"
}
