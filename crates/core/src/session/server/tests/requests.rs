//! Requests, their answers and everything that can come between.

use super::*;

#[test]
fn a_request_is_dispatched_and_answered_under_its_own_id() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    assert_eq!(bench.receive(&call(1)).events, ["dispatch 1"]);
    assert_eq!(*bench.finish(1).only(), json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
}

#[test]
fn every_spelling_of_an_id_is_echoed_exactly() {
    for id in ["7", "\"7\"", "7.0", "-0", "123456789012345678901234567890", "\"é\""] {
        let mut bench = Bench::agreed(newest_legacy(), &json!({}));
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let incoming = parse(text.as_bytes(), &Limits::default()).unwrap();
        let outputs = bench.session.handle(bench.now, Input::Received(incoming));
        let [Output::Transmit(transmit)] = &outputs[..] else { panic!("{outputs:?}") };
        let mut bytes = Vec::new();
        transmit.clone().write(&bench.offer, &mut bytes).unwrap();
        let written = String::from_utf8(bytes).unwrap();
        assert!(written.contains(&format!(r#""id":{id},"#)), "{written}");
    }
}

#[test]
fn a_cancelled_request_is_not_answered() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call(1));
    let seen = bench.receive(&cancel(1));
    assert_eq!(seen.events, ["cancel 1"]);
    assert_eq!(seen.sent, [] as [Value; 0]);
    assert!(bench.finish(1).is_nothing());
}

#[test]
fn cancelling_what_is_over_or_never_was_is_not_an_error() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call(1));
    bench.finish(1);
    assert!(bench.receive(&cancel(1)).is_nothing());
    assert!(bench.receive(&cancel(99)).is_nothing());
}

#[test]
fn a_cancellation_without_an_id_is_a_breach() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    let seen = bench
        .receive(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}));
    assert_eq!(seen.events, ["breach: the params of `notifications/cancelled` could not be read"]);
}

#[test]
fn a_request_that_takes_too_long_is_answered_with_an_error_and_stopped() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call(1));
    assert!(bench.pass(59).is_nothing());
    let seen = bench.pass(1);
    assert_eq!(seen.code(), -32603);
    assert_eq!(seen.events, ["cancel 1"]);
}

#[test]
fn a_late_answer_after_a_timeout_is_dropped() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call(1));
    bench.pass(60);
    assert!(bench.finish(1).is_nothing());
    assert_eq!(bench.session.running(), 0);
}

#[test]
fn progress_moves_the_deadline_but_not_past_the_longest_run() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call(1));
    for second in 1..=11 {
        assert!(bench.pass(50).sent.is_empty(), "at {second}");
        let notification = HandlerNotification::Progress {
            progress: f64::from(second),
            total: None,
            message: None,
        };
        bench.input(Input::Notify { request: Id::Integer(1), notification });
    }
    assert_eq!(bench.session.next_deadline(), Some(Time(Duration::from_secs(600))));
    assert_eq!(bench.pass(50).code(), -32603);
}

#[test]
fn an_id_that_is_in_flight_is_refused_and_its_first_owner_goes_on() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call(1));
    let seen = bench.receive(&call(1));
    assert_eq!(seen.code(), -32600);
    assert_eq!(seen.events, [] as [&str; 0]);
    assert_eq!(bench.finish(1).only()["id"], 1);
}

#[test]
fn one_as_a_number_and_one_as_a_string_are_two_requests() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call(1));
    let other = json!({"jsonrpc": "2.0", "id": "1", "method": "tools/call",
        "params": {"name": "t"}});
    assert_eq!(bench.receive(&other).events, ["dispatch \"1\""]);
}

#[test]
fn more_requests_than_the_limit_are_refused_until_one_is_answered() {
    let mut offer = offer();
    offer.limits.in_flight = 1;
    let mut bench = Bench::agreed_with(offer, newest_legacy(), &json!({}));
    bench.receive(&call(1));
    assert_eq!(bench.receive(&call(2)).code(), -32603);
    bench.finish(1);
    assert_eq!(bench.receive(&call(3)).events, ["dispatch 3"]);
}

#[test]
fn params_that_cannot_be_read_are_invalid_params() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    assert_eq!(bench.receive(&legacy(1, "tools/call", &json!({}))).code(), -32602);
    assert_eq!(bench.receive(&legacy(1, "tools/call", &json!({"name": 7}))).code(), -32602);
    let level = json!({"level": "loud"});
    assert_eq!(bench.receive(&legacy(1, "logging/setLevel", &level)).code(), -32602);
}

