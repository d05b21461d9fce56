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
    /// Whether it took long enough to be cancelled.
    pub is_slow: bool,
    /// Whether a change was announced meanwhile.
    pub announces: bool,
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
        announces: |here| here.calls.candidates.iter().any(|it| it.is_willing() && it.announces),
        needs_tour: true,
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
    // All at once, so that they are waited for together.
    let mut begun = Vec::new();
    for candidate in candidates.iter().filter(|it| it.is_willing()).take(MOST_TASKS) {
        begun.extend(begin(probe, candidate).await);
    }
    let own = create_with_own_id(probe, candidates).await;
    let cancelled = if declares("/tasks/cancel") { cancel(probe, &begun).await } else { None };
    let mut ran = Vec::new();
    for begun in begun {
        ran.push(end(probe, begun).await);
        // A server without results would keep the whole run waiting.
        if ran.last().is_some_and(|ran| ran.took.is_none()) {
            break;
        }
    }
    if let Some(task) = &own {
        ask(probe, Topic::TaskResult, json!("own-task-result"), "tasks/result", task).await;
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
    if let Some(first) = ran.first()
        && declares("/tasks/cancel")
    {
        let id = json!("cancel-ended");
        ask(probe, Topic::CancelEndedTask, id, "tasks/cancel", &first.task).await;
    }
    if let Some(cancelled) = cancelled {
        look_later(probe, &cancelled, &ran).await;
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

/// A task that runs.
struct Begun<'c> {
    candidate: &'c Candidate,
    task: Value,
    at: Instant,
}

/// `None` if no task came of it.
async fn begin<'c>(probe: &mut Probe, candidate: &'c Candidate) -> Option<Begun<'c>> {
    let at = Instant::now();
    let task = create(probe, candidate, "create").await?;
    ask(probe, Topic::GetTask, step(candidate, "begun"), "tasks/get", &task).await;
    Some(Begun { candidate, task, at })
}

/// A task to its end.
async fn end<'c>(probe: &mut Probe, begun: Begun<'c>) -> Ran<'c> {
    let Begun { candidate, task, at } = begun;
    let step = |name: &str| step(candidate, name);
    let result = ask(probe, Topic::TaskResult, step("result"), "tasks/result", &task).await;
    let took = result.map(|_| at.elapsed());
    if took.is_some() {
        ask(probe, Topic::GetTask, step("ended"), "tasks/get", &task).await;
        ask(probe, Topic::TaskResult, step("result-again"), "tasks/result", &task).await;
    }
    Ran { candidate, task, took }
}

/// A task that asks, with a client that takes its time.
async fn wait_for_input(probe: &mut Probe, candidate: &Candidate) {
    let step = |name: &str| step(candidate, name);
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

/// A task for which the client wishes for an id.
async fn create_with_own_id(probe: &mut Probe, candidates: &[Candidate]) -> Option<Value> {
    let willing = candidates.iter().find(|it| it.is_willing())?;
    let mut params = as_task(willing);
    params["task"]["taskId"] = json!(OWN_TASK);
    let id = json!("own-task-id");
    let answer = probe.ask_as(Topic::OwnTaskId, id, "tools/call", Some(params)).await;
    answer.as_ref().and_then(|it| it.pointer("/result/task/taskId")).cloned()
}

/// No task where one could be, and a task of what cannot be one.
async fn odd_wishes(probe: &mut Probe, candidates: &[Candidate]) {
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

/// A task that is cancelled while it runs, twice: the twin of one that runs long enough for it.
async fn cancel<'c>(probe: &mut Probe, begun: &[Begun<'c>]) -> Option<Begun<'c>> {
    if begun.is_empty() {
        return None;
    }
    probe.listen(LEAST_DURATION).await;
    let mut lasting = None;
    for Begun { candidate, task, .. } in begun {
        let id = step(candidate, "lasting");
        let answer = ask(probe, Topic::GetTask, id, "tasks/get", task).await;
        let status = answer.as_ref().and_then(|it| it.pointer("/result/status"));
        if status.is_some_and(|status| status == "working") {
            lasting = Some(*candidate);
            break;
        }
    }
    let (candidate, at) = (lasting?, Instant::now());
    let step = |name: &str| step(candidate, name);
    let task = create(probe, candidate, "create-to-cancel").await?;
    ask(probe, Topic::CancelTask, step("cancel"), "tasks/cancel", &task).await;
    ask(probe, Topic::GetTask, step("cancelled"), "tasks/get", &task).await;
    ask(probe, Topic::CancelEndedTask, step("cancel-again"), "tasks/cancel", &task).await;
    Some(Begun { candidate, task, at })
}

/// Looks at a task that was cancelled when it would be over.
async fn look_later(probe: &mut Probe, cancelled: &Begun<'_>, ran: &[Ran<'_>]) {
    let twin = ran.iter().find(|ran| ran.candidate.name() == cancelled.candidate.name());
    let Some(took) = twin.and_then(|twin| twin.took) else { return };
    let over = cancelled.at + took + took / 4 + probe.settings().quiet;
    probe.listen(over.saturating_duration_since(Instant::now())).await;
    let id = step(cancelled.candidate, "cancelled-later");
    ask(probe, Topic::GetTask, id, "tasks/get", &cancelled.task).await;
}

/// The id of a request about a task of this candidate.
fn step(candidate: &Candidate, name: &str) -> Value {
    json!(format!("{}/{name}", candidate.name()))
}

pub(super) async fn create(probe: &mut Probe, candidate: &Candidate, step: &str) -> Option<Value> {
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
