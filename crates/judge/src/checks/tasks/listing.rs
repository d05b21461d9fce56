//! The list of tasks, and who gets to see it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{NO_TASK, applies};
use crate::{
    checks::{
        Check,
        claims::to,
        shape::{refused, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Answer, Asked, Evidence, Place},
    topic::Topic,
    transport::Transport,
};

pub(crate) const M252: Check = Check {
    how: "asks for all pages of the list of tasks, and looks for those that it knows",
    fix: "give nextCursor as long as there are more tasks",
    judge: listed,
    mutants: &[shortened("has no next page for the tasks that are left").also(&["M254"])],
};

pub(crate) const M254: Check = Check {
    how: "asks for all pages of the list of tasks, and looks for those that it knows",
    fix: "list every task that tasks/get finds",
    judge: listed,
    mutants: &[shortened("lists not all of its tasks").also(&["M252"])],
};

pub(crate) const M260: Check = Check {
    how: "asks for a page of tasks that does not exist",
    fix: "answer a bad cursor with the error -32602",
    judge: |evidence| {
        lists(evidence).unwrap_or_else(|| {
            refused(evidence, Topic::BogusTaskCursor, &[-32602], "no bad cursor was tried")
        })
    },
    mutants: &[to("takes any cursor for tasks", "bogus-tasks", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "tasks": [] } });
    })],
};

pub(crate) const S124: Check = Check {
    how: "asks for all pages of the list of tasks",
    fix: "give tasks page by page, with cursors that lead to the next page",
    judge: |evidence| {
        if let Some(outcome) = lists(evidence) {
            return outcome;
        }
        let turned: Vec<_> = pages(evidence)
            .filter(|asked| asked.params.is_some_and(|params| params.get("cursor").is_some()))
            .collect();
        let nothing = "all tasks fit on one page";
        each(turned, nothing, |asked| {
            let answer = asked.answer?;
            let page = answer.result().and_then(|result| result.get("tasks")).is_some();
            (!page).then(|| Finding::new("the next page", show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "promises a page of tasks that it does not have",
        Mutation::Says(|context, message| {
            if context.method == Some("tasks/list")
                && let Some(result) = message.get_mut("result")
            {
                result["nextCursor"] = json!("proofmark-nowhere");
            }
        }),
    )],
};

pub(crate) const S130: Check = Check {
    how: "asks for the list of tasks as another client, which began none",
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

/// Judges that every task which is found by its id is on one of the pages.
fn listed(evidence: &Evidence) -> Outcome {
    if let Some(outcome) = lists(evidence) {
        return outcome;
    }
    let Some((last, known)) = whole_list(evidence) else {
        return Outcome::Unobserved("the list of tasks has no end that was reached".to_owned());
    };
    let found = evidence.asked_by_method("tasks/get").filter_map(|asked| {
        let after = asked.place.conversation == last.conversation && asked.place.event > last.event;
        let id = asked.answer.filter(|_| after)?.result()?.get("taskId")?;
        // What began after the list was asked for cannot be on it.
        let before = super::created(evidence)
            .any(|it| it.answer.place.event < last.event && it.task.get("taskId") == Some(id));
        before.then_some((asked, id))
    });
    each(found, NO_TASK, |(asked, id)| {
        let expected = format!("a list that has the task {id}");
        (!known.contains(&id.to_string()))
            .then(|| Finding::new(expected, "a list without it", asked.place))
    })
}

/// The place of the first page, and the ids on all of them, if the last one was reached.
fn whole_list(evidence: &Evidence) -> Option<(Place, BTreeSet<String>)> {
    let pages: Vec<_> = pages(evidence).collect();
    let results = pages.iter().map(|page| page.answer.and_then(Answer::result));
    let results: Vec<&Value> = results.collect::<Option<_>>()?;
    results.last()?.get("nextCursor").is_none().then_some(())?;
    let tasks = results.iter().filter_map(|it| it.get("tasks")?.as_array()).flatten();
    let ids = tasks.filter_map(|task| task.get("taskId")).map(Value::to_string).collect();
    Some((pages.first()?.place, ids))
}

fn pages(evidence: &Evidence) -> impl Iterator<Item = Asked<'_>> {
    evidence.asked(Topic::ListTasks)
}

/// Why nothing about the list of tasks applies, if so.
fn lists(evidence: &Evidence) -> Option<Outcome> {
    applies(evidence).or_else(|| {
        (!evidence.capability("/tasks/list"))
            .then(|| Outcome::NotApplicable("it does not declare tasks.list".to_owned()))
    })
}

const fn shortened(name: &'static str) -> Mutant {
    Mutant::new(
        name,
        Mutation::Says(|_, message| {
            let tasks = message.pointer_mut("/result/tasks").and_then(Value::as_array_mut);
            if let Some(tasks) = tasks.filter(|tasks| !tasks.is_empty()) {
                tasks.remove(0);
            }
        }),
    )
}
