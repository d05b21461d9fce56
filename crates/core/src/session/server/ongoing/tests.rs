use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use crate::{
    json::Raw,
    jsonrpc::{Id, Limits, parse},
    session::{
        Time,
        server::{Ask, AskId, HandlerNotification, Input, Link, Offer, Output, ServerSession},
    },
    types::{
        CreateTaskResult, ElicitFormParams, ElicitParams, Implementation, JsonObject, LoggingLevel,
        ServerCapabilities, ServerRequest, ServerResult, Task, TaskStatus, TasksCapability,
        ToolsCapability,
    },
};

const TASK: &str = "a-task";

/// A session in which a call with the id 1 was just answered with a task.
struct Fixture {
    offer: Arc<Offer>,
    session: ServerSession,
}

impl Fixture {
    fn over(link: Link) -> Self {
        let capabilities = ServerCapabilities {
            tools: Some(ToolsCapability::default()),
            tasks: Some(TasksCapability::default()),
            logging: Some(JsonObject::new()),
            ..ServerCapabilities::default()
        };
        let offer = Arc::new(Offer::new(Implementation::new("test", "1"), capabilities));
        let session = ServerSession::new(Arc::clone(&offer)).over(link);
        let mut fixture = Self { offer, session };
        fixture.receive(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "test", "version": "1" },
        } }));
        fixture.receive(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        fixture.receive(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "a", "task": {}, "_meta": { "progressToken": "t" },
        } }));
        let result =
            CreateTaskResult { task: task(TaskStatus::Working), meta: None, result_type: None };
        let outcome = Ok(ServerResult::CreateTask(result));
        fixture.feed(Input::Finished { id: Id::Integer(1), outcome });
        fixture
    }

    fn receive(&mut self, message: &Value) -> Vec<(Option<Id<'static>>, Value)> {
        let text = message.to_string();
        let incoming = parse(text.as_bytes(), &Limits::default()).unwrap();
        self.feed(Input::Received(incoming))
    }

    /// What is sent, and about which request.
    fn feed(&mut self, input: Input<'_>) -> Vec<(Option<Id<'static>>, Value)> {
        let mut sent = Vec::new();
        for output in self.session.handle(Time(Duration::ZERO), input) {
            if let Output::Transmit(transmit) = output {
                let (about, mut out) = (transmit.about.clone(), Vec::new());
                transmit.write(&self.offer, &mut out).unwrap();
                sent.push((about, serde_json::from_slice(&out).unwrap()));
            }
        }
        sent
    }

    fn ask(&mut self) -> Vec<(Option<Id<'static>>, Value)> {
        let params = ElicitFormParams { message: "Who?".into(), ..ElicitFormParams::default() };
        self.feed(Input::Ask(Ask {
            ask: AskId(7),
            request: None,
            task: Some(TASK.into()),
            what: ServerRequest::Elicit(Box::new(ElicitParams::Form(params))),
            patience: Duration::from_secs(1),
        }))
    }

    fn wait_for_result(&mut self, id: i64) -> Vec<(Option<Id<'static>>, Value)> {
        let params = json!({ "taskId": TASK });
        self.receive(
            &json!({ "jsonrpc": "2.0", "id": id, "method": "tasks/result", "params": params }),
        )
    }

    fn progress(&mut self, progress: f64) -> Vec<(Option<Id<'static>>, Value)> {
        let notification = HandlerNotification::Progress { progress, total: None, message: None };
        self.feed(Input::TaskNotify { task: TASK.into(), notification })
    }
}

fn task(status: TaskStatus) -> Task {
    Task {
        task_id: TASK.into(),
        status,
        status_message: None,
        created_at: "2025-11-25T00:00:00Z".into(),
        last_updated_at: "2025-11-25T00:00:00Z".into(),
        ttl: None,
        poll_interval: None,
        meta: None,
        result_type: None,
    }
}

#[track_caller]
fn assert_related(message: &Value) {
    let meta = &message["params"]["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/related-task"],
        json!({ "taskId": TASK }),
        "{message}"
    );
}

