//! `basic/utilities/tasks`: `#capabilities`, `#tool-level-negotiation`, `#retrieving-task-results`, `#task-notifications`, `#task-support-
//! and-handling`.

use super::shared::{M236_CLIENT, WISHES, has_task, offers_tasks};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{calls_tasks, remove as remove_client},
        request_metadata::{error, to},
        shape::{refused, show},
        tasks::{ALLOWED, RELATED, STATUS, applies, created, remove},
        tasks_requesting::{WISHES_NOTHING, about, begun, beside, wish},
        tools::none_applies,
        utilities::{extra, notifications},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2025_11_25;
use proofmark_record::{
    evidence::{Answer, CheckerRequest, Evidence},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M230: Requirement = Requirement {
    id: "M230",
    name: "support-task-augmentation-declared-under",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Support for task augmentation is declared under capabilities.tasks.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#capabilities ; schema/2025-11-25/schema.ts#TaskAugmentedRequestParams",
    observed: Observed::Each {
        server: &Observed::By(&M230_CHECK),
        client: &Observed::By(&M230_CHECK),
    },
};

const M230_CHECK: Check = Check {
    how: "compares what became a task with what is declared",
    seen: seen_everywhere(),
    fix: "declare in capabilities.tasks.requests which requests can be tasks",
    judge: |evidence| {
        if let Some(finding) = malformed(evidence) {
            return Outcome::Broken(finding);
        }
        let undeclared = created(evidence).find(|it| {
            let path = capability(it.asked.method);
            !evidence.capability(&path)
        });
        if let Some(it) = undeclared {
            let expected = format!("no task without {}", capability(it.asked.method));
            return Outcome::Broken(Finding::new(
                expected,
                show(it.answer.message),
                it.answer.place,
            ));
        }
        applies(evidence).unwrap_or(Outcome::Kept)
    },
    mutants: &[Mutant::new(
        "does not declare its tasks",
        Mutation::Says(|_, message| {
            for path in ["/result/capabilities", "/params/capabilities"] {
                if let Some(capabilities) = message.pointer_mut(path) {
                    remove(capabilities, "tasks");
                }
            }
        }),
    )
    .also(&["M237"])],
};

pub(super) const M231: Requirement = Requirement {
    id: "M231",
    name: "without-tasks-requests-tools-call-no-tool",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Without tasks.requests.tools.call no tool call is augmented, whatever taskSupport says.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#tool-level-negotiation",
    observed: Observed::By(&M231_CHECK),
};

const M231_CHECK: Check = Check {
    how: "declares no tasks, and looks at every call",
    seen: seen_in(&["hosted behave"]),
    fix: "call no tool as a task where the server does not declare tasks.requests.tools.call",
    judge: |evidence| {
        let calls_tasks = calls_tasks(evidence).filter(|call| !offers_tasks(evidence, call.place));
        each(calls_tasks, "no tool was called", |call| {
            let wish = call.params?.get("task")?;
            Some(Finding::new("no task", show(wish), call.place))
        })
    },
    mutants: &[WISHES.also(&["M232", "S110"])],
};

pub(super) const M232: Requirement = Requirement {
    id: "M232",
    name: "tool-tasksupport-absent-or-forbidden-not",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A tool with taskSupport absent or forbidden is not called as a task.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#tool-level-negotiation",
    observed: Observed::By(&M232_CHECK),
};

const M232_CHECK: Check = Check {
    how: "declares tasks, and looks at calls of tools that do not say that they can be one",
    seen: seen_in(&["hosted tasks"]),
    fix: "call a tool as a task only if its taskSupport is optional or required",
    judge: |evidence| {
        let calls_tasks = calls_tasks(evidence).filter(|call| {
            offers_tasks(evidence, call.place) && call.text("/name") == Some("add_numbers")
        });
        each(calls_tasks, "no such tool was called", |call| {
            let wish = call.params?.get("task")?;
            Some(Finding::new("no task", show(wish), call.place))
        })
    },
    mutants: &[WISHES.also(&["M231", "S110"])],
};

pub(super) const M233: Requirement = Requirement {
    id: "M233",
    name: "tasksupport-required-tool-called-task",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] With taskSupport required the tool is called as a task.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#tool-level-negotiation",
    observed: Observed::By(&M233_CHECK),
};

const M233_CHECK: Check = Check {
    how: "declares tasks and a tool that must be one",
    seen: seen_in(&["hosted tasks"]),
    fix: "call a tool whose taskSupport is required as a task",
    judge: |evidence| {
        let calls_tasks = calls_tasks(evidence)
            .filter(|call| offers_tasks(evidence, call.place) && call.text("/name") == Some("job"));
        each(calls_tasks, "the tool job was not called", |call| {
            let wished = call.params.is_some_and(|params| params.get("task").is_some());
            (!wished).then(|| Finding::new("a task", "none", call.place))
        })
    },
    mutants: &[Mutant::new(
        "calls at once what must be a task",
        Mutation::Says(|_, message| {
            if message.pointer("/params/name") == Some(&json!("job")) {
                remove_client(&mut message["params"], "task");
            }
        }),
    )],
};

