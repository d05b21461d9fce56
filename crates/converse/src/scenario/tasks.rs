//! Requests that go on as tasks, as the experiment has them: the client asks for each.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{ClientKind, LEAST_DURATION, OWN_TASK, Probe, Scenario, Turn};
use proofmark_record::event::{Event, EventKind};
use proofmark_record::{meta::RELATED_TASK, topic::Topic};

/// A call that was made before.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub params: Value,
    /// What the tool says about tasks.
    pub support: Option<String>,
}

impl Candidate {
    /// Whether the tool says that it can be a task.
    pub fn is_willing(&self) -> bool {
        matches!(self.support.as_deref(), Some("optional" | "required"))
    }

    pub fn name(&self) -> &str {
        self.params.get("name").and_then(Value::as_str).unwrap_or_default()
    }
}

impl Scenario {
    pub const TASKS: Self = Self {
        name: "tasks",
        title: "requests that go on as tasks",
        applies: |here| !here.is_modern() && here.revision.rules().tasks.is_some(),
        client: ClientKind::Tasking,
        turn: Turn::Early,
        alongside: Some(&Self::TASKS_OF_OTHERS),
        talk: |talk| Box::pin(tasks(&mut talk.probe, &talk.calls.candidates)),
        ..Self::USUAL
    };

    /// While the tasks of the other client are there.
    const TASKS_OF_OTHERS: Self = Self {
        name: "tasks-of-others",
        title: "a client that began no task",
        applies: |here| here.is_over_http(),
        client: ClientKind::Tasking,
        talk: |talk| Box::pin(tasks_of_others(&mut talk.probe)),
        ..Self::USUAL
    };
}

async fn tasks(probe: &mut Probe, candidates: &[Candidate]) {
    let Some(handshake) = probe.shake_hands().await else { return };
    if let Some((http, recorder)) = probe.http_and_recorder()
        && http.is_streamable()
    {
        http.open_stream(recorder).await;
    }
    let declares =
        |path: &str| handshake["capabilities"].pointer(path).is_some_and(Value::is_object);
    let wish = json!({ "task": { "ttl": TTL } });
    probe.ask_as(Topic::UndeclaredTask, json!("ping-as-task"), "ping", Some(wish.clone())).await;
    if declares("/tools") {
        probe.ask(Topic::UndeclaredTask, "tools/list", Some(wish)).await;
    }
    if !declares("/tasks/requests/tools/call") {
        let willing = candidates.iter().find(|it| it.is_willing());
        if let Some(candidate) = willing.or_else(|| candidates.first()) {
            let id = json!("call-as-task");
            let params = Some(as_task(candidate));
            probe.ask_as(Topic::UndeclaredTask, id, "tools/call", params).await;
        }
        return;
    }
    let brief = candidates.iter().find(|it| it.is_willing());
    let expiring = match brief {
        Some(candidate) => create_for(probe, candidate, "create-briefly", 1).await,
        None => None,
    };
    let mut ran = Vec::new();
    for candidate in candidates.iter().filter(|it| it.is_willing()).take(MOST_TASKS) {
        ran.extend(run(probe, candidate).await);
        // A server without results would keep the whole run waiting.
        if ran.last().is_some_and(|ran| ran.took.is_none()) {
            break;
        }
    }
    let asking = ran.iter().find(|it| it.took.is_some() && asked_for(probe.events(), &it.task));
    if let Some(asking) = asking {
        wait_for_input(probe, asking.candidate).await;
    }
    odd_wishes(probe, candidates).await;
    if let Some(first) = ran.first() {
        let meta = json!({ RELATED_TASK: { "taskId": UNKNOWN } });
        let params = json!({ "taskId": first.task, "_meta": meta });
        let id = json!("misleading-task");
        probe.ask_as(Topic::MisleadingTask, id, "tasks/get", Some(params)).await;
    }
    let known: &[&str] = if declares("/tasks/cancel") {
        &["tasks/get", "tasks/result", "tasks/cancel"]
    } else {
        &["tasks/get", "tasks/result"]
    };
    for method in known {
        let id = json!(format!("unknown/{method}"));
        ask(probe, Topic::UnknownTask, id, method, &json!(UNKNOWN)).await;
    }
    if declares("/tasks/list") {
        list(probe, &ran).await;
    }
    if declares("/tasks/cancel") {
        if let Some(first) = ran.first() {
            let id = json!("cancel-ended");
            ask(probe, Topic::CancelEndedTask, id, "tasks/cancel", &first.task).await;
        }
        if let Some(longest) = ran.iter().max_by_key(|ran| ran.took) {
            cancel(probe, longest).await;
        }
    }
    if let Some(task) = expiring {
        ask(probe, Topic::GetExpiredTask, json!("expired-task"), "tasks/get", &task).await;
    }
    probe.ask(Topic::StillThere, "ping", None).await;
}

