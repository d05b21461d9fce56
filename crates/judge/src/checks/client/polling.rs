//! How often a client looks at its tasks, and until when.

use std::time::Duration;

use super::{task_extension, tasks};
use crate::{
    checks::{Check, tasks::requesting, tools::none_applies},
    mutant::Mutant,
    outcome::{Finding, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::evidence::{Evidence, PeerRequest};

pub(crate) const S112: Check = Check {
    how: "says how long to wait before a task is looked at again, and measures how long it is",
    fix: requesting::S112.fix,
    judge: |evidence| {
        let outcome = each(tasks::begun(evidence), "", |(call, task)| {
            hasty(evidence, requesting::about(evidence, &call, task), "pollInterval")
        });
        none_applies(outcome, tasks::NO_WISH)
    },
    mutants: &[LOOKS_TWICE],
};

pub(crate) const S298: Check = Check {
    how: S112.how,
    fix: "wait for pollIntervalMs between one look at a task and the next",
    judge: |evidence| {
        task_extension::declared(evidence, || {
            each(task_extension::begun(evidence), task_extension::NO_TASK, |(call, task)| {
                let asked = task_extension::about(evidence, &call, task);
                hasty(evidence, asked, "pollIntervalMs")
            })
        })
    },
    mutants: &[LOOKS_TWICE],
};

pub(crate) const S113: Check = Check {
    how: "shows a task as working, and waits for the client to look until it is not",
    fix: requesting::S113.fix,
    judge: |evidence| {
        let outcome = each(tasks::begun(evidence), "", |(call, task)| {
            let seen = requesting::about(evidence, &call, task).any(|it| {
                let shown = it.answer.and_then(|answer| answer.result()?.get("status"));
                it.method != "tasks/get" || shown.is_none_or(|status| status != "working")
            });
            let expected = "looks at the task until it is over or needs input";
            (!seen).then(|| Finding::new(expected, "none that shows that", call.place))
        });
        none_applies(outcome, tasks::NO_WISH)
    },
    mutants: tasks::M236.mutants,
};

/// A look at a task that came too soon after another.
fn hasty<'e>(
    evidence: &Evidence,
    asked: impl Iterator<Item = PeerRequest<'e>>,
    interval: &str,
) -> Option<Finding> {
    let looks: Vec<_> = asked.filter(|it| it.method == "tasks/get").collect();
    looks.windows(2).find_map(|pair| {
        let answer = pair[0].answer?;
        let wished = Duration::from_millis(answer.result()?.get(interval)?.as_u64()?);
        let waited = evidence.at(pair[1].place)?.saturating_sub(evidence.at(answer.place)?);
        let expected = format!("{} ms from one look at a task to the next", wished.as_millis());
        let actual = || format!("{} ms", waited.as_millis());
        // Clocks differ. What the wire takes of the time is added to it, never taken off.
        (waited < wished / 2).then(|| Finding::new(expected, actual(), pair[1].place))
    })
}

const LOOKS_TWICE: Mutant = Mutant::new(
    "looks at its tasks all the time",
    Mutation::Twice { method: "tasks/get", change: |_| () },
);
