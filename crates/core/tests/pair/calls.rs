//! Calls, and the many ways in which they end once.

use proofmark_core::{
    revision::{Era, RequestMethod, Revision},
    session::{
        client::{Call, CallError, CallId, Completion, Gating, Input, Output, Preference},
        server,
    },
    types::{Implementation, ServerCapabilities},
};
use serde_json::{Value, json};

use crate::link::{Pair, SECOND, offer, profile, raw};

fn each_era() -> [Pair; 2] {
    [Era::Legacy, Era::Modern].map(|era| Pair::speaking(Revision::newest(era)))
}

#[test]
fn progress_is_heard_while_it_grows() {
    for revision in Revision::ALL {
        let mut pair = Pair::speaking(*revision);
        let call = pair.tool("progress");
        let heard: Vec<_> = pair
            .events
            .iter()
            .filter_map(|event| match event {
                Output::Progress { call: of, progress, .. } => Some((*of, *progress)),
                _ => None,
            })
            .collect();
        assert_eq!(heard, [(call, 1.0), (call, 2.0), (call, 3.0)]);
        assert_eq!(pair.text(call), "there");
        assert_eq!(pair.breaches(), [] as [&str; 0]);
    }
}

#[test]
fn a_call_cancelled_before_it_arrives_is_cancelled_on_both_sides() {
    for mut pair in each_era() {
        pair.delay = SECOND;
        let call = pair.begin(RequestMethod::ToolsCall, &json!({"name": "hold"}));
        pair.cancel(call);
        assert_eq!(*pair.outcome(call), Err(CallError::Cancelled));
        pair.advance(SECOND * 3);
        assert!(pair.server_events.iter().any(|event| event.starts_with("cancel ")));
        pair.close();
    }
}

#[test]
fn a_call_cancelled_while_it_runs_is_never_answered() {
    for mut pair in each_era() {
        let call = pair.tool("hold");
        pair.cancel(call);
        pair.run();
        assert!(pair.server_events.last().unwrap().starts_with("cancel "));
        let said = pair.downward().log.len();
        pair.finish_held();
        pair.run();
        assert_eq!(pair.downward().log.len(), said);
        pair.close();
    }
}

#[test]
fn a_call_cancelled_after_its_answer_changes_nothing() {
    for mut pair in each_era() {
        let call = pair.tool("echo");
        let said = pair.upward().log.len();
        pair.cancel(call);
        pair.run();
        assert_eq!(pair.upward().log.len(), said);
        assert_eq!(pair.text(call), "done");
        pair.close();
    }
}

#[test]
fn an_answer_that_crosses_the_cancellation_is_ignored() {
    for mut pair in each_era() {
        pair.delay = SECOND;
        let call = pair.begin(RequestMethod::ToolsCall, &json!({"name": "echo"}));
        pair.advance(SECOND);
        pair.cancel(call);
        pair.advance(SECOND * 3);
        assert_eq!(*pair.outcome(call), Err(CallError::Cancelled));
        assert_eq!(pair.breaches(), [] as [&str; 0]);
        pair.close();
    }
}

#[test]
fn a_call_without_an_answer_times_out_and_is_cancelled() {
    for mut pair in each_era() {
        let id = CallId(50);
        let params = Some(raw(&json!({"name": "hold"})));
        let call = Call::new(id, RequestMethod::ToolsCall, params);
        pair.begin_with(&Call { patience: Some(SECOND * 2), ..call });
        pair.run();
        pair.advance(SECOND * 2);
        assert_eq!(*pair.outcome(id), Err(CallError::TimedOut));
        assert_eq!(pair.upward().log.last().unwrap()["method"], "notifications/cancelled");
        assert!(pair.server_events.last().unwrap().starts_with("cancel "));
        pair.close();
    }
}

#[test]
fn progress_keeps_a_call_alive_but_not_for_ever() {
    let mut pair = Pair::speaking(Revision::newest(Era::Legacy));
    let call = pair.tool("hold");
    let request = pair.script.held[0].clone();
    for step in 1..=13 {
        pair.advance(SECOND * 45);
        let notification = server::HandlerNotification::Progress {
            progress: f64::from(step),
            total: None,
            message: None,
        };
        pair.server_input(server::Input::Notify { request: request.clone(), notification });
        pair.run();
        assert!(pair.is_open(call), "at {step}");
    }
    pair.advance(SECOND * 15);
    assert!(!pair.is_open(call));
    assert_eq!(pair.history[&call].len(), 1);
}