pub(super) const M234: Requirement = Requirement {
    id: "M234",
    name: "calling-tool-whose-tasksupport-required",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Calling a tool whose taskSupport is required without a task gets -32601.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#tool-level-negotiation",
    observed: Observed::By(&M234_CHECK),
};

const M234_CHECK: Check = Check {
    how: "calls a tool that says that it must be a task, without one",
    seen: seen_in(&["tour"]),
    fix: "answer -32601 to a call without a task of a tool whose taskSupport is required",
    judge: |evidence| {
        if let Some(outcome) = no_tool_tasks(evidence) {
            return outcome;
        }
        let mut doubtful = None;
        let demanding = calls(evidence, "required").filter(|it| !is_augmented(it));
        let outcome = each(demanding, "", |asked| {
            let answer = asked.answer?;
            let finding = Finding::new("the error -32601", show(answer.message), answer.place);
            match answer.code() {
                Some(-32601) => None,
                _ => Some(finding),
            }
        });
        if let Outcome::Broken(finding) = &outcome {
            // A receiver that takes no calls but tasks may say -32600.
            let lenient = calls(evidence, "required").filter(|it| !is_augmented(it)).all(|asked| {
                let code = asked.answer.and_then(Answer::code);
                matches!(code, Some(-32600 | -32601))
            });
            doubtful = lenient.then(|| Outcome::Doubtful(finding.clone()));
        }
        none_applies(doubtful.unwrap_or(outcome), "no tool says that it must be a task")
    },
    mutants: &[Mutant::new(
        "runs a tool at once that must be a task",
        Mutation::Says(|context, message| {
            let plain = context.params["name"] == "failing_job" && !has_task(context.params);
            if plain && message.get("error").is_some() {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "result": { "content": [] } });
            }
        }),
    )
    .also(&["M249"])],
};

pub(super) const S111: Requirement = Requirement {
    id: "S111",
    name: "calling-tool-whose-tasksupport-absent-or",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Calling a tool whose taskSupport is absent or forbidden as a task gets -32601.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#tool-level-negotiation",
    observed: Observed::By(&S111_CHECK),
};

const S111_CHECK: Check = Check {
    how: "calls a tool as a task that does not say that it can be one",
    seen: seen_in(&["tasks"]),
    fix: "answer -32601 to a call as a task of a tool whose taskSupport is forbidden or absent",
    judge: |evidence| {
        no_tool_tasks(evidence).unwrap_or_else(|| {
            let nothing = "every tool that may be called can be a task";
            none_applies(refused(evidence, Topic::ForbiddenTask, &[-32601], ""), nothing)
        })
    },
    mutants: &[to("takes a wish for a task for wrong params", "forbidden-task", |message| {
        message["error"]["code"] = json!(-32602);
    })],
};

pub(super) const A074: Requirement = Requirement {
    id: "A074",
    name: "tasksupport-optional-either-way-may-used",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] With taskSupport optional either way may be used.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#tool-level-negotiation",
    observed: Observed::Unobservable("a permission: both ways are right where tools say optional"),
};

pub(super) const M235: Requirement = Requirement {
    id: "M235",
    name: "task-traffic-still-obeys-streamable-http",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "[tasks exp] Task traffic still obeys the Streamable HTTP rules.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#getting-tasks ; docs/specification/2025-11-25/basic/utilities/tasks.mdx#retrieving-task-results",
    observed: Observed::Unobservable(
        "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
    ),
};

pub(super) const A076: Requirement = Requirement {
    id: "A076",
    name: "client-may-drop-stream-tasks-get-or",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "[tasks exp] The client may drop the stream of tasks/get or tasks/result.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#getting-tasks ; docs/specification/2025-11-25/basic/utilities/tasks.mdx#retrieving-task-results",
    observed: Observed::Unobservable(
        "a permission for clients: a stream that is dropped is taken up again or not, as the client likes",
    ),
};

pub(super) const M236: Requirement = Requirement {
    id: "M236",
    name: "nobody-depends-on-status-notifications",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Nobody depends on status notifications.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-status-notification ; docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-notifications",
    observed: Observed::Each {
        server: &Observed::By(&M236_SERVER),
        client: &Observed::By(&M236_CLIENT),
    },
};

