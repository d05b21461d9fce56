//! `basic/utilities/tasks`: `#related-task-metadata`, `#task-isolation-and-access-control`, `#capability-negotiation`, `#getting-tasks`,
//! `#task-status-notification`.

use super::shared::{M236_CLIENT, WISHES, lists, of_look, offers_tasks};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{NO_WISH, begun as begun_tasks, calls_tasks},
        request_metadata::to,
        shape::{doubtful, show},
        tasks::{FIX, NO_TASK, RELATED, applies, created, fetched, remove, unguessable},
        tasks_requesting::{OWN, WISHES_NOTHING, about, begun, beside, look, wish},
        tools::none_applies,
        users::{BIND, NO_OTHER, give, kept_from_others, lets_in, task, untried},
        utilities::extra,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2025_11_25;
use proofmark_record::{evidence::CheckerRequest, topic::Topic, transport::Transport};
use serde_json::json;

pub(super) const M258: Requirement = Requirement {
    id: "M258",
    name: "tasks-result-response-carries-related-task",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] The tasks/result response carries related-task metadata.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#related-task-metadata",
    observed: Observed::Each {
        server: &Observed::By(&M258_CHECK),
        client: &Observed::By(&M258_CHECK),
    },
};

const M258_CHECK: Check = Check {
    how: "looks at every result of a task",
    seen: seen_everywhere(),
    fix: "name the task under io.modelcontextprotocol/related-task in _meta of the result",
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            let results = fetched(evidence)
                .filter_map(|(_, answer, id)| Some((answer, answer.result()?, id)));
            each(results, NO_TASK, |(answer, result, id)| {
                let named = result.get("_meta").and_then(|meta| meta.get(RELATED)?.get("taskId"));
                let expected = format!("{RELATED} with {id} in _meta");
                (named != Some(id)).then(|| Finding::new(expected, show(result), answer.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "does not say whose result it gives",
        Mutation::Says(|context, message| {
            if context.method == Some("tasks/result")
                && let Some(result) = message.get_mut("result")
            {
                remove(result, "_meta");
            }
        }),
    )],
};

pub(super) const S121: Requirement = Requirement {
    id: "S121",
    name: "tasks-get-tasks-result-tasks-cancel-requests",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] tasks/get, tasks/result and tasks/cancel requests carry no related-task metadata.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#associating-task-related-messages ; docs/specification/2025-11-25/basic/utilities/tasks.mdx#related-task-metadata",
    observed: Observed::Each {
        server: &Observed::By(&S121_SERVER),
        client: &Observed::By(&S121_CLIENT),
    },
};

const S121_SERVER: Check = Check {
    how: "looks at every request of the server about a task",
    seen: seen_everywhere(),
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

const S121_CLIENT: Check = Check {
    how: "looks at every request about a task",
    seen: seen_everywhere(),
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

pub(super) const S122: Requirement = Requirement {
    id: "S122",
    name: "results-tasks-get-tasks-list-tasks-cancel",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Results of tasks/get, tasks/list and tasks/cancel carry no related-task metadata.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#associating-task-related-messages ; docs/specification/2025-11-25/basic/utilities/tasks.mdx#related-task-metadata",
    observed: Observed::Each {
        server: &Observed::By(&S122_CHECK),
        client: &Observed::By(&S122_CHECK),
    },
};

const S122_CHECK: Check = Check {
    how: "looks at the results of tasks/get, tasks/list and tasks/cancel",
    seen: seen_everywhere(),
    fix: "leave related-task out of them: they say which task they are about",
    judge: |evidence| {
        let methods = ["tasks/get", "tasks/list", "tasks/cancel"];
        let results = methods.into_iter().flat_map(|method| evidence.results(method));
        let results = results.collect::<Vec<_>>();
        applies(evidence).unwrap_or_else(|| {
            each(results, NO_TASK, |(answer, result)| {
                let related = result.get("_meta")?.get(RELATED)?;
                Some(Finding::new("no related-task", show(related), answer.place))
            })
        })
    },
    mutants: &[of_look("says twice which task it speaks of", |task| {
        task["_meta"] = json!({ RELATED: { "taskId": task["taskId"] } });
    })],
};

pub(super) const M263: Requirement = Requirement {
    id: "M263",
    name: "tasks-bound-authorization-context-if-any",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Tasks are bound to the authorization context, if any.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-isolation-and-access-control",
    observed: Observed::Each {
        server: &Observed::By(&M263_CHECK),
        client: &Observed::Unobservable(
            "a client talks to one server, and nobody else can ask it for a task",
        ),
    },
};

const M263_CHECK: Check = Check {
    how: "looks at a task of one user with the token of another",
    seen: seen_in(&["users"]),
    fix: BIND,
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            let looks = |asked: &CheckerRequest<'_>| asked.method == "tasks/get";
            kept_from_others(evidence, Topic::OthersTask, looks, NO_OTHER)
        })
    },
    mutants: &[lets_in("shows a task to any user", |context, reply| {
        give(context, reply, "others/tasks/get", &task(context));
    })],
};

