//! What the server wants to know from the client, by request or by result.

use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{ClientCapability, Era, Revision},
    session::client::{CallError, Input, Output, Preference},
    types::{ClientCapabilities, ServerRequest},
};
use serde_json::{Value, json};

use crate::link::{Pair, SECOND, offer, profile};

fn legacy() -> Pair {
    Pair::speaking(Revision::newest(Era::Legacy))
}

fn modern() -> Pair {
    Pair::speaking(Revision::newest(Era::Modern))
}

fn no() -> ErrorObject {
    ErrorObject::new(ErrorCode::USER_REJECTED, "no")
}

#[test]
fn the_same_questions_are_asked_in_both_eras() {
    for (tool, answer) in [
        ("roots", json!({"roots": [{"uri": "file:///x"}]})),
        (
            "sampling",
            json!({"role": "assistant", "model": "m",
            "content": {"type": "text", "text": "hi"}}),
        ),
        ("form", json!({"action": "decline"})),
    ] {
        for mut pair in [legacy(), modern()] {
            let call = pair.tool(tool);
            let [(ask, what)] = &pair.asks[..] else { panic!("{:?}", pair.asks) };
            let expected = match what {
                ServerRequest::ListRoots(_) => "roots",
                ServerRequest::CreateMessage(_) => "sampling",
                ServerRequest::Elicit(_) => "form",
                other => panic!("{other:?}"),
            };
            assert_eq!(expected, tool);
            let ask = *ask;
            pair.answer(ask, Ok(answer.clone()));
            let read: Value = serde_json::from_str(&pair.text(call)).unwrap();
            match pair.client.server().unwrap().revision.era() {
                Era::Legacy => assert_eq!(read, answer),
                Era::Modern => assert_eq!(read, json!({"q": answer})),
            }
            pair.close();
        }
    }
}

#[test]
fn a_retry_is_the_same_request_under_a_new_id() {
    let mut pair = modern();
    pair.tool("roots");
    let ask = pair.asks[0].0;
    pair.answer(ask, Ok(json!({"roots": []})));
    let [.., first, second] = &pair.upward().log[..] else { panic!("no retry") };
    assert_ne!(first["id"], second["id"]);
    assert_eq!(first["method"], second["method"]);
    assert_eq!(first["params"]["name"], second["params"]["name"]);
    assert_eq!(second["params"]["requestState"], "state");
    assert_eq!(second["params"]["inputResponses"], json!({"q": {"roots": []}}));
    assert!(first["params"]["inputResponses"].is_null());
}

#[test]
fn a_refused_question_is_an_error_before_and_no_retry_in_the_modern_era() {
    let mut pair = legacy();
    let call = pair.tool("sampling");
    let ask = pair.asks[0].0;
    pair.answer(ask, Err(no()));
    assert_eq!(pair.text(call), "no answer: the client refused: no");

    let mut pair = modern();
    let call = pair.tool("sampling");
    let said = pair.upward().log.len();
    let ask = pair.asks[0].0;
    pair.answer(ask, Err(no()));
    assert_eq!(*pair.outcome(call), Err(CallError::Unanswered(no())));
    assert_eq!(pair.upward().log.len(), said);
    pair.close();
}

#[test]
fn cancelling_a_call_withdraws_what_was_asked_for_it() {
    for mut pair in [legacy(), modern()] {
        let call = pair.tool("roots");
        let ask = pair.asks[0].0;
        pair.cancel(call);
        pair.run();
        assert_eq!(pair.asks, []);
        assert!(pair.events.contains(&Output::Withdrawn(ask)));
        let said = pair.upward().log.len();
        pair.answer(ask, Ok(json!({"roots": []})));
        assert_eq!(pair.upward().log.len(), said);
        pair.close();
    }
}

#[test]
fn a_server_that_waits_too_long_withdraws_its_question() {
    let mut pair = legacy();
    let call = pair.tool("roots");
    let ask = pair.asks[0].0;
    pair.advance(SECOND * 30);
    assert_eq!(pair.asks, []);
    assert!(pair.events.contains(&Output::Withdrawn(ask)));
    assert_eq!(pair.text(call), "no answer: the client did not answer in time");
    assert_eq!(pair.breaches(), [] as [&str; 0]);
}

#[test]
fn handlers_that_never_answer_a_modern_server_end_the_call() {
    let mut pair = modern();
    let call = pair.tool("roots");
    pair.advance(SECOND * 599);
    assert!(pair.is_open(call));
    pair.advance(SECOND);
    assert_eq!(*pair.outcome(call), Err(CallError::TimedOut));
    assert_eq!(pair.asks, []);
}

#[test]
fn a_result_that_only_says_again_is_tried_again_after_a_pause() {
    let mut pair = modern();
    let call = pair.tool("again");
    assert!(pair.is_open(call));
    pair.advance(SECOND);
    assert_eq!(pair.text(call), "done");
    let retry = pair.upward().log.last().unwrap();
    assert_eq!(retry["params"]["requestState"], "once");
    assert!(retry["params"].get("inputResponses").is_none());
    assert!(pair.events.iter().any(|event| matches!(event, Output::Completed { rounds: 1, .. })));
}

