//! Requests that go on as tasks, as the extension has them: the server decides which do.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    Candidate, ClientKind, Probe, Scenario, Turn,
    modern::{responses, retried, wants_input},
    tasks::{TTL, UNKNOWN},
};
use proofmark_record::{
    meta::{CAPABILITIES, LOG_LEVEL, TASKS_EXTENSION},
    topic::Topic,
};

impl Scenario {
    pub const EXTENSION_TASKS: Self = Self {
        name: "tasks",
        title: "requests that go on as tasks",
        applies: |here| here.is_modern(),
        client: ClientKind::Tasking,
        turn: Turn::Early,
        announces: |here| in_order(&here.calls.candidates).iter().any(|it| it.announces),
        needs_tour: true,
        talk: |talk| Box::pin(extension_tasks(&mut talk.probe, &talk.calls.candidates)),
        ..Self::USUAL
    };
}

async fn extension_tasks(probe: &mut Probe, candidates: &[Candidate]) {
    let Some(discovered) = probe.shake_hands().await else { return };
    let extensions = &discovered["capabilities"]["extensions"];
    if !extensions.get(TASKS_EXTENSION).is_some_and(Value::is_object) {
        return;
    }
    for method in METHODS {
        let params = of_task(method, &json!(UNKNOWN));
        let id = json!(format!("unknown/{method}"));
        probe.ask_as(Topic::UnknownTask, id, method, Some(params)).await;
    }
    let (mut tasks, mut plain) = (Vec::new(), None);
    for candidate in in_order(candidates).into_iter().take(MOST_CALLS) {
        if candidate.is_slow && !tasks.is_empty() {
            continue;
        }
        match create(probe, candidate, "create", &json!({})).await {
            Some(result) if result.get("taskId").is_some() => {
                tasks.push(Followed::new(candidate, result));
                if tasks.len() == MOST_TASKS {
                    break;
                }
            }
            Some(_) if plain.is_none() => plain = Some(candidate),
            _ => {}
        }
    }
    follow(probe, &mut tasks).await;
    let patient = tasks.iter().find(|it| it.asked == Asked::Something);
    if let Some(Followed { candidate, .. }) = patient.or_else(|| tasks.first()) {
        cancel(probe, candidate).await;
    }
    if let Some(Followed { candidate, created, .. }) = tasks.first() {
        unclaimed(probe, candidate, &created["taskId"]).await;
    }
    if let Some(plain) = plain {
        let mut params = plain.params.clone();
        params["task"] = json!({ "ttl": TTL });
        params["_meta"] = json!({ CAPABILITIES: without_tasks(probe) });
        let id = json!("outdated-parameter");
        probe.ask_as(Topic::OutdatedTaskParameter, id, "tools/call", Some(params)).await;
    }
    probe.ask(Topic::StillThere, "ping", None).await;
}

/// Whether a task wanted to know something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Nothing,
    Something,
}

/// Calls, and answers what the call asks first.
pub(super) async fn create(
    probe: &mut Probe,
    candidate: &Candidate,
    step: &str,
    meta: &Value,
) -> Option<Value> {
    let mut next = candidate.params.clone();
    next["_meta"] = meta.clone();
    for round in 0..MOST_ROUNDS {
        let round = if round == 0 { String::new() } else { format!("-{round}") };
        let id = json!(format!("{}/{step}{round}", candidate.name()));
        let answer = probe.ask_as(Topic::CreateTask, id, "tools/call", Some(next)).await?;
        let result = answer.get("result")?;
        if !wants_input(result) {
            return Some(result.clone());
        }
        next = retried(&candidate.params, result, ClientKind::Tasking);
        next["_meta"] = meta.clone();
    }
    None
}

/// Those that took long come last. What announces changes is left out where there is anything else, because others listen for changes.
pub(super) fn in_order(candidates: &[Candidate]) -> Vec<&Candidate> {
    let quiet: Vec<_> = candidates.iter().filter(|it| !it.announces).collect();
    let mut order = if quiet.is_empty() { candidates.iter().collect() } else { quiet };
    order.sort_by_key(|it| it.is_slow);
    order
}

/// A task that is looked at until it is over.
struct Followed<'c> {
    candidate: &'c Candidate,
    created: Value,
    asked: Asked,
    /// Whether some of what it asked for was given.
    begun: bool,
    is_over: bool,
}

impl<'c> Followed<'c> {
    fn new(candidate: &'c Candidate, created: Value) -> Self {
        Self { candidate, created, asked: Asked::Nothing, begun: false, is_over: false }
    }
}