/// What a client sees that has begun nothing itself.
async fn tasks_of_others(probe: &mut Probe) {
    let handshake = probe.shake_hands().await;
    if handshake.is_some_and(|it| it.pointer("/capabilities/tasks/list").is_some()) {
        let id = json!("tasks-of-others");
        probe.ask_as(Topic::ListOthersTasks, id, "tasks/list", None).await;
    }
}

/// A task that ran to its end.
struct Ran<'c> {
    candidate: &'c Candidate,
    task: Value,
    /// Until there was a result.
    took: Option<Duration>,
}

/// A task from its beginning to its end. `None` if none came of it.
async fn run<'c>(probe: &mut Probe, candidate: &'c Candidate) -> Option<Ran<'c>> {
    let name = candidate.name();
    let step = |step: &str| json!(format!("{name}/{step}"));
    let began = Instant::now();
    let task = create(probe, candidate, "create").await?;
    ask(probe, Topic::GetTask, step("begun"), "tasks/get", &task).await;
    let result = ask(probe, Topic::TaskResult, step("result"), "tasks/result", &task).await;
    let took = result.map(|_| began.elapsed());
    if took.is_some() {
        ask(probe, Topic::GetTask, step("ended"), "tasks/get", &task).await;
        ask(probe, Topic::TaskResult, step("result-again"), "tasks/result", &task).await;
    }
    Some(Ran { candidate, task, took })
}

/// A task that asks, with a client that takes its time.
async fn wait_for_input(probe: &mut Probe, candidate: &Candidate) {
    let step = |step: &str| json!(format!("{}/{step}", candidate.name()));
    let client_kind = probe.settings().client_kind;
    probe.set_client_kind(ClientKind::Mute);
    let task = create(probe, candidate, "create-to-ask").await;
    if let Some(task) = &task {
        for look in 0..MOST_LOOKS {
            probe.listen(probe.settings().quiet).await;
            let id = step(&format!("asking-{look}"));
            let answer = ask(probe, Topic::GetTask, id, "tasks/get", task).await;
            let status = answer.as_ref().and_then(|it| it.pointer("/result/status"));
            if status.is_none_or(|status| status != "working") {
                break;
            }
        }
    }
    probe.set_client_kind(client_kind);
    probe.catch_up().await;
    if let Some(task) = &task {
        ask(probe, Topic::TaskResult, step("asked-result"), "tasks/result", task).await;
        ask(probe, Topic::GetTask, step("asked-and-ended"), "tasks/get", task).await;
    }
}

/// A wish for an id, and for a task of what cannot be one.
async fn odd_wishes(probe: &mut Probe, candidates: &[Candidate]) {
    if let Some(willing) = candidates.iter().find(|it| it.is_willing()) {
        let mut params = as_task(willing);
        params["task"]["taskId"] = json!(OWN_TASK);
        let id = json!("own-task-id");
        let answer = probe.ask_as(Topic::OwnTaskId, id, "tools/call", Some(params)).await;
        if let Some(task) = answer.as_ref().and_then(|it| it.pointer("/result/task/taskId")) {
            ask(probe, Topic::TaskResult, json!("own-task-result"), "tasks/result", task).await;
        }
    }
    if let Some(optional) = candidates.iter().find(|it| it.support.as_deref() == Some("optional")) {
        let id = json!("task-not-wanted");
        let params = Some(optional.params.clone());
        probe.ask_as(Topic::TaskNotWanted, id, "tools/call", params).await;
    }
    if let Some(unwilling) = candidates.iter().find(|it| !it.is_willing()) {
        let id = json!("forbidden-task");
        probe.ask_as(Topic::ForbiddenTask, id, "tools/call", Some(as_task(unwilling))).await;
    }
}