pub(super) const M264: Requirement = Requirement {
    id: "M264",
    name: "without-context-binding-task-ids-cannot",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Without context binding, task ids cannot be guessed.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-isolation-and-access-control",
    observed: Observed::Each {
        server: &Observed::By(&M264_SERVER),
        client: &Observed::By(&M264_CLIENT),
    },
};

const M264_SERVER: Check = Check {
    how: "compares the ids of all tasks that began",
    seen: seen_in(&["tasks"]),
    fix: FIX,
    judge: |evidence| {
        let known = evidence
            .exchanges_about(Topic::WithoutToken)
            .any(|it| matches!(it.status, Some(401 | 403)));
        if known {
            return Outcome::NotApplicable("clients are known by their tokens".to_owned());
        }
        let ids =
            created(evidence).filter_map(|it| Some((it.answer.place, it.task.get("taskId")?)));
        let ids: Vec<_> = ids.collect();
        applies(evidence).unwrap_or_else(|| unguessable(&ids))
    },
    mutants: &[to("has short ids for its tasks", "own-task-id", |message| {
        message["result"]["task"]["taskId"] = json!("t1");
    })],
};

const M264_CLIENT: Check = Check {
    seen: seen_in(&["hosted tasks"]),
    // A client that is known to its server alone may count.
    judge: |evidence| doubtful((M264_SERVER.judge)(evidence)),
    mutants: &[to("has short ids for its tasks", "own-task-id", |message| {
        message["result"]["task"]["taskId"] = json!("t1");
    })],
    ..M264_SERVER
};

pub(super) const M265: Requirement = Requirement {
    id: "M265",
    name: "task-operations-from-another-context-refused",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Task operations from another context are refused.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-isolation-and-access-control",
    observed: Observed::Each {
        server: &Observed::By(&M265_CHECK),
        client: &Observed::Unobservable(
            "a client talks to one server, and nobody else can ask it for a task",
        ),
    },
};

const M265_CHECK: Check = Check {
    how: "asks for the result of a task of one user, and cancels it, with the token of another",
    seen: seen_in(&["users"]),
    fix: BIND,
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            let acts = |asked: &CheckerRequest<'_>| asked.method != "tasks/get";
            kept_from_others(evidence, Topic::OthersTask, acts, NO_OTHER)
        })
    },
    mutants: &[lets_in("lets any user cancel a task", |context, reply| {
        let mut cancelled = task(context);
        cancelled["status"] = json!("cancelled");
        give(context, reply, "others/tasks/cancel", &cancelled);
    })],
};

pub(super) const M266: Requirement = Requirement {
    id: "M266",
    name: "tasks-list-shows-only-caller-tasks",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] tasks/list shows only the caller's tasks.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-isolation-and-access-control",
    observed: Observed::Each {
        server: &Observed::By(&M266_CHECK),
        client: &Observed::Unobservable(
            "a client talks to one server, and nobody else can ask it for a task",
        ),
    },
};

const M266_CHECK: Check = Check {
    how: "lists the tasks with the token of a user who has none",
    seen: seen_in(&["users"]),
    fix: "list only the tasks of the user who asks",
    judge: |evidence| {
        if let Some(outcome) = lists(evidence).or_else(|| untried(evidence)) {
            return outcome;
        }
        each(evidence.asked(Topic::OthersTaskList), NO_OTHER, |asked| {
            let answer = asked.answer?;
            let first = answer.result()?.get("tasks")?.as_array()?.first()?;
            Some(Finding::new("no task of another user", show(first), answer.place))
        })
    },
    mutants: &[lets_in("lists the tasks of every user", |context, reply| {
        let mut task = task(context);
        task["taskId"] = json!("the-task-of-another-user");
        give(context, reply, "others-task-list", &json!({ "tasks": [task] }));
    })],
};

pub(super) const S129: Requirement = Requirement {
    id: "S129",
    name: "missing-context-binding-documented",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A missing context binding is documented.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-isolation-and-access-control",
    observed: Observed::Unobservable("a duty of documentation"),
};

