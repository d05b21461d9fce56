//! Progress of tasks: under the token of the request that began one, until it is over.

use serde_json::{Value, json};

use super::{Created, NO_TASK, RELATED, applies, created, fetched, is_terminal, looks, looks_at};
use crate::{
    checks::{
        Check,
        shape::show,
        tools::none_applies,
        utilities::{extra, notifications},
    },
    outcome::{Finding, Outcome, each},
};
use proofmark_record::evidence::{Evidence, Heard};

pub(crate) const M228: Check = Check {
    how: "begins tasks with a progress token, and compares it with that of every progress notification about them",
    fix: "report the progress of a task under the token of the request that began it",
    judge: |evidence| {
        judged(evidence, |it, heard| {
            let given = token_of(it);
            let used = heard.message.pointer("/params/progressToken");
            let expected = given.map_or_else(|| "no progress".to_owned(), show);
            (used != given).then(|| Finding::new(expected, show(heard.message), heard.place))
        })
    },
    mutants: &[extra("reports the progress of a task under another token", |_, message| {
        beside(message, "sampling/begun", "another-token")
    })
    .also(&["M086"])],
};

pub(crate) const M229: Check = Check {
    how: "looks for progress of tasks that are over",
    fix: "report no progress of a task that is completed, failed or cancelled",
    judge: |evidence| {
        let looks = looks(evidence);
        judged(evidence, |it, heard| {
            let (place, id) = (heard.place, it.task.get("taskId")?);
            let mut seen = looks_at(&looks, place.conversation, id).into_iter();
            let over = seen.any(|look| {
                look.status().is_some_and(is_terminal) && look.answered.event < place.event
            });
            let ended = fetched(evidence).any(|(asked, answer, of)| {
                of == id
                    && asked.place.conversation == place.conversation
                    && answer.place.event < place.event
            });
            let expected = "no progress of a task that is over";
            (over || ended).then(|| Finding::new(expected, show(heard.message), place))
        })
    },
    mutants: &[extra("reports the progress of a task that is over", |_, message| {
        beside(message, "sampling/ended", "sampling/progress")
    })],
};

pub(crate) const M228_OF_SERVERS: Check = Check {
    mutants: &[extra("reports the progress of a task under another token", |_, message| {
        beside(message, "failing_job/begun", "another-token")
    })
    .also(&["M086"])],
    ..M228
};

pub(crate) const M229_OF_SERVERS: Check = Check {
    mutants: &[extra("reports the progress of a task that is over", |_, message| {
        beside(message, "failing_job/ended", "failing_job/create")
    })],
    ..M229
};

/// Judges every progress notification that is about a task, by its token or by what it says.
fn judged(
    evidence: &Evidence,
    judge: impl Fn(&Created<'_>, Heard<'_>) -> Option<Finding>,
) -> Outcome {
    if let Some(outcome) = applies(evidence) {
        return outcome;
    }
    let begun: Vec<_> = created(evidence).collect();
    if begun.is_empty() {
        return Outcome::Unobserved(NO_TASK.to_owned());
    }
    let reported = notifications(evidence, "notifications/progress").filter_map(|heard| {
        let about = begun.iter().find(|it| {
            let token = heard.message.pointer("/params/progressToken");
            let named = heard.message.pointer("/params/_meta").and_then(|meta| meta.get(RELATED));
            it.asked.place.conversation == heard.place.conversation
                && (token_of(it).is_some_and(|given| token == Some(given))
                    || named.is_some_and(|named| named.get("taskId") == it.task.get("taskId")))
        })?;
        Some((about, heard))
    });
    none_applies(each(reported, "", |(it, heard)| judge(it, heard)), "no task reports its progress")
}

fn token_of<'e>(it: &Created<'e>) -> Option<&'e Value> {
    it.asked.params?.pointer("/_meta/progressToken")
}

/// An answer that shows a task, and behind it a report of the task's progress.
fn beside(message: &Value, step: &str, token: &str) -> Vec<String> {
    let mut texts = vec![message.to_string()];
    if message["id"] == step
        && let Some(task) = message.pointer("/result/taskId")
    {
        let report = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
            "params": { "progressToken": token, "progress": 1,
                "_meta": { RELATED: { "taskId": task } } } });
        texts.push(report.to_string());
    }
    texts
}
