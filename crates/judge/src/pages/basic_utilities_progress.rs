//! The requirements of `basic/utilities/progress`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        optional_features::{ALLOWED, PROGRESS, silent_about, told},
        shape::show,
        tasks::{
            Created, NO_TASK, RELATED, applies, created, fetched, follows, is_terminal, looks,
            looks_at,
        },
        tools::none_applies,
        utilities::{extra, notifications},
    },
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, between, only},
};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25};
use proofmark_record::evidence::{Evidence, PeerMessage};
use serde_json::{Value, json};

pub(super) const PAGE: Page = Page {
    name: "basic/utilities/progress",
    why: "Progress tells a slow request from a dead one, but only if it can be matched to its request and only grows.",
    requirements: &[&M228, &M229, &A068],
};

const M228: Requirement = Requirement {
    id: "M228",
    name: "task-progress-keeps-token-original-request",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] A task's progress keeps the token of the original request until a terminal status.",
    section: "docs/specification/2025-11-25/basic/utilities/progress.mdx#behavior-requirements",
    observed: Observed::Each {
        server: &Observed::By(&M228_SERVER),
        client: &Observed::By(&M228_CLIENT),
    },
};

const M228_SERVER: Check = Check {
    mutants: &[extra("reports the progress of a task under another token", |_, message| {
        beside(message, "failing_job/begun", "another-token")
    })
    .also(&["M086"])],
    ..M228_CLIENT
};

const M228_CLIENT: Check = Check {
    how: "begins tasks with a progress token, and compares it with that of every progress notification about them",
    seen: seen_everywhere(),
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

const M229: Requirement = Requirement {
    id: "M229",
    name: "progress-stops-once-task-terminal",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] Progress stops once a task is terminal.",
    section: "docs/specification/2025-11-25/basic/utilities/progress.mdx#behavior-requirements",
    observed: Observed::Each {
        server: &Observed::By(&M229_SERVER),
        client: &Observed::By(&M229_CLIENT),
    },
};

const M229_SERVER: Check = Check {
    mutants: &[extra("reports the progress of a task that is over", |_, message| {
        beside(message, "failing_job/ended", "failing_job/create")
    })],
    ..M229_CLIENT
};

const M229_CLIENT: Check = Check {
    how: "looks for progress of tasks that are over",
    seen: seen_everywhere().momentary(),
    fix: "report no progress of a task that is completed, failed or cancelled",
    judge: |evidence| {
        let looks = looks(evidence);
        judged(evidence, |it, heard| {
            let (place, id) = (heard.place, it.task.get("taskId")?);
            let mut seen = looks_at(&looks, place.conversation, id).into_iter();
            let over = seen.any(|look| {
                look.status().is_some_and(is_terminal) && follows(evidence, look.answered, place)
            });
            let ended = fetched(evidence).any(|(asked, answer, of)| {
                of == id
                    && asked.place.conversation == place.conversation
                    && follows(evidence, answer.place, place)
            });
            let expected = "no progress of a task that is over";
            (over || ended).then(|| Finding::new(expected, show(heard.message), place))
        })
    },
    mutants: &[extra("reports the progress of a task that is over", |_, message| {
        beside(message, "sampling/ended", "sampling/progress")
    })],
};

const A068: Requirement = Requirement {
    id: "A068",
    name: "receiver-token-may-send-progress",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "The receiver of a token may send progress.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/progress.mdx#progress-flow",
    observed: Observed::Each {
        server: &Observed::By(&A068_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A068_CHECK: Check = Check {
    how: "gives every call a progress token",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| told(evidence, PROGRESS, "progress"),
    mutants: &[silent_about("reports no progress to those who ask for it", |method| {
        method == PROGRESS
    })],
};

/// Judges every progress notification that is about a task, by its token or by what it says.
fn judged(
    evidence: &Evidence,
    judge: impl Fn(&Created<'_>, PeerMessage<'_>) -> Option<Finding>,
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
