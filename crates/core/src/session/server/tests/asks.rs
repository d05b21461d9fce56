//! What handlers ask of the client, in both eras.

use super::*;
use crate::types::{
    ElicitFormParams, ElicitParams, ElicitUrlParams, InputRequest, InputRequiredResult,
    ListRootsParams, ServerRequest,
};

fn roots() -> ServerRequest {
    ServerRequest::ListRoots(ListRootsParams::default())
}

fn sampling() -> ServerRequest {
    ServerRequest::CreateMessage(Box::default())
}

fn form() -> ServerRequest {
    ServerRequest::Elicit(Box::new(ElicitParams::Form(ElicitFormParams::default())))
}

fn url() -> ServerRequest {
    ServerRequest::Elicit(Box::new(ElicitParams::Url(ElicitUrlParams::default())))
}

fn ask(request: Option<i64>, what: ServerRequest) -> Input<'static> {
    let request = request.map(Id::Integer);
    Input::Ask(Ask { ask: AskId(9), request, task: None, what, patience: Duration::from_secs(30) })
}

fn answer(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

#[test]
fn an_answer_reaches_the_handler_that_asked() {
    let mut bench = Bench::agreed(newest_legacy(), &everything());
    bench.receive(&call(1));
    let asked = bench.input(ask(Some(1), roots()));
    assert_eq!(asked.only()["method"], "roots/list");
    let seen = bench.receive(&answer(&asked.only()["id"], &json!({"roots": []})));
    assert_eq!(seen.events, [r#"settled 9: {"roots":[]}"#]);
}

#[test]
fn an_error_reaches_the_handler_that_asked() {
    let mut bench = Bench::agreed(newest_legacy(), &everything());
    let asked = bench.input(ask(None, sampling()));
    let error = json!({"code": -1, "message": "no"});
    let seen = bench.receive(&json!({"jsonrpc": "2.0", "id": asked.only()["id"], "error": error}));
    assert_eq!(seen.events, ["settled 9: the client refused: no"]);
}

#[test]
fn an_answer_counts_once_and_only_under_the_exact_id() {
    let mut bench = Bench::agreed(newest_legacy(), &everything());
    let asked = bench.input(ask(None, roots()));
    let id = asked.only()["id"].clone();
    let text = Value::String(id.to_string());
    let seen = bench.receive(&answer(&text, &json!({"roots": []})));
    assert_eq!(seen.events, [format!("breach: an answer to {text}, which is not open")]);
    bench.receive(&answer(&id, &json!({"roots": []})));
    let seen = bench.receive(&answer(&id, &json!({"roots": []})));
    assert_eq!(seen.events, [format!("breach: an answer to {id}, which is not open")]);
}

#[test]
fn what_the_client_did_not_declare_is_not_asked() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({"elicitation": {"form": {}}}));
    for (what, missing) in
        [(roots(), "roots"), (sampling(), "sampling"), (url(), "elicitation.url")]
    {
        let seen = bench.input(ask(None, what));
        assert_eq!(seen.sent, [] as [Value; 0]);
        assert_eq!(seen.events, [format!("settled 9: the client did not declare `{missing}`")]);
    }
    assert_eq!(bench.input(ask(None, form())).sent.len(), 1);
}

#[test]
fn what_the_revision_does_not_have_is_not_asked() {
    let before = legacy_where(|rules| rules.elicitation.is_none());
    let mut bench = Bench::agreed(before, &everything());
    let seen = bench.input(ask(None, form()));
    assert!(seen.sent.is_empty() && seen.events[0].contains("does not let a server send"));
    let forms_only =
        legacy_where(|rules| rules.elicitation.is_some_and(|elicitation| !elicitation.url_mode));
    let mut bench = Bench::agreed(forms_only, &everything());
    assert_eq!(bench.input(ask(None, form())).sent.len(), 1);
    assert!(bench.input(ask(None, url())).sent.is_empty());
}

#[test]
fn nothing_but_a_ping_is_asked_before_the_client_is_ready() {
    let mut bench = Bench::new();
    bench.receive(&initialize(newest_legacy(), &everything()));
    let seen = bench.input(ask(None, roots()));
    assert_eq!(seen.events, ["settled 9: the client has not finished its handshake"]);
    assert_eq!(bench.input(ask(None, ServerRequest::Ping)).only()["method"], "ping");
}

#[test]
fn a_modern_client_is_never_sent_a_request() {
    let mut bench = Bench::agreed(newest_legacy(), &everything());
    bench.receive(&modern(1, "tools/call", json!({"name": "t"}), &everything()));
    for what in [roots(), sampling(), form(), ServerRequest::Ping] {
        let seen = bench.input(ask(Some(1), what));
        assert!(seen.sent.is_empty());
        assert_eq!(seen.events.len(), 1);
    }
}

#[test]
fn a_question_without_an_answer_is_taken_back_in_time() {
    let mut bench = Bench::agreed(newest_legacy(), &everything());
    let asked = bench.input(ask(None, roots()));
    assert!(bench.pass(29).is_nothing());
    let seen = bench.pass(1);
    assert_eq!(seen.only()["method"], "notifications/cancelled");
    assert_eq!(seen.only()["params"]["requestId"], asked.only()["id"]);
    assert_eq!(seen.events, ["settled 9: the client did not answer in time"]);
}

#[test]
fn a_question_ends_with_the_request_it_belongs_to() {
    for end in [
        |bench: &mut Bench| bench.receive(&cancel(1)),
        |bench: &mut Bench| bench.finish(1),
        |bench: &mut Bench| {
            let notification =
                HandlerNotification::Progress { progress: 1.0, total: None, message: None };
            bench.input(Input::Notify { request: Id::Integer(1), notification });
            bench.pass(60)
        },
    ] {
        let mut bench = Bench::agreed(newest_legacy(), &everything());
        bench.receive(&call(1));
        let asked = bench.input(Input::Ask(Ask {
            ask: AskId(9),
            request: Some(Id::Integer(1)),
            task: None,
            what: roots(),
            patience: Duration::from_secs(500),
        }));
        let seen = end(&mut bench);
        assert_eq!(seen.sent[0]["method"], "notifications/cancelled");
        assert_eq!(seen.sent[0]["params"]["requestId"], asked.only()["id"]);
        let over = "settled 9: the request on whose behalf it was asked is over";
        assert!(seen.events.iter().any(|event| event == over), "{seen:?}");
        assert_eq!(bench.session.next_deadline(), None);
    }
}

#[test]
fn a_handler_can_take_its_question_back() {
    let mut bench = Bench::agreed(newest_legacy(), &everything());
    let asked = bench.input(ask(None, roots()));
    let seen = bench.input(Input::Withdrawn(AskId(9)));
    assert_eq!(seen.only()["params"]["requestId"], asked.only()["id"]);
    assert!(seen.events.is_empty());
    assert!(bench.input(Input::Withdrawn(AskId(9))).is_nothing());
}

#[test]
fn more_questions_than_the_limit_are_not_asked() {
    let mut offer = offer();
    offer.limits.asks = 1;
    let mut bench = Bench::agreed_with(offer, newest_legacy(), &everything());
    bench.input(ask(None, roots()));
    let seen = bench.input(ask(None, roots()));
    assert_eq!(seen.events, ["settled 9: more than 1 questions are open"]);
}

#[test]
fn no_answer_comes_after_the_end_of_the_input() {
    let mut bench = Bench::agreed(newest_legacy(), &everything());
    bench.receive(&call(1));
    bench.input(ask(Some(1), roots()));
    assert_eq!(bench.input(Input::InputEnded).events, ["settled 9: the connection is closed"]);
    assert_eq!(bench.finish(1).only()["id"], 1);
}

fn input_required(request: InputRequest) -> ServerResult {
    ServerResult::InputRequired(InputRequiredResult {
        result_type: Some(crate::types::ResultType::InputRequired),
        input_requests: Some([("k", request)].into_iter().collect()),
        request_state: Some("s".into()),
        meta: None,
    })
}

#[test]
fn a_modern_result_may_ask_for_what_the_client_declared() {
    let mut bench = Bench::new();
    bench.receive(&modern(1, "tools/call", json!({"name": "t"}), &everything()));
    let outcome = Ok(input_required(InputRequest::ListRoots(None)));
    let seen = bench.input(Input::Finished { id: Id::Integer(1), outcome });
    let result = &seen.only()["result"];
    assert_eq!(result["resultType"], "input_required");
    assert_eq!(result["inputRequests"], json!({"k": {"method": "roots/list"}}));
    assert_eq!(result["requestState"], "s");
}

#[test]
fn a_modern_result_that_asks_for_more_becomes_an_error() {
    let mut bench = Bench::new();
    bench.receive(&modern(1, "tools/call", json!({"name": "t"}), &json!({"sampling": {}})));
    let outcome = Ok(input_required(InputRequest::ListRoots(None)));
    let seen = bench.input(Input::Finished { id: Id::Integer(1), outcome });
    assert_eq!((seen.code(), seen.statuses[0]), (-32021, 400));
    let required = &seen.only()["error"]["data"]["requiredCapabilities"];
    assert_eq!(*required, json!({"roots": {}}));
}

#[test]
fn only_some_results_may_ask() {
    let mut bench = Bench::new();
    bench.receive(&modern(1, "tools/list", json!({}), &everything()));
    let outcome = Ok(input_required(InputRequest::ListRoots(None)));
    let seen = bench.input(Input::Finished { id: Id::Integer(1), outcome });
    assert_eq!(seen.code(), -32603);
}
