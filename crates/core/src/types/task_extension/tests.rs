use super::*;
use crate::types::{ElicitParams, InputRequest};

#[track_caller]
fn read(status_and_more: &str) -> serde_json::Result<DetailedTask> {
    serde_json::from_str(&format!(
        r#"{{"taskId":"t","createdAt":"2026-07-28T10:30:00Z","lastUpdatedAt":"2026-07-28T10:50:00Z","ttlMs":null,{status_and_more}}}"#
    ))
}

#[test]
fn each_status_comes_with_what_belongs_to_it() {
    assert_eq!(read(r#""status":"working""#).unwrap().state, TaskState::Working);
    assert_eq!(read(r#""status":"cancelled""#).unwrap().state, TaskState::Cancelled);
    let TaskState::Completed(result) =
        read(r#""status":"completed","result":{"content":[]}"#).unwrap().state
    else {
        panic!("completed");
    };
    assert_eq!(result.as_str(), r#"{"content":[]}"#);
    let TaskState::Failed(error) =
        read(r#""status":"failed","error":{"code":-32603,"message":"no disk"}"#).unwrap().state
    else {
        panic!("failed");
    };
    assert_eq!(error.message, "no disk");
    let asked = r#""name":{"method":"elicitation/create","params":{"message":"Who are you?","requestedSchema":{"type":"object","properties":{}}}}"#;
    let TaskState::InputRequired(requests) =
        read(&format!(r#""status":"input_required","inputRequests":{{{asked}}}"#)).unwrap().state
    else {
        panic!("input required");
    };
    assert!(matches!(requests.get("name"), Some(InputRequest::Elicit(ElicitParams::Form(_)))));
}

#[test]
fn a_status_without_what_belongs_to_it_is_refused() {
    for (status, field) in
        [("completed", "result"), ("failed", "error"), ("input_required", "inputRequests")]
    {
        let error = read(&format!(r#""status":"{status}""#)).unwrap_err().to_string();
        assert!(error.contains(status) && error.contains(&format!("`{field}`")), "{error}");
    }
}

#[test]
fn what_belongs_to_another_status_is_not_written_again() {
    let task = read(r#""status":"working","result":{}"#).unwrap();
    assert!(!serde_json::to_string(&task).unwrap().contains("result"));
}
