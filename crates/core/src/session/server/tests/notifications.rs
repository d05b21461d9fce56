//! What handlers tell while they run.

use super::*;
use crate::types::LoggingLevel;

fn progress(value: f64) -> Input<'static> {
    let notification =
        HandlerNotification::Progress { progress: value, total: Some(10.0), message: None };
    Input::Notify { request: Id::Integer(1), notification }
}

fn log(level: LoggingLevel) -> Input<'static> {
    let notification =
        HandlerNotification::Log { level, logger: None, data: Raw::from_json("\"x\"").unwrap() };
    Input::Notify { request: Id::Integer(1), notification }
}

fn call_with_token(token: &Value) -> Value {
    legacy(1, "tools/call", &json!({"name": "t", "_meta": {"progressToken": token}}))
}

#[test]
fn progress_must_grow() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call_with_token(&json!("p")));
    for (value, sent) in [(1.0, true), (1.0, false), (0.5, false), (f64::NAN, false), (2.0, true)] {
        let seen = bench.input(progress(value));
        assert_eq!(!seen.sent.is_empty(), sent, "{value}");
    }
    assert!(bench.input(progress(f64::INFINITY)).is_nothing());
}

#[test]
fn progress_goes_to_the_token_in_its_json_form() {
    for token in [json!("p"), json!(7)] {
        let mut bench = Bench::agreed(newest_legacy(), &json!({}));
        bench.receive(&call_with_token(&token));
        let seen = bench.input(progress(1.0));
        assert_eq!(seen.only()["method"], "notifications/progress");
        assert_eq!(seen.only()["params"]["progressToken"], token);
    }
}

#[test]
fn no_progress_is_told_without_a_token_or_after_the_end() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call(1));
    assert!(bench.input(progress(1.0)).is_nothing());
    bench.finish(1);
    bench.receive(&call_with_token(&json!(1)));
    bench.finish(1);
    assert!(bench.input(progress(1.0)).is_nothing());
}

#[test]
fn a_legacy_client_sets_the_level_for_all_its_requests() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call(1));
    assert!(!bench.input(log(LoggingLevel::Debug)).sent.is_empty());
    bench.receive(&legacy(2, "logging/setLevel", &json!({"level": "warning"})));
    assert!(bench.input(log(LoggingLevel::Notice)).is_nothing());
    assert!(!bench.input(log(LoggingLevel::Warning)).sent.is_empty());
    assert!(!bench.input(log(LoggingLevel::Emergency)).sent.is_empty());
}

#[test]
fn a_modern_client_sets_the_level_for_each_request() {
    let mut bench = Bench::new();
    bench.receive(&modern(1, "tools/call", json!({"name": "t"}), &json!({})));
    assert!(bench.input(log(LoggingLevel::Emergency)).is_nothing());
    bench.finish(1);
    let meta = json!({"name": "t", "_meta": {"io.modelcontextprotocol/logLevel": "error"}});
    bench.receive(&modern(1, "tools/call", meta, &json!({})));
    assert!(bench.input(log(LoggingLevel::Warning)).is_nothing());
    assert!(!bench.input(log(LoggingLevel::Error)).sent.is_empty());
}

#[test]
fn the_level_of_a_legacy_session_says_nothing_about_modern_requests() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&legacy(2, "logging/setLevel", &json!({"level": "debug"})));
    bench.receive(&modern(1, "tools/call", json!({"name": "t"}), &json!({})));
    assert!(bench.input(log(LoggingLevel::Emergency)).is_nothing());
}

#[test]
fn a_server_that_does_not_declare_logging_does_not_log() {
    let capabilities = ServerCapabilities { logging: None, ..capabilities() };
    let offer = Offer::new(Implementation::new("quiet", "1"), capabilities);
    let mut bench = Bench::agreed_with(offer, newest_legacy(), &json!({}));
    bench.receive(&call(1));
    assert!(bench.input(log(LoggingLevel::Emergency)).is_nothing());
}

#[test]
fn a_logging_handler_is_alive_even_if_no_client_listens() {
    let capabilities = ServerCapabilities { logging: None, ..capabilities() };
    let offer = Offer::new(Implementation::new("quiet", "1"), capabilities);
    let mut bench = Bench::agreed_with(offer, newest_legacy(), &json!({}));
    bench.receive(&call(1));
    bench.pass(50);
    bench.input(log(LoggingLevel::Info));
    assert!(bench.pass(50).is_nothing());
}

#[test]
fn that_a_user_is_done_is_told_where_the_revision_has_such_news() {
    let notification =
        || HandlerNotification::ElicitationComplete { elicitation_id: "page-1".to_owned() };
    for revision in Revision::of(Era::Legacy) {
        let mut bench = Bench::agreed(revision.as_str(), &json!({}));
        bench.receive(&legacy(1, "tools/call", &json!({"name": "t"})));
        let seen =
            bench.input(Input::Notify { request: Id::Integer(1), notification: notification() });
        let known = revision.rules().server_notifications;
        if known.contains(NotificationMethod::ElicitationComplete) {
            assert_eq!(seen.only()["method"], "notifications/elicitation/complete");
            assert_eq!(seen.only()["params"]["elicitationId"], "page-1");
        } else {
            assert!(seen.is_nothing());
        }
    }
}