pub(super) const S130: Requirement = Requirement {
    id: "S130",
    name: "receiver-cannot-tell-requestors-apart-does",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A receiver that cannot tell requestors apart does not declare tasks.list.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-isolation-and-access-control",
    observed: Observed::Each {
        server: &Observed::By(&S130_CHECK),
        client: &Observed::Unobservable("a client has one server at the other end"),
    },
};

const S130_CHECK: Check = Check {
    how: "asks for the list of tasks as another client, which began none",
    seen: seen_in(&["tasks-of-others"]),
    fix: "do not declare tasks.list where you cannot tell clients apart",
    judge: |evidence| {
        if let Some(outcome) = lists(evidence) {
            return outcome;
        }
        if evidence.transport != Transport::Http {
            let why = "whoever is at the other end of a pipe is the only one";
            return Outcome::NotApplicable(why.to_owned());
        }
        if evidence
            .exchanges_about(Topic::WithoutToken)
            .any(|it| matches!(it.status, Some(401 | 403)))
        {
            return Outcome::NotApplicable("clients are known by their tokens".to_owned());
        }
        each(evidence.asked(Topic::ListOthersTasks), "it was not tried", |asked| {
            let answer = asked.answer?;
            let first = answer.result()?.get("tasks")?.as_array()?.first()?;
            Some(Finding::new("no task of another client", show(first), answer.place))
        })
    },
    mutants: &[Mutant {
        transport: Some(Transport::Http),
        ..to("shows the tasks of one client to others", "tasks-of-others", |message| {
            message["result"]["tasks"] = json!([{ "taskId": "a", "status": "working", "ttl": null,
                "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z" }]);
        })
    }],
};

pub(super) const S131: Requirement = Requirement {
    id: "S131",
    name: "task-operations-rate-limited",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Task operations are rate limited.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-isolation-and-access-control",
    observed: Observed::Unobservable(
        "a limit shows only under a load that a check must not put on its peer",
    ),
};

pub(super) const S110: Requirement = Requirement {
    id: "S110",
    name: "requests-only-augmented-where-peer-declared",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Requests are only augmented where the peer declared support.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#capability-negotiation",
    observed: Observed::Each {
        server: &Observed::By(&S110_SERVER),
        client: &Observed::By(&S110_CLIENT),
    },
};

const S110_SERVER: Check = Check {
    how: "compares every request with a task with what the other side declared",
    seen: seen_everywhere(),
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

const S110_CLIENT: Check = Check {
    how: "looks at every request with a task",
    seen: seen_in(&["hosted behave"]),
    fix: "wish for tasks only where the server declares them",
    judge: |evidence| {
        each(calls_tasks(evidence), "no tool was called", |call| {
            let wish = call.params?.get("task")?;
            (!offers_tasks(evidence, call.place))
                .then(|| Finding::new("no task", show(wish), call.place))
        })
    },
    mutants: &[WISHES.also(&["M231", "M232"])],
};

pub(super) const S113: Requirement = Requirement {
    id: "S113",
    name: "polling-goes-on-until-terminal-or",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Polling goes on until a terminal or input_required status.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#getting-tasks",
    observed: Observed::Each {
        server: &Observed::By(&S113_SERVER),
        client: &Observed::By(&S113_CLIENT),
    },
};

const S113_SERVER: Check = Check {
    how: "runs tasks for the server, and waits for it to look at them until they are over",
    seen: seen_everywhere(),
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

const S113_CLIENT: Check = Check {
    how: "shows a task as working, and waits for the client to look until it is not",
    seen: seen_everywhere(),
    fix: S113_SERVER.fix,
    judge: |evidence| {
        let outcome = each(begun_tasks(evidence), "", |(call, task)| {
            let seen = about(evidence, &call, task).any(|it| {
                let shown = it.answer.and_then(|answer| answer.result()?.get("status"));
                it.method != "tasks/get" || shown.is_none_or(|status| status != "working")
            });
            let expected = "looks at the task until it is over or needs input";
            (!seen).then(|| Finding::new(expected, "none that shows that", call.place))
        });
        none_applies(outcome, NO_WISH)
    },
    mutants: M236_CLIENT.mutants,
};

pub(super) const S114: Requirement = Requirement {
    id: "S114",
    name: "polling-goes-on-beside-notifications",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Polling goes on beside notifications.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-status-notification",
    observed: Observed::Unobservable(
        "how often a requestor looks at a task beside notifications is not said, so that no silence proves that it stopped",
    ),
};

const ASKS_NOTHING: &str = "the server asked nothing that could be a task";
