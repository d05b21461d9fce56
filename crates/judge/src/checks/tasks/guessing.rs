//! Ids of tasks that nobody else should come upon.

use serde_json::{Value, json};

use super::NO_TASK;
use crate::{
    checks::{
        Check,
        claims::to,
        shape::show,
        sticking::{SHORTEST, differ},
        task_extension,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{evidence::Place, topic::Topic};

pub(crate) const M264: Check = Check {
    how: "compares the ids of all tasks that began",
    fix: FIX,
    judge: |evidence| {
        let known = evidence
            .exchanges_about(Topic::WithoutToken)
            .any(|it| matches!(it.status, Some(401 | 403)));
        if known {
            return Outcome::NotApplicable("clients are known by their tokens".to_owned());
        }
        let ids = super::created(evidence)
            .filter_map(|it| Some((it.answer.place, it.task.get("taskId")?)));
        let ids: Vec<_> = ids.collect();
        super::applies(evidence).unwrap_or_else(|| unguessable(&ids))
    },
    mutants: &[to("has short ids for its tasks", "own-task-id", |message| {
        message["result"]["task"]["taskId"] = json!("t1");
    })],
};

pub(crate) const M565: Check = Check {
    how: "compares the ids of all calls that became tasks",
    fix: FIX,
    judge: |evidence| {
        let ids = task_extension::created(evidence)
            .filter_map(|(_, answer, task)| Some((answer.place, task.get("taskId")?)));
        let ids: Vec<_> = ids.collect();
        task_extension::undeclared(evidence).unwrap_or_else(|| unguessable(&ids))
    },
    mutants: &[Mutant::new(
        "has short ids for its tasks",
        Mutation::Says(|context, message| {
            let begins = message.pointer("/result/resultType").is_some_and(|it| it == "task");
            if begins && context.params["name"] == "protocol_error_job" {
                message["result"]["taskId"] = json!("t1");
            }
        }),
    )
    .also(&["M540"])],
};

/// Judges what can be seen of randomness: length, and that no two ids are nearly the same.
fn unguessable(ids: &[(Place, &Value)]) -> Outcome {
    each(ids.iter().enumerate(), NO_TASK, |(at, (place, id))| {
        let text = id.as_str()?;
        let short = text.len() < SHORTEST;
        let mut others = ids[..at].iter().filter_map(|(_, other)| other.as_str());
        let near = others.any(|other| other != text && differ(text, other) < 4);
        let expected = "ids of tasks that nobody can guess";
        (short || near).then(|| Finding::new(expected, show(id), *place))
    })
}

const FIX: &str = "make the ids of tasks of enough randomness that nobody can guess them";
