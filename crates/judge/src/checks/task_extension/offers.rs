//! What tasks of the extension may do and need not: each is looked for, and nobody is blamed.

use serde_json::{Value, json};

use super::{created, looks};
use crate::{
    checks::{Check, claims, results::result, tasks::is_step},
    mutant::Mutant,
    outcome::offered,
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Asked, Evidence},
    topic::Topic,
    transport::Transport,
};

pub(crate) const A152: Check = Check {
    how: "makes calls with the extension",
    fix: ALLOWED,
    judge: |evidence| offered(created(evidence), "calls that become tasks", |_| true),
    mutants: &[Mutant::new(
        "makes no task of any call",
        Mutation::Done(|_, result| result["resultType"] == "task"),
    )],
};

pub(crate) const A154: Check = Check {
    how: "compares what each look at a task shows with the one before",
    fix: ALLOWED,
    judge: |evidence| {
        offered(pairs(evidence), "times of tasks that change", |(earlier, later)| {
            ["ttlMs", "pollIntervalMs"].iter().any(|it| earlier.get(it) != later.get(it))
        })
    },
    mutants: &[result("keeps tasks longer the more they are looked at", |context, result| {
        if context.method == Some("tasks/get") && result["status"] != "working" {
            result["ttlMs"] = json!(7_200_000);
        }
    })],
};

pub(crate) const A155: Check = Check {
    how: "looks for looks at tasks that are refused because there were too many",
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
                    reply.replace(429, "application/json", &claims::error(id, -32603).to_string());
                }
            }),
        )
    }],
};

pub(crate) const A158: Check = Check {
    how: "looks at a task right after its question was answered",
    fix: ALLOWED,
    judge: |evidence| {
        offered(answered(evidence), "answers that take effect later", |(keys, next)| {
            let open = next.get("inputRequests").and_then(Value::as_object);
            open.is_some_and(|open| keys.iter().any(|key| open.contains_key(*key)))
        })
    },
    mutants: &[Mutant::new(
        "takes its time with an answer",
        Mutation::Says(|_, message| {
            if message["id"] == "confirm_delete/get-2" && message.get("result").is_some() {
                let task = &mut message["result"];
                super::remove(task, "result");
                task["status"] = json!("input_required");
                task["inputRequests"] = json!({ "confirm": { "method": "elicitation/create",
                    "params": { "message": "Delete test?", "requestedSchema": {
                        "type": "object", "properties": { "confirm": { "type": "boolean" } },
                        "required": ["confirm"] } } } });
            }
        }),
    )],
};

pub(crate) const A159: Check = Check {
    how: "answers one of several questions of a task",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.asked(Topic::PartialUpdate), "one answer at a time", |asked| {
            asked.answer.is_some_and(|answer| answer.result().is_some())
        })
    },
    mutants: &[Mutant::new(
        "wants all answers at once",
        Mutation::Says(|_, message| {
            if is_step(message, "/partial") {
                *message = claims::error(&message["id"], -32602);
            }
        }),
    )],
};

pub(crate) const A160: Check = Check {
    how: "looks at a task after it was cancelled",
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.asked(Topic::CancelTask), "tasks that outlast their end", |asked| {
            let acknowledged = asked.answer.is_some_and(|answer| answer.result().is_some());
            acknowledged && after(evidence, &asked).any(|task| task["status"] != "cancelled")
        })
    },
    mutants: &[Mutant::new(
        "goes on for a while when it is cancelled",
        Mutation::Says(|_, message| {
            if is_step(message, "/cancelled") && message.get("result").is_some() {
                message["result"]["status"] = json!("working");
            }
        }),
    )],
};

pub(crate) const A162: Check = Check {
    how: "listens to a task",
    fix: ALLOWED,
    judge: |evidence| offered(evidence.told(NEWS), "news of tasks", |_| true),
    mutants: &[Mutant::new(
        "says nothing of its tasks to those who listen",
        Mutation::Silent(|method| method == NEWS),
    )],
};

/// Each sight of a task with the one before it.
fn pairs(evidence: &Evidence) -> impl Iterator<Item = (&Value, &Value)> {
    let seen: Vec<_> = looks(evidence)
        .filter_map(|(asked, _, task)| Some((asked.place.conversation, task?)))
        .collect();
    seen.clone().into_iter().enumerate().filter_map(move |(at, (here, later))| {
        let mut before = seen[..at].iter().rev();
        let same = |(there, earlier): &&(usize, &Value)| {
            *there == here && earlier.get("taskId") == later.get("taskId")
        };
        before.find(same).map(|(_, earlier)| (*earlier, later))
    })
}

/// The keys of each answer that a task was given, with the next sight of it.
fn answered(evidence: &Evidence) -> impl Iterator<Item = (Vec<&String>, &Value)> {
    evidence.asked(Topic::UpdateTask).filter_map(|asked| {
        let keys = asked.params?.get("inputResponses")?.as_object()?.keys().collect();
        Some((keys, after(evidence, &asked).next()?))
    })
}

/// All sights of the task that a request is about, after its answer.
fn after<'e>(evidence: &'e Evidence, asked: &Asked<'e>) -> impl Iterator<Item = &'e Value> {
    let id = asked.params.and_then(|params| params.get("taskId"));
    let place = asked.answer.map_or(asked.place, |answer| answer.place);
    looks(evidence).filter_map(move |(look, _, task)| {
        let about = look.params.and_then(|params| params.get("taskId"));
        let later = look.place.conversation == place.conversation && look.place.event > place.event;
        task.filter(|_| later && about == id)
    })
}

const NEWS: &str = "notifications/tasks";
const ALLOWED: &str = "nothing: this is allowed";