/// All pages, a page that does not exist, and then a look at some of what should be there.
async fn list(probe: &mut Probe, ran: &[Ran<'_>]) {
    let mut cursor = None;
    for page in 0..MOST_PAGES {
        let params = cursor.map(|cursor: Value| json!({ "cursor": cursor }));
        let id = json!(format!("tasks-{page}"));
        let answer = probe.ask_as(Topic::ListTasks, id, "tasks/list", params).await;
        let next = answer.as_ref().and_then(|it| it.pointer("/result/nextCursor"));
        cursor = next.filter(|cursor| cursor.is_string()).cloned();
        if cursor.is_none() {
            break;
        }
    }
    for (index, ran) in ran.iter().enumerate() {
        let id = json!(format!("listed-{index}"));
        ask(probe, Topic::GetTask, id, "tasks/get", &ran.task).await;
    }
    let odd = Some(json!({ "cursor": "proofmark-no-such-cursor" }));
    probe.ask_as(Topic::BogusTaskCursor, json!("bogus-tasks"), "tasks/list", odd).await;
}

/// A task that is cancelled while it runs, twice, and looked at when it would be over.
async fn cancel(probe: &mut Probe, ran: &Ran<'_>) {
    let Some(took) = ran.took.filter(|took| *took >= LEAST_DURATION) else { return };
    let step = |step: &str| json!(format!("{}/{step}", ran.candidate.name()));
    let Some(task) = create(probe, ran.candidate, "create-to-cancel").await else { return };
    ask(probe, Topic::CancelTask, step("cancel"), "tasks/cancel", &task).await;
    ask(probe, Topic::GetTask, step("cancelled"), "tasks/get", &task).await;
    ask(probe, Topic::CancelEndedTask, step("cancel-again"), "tasks/cancel", &task).await;
    probe.listen(took + took / 2).await;
    ask(probe, Topic::GetTask, step("cancelled-later"), "tasks/get", &task).await;
}

async fn create(probe: &mut Probe, candidate: &Candidate, step: &str) -> Option<Value> {
    create_for(probe, candidate, step, TTL).await
}

/// As [`create`], to be kept for so many milliseconds.
async fn create_for(
    probe: &mut Probe,
    candidate: &Candidate,
    step: &str,
    ttl: u32,
) -> Option<Value> {
    let id = json!(format!("{}/{step}", candidate.name()));
    let mut params = as_task(candidate);
    params["task"]["ttl"] = json!(ttl);
    params["_meta"] = json!({ "progressToken": id });
    let answer = probe.ask_as(Topic::CreateTask, id, "tools/call", Some(params)).await?;
    answer.pointer("/result/task/taskId").cloned()
}

async fn ask(
    probe: &mut Probe,
    topic: Topic,
    id: Value,
    method: &str,
    task: &Value,
) -> Option<Value> {
    probe.ask_as(topic, id, method, Some(json!({ "taskId": task }))).await
}

fn as_task(candidate: &Candidate) -> Value {
    let mut params = candidate.params.clone();
    params["task"] = json!({ "ttl": TTL });
    params
}

/// Whether the peer asked something for the sake of this task.
fn asked_for(events: &[Event], task: &Value) -> bool {
    events.iter().any(|event| {
        let EventKind::Received { frame, .. } = &event.kind else { return false };
        frame.messages().iter().any(|message| {
            let meta = message.pointer("/params/_meta").and_then(|meta| meta.get(RELATED_TASK));
            message.get("id").is_some() && meta.is_some_and(|meta| meta["taskId"] == *task)
        })
    })
}

pub(super) const UNKNOWN: &str = "proofmark-no-such-task";
/// In milliseconds: longer than a conversation with a slow peer takes.
pub(super) const TTL: u32 = 600_000;
const MOST_TASKS: usize = 6;
const MOST_PAGES: usize = 8;
/// How often a task is looked at that should ask something soon.
const MOST_LOOKS: usize = 8;