/// Looks at tasks until they are over, and answers what they ask. One pause is for all of them.
async fn follow(probe: &mut Probe, tasks: &mut [Followed<'_>]) {
    for look in 0..MOST_LOOKS {
        let mut pause = None;
        for task in tasks.iter_mut().filter(|it| !it.is_over) {
            pause = pause.max(look_at(probe, task, look).await);
        }
        if tasks.iter().all(|it| it.is_over) {
            return;
        }
        if let Some(pause) = pause {
            probe.listen(pause).await;
        }
    }
}

/// Gives how long the task is to be left alone, if it works.
async fn look_at(probe: &mut Probe, followed: &mut Followed<'_>, look: usize) -> Option<Duration> {
    let step = |step: &str| json!(format!("{}/{step}", followed.candidate.name()));
    let name = followed.created["taskId"].clone();
    let id = step(&format!("get-{look}"));
    let params = json!({ "taskId": name });
    let answer = probe.ask_as(Topic::GetTask, id, "tasks/get", Some(params)).await;
    let task = answer.as_ref().and_then(|it| it.get("result")).unwrap_or(&Value::Null);
    let wanted = responses(task, ClientKind::Tasking);
    match task["status"].as_str().unwrap_or_default() {
        "input_required" if followed.asked == Asked::Nothing => {
            // The question is looked at once more before it is answered.
            let odd = json!({ "taskId": name,
                "inputResponses": { "proofmark-unasked": { "action": "decline" } } });
            probe.ask_as(Topic::UnaskedUpdate, step("unasked"), UPDATE, Some(odd)).await;
            followed.asked = Asked::Something;
        }
        // One by one, where there are several.
        "input_required" if !followed.begun && wanted.len() > 1 => {
            let one = Value::Object(wanted.into_iter().take(1).collect());
            let params = json!({ "taskId": name, "inputResponses": one });
            probe.ask_as(Topic::PartialUpdate, step("partial"), UPDATE, Some(params)).await;
            followed.begun = true;
        }
        "input_required" => {
            let params = json!({ "taskId": name, "inputResponses": wanted });
            let id = step(&format!("update-{look}"));
            probe.ask_as(Topic::UpdateTask, id, UPDATE, Some(params)).await;
        }
        "working" => {
            let pause = task.get("pollIntervalMs").and_then(Value::as_u64);
            let pause = pause.map_or(LONGEST_PAUSE, Duration::from_millis);
            return Some(pause.clamp(SHORTEST_PAUSE, LONGEST_PAUSE));
        }
        _ => followed.is_over = true,
    }
    None
}

/// A task that is listened to and cancelled.
async fn cancel(probe: &mut Probe, candidate: &Candidate) {
    let meta = json!({ "progressToken": "of-a-task", LOG_LEVEL: "debug" });
    let step = |step: &str| json!(format!("{}/{step}", candidate.name()));
    let created = create(probe, candidate, "create-to-cancel", &meta).await;
    let Some(task) = created.as_ref().and_then(|it| it.get("taskId")) else { return };
    let listening = json!("listen-task");
    probe.subscribe(listening.clone(), &json!({ "taskIds": [task] })).await;
    let params = json!({ "taskId": task });
    let look = Some(params.clone());
    probe.ask_as(Topic::CancelTask, step("cancel"), "tasks/cancel", Some(params.clone())).await;
    probe.ask_as(Topic::GetTask, step("cancelled"), "tasks/get", look.clone()).await;
    probe.listen(probe.settings().quiet).await;
    probe.ask_as(Topic::GetTask, step("cancelled-later"), "tasks/get", look).await;
    let again = step("cancel-again");
    probe.ask_as(Topic::CancelEndedTask, again, "tasks/cancel", Some(params)).await;
    probe.unsubscribe(&listening).await;
}

/// What a client without the extension gets.
async fn unclaimed(probe: &mut Probe, candidate: &Candidate, task: &Value) {
    let capabilities = without_tasks(probe);
    for method in METHODS {
        let mut params = of_task(method, task);
        params["_meta"] = json!({ CAPABILITIES: capabilities });
        let id = json!(format!("unclaimed/{method}"));
        probe.ask_as(Topic::UnclaimedTask, id, method, Some(params)).await;
    }
    let params = json!({ "notifications": { "taskIds": [task] },
        "_meta": { CAPABILITIES: capabilities } });
    let id = json!("unclaimed/listen");
    probe.ask_as(Topic::UnclaimedTask, id, "subscriptions/listen", Some(params)).await;
    let mut outdated = capabilities;
    outdated["tasks"] = json!({ "list": {}, "cancel": {} });
    let mut params = candidate.params.clone();
    params["_meta"] = json!({ CAPABILITIES: outdated });
    let id = json!("outdated-claim");
    probe.ask_as(Topic::OutdatedTaskClaim, id, "tools/call", Some(params)).await;
}

fn of_task(method: &str, task: &Value) -> Value {
    match method {
        UPDATE => json!({ "taskId": task, "inputResponses": {} }),
        _ => json!({ "taskId": task }),
    }
}

fn without_tasks(probe: &Probe) -> Value {
    ClientKind::Able.capabilities(probe.settings().revision)
}

const METHODS: [&str; 3] = ["tasks/get", UPDATE, "tasks/cancel"];
const UPDATE: &str = "tasks/update";
pub(super) const MOST_CALLS: usize = 48;
const MOST_TASKS: usize = 8;
const MOST_ROUNDS: usize = 6;
const MOST_LOOKS: usize = 12;
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
