use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    types::{InputRequests, InputResponses, TaskState, TaskStatus},
};

use super::*;

#[test]
fn a_record_survives_being_written_and_read() {
    let record = TaskRecord {
        outcome: Some(TaskOutcome::Result(Raw::from_json(r#"{ "a" : 1.0 }"#).unwrap())),
        input_requests: asked(),
        lease: Some(Lease { instance: "one".into(), until: Timestamp(15_000) }),
        ..task()
    };
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<TaskRecord>(&text).unwrap(), record);
}

#[test]
fn both_wire_kinds_show_the_same_task() {
    let record = TaskRecord {
        ttl: Some(Duration::from_secs(60)),
        poll_interval: Some(Duration::from_millis(500)),
        status_message: Some("half".into()),
        updated: Timestamp(1_785_234_615_042),
        ..task()
    };
    let experimental = record.as_experimental();
    assert_eq!(experimental.created_at, "1970-01-01T00:00:00.005Z");
    assert_eq!(experimental.last_updated_at, "2026-07-28T10:30:15.042Z");
    assert_eq!((experimental.ttl, experimental.poll_interval), (Some(60_000), Some(500)));
    let extension = record.as_extension();
    assert_eq!(extension.task_id, experimental.task_id);
    assert_eq!(extension.status, TaskStatus::Working);
    assert_eq!(extension.status_message.as_deref(), Some("half"));
    assert_eq!((extension.ttl_ms, extension.poll_interval_ms), (Some(60_000), Some(500)));
    assert_eq!(record.as_detailed().last_updated_at, experimental.last_updated_at);
}

#[test]
fn a_tool_that_failed_is_failed_in_the_experiment_and_completed_in_the_extension() {
    let result = Raw::from_json(r#"{"content":[],"isError":true}"#).unwrap();
    let outcome = Some(TaskOutcome::Result(result.clone()));
    let record = TaskRecord { status: TaskStatus::Failed, outcome, ..task() };
    assert_eq!(record.as_experimental().status, TaskStatus::Failed);
    assert_eq!(record.as_extension().status, TaskStatus::Completed);
    assert_eq!(record.as_detailed().state, TaskState::Completed(result));
}

#[test]
fn a_request_that_failed_is_failed_in_both() {
    let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "no disk");
    let outcome = Some(TaskOutcome::Error(error.clone()));
    let record = TaskRecord { status: TaskStatus::Failed, outcome, ..task() };
    assert_eq!(record.as_experimental().status, TaskStatus::Failed);
    assert_eq!(record.as_detailed().state, TaskState::Failed(error));
}

#[test]
fn a_task_works_on_when_everything_is_answered() {
    let mut record =
        TaskRecord { status: TaskStatus::InputRequired, input_requests: asked(), ..task() };
    record.answer(answers(&["name", "never asked"]), Timestamp(6));
    assert_eq!(record.status, TaskStatus::InputRequired);
    assert_eq!(record.input_requests.keys().collect::<Vec<_>>(), ["age"]);
    record.answer(answers(&["age", "name"]), Timestamp(7));
    assert_eq!((record.status, record.updated), (TaskStatus::Working, Timestamp(7)));
    assert_eq!(record.input_responses, answers(&["age", "name"]));
}

#[test]
fn an_answer_to_nothing_does_not_revive_a_task() {
    let mut record = TaskRecord { status: TaskStatus::Cancelled, ..task() };
    record.answer(answers(&["name"]), Timestamp(6));
    assert_eq!(record.status, TaskStatus::Cancelled);
}

fn task() -> TaskRecord {
    TaskRecord::new(TaskId::random().unwrap(), Principal::Local, "tools/call", Timestamp(5))
}

fn asked() -> InputRequests {
    let roots = r#"{"method":"roots/list"}"#;
    serde_json::from_str(&format!(r#"{{"name":{roots},"age":{roots}}}"#)).unwrap()
}

fn answers(keys: &[&str]) -> InputResponses {
    let mut answers = InputResponses::default();
    for key in keys {
        answers.insert(key, key).unwrap();
    }
    answers
}
