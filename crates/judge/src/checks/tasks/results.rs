//! What is left of a task: the result that its request would have had.

use serde_json::{Value, json};

use super::{NO_TASK, RELATED, applies, fetched, is_step, is_terminal, looks, looks_at};
use crate::{
    checks::{Check, claims::to, shape::show},
    mutant::Mutant,
    outcome::{Finding, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Answer, Asked, Evidence},
    side::Side,
    topic::Topic,
};

pub(crate) const M249: Check = Check {
    how: "asks twice for the result of each task, and compares it with that of the same request without a task",
    fix: "answer tasks/result with just what the request would have been answered with",
    judge: |evidence| {
        if let Some(outcome) = applies(evidence) {
            return outcome;
        }
        let all = looks(evidence);
        let over = fetched(evidence).filter(|(asked, _, id)| {
            let seen = looks_at(&all, asked.place.conversation, id);
            // What a cancelled task leaves is not said anywhere.
            seen.iter().any(|look| look.status().is_some_and(is_terminal))
                && seen.iter().all(|look| look.status() != Some("cancelled"))
        });
        let over: Vec<_> = over.collect();
        each(&over, NO_TASK, |(asked, answer, id)| {
            let again = over.iter().find(|(other, _, other_id)| {
                other_id == id
                    && other.place.conversation == asked.place.conversation
                    && other.place.event > answer.place.event
            });
            if let Some((_, other, _)) = again
                && content(*other) != content(*answer)
            {
                let expected = show(answer.message);
                return Some(Finding::new(expected, show(other.message), other.place));
            }
            let plain = without_task(evidence, asked, id)?;
            (kind(plain) != kind(*answer)).then(|| {
                let expected = format!("like without a task: {}", show(plain.message));
                Finding::new(expected, show(answer.message), answer.place)
            })
        })
    },
    mutants: &[
        Mutant::new(
            "has another result the second time",
            Mutation::Says(|_, message| {
                if is_step(message, "/result-again") && message.get("result").is_some() {
                    message["result"]["content"] = json!([]);
                }
            }),
        ),
        Mutant::new(
            "takes an error for a success once it is a task's",
            Mutation::Says(|context, message| {
                if context.method == Some("tasks/result") && message["error"]["code"] == -32603 {
                    let id = &context.params["taskId"];
                    *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "content": [],
                "_meta": { RELATED: { "taskId": id } } } });
                }
            }),
        ),
    ],
};

pub(crate) const M251: Check = Check {
    how: "looks at a task with another one named in _meta",
    fix: "take the task from taskId, and no notice of related-task",
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            each(evidence.asked(Topic::MisleadingTask), NO_TASK, |asked| {
                let id = asked.params?.get("taskId")?;
                let answer = asked.answer?;
                let right = answer.result().is_some_and(|task| task.get("taskId") == Some(id));
                let expected = format!("the task {id}");
                (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
            })
        })
    },
    mutants: &[to("believes _meta rather than the request", "misleading-task", |message| {
        *message = crate::checks::claims::error(&message["id"], -32602);
    })],
};

pub(crate) const M258: Check = Check {
    how: "looks at every result of a task",
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
                super::remove(result, "_meta");
            }
        }),
    )],
};

/// What the same request was answered with when it was no task.
fn without_task<'e>(evidence: &'e Evidence, fetched: &Asked<'_>, id: &Value) -> Option<Answer<'e>> {
    if evidence.side != Side::Server {
        return None;
    }
    let began = super::created(evidence).find(|it| {
        it.asked.place.conversation == fetched.place.conversation
            && it.task.get("taskId") == Some(id)
    })?;
    let params = began.asked.params?;
    let same = |other: &Asked<'_>| {
        let it = other.params.unwrap_or(&Value::Null);
        it.get("task").is_none()
            && it.get("name") == params.get("name")
            && it.get("arguments") == params.get("arguments")
    };
    // A refusal because it is no task says nothing about the request, whichever form it has.
    let only_as_task = evidence.listed("tools/list").any(|tool| {
        let support = tool.message.pointer("/execution/taskSupport");
        support == Some(&json!("required")) && tool.message.get("name") == params.get("name")
    });
    let plain = evidence.asked(Topic::Call).find(same)?.answer?;
    let refused = only_as_task || matches!(plain.code(), Some(-32600 | -32601));
    (!refused).then_some(plain)
}

/// What a result has besides what is said about it.
fn content(answer: Answer<'_>) -> Value {
    let mut message = answer.message.clone();
    super::remove(&mut message, "id");
    message
}

/// How a request ended. What exactly it says may differ from time to time.
fn kind(answer: Answer<'_>) -> (Option<i64>, bool) {
    let failed = answer.result().and_then(|result| result.get("isError")?.as_bool());
    (answer.code(), failed.unwrap_or(false))
}
