//! `extensions/tasks`: `#capability-negotiation`, `#backward-compatibility`.

use super::shared::{
    ALLOWED, EXTENSION, NO_TASK, NO_TASK_TASK_EXTENSION, about, about_tasks, begun, created,
    declared, looks, missing, undeclared,
};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        request_metadata::{error, to},
        results::result,
        shape::show,
        stateless::{GONE, answer, gone},
        tools::none_applies,
        utilities::extra,
    },
    mutant::Mutant,
    outcome::{Finding, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only, since},
};
use proofmark_converse::{hosted::ODD_TASK, mutation::Mutation};
use proofmark_core::revision::Revision::{V2025_11_25, V2026_07_28};
use proofmark_record::{
    evidence::{Answer, CheckerRequest, Evidence},
    meta::{CAPABILITIES, SERVER_INFO},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M530: Requirement = Requirement {
    id: "M530",
    name: "request-did-not-declare-extension-never",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A request that did not declare the extension is never answered with a task.",
    section: "seps/2663-tasks-extension.md#capability-negotiation",
    observed: Observed::By(&M530_CHECK),
};

const M530_CHECK: Check = Check {
    how: "calls every tool without declaring the extension",
    seen: seen_everywhere(),
    fix: "answer with a task only where the request itself declares the extension",
    judge: |evidence| {
        let calls = evidence.asked_by_method("tools/call").filter(|asked| !declares(asked));
        undeclared(evidence).unwrap_or_else(|| {
            each(calls, "no tool was called", |asked| {
                let answer = asked.answer?;
                let result = answer.result()?;
                let task = result.get("resultType").is_some_and(|kind| kind == "task");
                task.then(|| Finding::new("no task", show(result), answer.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "has tasks for those who know none",
        Mutation::Says(|context, message| {
            let tool = context.params["name"] == "confirm_delete";
            if tool && !knows_tasks(context.params) && context.params.get("task").is_none() {
                *message = a_task(&message["id"]);
            }
        }),
    )
    .also(&["M152", "M561"])],
};

pub(super) const M532: Requirement = Requirement {
    id: "M532",
    name: "task-answer-unsupported-method-invalid",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A task in answer to an unsupported method is an invalid response.",
    section: "seps/2663-tasks-extension.md#capability-negotiation",
    observed: Observed::By(&M532_CHECK),
};

const M532_CHECK: Check = Check {
    how: "answers prompts/get with a task",
    seen: seen_everywhere(),
    fix: "take a task in answer to anything but tools/call for an invalid response",
    judge: |evidence| {
        let answered = evidence.requests_for("prompts/get").filter(|request| {
            let result = request.answer.and_then(Answer::result);
            result.is_some_and(|result| result["resultType"] == "task")
        });
        declared(evidence, || {
            each(answered, "the prompt was not asked for", |_| {
                let looked = evidence.requests().find(|it| it.text("/taskId") == Some(ODD_TASK))?;
                let expected = "no interest in a task that cannot be one";
                Some(Finding::new(expected, looked.method, looked.place))
            })
        })
    },
    mutants: &[extra("follows a task that is none", |_, message| {
        let mut texts = vec![message.to_string()];
        if message["method"] == "tasks/cancel" {
            let mut look = message.clone();
            look["id"] = json!("own-look");
            look["method"] = json!("tasks/get");
            look["params"]["taskId"] = json!(ODD_TASK);
            texts.push(look.to_string());
        }
        texts
    })],
};

pub(super) const M533: Requirement = Requirement {
    id: "M533",
    name: "if-only-task-would-do-client-did-not-declare",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] If only a task would do and the client did not declare it, the answer is -32021 naming the extension.",
    section: "seps/2663-tasks-extension.md#capability-negotiation",
    observed: Observed::By(&M533_CHECK),
};

const M533_CHECK: Check = Check {
    how: "calls, without the extension, what is a task with it",
    seen: seen_in(&["tour"]),
    fix: "answer -32021 with the extension in data.requiredCapabilities where only a task would do",
    judge: |evidence| {
        let refused = evidence.asked(Topic::Call).filter_map(|asked| {
            let answer = asked.answer?;
            answer.error()?;
            let needed = answer.code() == Some(-32021) && !declares(&asked);
            (became_task(evidence, &asked) && (needed || completes(evidence, &asked)))
                .then_some(answer)
        });
        let outcome = each(refused, "", missing);
        undeclared(evidence)
            .unwrap_or_else(|| none_applies(outcome, "every tool can do without a task"))
    },
    mutants: &[
        Mutant::new(
            "does not say that it wants the extension",
            Mutation::Says(|context, message| {
                if context.params["name"] == "failing_job" && !knows_tasks(context.params) {
                    message["error"]["data"] = json!({ "requiredCapabilities": {} });
                }
            }),
        ),
        Mutant::new(
            "takes the missing extension for a missing method",
            Mutation::Says(|context, message| {
                let tool = context.params["name"] == "failing_job";
                if tool && !knows_tasks(context.params) && message.get("error").is_some() {
                    message["error"]["code"] = json!(-32601);
                }
            }),
        ),
    ],
};

pub(super) const A152: Requirement = Requirement {
    id: "A152",
    name: "tools-call-from-declaring-client-may",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A tools/call from a declaring client may be answered with a task, call by call.",
    section: "seps/2663-tasks-extension.md#capability-negotiation",
    observed: Observed::By(&A152_CHECK),
};

const A152_CHECK: Check = Check {
    how: "makes calls with the extension",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| offered(created(evidence), "calls that become tasks", |_| true),
    mutants: &[Mutant::new(
        "makes no task of any call",
        Mutation::Done(|_, result| result["resultType"] == "task"),
    )],
};

pub(super) const M531: Requirement = Requirement {
    id: "M531",
    name: "declaring-client-handles-normal-result-task",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A declaring client handles a normal result and a task for every supported request.",
    section: "seps/2663-tasks-extension.md#capability-negotiation ; seps/2663-tasks-extension.md#backward-compatibility",
    observed: Observed::By(&M531_CHECK),
};

const M531_CHECK: Check = Check {
    how: "answers some calls with a task and others with a result",
    seen: seen_everywhere().momentary(),
    fix: "take a task for an answer, and look at it until there is a result",
    judge: |evidence| {
        declared(evidence, || {
            each(begun(evidence), NO_TASK_TASK_EXTENSION, |(call, task)| {
                let asked = about(evidence, &call, task).next().is_some();
                let expected = "tasks/get for a call that became a task";
                (!asked).then(|| Finding::new(expected, "nothing of it", call.place))
            })
        })
    },
    mutants: &[extra("takes no task for an answer", |_, message| {
        if about_tasks(message) { Vec::new() } else { vec![message.to_string()] }
    })
    .also(&["S299"])],
};

pub(super) const M560: Requirement = Requirement {
    id: "M560",
    name: "under-2025-11-25-extension-capability",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks ext] Under 2025-11-25 the extension capability enables nothing.",
    section: "seps/2663-tasks-extension.md#backward-compatibility",
    observed: Observed::By(&M560_CHECK),
};

const M560_CHECK: Check = Check {
    how: "declares the extension in the handshake, and calls a tool that can be a task without one",
    seen: seen_everywhere(),
    fix: "take no notice of the extension where the revision does not define it",
    judge: |evidence| {
        let calls = evidence.asked_by_method("tools/call").filter(|asked| {
            let declared = evidence.declared_to_peer(asked.place);
            let known = declared.and_then(|it| it.get("extensions")?.get(EXTENSION)).is_some();
            known && asked.params.is_none_or(|params| params.get("task").is_none())
        });
        let outcome = each(calls, "", |asked| {
            let answer = asked.answer?;
            let result = answer.result()?;
            let task = result.get("resultType").is_some_and(|kind| kind == "task")
                || result.get("taskId").is_some()
                || result.get("task").is_some();
            task.then(|| Finding::new("no task", show(result), answer.place))
        });
        none_applies(outcome, "no tool says that it can be a task")
    },
    mutants: &[to("has tasks of the future", "task-not-wanted", |message| {
        *message = a_task(&message["id"]);
    })
    .also(&["M068"])],
};

pub(super) const M561: Requirement = Requirement {
    id: "M561",
    name: "client-declares-only-old-tasks-capability",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A client that declares only the old tasks capability counts as not declaring the extension.",
    section: "seps/2663-tasks-extension.md#backward-compatibility",
    observed: Observed::By(&M561_CHECK),
};

const M561_CHECK: Check = Check {
    how: "calls what becomes a task, as a client that knows the tasks of 2025-11-25 only",
    seen: seen_in(&["tasks"]),
    fix: "take a client that declares only capabilities.tasks for one without tasks",
    judge: |evidence| {
        let outcome = each(evidence.asked(Topic::OutdatedTaskClaim), "", |asked| {
            let answer = asked.answer?;
            let result = answer.result()?;
            let task = result.get("resultType").is_some_and(|kind| kind == "task")
                || result.get("task").is_some();
            task.then(|| Finding::new("no task", show(result), answer.place))
        });
        undeclared(evidence).unwrap_or_else(|| none_applies(outcome, NO_TASK))
    },
    mutants: &[to("has new tasks for old clients", "outdated-claim", |message| {
        *message = a_task(&message["id"]);
    })
    .also(&["M152", "M530"])],
};

pub(super) const M562: Requirement = Requirement {
    id: "M562",
    name: "tasks-result-gets-32601",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks/result gets -32601.",
    section: "seps/2663-tasks-extension.md#backward-compatibility",
    observed: Observed::By(&M562_CHECK),
};

const M562_CHECK: Check = Check {
    how: "asks for the result of a task as in an earlier revision",
    seen: seen_in(&["tour"]),
    fix: GONE,
    judge: |evidence| gone(evidence, &["tasks/result"]),
    mutants: &[Mutant::new(
        "still waits for tasks",
        Mutation::Says(|context, message| {
            answer(context.method == Some("tasks/result"), message);
        }),
    )],
};

pub(super) const M563: Requirement = Requirement {
    id: "M563",
    name: "old-task-parameter-tools-call-ignored",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] The old task parameter of tools/call is ignored.",
    section: "seps/2663-tasks-extension.md#backward-compatibility",
    observed: Observed::By(&M563_CHECK),
};

const M563_CHECK: Check = Check {
    how: "calls a tool with the parameter that asked for tasks in 2025-11-25",
    seen: seen_in(&["tasks"]),
    fix: "take no notice of task in a call",
    judge: |evidence| {
        let outcome = each(evidence.asked(Topic::OutdatedTaskParameter), "", |asked| {
            let answer = asked.answer?;
            let usual = answer.result().is_some_and(|result| {
                result.get("task").is_none()
                    && result.get("resultType").is_none_or(|kind| kind != "task")
            });
            let expected = "the usual result";
            (!usual).then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        undeclared(evidence).unwrap_or_else(|| none_applies(outcome, "every call became a task"))
    },
    mutants: &[to("minds a wish for a task", "outdated-parameter", |message| {
        *message = error(&message["id"], -32602);
    })],
};

pub(super) const M564: Requirement = Requirement {
    id: "M564",
    name: "old-tasks-capabilities-not-advertised-under",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] The old tasks capabilities are not advertised under 2026-07-28.",
    section: "seps/2663-tasks-extension.md#backward-compatibility",
    observed: Observed::By(&M564_CHECK),
};

const M564_CHECK: Check = Check {
    how: "looks at the capabilities in every result of server/discover",
    seen: seen_everywhere(),
    fix: "advertise tasks as an extension only",
    judge: |evidence| {
        each(evidence.results("server/discover"), "there was no result", |(answer, result)| {
            let tasks = result.pointer("/capabilities/tasks")?;
            Some(Finding::new("no capability tasks", show(tasks), answer.place))
        })
    },
    mutants: &[result("advertises tasks as it used to", |context, result| {
        if context.method == Some("server/discover") {
            result["capabilities"]["tasks"] = json!({});
        }
    })],
};

pub(super) const S306: Requirement = Requirement {
    id: "S306",
    name: "server-both-kinds-still-lets-old-clients-get",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] A server of both kinds still lets old clients get and cancel their old tasks.",
    section: "seps/2663-tasks-extension.md#backward-compatibility",
    observed: Observed::Unobservable(
        "a run is of one revision: whether a server has tasks of the other kind, too, shows in another run",
    ),
};

fn declares(asked: &CheckerRequest<'_>) -> bool {
    asked.params.is_some_and(knows_tasks)
}

fn knows_tasks(params: &Value) -> bool {
    let declared = params.get("_meta").and_then(|meta| meta.get(CAPABILITIES));
    declared.and_then(|it| it.get("extensions")?.get(EXTENSION)).is_some()
}

/// Whether the same call became a task when the extension was declared.
fn became_task(evidence: &Evidence, asked: &CheckerRequest<'_>) -> bool {
    task_of(evidence, asked).is_some()
}

/// Whether it even did what it was called for.
fn completes(evidence: &Evidence, asked: &CheckerRequest<'_>) -> bool {
    let task = task_of(evidence, asked);
    task.is_some_and(|id| {
        looks(evidence).any(|(_, _, shown)| {
            shown.is_some_and(|it| it.get("taskId") == Some(id) && it["status"] == "completed")
        })
    })
}

fn task_of<'e>(evidence: &'e Evidence, asked: &CheckerRequest<'_>) -> Option<&'e Value> {
    let of = |asked: &CheckerRequest<'_>, member: &str| {
        asked.params.and_then(|it| it.get(member)).cloned()
    };
    let (_, _, task) = created(evidence).find(|(other, ..)| {
        of(other, "name") == of(asked, "name") && of(other, "arguments") == of(asked, "arguments")
    })?;
    task.get("taskId")
}

fn a_task(id: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": { "resultType": "task", "taskId": "a-task-of-everybody",
        "status": "working", "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": null, "_meta": { SERVER_INFO: { "name": "a", "version": "1" } } } })
}
