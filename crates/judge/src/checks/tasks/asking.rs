//! Tasks that need something of whoever wished for them.

use serde_json::{Value, json};

use super::{RELATED, applies, created, is_step, is_terminal, looks, looks_at, of_look};
use crate::{
    checks::{Check, envelope::server_requests, shape::show, tools::none_applies},
    mutant::Mutant,
    outcome::{Finding, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Evidence, Heard},
    transport::Transport,
};

pub(crate) const M244: Check = Check {
    how: "looks at what it is asked while nothing but tasks runs",
    fix: "name the task under io.modelcontextprotocol/related-task in _meta of all that belongs to it",
    judge: |evidence| {
        let outcome = each(questions(evidence), "", |heard| {
            let named = related(heard);
            let known = created(evidence).any(|it| {
                it.asked.place.conversation == heard.place.conversation
                    && it.task.get("taskId") == named
            });
            let expected = format!("{RELATED} with the id of its task");
            (!known).then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        applies(evidence).unwrap_or_else(|| none_applies(outcome, ASKS_NOTHING))
    },
    mutants: &[Mutant::new(
        "does not say for which task it asks",
        Mutation::Says(|_, message| {
            if let Some(params) = message.get_mut("params") {
                super::remove(params, "_meta");
            }
        }),
    )],
};

pub(crate) const S117: Check = Check {
    how: "leaves a question of a task open, and looks at the task",
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
            // Questions may be held back until somebody waits for the result.
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

pub(crate) const S119: Check = Check {
    how: "answers what a task asks, and looks at the task",
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

pub(crate) const S116: Check = Check {
    how: "looks at the content type of every answer to tasks/get",
    fix: "answer tasks/get with JSON rather than with an event stream",
    judge: |evidence| {
        let looked = evidence.asked_by_method("tasks/get").filter_map(|asked| {
            let exchange = evidence.exchange_of(&asked)?;
            exchange.status.filter(|status| *status == 200).map(|_| exchange)
        });
        applies(evidence).unwrap_or_else(|| {
            each(looked, super::NO_TASK, |exchange| {
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

/// What is asked while a task runs, and no request that is none.
fn questions(evidence: &Evidence) -> impl Iterator<Item = Heard<'_>> {
    let all = looks(evidence);
    server_requests(evidence).filter(move |heard| {
        let method = heard.message["method"].as_str().unwrap_or_default();
        let at = heard.place;
        let runs = created(evidence).any(|it| {
            let begun =
                it.asked.place.conversation == at.conversation && it.answer.place.event < at.event;
            let id = it.task.get("taskId").unwrap_or(&Value::Null);
            let over = looks_at(&all, at.conversation, id).iter().any(|look| {
                look.answered.event < at.event && look.status().is_some_and(is_terminal)
            });
            begun && !over
        });
        ["elicitation/create", "sampling/createMessage"].contains(&method)
            && runs
            && !plain_call_runs(evidence, *heard)
    })
}

/// Whether a request runs that may ask for itself.
fn plain_call_runs(evidence: &Evidence, heard: Heard<'_>) -> bool {
    evidence.asked_by_method("tools/call").any(|asked| {
        let here = asked.place.conversation == heard.place.conversation;
        let plain = asked.params.is_none_or(|params| params.get("task").is_none());
        let open = asked.answer.is_none_or(|answer| answer.place.event > heard.place.event);
        here && plain && asked.place.event < heard.place.event && open
    })
}

/// The task that a question says it belongs to.
fn related(heard: Heard<'_>) -> Option<&Value> {
    heard.message.pointer("/params/_meta")?.get(RELATED)?.get("taskId")
}

/// When the checker answered a question.
fn answered_at(evidence: &Evidence, heard: Heard<'_>) -> Option<usize> {
    let mut same = evidence.requests().filter(|request| request.place == heard.place);
    let request = same.find(|request| heard.message.get("id") == Some(request.id))?;
    request.answer.map(|answer| answer.place.event)
}

const ASKS_NOTHING: &str = "nothing that became a task asked for anything";