const M236_SERVER: Check = Check {
    how: "runs tasks for the server, tells it nothing of their status, and waits for it to look",
    seen: seen_everywhere(),
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

pub(super) const S123: Requirement = Requirement {
    id: "S123",
    name: "status-notification-carries-no-related-task",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A status notification carries no related-task metadata.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-notifications",
    observed: Observed::Each {
        server: &Observed::By(&S123_SERVER),
        client: &Observed::By(&S123_CLIENT),
    },
};

const S123_SERVER: Check = Check {
    how: "looks at every notification about the status of a task",
    seen: seen_everywhere(),
    fix: "leave related-task out of it: it says which task it is about",
    judge: |evidence| {
        let outcome = each(evidence.told(STATUS), "", |heard| {
            let related = heard.message.pointer("/params/_meta")?.get(RELATED)?;
            Some(Finding::new("no related-task", show(related), heard.place))
        });
        none_applies(outcome, "it did not tell of any status")
    },
    mutants: &[Mutant::new(
        "tells twice whose status it tells",
        Mutation::Says(|_, message| {
            if message["method"] == STATUS {
                let id = message["params"]["taskId"].clone();
                message["params"]["_meta"][RELATED] = json!({ "taskId": id });
            }
        }),
    )
    .also(&["S125"])],
};

const S123_CLIENT: Check = Check {
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
    ..S123_SERVER
};

pub(super) const A077: Requirement = Requirement {
    id: "A077",
    name: "notifications-tasks-status-may-sent",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] notifications/tasks/status may be sent.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-status-notification ; docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-notifications",
    observed: Observed::Each {
        server: &Observed::By(&A077_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A077_CHECK: Check = Check {
    how: "looks for notifications about the status of tasks",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| offered(evidence.told(STATUS), "news of the status of tasks", |_| true),
    mutants: &[Mutant::new(
        "says nothing of the status of its tasks",
        Mutation::Silent(|method| method == STATUS),
    )],
};

pub(super) const M237: Requirement = Requirement {
    id: "M237",
    name: "receiver-without-capability-ignores-task",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A receiver without the capability ignores task metadata and runs the request normally.",
    section: "docs/specification/2025-11-25/basic/utilities/tasks.mdx#task-support-and-handling",
    observed: Observed::Each {
        server: &Observed::By(&M237_CHECK),
        client: &Observed::By(&M237_CHECK),
    },
};

const M237_CHECK: Check = Check {
    how: "wishes for a task where none is declared",
    seen: seen_in(&["hosted tasks", "tasks"]),
    fix: "take no notice of task in requests that cannot be tasks",
    judge: |evidence| {
        // The wish comes with a ping.
        let pings = evidence.asked(Topic::Ping).chain(evidence.asked(Topic::PingByString));
        let answered = pings.map(|asked| asked.answer.is_some_and(|it| it.result().is_some()));
        if answered.reduce(|one, other| one || other) == Some(false) {
            let why = "it follows from M079: ping has no result without the wish for a task either";
            return Outcome::Unobserved(why.to_owned());
        }
        each(evidence.asked(Topic::UndeclaredTask), "it was not tried", |asked| {
            let expected = "the usual result";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            let usual = answer.result().is_some_and(|result| result.get("task").is_none());
            (!usual).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[to("minds a wish that it cannot fulfil", "ping-as-task", |message| {
        *message = error(&message["id"], -32602);
    })],
};

/// What the declaration looks like that is none.
fn malformed(evidence: &Evidence) -> Option<Finding> {
    let tasks = evidence.declared()?.pointer("/capabilities/tasks")?;
    // Members that are not known mean nothing, whatever they are.
    let right = tasks.is_object()
        && TASK_CAPABILITIES.iter().all(|path| tasks.pointer(path).is_none_or(Value::is_object));
    (!right).then(|| Finding::new("objects in capabilities.tasks", show(tasks), None))
}

const TASK_CAPABILITIES: [&str; 9] = [
    "/cancel",
    "/list",
    "/requests",
    "/requests/elicitation",
    "/requests/elicitation/create",
    "/requests/sampling",
    "/requests/sampling/createMessage",
    "/requests/tools",
    "/requests/tools/call",
];

fn capability(method: &str) -> String {
    format!("/tasks/requests/{method}")
}

/// Why nothing about tools as tasks applies, if so.
fn no_tool_tasks(evidence: &Evidence) -> Option<Outcome> {
    (!evidence.capability("/tasks/requests/tools/call")).then(|| {
        Outcome::NotApplicable("the server does not declare tasks.requests.tools.call".to_owned())
    })
}

/// Calls of tools that say this about tasks.
fn calls<'e>(evidence: &'e Evidence, support: &'e str) -> impl Iterator<Item = CheckerRequest<'e>> {
    let tools: Vec<&Value> = evidence
        .listed("tools/list")
        .filter(|tool| {
            let said = tool.message.pointer("/execution/taskSupport");
            said.is_some_and(|said| said == support)
        })
        .filter_map(|tool| tool.message.get("name"))
        .collect();
    evidence.asked(Topic::Call).filter(move |asked| {
        let name = asked.params.and_then(|params| params.get("name"));
        asked.method == "tools/call" && name.is_some_and(|name| tools.contains(&name))
    })
}

fn is_augmented(asked: &CheckerRequest<'_>) -> bool {
    asked.params.is_some_and(has_task)
}
