//! What a server does that wishes for tasks itself.

use crate::requirement::seen_everywhere;
use crate::{
    common::{tools::none_applies, utilities::extra},
    outcome::{Finding, each},
    requirement::Check,
};
use proofmark_converse::scenario::TASK_PAUSE;
use proofmark_record::evidence::{Evidence, PeerRequest};
use serde_json::{Value, json};

/// Requests of the peer that wish for a task where that is offered.
pub(crate) fn wishes(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests().filter(|request| {
        let path = format!("/tasks/requests/{}", request.method);
        let declared = evidence.declared_to_peer(request.place);
        request.params.is_some_and(|params| params.get("task").is_some())
            && declared.is_some_and(|declared| declared.pointer(&path).is_some())
    })
}

/// Those that got one.
pub(crate) fn begun(evidence: &Evidence) -> impl Iterator<Item = (PeerRequest<'_>, &Value)> {
    wishes(evidence).filter_map(|request| {
        let task = request.answer?.result()?.pointer("/task/taskId")?;
        Some((request, task))
    })
}

/// What the peer asks about a task that it wished for.
pub(crate) fn about<'e>(
    evidence: &'e Evidence,
    wish: &PeerRequest<'_>,
    task: &'e Value,
) -> impl Iterator<Item = PeerRequest<'e>> {
    let conversation = wish.place.conversation;
    evidence.requests().filter(move |request| {
        let named = request.params.and_then(|params| params.get("taskId"));
        request.place.conversation == conversation
            && request.method.starts_with("tasks/")
            && named == Some(task)
    })
}

pub(crate) fn wish() -> Value {
    json!({ "jsonrpc": "2.0", "id": "own-task", "method": "elicitation/create", "params": {
        "mode": "form", "message": "Will you?", "task": { "ttl": 60_000 },
        "requestedSchema": { "type": "object", "properties": {} } } })
}

pub(crate) fn look(method: &str, meta: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": "own-look", "method": method,
        "params": { "taskId": OWN, "_meta": meta } })
}

/// Something more beside an answer in the conversation about tasks.
pub(crate) fn beside(message: &Value, others: &[Value]) -> Vec<String> {
    let mut texts = vec![message.to_string()];
    if message["id"] == "ping-as-task" {
        texts.extend(others.iter().map(Value::to_string));
    }
    texts
}

pub(crate) const S112_SERVER: Check = Check {
    how: "runs tasks for the server, and measures how often it looks at them",
    seen: seen_everywhere(),
    fix: "look at a task no more often than its pollInterval says",
    judge: |evidence| {
        let outcome = each(begun(evidence), "", |(request, task)| {
            let looks: Vec<_> =
                about(evidence, &request, task).filter(|it| it.method == "tasks/get").collect();
            let hasty = looks.windows(2).find_map(|pair| {
                let shown = evidence.at(pair[0].answer?.place)?;
                let passed = evidence.at(pair[1].place)?.saturating_sub(shown);
                // Clocks differ, and so do the two ends of a wire.
                (passed < TASK_PAUSE / 2).then_some((pair[1], passed))
            });
            let (look, passed) = hasty?;
            let expected = format!("{} ms between looks at a task", TASK_PAUSE.as_millis());
            Some(Finding::new(expected, format!("{} ms", passed.as_millis()), look.place))
        });
        none_applies(outcome, WISHES_NOTHING)
    },
    mutants: &[extra("looks at its task all the time", |_, message| {
        let mut again = look("tasks/get", &json!({}));
        again["id"] = json!("own-look-again");
        let mut end = look("tasks/result", &json!({}));
        end["id"] = json!("own-end");
        beside(message, &[wish(), look("tasks/get", &json!({})), again, end])
    })],
};

/// The name of the task that the checker makes of that wish.
pub(crate) const OWN: &str = "elicitation/create#\"own-task\"";

pub(crate) const WISHES_NOTHING: &str = "the server wished for no task";
