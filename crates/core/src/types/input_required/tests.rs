use super::*;
use crate::types::{ElicitAction, ElicitParams};

const ASKED: &str = r#"{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"mode":"url","message":"Log in","url":"https://example.org/login"}},"where":{"method":"roots/list"},"again":{"method":"roots/list","params":{}}},"requestState":"c2VhbGVk"}"#;

#[test]
fn questions_keep_their_order_and_their_form() {
    let result: InputRequiredResult = serde_json::from_str(ASKED).unwrap();
    let requests = result.input_requests.as_ref().unwrap();
    assert_eq!(requests.keys().collect::<Vec<_>>(), ["who", "where", "again"]);
    assert_eq!(serde_json::to_string(&result).unwrap(), ASKED);
}

#[test]
fn a_question_says_how_to_read_its_answer() {
    let result: InputRequiredResult = serde_json::from_str(ASKED).unwrap();
    let requests = result.input_requests.unwrap();
    let answer =
        |key, text: &str| requests.get(key).unwrap().read_response(&Raw::from_json(text).unwrap());
    assert!(matches!(requests.get("who"), Some(InputRequest::Elicit(ElicitParams::Url(_)))));
    assert!(matches!(
        answer("who", r#"{"action":"decline"}"#),
        Ok(InputResponse::Elicit(result)) if result.action == ElicitAction::Decline
    ));
    assert!(matches!(answer("where", r#"{"roots":[]}"#), Ok(InputResponse::ListRoots(_))));
    assert!(answer("where", r#"{"action":"decline"}"#).is_err());
}

#[test]
fn a_question_that_no_client_answers_is_refused_by_name() {
    let text = r#"{"method":"tools/call","params":{"name":"x"}}"#;
    let error = serde_json::from_str::<InputRequest>(text).unwrap_err().to_string();
    assert!(error.contains("tools/call"), "{error}");
}

#[test]
fn an_elicitation_needs_parameters() {
    let error = serde_json::from_str::<InputRequest>(r#"{"method":"elicitation/create"}"#);
    assert!(error.unwrap_err().to_string().starts_with("missing field `params`"));
}

#[test]
fn a_result_needs_a_question_or_a_state() {
    let asks_nothing =
        |text| serde_json::from_str::<InputRequiredResult>(text).unwrap().asks_nothing();
    assert!(asks_nothing(r#"{"resultType":"input_required"}"#));
    assert!(!asks_nothing(r#"{"resultType":"input_required","requestState":""}"#));
    assert!(!asks_nothing(r#"{"resultType":"input_required","inputRequests":{}}"#));
}

#[test]
fn answers_survive_as_they_were_written() {
    let text = r#"{"a":{"action":"accept","content":{"n":1.50}},"b":{"roots":[]}}"#;
    let mut responses: InputResponses = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&responses).unwrap(), text);
    assert!(responses.decode::<crate::types::ListRootsResult>("b").unwrap().is_ok());
    assert!(responses.decode::<crate::types::ListRootsResult>("c").is_none());
    responses.insert("b", &crate::types::ElicitResult::cancel()).unwrap();
    assert_eq!(responses.get("b").unwrap().as_str(), r#"{"action":"cancel"}"#);
}