#[test]
fn a_server_that_gives_up_answers_with_an_error() {
    let mut offer = offer();
    offer.limits.idle = SECOND;
    let mut pair = Pair::with(profile(), offer);
    pair.start();
    let call = pair.tool("hold");
    pair.advance(SECOND);
    assert!(matches!(pair.outcome(call), Err(CallError::Refused(_))));
}

#[test]
fn a_lost_request_times_out() {
    for mut pair in each_era() {
        pair.upward().lose = 1;
        let call = pair.tool("echo");
        pair.advance(SECOND * 60);
        assert_eq!(*pair.outcome(call), Err(CallError::TimedOut));
        pair.close();
    }
}

#[test]
fn a_cut_link_ends_every_call_once() {
    for mut pair in each_era() {
        let calls = [pair.tool("hold"), pair.tool("hold"), pair.tool("roots")];
        let done = pair.tool("echo");
        pair.close();
        for call in calls {
            assert_eq!(*pair.outcome(call), Err(CallError::Closed));
        }
        assert_eq!(pair.text(done), "done");
    }
}

#[test]
fn more_calls_than_the_limit_are_refused_until_one_ends() {
    let mut profile = profile();
    profile.limits.calls = 1;
    let mut pair = Pair::with(profile, offer());
    pair.start();
    pair.tool("hold");
    let second = pair.tool("echo");
    assert_eq!(*pair.outcome(second), Err(CallError::TooManyCalls { limit: 1 }));
    pair.finish_held();
    pair.run();
    let third = pair.tool("echo");
    assert_eq!(pair.text(third), "done");
}