#[test]
fn a_server_that_asks_for_ever_is_given_up_on() {
    let mut pair = modern();
    let call = pair.tool("forever");
    pair.advance(SECOND * 600);
    assert_eq!(*pair.outcome(call), Err(CallError::TooManyRounds { limit: 10 }));
    let calls = pair.upward().log.iter().filter(|it| it["method"] == "tools/call").count();
    assert_eq!(calls, 11);
    pair.close();
}

#[test]
fn what_the_client_did_not_declare_cannot_be_asked() {
    for preference in [Preference::Legacy(Revision::newest(Era::Legacy)), Preference::Modern] {
        let mut profile = profile();
        profile.capabilities = ClientCapabilities::default();
        profile.preference = preference;
        let mut pair = Pair::with(profile, offer());
        pair.start();
        let call = pair.tool("roots");
        assert_eq!(pair.asks, []);
        match (preference, pair.outcome(call)) {
            (Preference::Modern, Err(CallError::Refused(error))) => {
                assert_eq!(error.code, ErrorCode::MISSING_CLIENT_CAPABILITY);
            }
            (_, Ok(_)) => {
                assert_eq!(pair.text(call), "no answer: the client did not declare `roots`");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_client_does_not_answer_questions_it_did_not_declare() {
    let mut profile = profile();
    profile.capabilities = ClientCapabilities::default();
    profile.preference = Preference::Legacy(Revision::newest(Era::Legacy));
    let mut pair = Pair::with(profile, offer());
    pair.start();
    for method in ["roots/list", "sampling/createMessage", "elicitation/create", "no/such"] {
        pair.say_to_client(&json!({"jsonrpc": "2.0", "id": method, "method": method}));
        let answer = pair.upward().log.last().unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(method), &json!(-32601)));
    }
    assert_eq!(pair.asks, []);
}

#[test]
fn a_modern_result_that_asks_what_was_not_declared_ends_the_call() {
    let mut profile = profile();
    profile.capabilities = ClientCapabilities::default();
    let mut pair = Pair::with(profile, offer());
    pair.start();
    let call = pair.tool("hold");
    let id = pair.upward().log.last().unwrap()["id"].clone();
    let result = json!({"resultType": "input_required",
        "inputRequests": {"k": {"method": "roots/list"}}});
    pair.say_to_client(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    let error = CallError::UndeclaredInput(ClientCapability::Roots);
    assert_eq!(*pair.outcome(call), Err(error));
    assert_eq!(pair.asks, []);
}

#[test]
fn a_mode_or_params_that_do_not_fit_are_invalid_params() {
    let mut profile = profile();
    profile.capabilities.elicitation =
        Some(proofmark_core::types::ElicitationCapability::default());
    profile.preference = Preference::Legacy(Revision::newest(Era::Legacy));
    let mut pair = Pair::with(profile, offer());
    pair.start();
    let url = json!({"mode": "url", "message": "m", "url": "https://a", "elicitationId": "e"});
    for params in [url, json!({"mode": "odd"}), json!({"message": 7})] {
        let request =
            json!({"jsonrpc": "2.0", "id": 5, "method": "elicitation/create", "params": params});
        pair.say_to_client(&request);
        assert_eq!(pair.upward().log.last().unwrap()["error"]["code"], -32602);
    }
}

#[test]
fn a_ping_is_answered_by_the_session_itself() {
    let mut pair = legacy();
    pair.say_to_client(&json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}));
    let answer = pair.upward().log.last().unwrap();
    assert_eq!(*answer, json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
}

#[test]
fn a_request_from_a_modern_server_is_a_breach_and_never_answered() {
    let mut pair = modern();
    let said = pair.upward().log.len();
    for method in ["ping", "roots/list"] {
        pair.say_to_client(&json!({"jsonrpc": "2.0", "id": 1, "method": method}));
    }
    assert_eq!(pair.upward().log.len(), said);
    assert_eq!(pair.breaches().len(), 2);
}

#[test]
fn the_same_id_cannot_be_asked_twice_at_once() {
    let mut pair = legacy();
    let request = json!({"jsonrpc": "2.0", "id": 5, "method": "roots/list"});
    pair.say_to_client(&request);
    pair.say_to_client(&request);
    assert_eq!(pair.asks.len(), 1);
    assert_eq!(pair.upward().log.last().unwrap()["error"]["code"], -32600);
}

#[test]
fn more_questions_than_the_limit_are_refused() {
    let mut profile = profile();
    profile.limits.asks = 1;
    profile.preference = Preference::Legacy(Revision::newest(Era::Legacy));
    let mut pair = Pair::with(profile, offer());
    pair.start();
    pair.say_to_client(&json!({"jsonrpc": "2.0", "id": 5, "method": "roots/list"}));
    pair.say_to_client(&json!({"jsonrpc": "2.0", "id": 6, "method": "roots/list"}));
    assert_eq!(pair.asks.len(), 1);
    assert_eq!(pair.upward().log.last().unwrap()["error"]["code"], -32603);
}

#[test]
fn changed_roots_are_told_where_the_revision_has_a_word_for_it() {
    for revision in Revision::ALL {
        let mut pair = Pair::speaking(*revision);
        pair.client_input(Input::RootsChanged);
        pair.run();
        let heard = pair.server_events.contains(&"roots changed".to_owned());
        assert_eq!(heard, revision.era() == Era::Legacy, "{revision}");
    }
}