#[test]
fn the_progress_token_stays_valid_and_only_growth_is_reported() {
    let mut fixture = Fixture::over(Link::Pipe);
    let sent = fixture.progress(1.0);
    let [(None, message)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(message["params"]["progressToken"], "t");
    assert_related(message);
    assert_eq!(fixture.progress(1.0), []);
    fixture.feed(Input::TaskEnded { task: TASK.into() });
    assert_eq!(fixture.progress(2.0), []);
}

#[test]
fn the_id_of_the_call_is_free_again() {
    let mut fixture = Fixture::over(Link::Pipe);
    assert!(!fixture.session.is_running(&Id::Integer(1)));
    assert_eq!(fixture.session.tasks(), 1);
    fixture.feed(Input::TaskEnded { task: TASK.into() });
    assert_eq!(fixture.session.tasks(), 0);
}

#[test]
fn messages_go_where_the_client_waits_for_the_result() {
    let mut fixture = Fixture::over(Link::Http);
    assert_eq!(fixture.progress(1.0)[0].0, None);
    fixture.wait_for_result(2);
    assert_eq!(fixture.progress(2.0)[0].0, Some(Id::Integer(2)));
}

#[test]
fn over_a_pipe_a_question_is_asked_at_once() {
    let mut fixture = Fixture::over(Link::Pipe);
    let sent = fixture.ask();
    let [(None, message)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(message["method"], "elicitation/create");
    assert_related(message);
    assert_eq!(fixture.wait_for_result(2), []);
}

#[test]
fn over_http_a_question_is_asked_when_the_client_waits_for_the_result_and_only_once() {
    let mut fixture = Fixture::over(Link::Http);
    assert_eq!(fixture.ask(), []);
    let sent = fixture.wait_for_result(2);
    let [(Some(Id::Integer(2)), message)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(message["method"], "elicitation/create");
    assert_related(message);
    assert_eq!(fixture.wait_for_result(3), []);
}

#[test]
fn a_question_that_was_not_asked_yet_is_not_taken_back_either() {
    let mut fixture = Fixture::over(Link::Http);
    fixture.ask();
    assert_eq!(fixture.feed(Input::Withdrawn(AskId(7))), []);
    assert_eq!(fixture.wait_for_result(2), []);
}

#[test]
fn a_question_that_was_asked_is_taken_back_in_the_name_of_the_task() {
    let mut fixture = Fixture::over(Link::Pipe);
    fixture.ask();
    let sent = fixture.feed(Input::Withdrawn(AskId(7)));
    let [(None, message)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(message["method"], "notifications/cancelled");
    assert_related(message);
}

#[test]
fn a_request_that_waits_for_a_task_has_no_deadline() {
    let mut fixture = Fixture::over(Link::Pipe);
    fixture.wait_for_result(2);
    assert_eq!(fixture.session.next_deadline(), None);
}

#[test]
fn log_messages_of_a_task_name_it_and_respect_the_level() {
    let mut fixture = Fixture::over(Link::Pipe);
    let params = json!({ "level": "error" });
    fixture.receive(
        &json!({ "jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": params }),
    );
    let mut log = |level| {
        let notification =
            HandlerNotification::Log { level, logger: None, data: Raw::new("x").unwrap() };
        fixture.feed(Input::TaskNotify { task: TASK.into(), notification })
    };
    assert_eq!(log(LoggingLevel::Info), []);
    assert_related(&log(LoggingLevel::Error)[0].1);
}

#[test]
fn a_status_is_told_of_tasks_of_this_conversation_only() {
    let mut fixture = Fixture::over(Link::Pipe);
    let sent = fixture.feed(Input::TaskChanged(Box::new(task(TaskStatus::Completed))));
    assert_eq!(sent[0].1["method"], "notifications/tasks/status");
    let foreign = Task { task_id: "other".into(), ..task(TaskStatus::Completed) };
    assert_eq!(fixture.feed(Input::TaskChanged(Box::new(foreign))), []);
}
