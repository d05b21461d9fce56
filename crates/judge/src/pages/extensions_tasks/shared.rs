//! What several judges of `extensions/tasks` use.

use crate::{
    common::{shape::show, tools::none_applies},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::{
    evidence::{Answer, CheckerRequest, Evidence, PeerRequest},
    meta::TASKS_EXTENSION,
    topic::Topic,
};
use serde_json::Value;

/// Calls that became tasks.
pub(super) fn created(
    evidence: &Evidence,
) -> impl Iterator<Item = (CheckerRequest<'_>, Answer<'_>, &Value)> {
    evidence.asked_by_method("tools/call").filter_map(|asked| {
        let answer = asked.answer?;
        let task = answer.result()?;
        let typed = task.get("resultType").is_some_and(|kind| kind == "task");
        (typed || task.get("taskId").is_some()).then_some((asked, answer, task))
    })
}

/// Answers to `tasks/get` for tasks that may exist.
pub(super) fn looks(
    evidence: &Evidence,
) -> impl Iterator<Item = (CheckerRequest<'_>, Answer<'_>, Option<&Value>)> {
    let known = |topic| matches!(topic, Topic::GetTask | Topic::Overheard);
    evidence.asked_by_method("tasks/get").filter_map(move |asked| {
        let answer = asked.answer.filter(|_| known(asked.topic))?;
        Some((asked, answer, answer.result()))
    })
}

/// Judges each sight of a task with this status.
pub(super) fn each_look(
    evidence: &Evidence,
    status: &str,
    judge: impl Fn(Answer<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    let seen = looks(evidence).filter_map(|(_, answer, task)| {
        let task = task.filter(|task| task.get("status").is_some_and(|it| it == status))?;
        Some((answer, task))
    });
    let nothing = format!("no task was {status} when it was looked at");
    undeclared(evidence).unwrap_or_else(|| {
        none_applies(each(seen, "", |(answer, task)| judge(answer, task)), &nothing)
    })
}

/// Why nothing about the extension applies, if so.
pub(super) fn undeclared(evidence: &Evidence) -> Option<Outcome> {
    (!evidence.capability("/extensions/io.modelcontextprotocol~1tasks")).then(|| {
        let why = "the server does not declare the extension io.modelcontextprotocol/tasks";
        Outcome::NotApplicable(why.to_owned())
    })
}

pub(super) fn remove(object: &mut Value, member: &str) {
    if let Some(object) = object.as_object_mut() {
        object.remove(member);
    }
}

/// A finding unless this says that the extension is missing.
pub(super) fn missing(answer: Answer<'_>) -> Option<Finding> {
    let needed = answer
        .error()
        .and_then(|error| error.pointer("/data/requiredCapabilities/extensions")?.get(EXTENSION));
    let right = answer.code() == Some(-32021) && needed.is_some();
    let expected = "the error -32021 with the extension in data.requiredCapabilities";
    (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
}

pub(super) const fn of_look(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tasks/get")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Calls that became tasks.
pub(super) fn begun(evidence: &Evidence) -> impl Iterator<Item = (PeerRequest<'_>, &Value)> {
    evidence.requests_for("tools/call").filter_map(|call| {
        let result = call.answer?.result()?;
        let task = result.get("taskId").filter(|_| result["resultType"] == "task")?;
        Some((call, task))
    })
}

/// What the client asks about a task.
pub(super) fn about<'e>(
    evidence: &'e Evidence,
    call: &PeerRequest<'_>,
    task: &'e Value,
) -> impl Iterator<Item = PeerRequest<'e>> {
    let conversation = call.place.conversation;
    evidence.requests().filter(move |request| {
        let named = request.params.and_then(|params| params.get("taskId"));
        request.place.conversation == conversation
            && METHODS.contains(&request.method)
            && named == Some(task)
    })
}

/// The status that a look at a task showed.
pub(super) fn shown<'e>(request: &PeerRequest<'e>) -> Option<&'e str> {
    request.answer?.result()?.get("status")?.as_str()
}

pub(super) fn about_tasks(message: &Value) -> bool {
    METHODS.iter().any(|method| message["method"] == *method)
}

/// The judgement, if the client ever declared the extension.
pub(super) fn declared(evidence: &Evidence, judge: impl FnOnce() -> Outcome) -> Outcome {
    let knows = evidence.requests().any(|request| {
        let meta = request.params.and_then(|params| params.get("_meta"));
        let declared = meta.and_then(|meta| meta.get(proofmark_record::meta::CAPABILITIES));
        declared.and_then(|it| it.get("extensions")?.get(TASKS_EXTENSION)).is_some()
    });
    if knows {
        none_applies(judge(), NO_TASK_TASK_EXTENSION)
    } else {
        let why = "the client does not declare the extension io.modelcontextprotocol/tasks";
        Outcome::NotApplicable(why.to_owned())
    }
}

pub(super) const NO_TASK: &str =
    "no call became a task; name a tool that does with --call NAME=JSON";

pub(super) const EXTENSION: &str = TASKS_EXTENSION;

pub(super) const ALLOWED: &str = "nothing: this is allowed";

pub(super) const METHODS: [&str; 3] = ["tasks/get", "tasks/update", "tasks/cancel"];

pub(super) const NO_TASK_TASK_EXTENSION: &str = "the client called nothing that becomes a task";
