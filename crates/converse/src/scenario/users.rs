//! What one user began, tried by another one, and by a client that says not who it is.

use serde_json::{Value, json};

use super::{
    Candidate, ClientKind, KnownCalls, Probe, Scenario, Users, modern::retried, rounds::stateful,
    task_extension, tasks,
};
use proofmark_record::{meta::TASKS_EXTENSION, topic::Topic};

impl Scenario {
    pub const USERS: Self = Self {
        name: "users",
        title: "what belongs to another user",
        applies: |here| match here.users {
            Users::Anonymous => false,
            Users::One => here.is_over_http() && here.is_modern(),
            Users::Two => here.is_over_http(),
        },
        client: ClientKind::Tasking,
        needs_tour: true,
        talk: |talk| Box::pin(users(&mut talk.probe, talk.calls)),
        ..Self::USUAL
    };
}

async fn users(probe: &mut Probe, calls: &KnownCalls) {
    let Some(handshake) = probe.shake_hands().await else { return };
    let capabilities = &handshake["capabilities"];
    let begun = if probe.is_modern() {
        modern(probe, calls, capabilities).await
    } else {
        legacy(probe, &calls.candidates, capabilities).await
    };
    let other = probe.settings().other_user.clone();
    let Some(first) = switch(probe, other.clone()) else { return };
    if other.is_some() {
        if let Some(session) = first.session.clone() {
            set_session(probe, Some(session));
            probe.ask_as(Topic::OthersSession, json!("others-session"), "ping", None).await;
            set_session(probe, None);
        }
        if let Some(retry) = begun.retry {
            let id = json!("others-state");
            probe.ask_as(Topic::OthersState, id, "tools/call", Some(retry)).await;
        }
        if let Some(task) = &begun.task {
            look_at(probe, task, capabilities).await;
        }
        if let Some((http, recorder)) = probe.http_and_recorder() {
            http.end_session(recorder).await;
        }
    }
    if let Some(task) = begun.task.filter(|_| probe.is_modern()) {
        switch(probe, None);
        let (id, params) = (json!("task-without-token"), json!({ "taskId": task }));
        probe.ask_as(Topic::TaskWithoutToken, id, "tasks/get", Some(params)).await;
    }
    if let Some((http, _)) = probe.http_and_recorder() {
        http.go_on_as(first);
    }
}

/// What the first user has begun.
#[derive(Default)]
struct Begun {
    task: Option<Value>,
    /// The params of a request in its second round.
    retry: Option<Value>,
}

async fn legacy(probe: &mut Probe, candidates: &[Candidate], capabilities: &Value) -> Begun {
    let mut willing = candidates.iter().filter(|it| it.is_willing());
    let declared = capabilities.pointer("/tasks/requests/tools/call").is_some_and(Value::is_object);
    let task = match willing.next().filter(|_| declared) {
        Some(candidate) => tasks::create(probe, candidate, "create-of-one").await,
        None => None,
    };
    Begun { task, retry: None }
}

async fn modern(probe: &mut Probe, calls: &KnownCalls, capabilities: &Value) -> Begun {
    let mut begun = Begun::default();
    if let Some((params, result)) = stateful(probe, &calls.asking).await
        && result.get("requestState").is_some()
    {
        begun.retry = Some(retried(&params, &result, probe.settings().client_kind));
    }
    if capabilities.pointer("/extensions").is_none_or(|it| it.get(TASKS_EXTENSION).is_none()) {
        return begun;
    }
    let candidates = task_extension::in_order(&calls.candidates);
    for candidate in candidates.into_iter().take(task_extension::MOST_CALLS) {
        let meta = json!({});
        let created = task_extension::create(probe, candidate, "create-of-one", &meta).await;
        begun.task = created.and_then(|it| it.get("taskId").cloned());
        if begun.task.is_some() {
            break;
        }
    }
    begun
}

/// Everything that can be done about a task, by the wrong user.
async fn look_at(probe: &mut Probe, task: &Value, capabilities: &Value) {
    if probe.shake_hands().await.is_none() {
        return;
    }
    if capabilities.pointer("/tasks/list").is_some() {
        let id = json!("others-task-list");
        probe.ask_as(Topic::OthersTaskList, id, "tasks/list", None).await;
    }
    let methods: &[&str] = match capabilities.pointer("/tasks/cancel") {
        _ if probe.is_modern() => &["tasks/get", "tasks/cancel"],
        Some(_) => &["tasks/get", "tasks/result", "tasks/cancel"],
        None => &["tasks/get", "tasks/result"],
    };
    for method in methods {
        let id = json!(format!("others/{method}"));
        let params = Some(json!({ "taskId": task }));
        probe.ask_as(Topic::OthersTask, id, method, params).await;
    }
}

fn switch(probe: &mut Probe, authorization: Option<String>) -> Option<super::probe::UserSession> {
    let (http, _) = probe.http_and_recorder()?;
    Some(http.talk_as(authorization))
}

fn set_session(probe: &mut Probe, session: Option<String>) {
    if let Some((http, _)) = probe.http_and_recorder() {
        http.session = session;
    }
}
