//! What several judges of `basic/utilities/tasks` use.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        client::{NO_WISH, begun, hosted_at},
        envelope::server_requests,
        tasks::{NO_TASK, RELATED, applies, created, is_terminal, looks, looks_at},
        tasks_requesting::about,
        utilities::extra,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_record::evidence::{Answer, CheckerRequest, Evidence, PeerMessage, Place};
use serde_json::{Value, json};

/// Judges every result of `tasks/get`.
pub(super) fn looked_at(
    evidence: &Evidence,
    judge: impl Fn(CheckerRequest<'_>, Answer<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    let seen = evidence.asked_by_method("tasks/get").filter_map(|asked| {
        let answer = asked.answer?;
        Some((asked, answer, answer.result()?))
    });
    applies(evidence)
        .unwrap_or_else(|| each(seen, NO_TASK, |(asked, answer, task)| judge(asked, answer, task)))
}

/// Changes what `tasks/get` shows.
pub(super) const fn of_look(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(
        context: &proofmark_converse::mutation::Context<'_>,
        message: &'m mut Value,
    ) -> Option<&'m mut Value> {
        proofmark_converse::mutation::result_of(context, message, "tasks/get")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// What is asked while a task runs, and no request that is none.
pub(super) fn questions(evidence: &Evidence) -> impl Iterator<Item = PeerMessage<'_>> {
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
pub(super) fn plain_call_runs(evidence: &Evidence, heard: PeerMessage<'_>) -> bool {
    evidence.asked_by_method("tools/call").any(|asked| {
        let here = asked.place.conversation == heard.place.conversation;
        let plain = asked.params.is_none_or(|params| params.get("task").is_none());
        let open = asked.answer.is_none_or(|answer| answer.place.event > heard.place.event);
        here && plain && asked.place.event < heard.place.event && open
    })
}

/// The task that a question says it belongs to.
pub(super) fn related(heard: PeerMessage<'_>) -> Option<&Value> {
    heard.message.pointer("/params/_meta")?.get(RELATED)?.get("taskId")
}

pub(super) fn has_task(params: &Value) -> bool {
    params.get("task").is_some()
}

/// Changes the answer that begins a task.
pub(super) const fn of_created(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(
        context: &proofmark_converse::mutation::Context<'_>,
        message: &'m mut Value,
    ) -> Option<&'m mut Value> {
        has_task(context.params).then_some(())?;
        message.get_mut("result").filter(|result| result.get("task").is_some())
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Why nothing about the list of tasks applies, if so.
pub(super) fn lists(evidence: &Evidence) -> Option<Outcome> {
    applies(evidence).or_else(|| {
        (!evidence.capability("/tasks/list"))
            .then(|| Outcome::NotApplicable("it does not declare tasks.list".to_owned()))
    })
}

/// Whether the server that was met there declared that calls can be tasks.
pub(super) fn offers_tasks(evidence: &Evidence, place: Place) -> bool {
    hosted_at(evidence, place) == Some(HostedScenario::TASKS)
}

pub(super) const ASKS_NOTHING: &str = "nothing that became a task asked for anything";

pub(super) const STATUSES: [&str; 5] =
    ["working", "input_required", "completed", "failed", "cancelled"];

pub(super) const M236_CLIENT: Check = Check {
    how: "runs tasks, says nothing of their status, and waits for the client to look",
    seen: seen_everywhere(),
    fix: "ask for tasks with tasks/get or tasks/result; status notifications need not come",
    judge: |evidence| {
        each(begun(evidence), NO_WISH, |(call, task)| {
            let asked = about(evidence, &call, task).next().is_some();
            let expected = "tasks/get, tasks/result or tasks/cancel";
            (!asked).then(|| Finding::new(expected, "nothing of it", call.place))
        })
    },
    mutants: &[extra("waits to be told of its tasks", |_, message| {
        let asks =
            ["tasks/get", "tasks/result", "tasks/cancel"].iter().any(|it| message["method"] == *it);
        if asks { Vec::new() } else { vec![message.to_string()] }
    })
    .also(&["M236", "S113"])],
};

/// A client that wishes for tasks of a tool that cannot be one, wherever it is.
pub(super) const WISHES: Mutant = Mutant::new(
    "calls every tool as a task",
    Mutation::Says(|_, message| {
        if message.pointer("/params/name") == Some(&json!("add_numbers")) {
            message["params"]["task"] = json!({});
        }
    }),
);
