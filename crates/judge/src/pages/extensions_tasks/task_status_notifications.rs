//! `extensions/tasks`: `#task-status-notifications`, `#streamable-http-routing-headers`, `#supported-methods`, `#task-polling`.

use super::shared::{
    ALLOWED, METHODS, NO_TASK, NO_TASK_TASK_EXTENSION, about, about_tasks, begun, created,
    declared, undeclared,
};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{LOOKS_TWICE, S112_CLIENT, hasty},
        request_metadata::error,
        shape::show,
        tasks::is_step,
        tools::none_applies,
        utilities::extra,
    },
    mutant::Mutant,
    outcome::{Finding, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{http_request::HttpRequest, mutation::Mutation};
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{
    evidence::{Evidence, PeerMessage},
    meta::SUBSCRIPTION,
    topic::Topic,
    transport::Transport,
};
use serde_json::{Value, json};

pub(super) const M555: Requirement = Requirement {
    id: "M555",
    name: "no-progress-or-log-notification-sent-task-on",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] No progress or log notification is sent for a task on a listen stream.",
    section: "seps/2663-tasks-extension.md#task-status-notifications",
    observed: Observed::By(&M555_CHECK),
};

const M555_CHECK: Check = Check {
    how: "listens to a task that was given a progress token and a level for logs",
    seen: seen_in(&["tasks"]),
    fix: "tell those who listen to a task of its status, and of nothing else",
    judge: |evidence| {
        let listened = evidence.asked(Topic::Listen).filter(|asked| {
            let filter = asked.params.and_then(|params| params.get("notifications"));
            filter.is_some_and(|filter| filter.get("taskIds").is_some())
        });
        let outcome = each(listened, "", |asked| {
            let mut told = evidence.heard_methods().filter(|(heard, method)| {
                heard.place.conversation == asked.place.conversation
                    && heard.place.event > asked.place.event
                    && ["notifications/progress", "notifications/message"].contains(method)
                    && (of_subscription(*heard, asked.id) || of_task(evidence, *heard))
            });
            let (heard, _) = told.next()?;
            let expected = "neither progress nor logs of a task";
            Some(Finding::new(expected, show(heard.message), heard.place))
        });
        undeclared(evidence).unwrap_or_else(|| none_applies(outcome, NO_TASK))
    },
    mutants: &[extra("reports the progress of a task", |_, message| {
        let mut texts = vec![message.to_string()];
        if is_step(message, "/cancelled") {
            let report = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                "params": { "progressToken": "of-a-task", "progress": 1 } });
            texts.push(report.to_string());
        }
        texts
    })
    .also(&["M227"])],
};

pub(super) const A162: Requirement = Requirement {
    id: "A162",
    name: "notifications-tasks-may-pushed-listen",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] notifications/tasks may be pushed to listen streams with taskIds in their filter, each with the full task.",
    section: "seps/2663-tasks-extension.md#task-status-notifications",
    observed: Observed::By(&A162_CHECK),
};

const A162_CHECK: Check = Check {
    how: "listens to a task",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| offered(evidence.told(NEWS), "news of tasks", |_| true),
    mutants: &[Mutant::new(
        "says nothing of its tasks to those who listen",
        Mutation::Silent(|method| method == NEWS),
    )],
};

pub(super) const A163: Requirement = Requirement {
    id: "A163",
    name: "polling-may-go-on-beside-notifications",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Polling may go on beside notifications.",
    section: "seps/2663-tasks-extension.md#task-status-notifications",
    observed: Observed::Unobservable(
        "a permission for clients, of which both uses are right: what a client may ask is not judged by how often it does",
    ),
};

pub(super) const M556: Requirement = Requirement {
    id: "M556",
    name: "tasks-get-tasks-update-tasks-cancel-posts",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "[tasks ext] tasks/get, tasks/update and tasks/cancel POSTs have Mcp-Name equal to taskId.",
    section: "seps/2663-tasks-extension.md#streamable-http-routing-headers",
    observed: Observed::By(&M556_CHECK),
};