#[test]
fn what_the_server_did_not_declare_is_not_asked() {
    for preference in [Preference::Legacy(Revision::newest(Era::Legacy)), Preference::Modern] {
        for gating in [Gating::Enforced, Gating::Trusting] {
            let mut profile = profile();
            profile.preference = preference;
            profile.gating = gating;
            let bare =
                server::Offer::new(Implementation::new("bare", "1"), ServerCapabilities::default());
            let mut pair = Pair::with(profile, bare);
            pair.start();
            let said = pair.upward().log.len();
            let call = pair.tool("echo");
            match (gating, pair.outcome(call)) {
                (Gating::Enforced, Err(CallError::NotDeclared(_))) => {
                    assert_eq!(pair.upward().log.len(), said);
                }
                (Gating::Trusting, Err(CallError::Refused(error))) => {
                    assert_eq!(error.code.0, -32601);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_method_of_another_era_is_not_sent() {
    for mut pair in each_era() {
        let said = pair.upward().log.len();
        let legacy = pair.client.server().unwrap().revision.era() == Era::Legacy;
        let method = if legacy { RequestMethod::SubscriptionsListen } else { RequestMethod::Ping };
        let call = pair.begin(method, &json!({"notifications": {}}));
        assert_eq!(*pair.outcome(call), Err(CallError::NotInRevision(method)));
        assert_eq!(pair.upward().log.len(), said);
    }
}

#[test]
fn params_that_are_no_object_are_not_sent() {
    for (at, params) in [json!([1]), json!("x"), json!(null)].iter().enumerate() {
        let mut pair = Pair::speaking(Revision::newest(Era::Modern));
        let call = pair.begin(RequestMethod::ToolsCall, params);
        let outcome = pair.outcome(call);
        assert!(matches!(outcome, Err(CallError::ParamsNotAnObject(_))), "{at}: {outcome:?}");
    }
}

#[test]
fn what_the_caller_puts_into_meta_survives() {
    for mut pair in each_era() {
        let meta = json!({"traceparent": "00-x", "progressToken": "mine", "com.example/a": [1]});
        let params = json!({"name": "echo", "arguments": {"z": 1, "a": 1.0}, "_meta": meta});
        let call = pair.begin(RequestMethod::ToolsCall, &params);
        pair.run();
        assert_eq!(pair.text(call), "done");
        let sent = pair.upward().log.last().unwrap();
        assert_eq!(sent["params"]["_meta"]["traceparent"], "00-x");
        assert_eq!(sent["params"]["_meta"]["com.example/a"], json!([1]));
        assert_eq!(sent["params"]["_meta"]["progressToken"], sent["id"]);
        assert_eq!(sent["params"]["arguments"], json!({"z": 1, "a": 1.0}));
    }
}

#[test]
fn an_answer_to_no_open_call_is_a_breach() {
    for mut pair in each_era() {
        pair.say_to_client(&json!({"jsonrpc": "2.0", "id": 999, "result": {}}));
        let call = pair.tool("hold");
        let id = pair.upward().log.last().unwrap()["id"].to_string();
        pair.say_to_client(&json!({"jsonrpc": "2.0", "id": id, "result": {}}));
        assert!(pair.is_open(call));
        assert_eq!(pair.breaches().len(), 2);
        pair.close();
    }
}

#[test]
fn progress_that_shrinks_or_is_unasked_is_a_breach() {
    let mut pair = Pair::speaking(Revision::newest(Era::Legacy));
    pair.tool("hold");
    let token = pair.upward().log.last().unwrap()["id"].clone();
    let progress = |token: &Value, value: f64| {
        let params = json!({"progressToken": token, "progress": value});
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    };
    pair.say_to_client(&progress(&token, 2.0));
    pair.say_to_client(&progress(&token, 1.0));
    pair.say_to_client(&progress(&json!("other"), 1.0));
    assert_eq!(pair.breaches().len(), 2);
    let heard = pair.events.iter().filter(|event| matches!(event, Output::Progress { .. }));
    assert_eq!(heard.count(), 1);
}

#[test]
fn a_batch_of_answers_is_read_in_one_revision_only() {
    for revision in Revision::ALL {
        let mut pair = Pair::speaking(*revision);
        let call = pair.tool("hold");
        let id = pair.upward().log.last().unwrap()["id"].clone();
        pair.say_to_client(&json!([{"jsonrpc": "2.0", "id": id, "result": {}}]));
        let accepted = revision.rules().batches.accepted();
        assert_eq!(!pair.is_open(call), accepted, "{revision}");
        assert_eq!(pair.breaches().is_empty(), accepted, "{revision}");
        pair.close();
    }
}

#[test]
fn a_batch_of_requests_is_answered_as_a_batch_in_one_revision_only() {
    for revision in Revision::of(Era::Legacy) {
        let mut pair = Pair::speaking(revision);
        let ping = json!({"jsonrpc": "2.0", "id": "b", "method": "ping"});
        pair.say_to_server(&json!([ping]));
        let answer = pair.downward().log.last().unwrap();
        assert_eq!(answer.is_array(), revision.rules().batches.accepted(), "{revision}");
    }
}

#[test]
fn a_result_of_unknown_type_is_an_error_in_the_modern_era_only() {
    for mut pair in each_era() {
        let call = pair.tool("hold");
        let id = pair.upward().log.last().unwrap()["id"].clone();
        let result = json!({"resultType": "com.example/half", "content": []});
        pair.say_to_client(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
        match pair.client.server().unwrap().revision.era() {
            Era::Legacy => assert!(matches!(pair.outcome(call), Ok(Completion::Result(_)))),
            Era::Modern => assert_eq!(
                *pair.outcome(call),
                Err(CallError::UnknownResultType("com.example/half".into()))
            ),
        }
    }
}

#[test]
fn a_garbled_answer_ends_its_call() {
    let mut pair = Pair::speaking(Revision::newest(Era::Modern));
    let call = pair.tool("hold");
    let id = pair.upward().log.last().unwrap()["id"].clone();
    pair.say_to_client(&json!({"jsonrpc": "2.0", "id": id, "result": 7}));
    assert!(matches!(pair.outcome(call), Err(CallError::Unreadable(_))));
}

#[test]
fn starting_twice_is_starting_once() {
    let mut pair = Pair::new(Preference::Auto);
    pair.start();
    pair.client_input(Input::Start);
    pair.run();
    assert_eq!(pair.upward().log.len(), 1);
}
