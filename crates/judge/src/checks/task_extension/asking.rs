//! Tasks of the extension that ask, and what is said of them to those who listen.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{created, each_look, looks, undeclared};
use crate::{
    checks::{Check, results::result, shape::show, tools::none_applies, utilities::extra},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Evidence, Heard},
    meta::SUBSCRIPTION,
    topic::Topic,
};

pub(crate) const M542: Check = Check {
    how: "looks at every task that waits for input",
    fix: "list everything that the task waits for in inputRequests",
    judge: |evidence| {
        each_look(evidence, "input_required", |answer, task| {
            let requests = task.get("inputRequests").and_then(Value::as_object);
            let right = requests.is_some_and(|requests| {
                !requests.is_empty() && requests.values().all(|it| it["method"].is_string())
            });
            (!right).then(|| Finding::new("inputRequests", show(task), answer.place))
        })
    },
    mutants: &[result("does not say what a task waits for", |context, result| {
        if context.method == Some("tasks/get") {
            super::remove(result, "inputRequests");
        }
    })],
};

pub(crate) const M548: Check = Check {
    how: "compares everything that a task asks",
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

pub(crate) const S304: Check = Check {
    how: "answers what a task never asked",
    fix: "take no notice of inputResponses that no question is open for",
    judge: |evidence| {
        let outcome = each(evidence.asked(Topic::UnaskedUpdate), "", |asked| {
            let answer = asked.answer?;
            answer.error().map(|error| Finding::new("no error", show(error), answer.place))
        });
        undeclared(evidence).unwrap_or_else(|| none_applies(outcome, "no task asked for anything"))
    },
    mutants: &[Mutant::new(
        "minds answers that a task did not ask for",
        Mutation::Says(|context, message| {
            if context.params.pointer("/inputResponses/proofmark-unasked").is_some()
                && context.method == Some("tasks/update")
            {
                *message = crate::checks::claims::error(&message["id"], -32602);
            }
        }),
    )],
};

pub(crate) const M555: Check = Check {
    how: "listens to a task that was given a progress token and a level for logs",
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
        undeclared(evidence).unwrap_or_else(|| none_applies(outcome, super::NO_TASK))
    },
    mutants: &[extra("reports the progress of a task", |_, message| {
        let mut texts = vec![message.to_string()];
        if crate::checks::tasks::is_step(message, "/cancelled") {
            let report = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                "params": { "progressToken": "of-a-task", "progress": 1 } });
            texts.push(report.to_string());
        }
        texts
    })
    .also(&["M227"])],
};

/// Whether something was said because of a subscription.
fn of_subscription(heard: Heard<'_>, id: &Value) -> bool {
    let named = heard.message.pointer("/params/_meta").and_then(|meta| meta.get(SUBSCRIPTION));
    named == Some(id)
}

/// Whether this reports the progress of a call that became a task.
fn of_task(evidence: &Evidence, heard: Heard<'_>) -> bool {
    let Some(token) = heard.message.pointer("/params/progressToken") else { return false };
    created(evidence).any(|(asked, answer, _)| {
        answer.place.conversation == heard.place.conversation
            && answer.place.event < heard.place.event
            && asked.params.and_then(|params| params.pointer("/_meta/progressToken")) == Some(token)
    })
}