const M556_CHECK: Check = Check {
    how: "looks at the headers of every request about a task",
    seen: seen_everywhere(),
    fix: "put the taskId into Mcp-Name",
    judge: |evidence| {
        let asked = evidence.requests().filter(|request| METHODS.contains(&request.method));
        declared(evidence, || {
            each(asked, NO_TASK_TASK_EXTENSION, |request| {
                let wanted = request.text("/taskId")?;
                let exchange = evidence.exchanges().find(|it| {
                    it.exchange == request.exchange
                        && it.place.conversation == request.place.conversation
                })?;
                let named = exchange.asked.iter().find(|(name, _)| name == "mcp-name");
                let actual = named.map_or("no Mcp-Name", |(_, value)| value.as_str());
                let expected = format!("Mcp-Name: {wanted}");
                (actual != wanted).then(|| Finding::new(expected, actual, exchange.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "does not say in the head which task it asks for",
        Mutation::Head(|request: &mut HttpRequest| {
            let about = serde_json::from_slice::<Value>(&request.body);
            if about.is_ok_and(|message| about_tasks(&message)) {
                request.headers.retain(|(name, _)| name != "mcp-name");
            }
        }),
    )
    .also(&["M195"])],
};

pub(super) const S295: Requirement = Requirement {
    id: "S295",
    name: "room-left-other-methods-than-tools-call",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Room is left for other methods than tools/call.",
    section: "seps/2663-tasks-extension.md#supported-methods",
    observed: Observed::Unobservable("a rule for those who design a peer"),
};

pub(super) const S298: Requirement = Requirement {
    id: "S298",
    name: "pollintervalms-respected",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] pollIntervalMs is respected.",
    section: "seps/2663-tasks-extension.md#task-polling",
    observed: Observed::By(&S298_CHECK),
};

const S298_CHECK: Check = Check {
    how: S112_CLIENT.how,
    seen: seen_everywhere(),
    fix: "wait for pollIntervalMs between one look at a task and the next",
    judge: |evidence| {
        declared(evidence, || {
            each(begun(evidence), NO_TASK_TASK_EXTENSION, |(call, task)| {
                let asked = about(evidence, &call, task);
                hasty(evidence, asked, "pollIntervalMs")
            })
        })
    },
    mutants: &[LOOKS_TWICE],
};

pub(super) const S300: Requirement = Requirement {
    id: "S300",
    name: "task-ids-survive-client-restart",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Task ids survive a client restart.",
    section: "seps/2663-tasks-extension.md#task-polling",
    observed: Observed::Unobservable("how something is stored cannot be seen from outside"),
};

pub(super) const A155: Requirement = Requirement {
    id: "A155",
    name: "too-eager-polling-may-rate-limited",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[tasks ext] Too eager polling may be rate limited.",
    section: "seps/2663-tasks-extension.md#task-polling",
    observed: Observed::By(&A155_CHECK),
};

const A155_CHECK: Check = Check {
    how: "looks for looks at tasks that are refused because there were too many",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        let looked = evidence.asked_by_method("tasks/get");
        offered(looked, "a limit of looks at tasks", |asked| {
            evidence.exchange_of(&asked).is_some_and(|exchange| exchange.status == Some(429))
        })
    },
    mutants: &[Mutant {
        transport: Some(Transport::Http),
        ..Mutant::new(
            "has had enough of those who look",
            Mutation::Http(|context, reply| {
                let id = &context.message["id"];
                if is_step(context.message, "failing_job/get-1") {
                    reply.replace(429, "application/json", &error(id, -32603).to_string());
                }
            }),
        )
    }],
};

/// Whether something was said because of a subscription.
fn of_subscription(heard: PeerMessage<'_>, id: &Value) -> bool {
    let named = heard.message.pointer("/params/_meta").and_then(|meta| meta.get(SUBSCRIPTION));
    named == Some(id)
}

/// Whether this reports the progress of a call that became a task.
fn of_task(evidence: &Evidence, heard: PeerMessage<'_>) -> bool {
    let Some(token) = heard.message.pointer("/params/progressToken") else { return false };
    created(evidence).any(|(asked, answer, _)| {
        answer.place.conversation == heard.place.conversation
            && answer.place.event < heard.place.event
            && asked.params.and_then(|params| params.pointer("/_meta/progressToken")) == Some(token)
    })
}

const NEWS: &str = "notifications/tasks";