#[test]
fn what_is_no_message_is_answered_with_the_reason() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    let seen = bench.receive_text("{");
    assert_eq!((seen.code(), seen.statuses[0]), (-32700, 400));
    let seen = bench.receive_text(r#"{"jsonrpc":"2.0","id":3,"method":7}"#);
    assert_eq!((seen.code(), &seen.only()["id"]), (-32600, &json!(3)));
}

#[test]
fn a_method_that_was_not_declared_does_not_exist() {
    let offer = Offer::new(Implementation::new("bare", "1"), ServerCapabilities::default());
    let mut bench = Bench::agreed_with(offer, newest_legacy(), &json!({}));
    for method in ["tools/list", "prompts/list", "resources/list", "tasks/list"] {
        assert_eq!(bench.receive(&legacy(1, method, &json!({}))).code(), -32601, "{method}");
    }
}

#[test]
fn closing_cancels_what_runs_and_settles_what_is_asked() {
    let mut bench = Bench::agreed(newest_legacy(), &everything());
    bench.receive(&call(1));
    bench.input(Input::Ask(Ask {
        ask: AskId(5),
        request: Some(Id::Integer(1)),
        task: None,
        what: crate::types::ServerRequest::ListRoots(crate::types::ListRootsParams::default()),
        patience: Duration::from_secs(5),
    }));
    let seen = bench.input(Input::Closed);
    assert_eq!(seen.events, ["settled 5: the connection is closed", "cancel 1"]);
    assert_eq!(bench.session.running(), 0);
    assert_eq!(bench.session.next_deadline(), None);
}

#[test]
fn a_lost_connection_cancels_only_where_the_revision_says_so() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&call(1));
    assert!(bench.input(Input::Disconnected(Id::Integer(1))).is_nothing());
    let params = json!({"name": "t"});
    bench.receive(&modern(2, "tools/call", params, &json!({})));
    assert_eq!(bench.input(Input::Disconnected(Id::Integer(2))).events, ["cancel 2"]);
    assert!(bench.finish(2).is_nothing());
}

#[test]
fn skills_are_served_by_servers_that_declare_them() {
    let requests = [
        ("skills/list", json!({})),
        ("skills/get", json!({"uri": "skill://a/SKILL.md"})),
        ("resources/directory/read", json!({"uri": "skill://a"})),
    ];
    for (settings, served) in [
        (None, [false, false, false]),
        (Some("{}"), [true, true, false]),
        (Some(r#"{"directoryRead":false}"#), [true, true, false]),
        (Some(r#"{"directoryRead":true}"#), [true, true, true]),
    ] {
        let settings =
            settings.map(|text| (SKILLS_EXTENSION.to_owned(), Raw::from_json(text).unwrap()));
        let capabilities = ServerCapabilities {
            extensions: Some(settings.into_iter().collect()),
            ..ServerCapabilities::default()
        };
        for ((method, params), served) in requests.iter().zip(served) {
            let offer = Offer::new(Implementation::new("s", "1"), capabilities.clone());
            let seen = Bench::with(offer).receive(&modern(1, method, params.clone(), &json!({})));
            if served {
                assert_eq!(seen.events.len(), 1, "{method}: {seen:?}");
            } else {
                assert_eq!((seen.code(), &seen.statuses[..]), (-32601, &[404][..]), "{method}");
            }
        }
    }
}

#[test]
fn tasks_are_listed_only_where_one_client_can_be_told_from_another() {
    let tasks = crate::types::TasksCapability {
        list: Some(crate::types::JsonObject::new()),
        ..crate::types::TasksCapability::default()
    };
    let cases = [(Memory::Session, true), (Memory::Caller, true), (Memory::Nothing, false)];
    for (memory, listed) in cases {
        let capabilities = ServerCapabilities { tasks: Some(tasks.clone()), ..capabilities() };
        let mut offer = Offer::new(Implementation::new("bench", "1"), capabilities);
        offer.memory = memory;
        let mut bench = Bench::with(offer);
        let agreed = bench.receive(&initialize(newest_legacy(), &json!({})));
        let declared = agreed.only().pointer("/result/capabilities/tasks/list");
        assert_eq!(declared.is_some(), listed, "{memory:?}");
        bench.receive(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let seen = bench.receive(&json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/list"}));
        if listed {
            assert_eq!(seen.events, ["dispatch 1"], "{memory:?}");
        } else {
            assert_eq!(seen.code(), -32601, "{memory:?}");
        }
    }
}
