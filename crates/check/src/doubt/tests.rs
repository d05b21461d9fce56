use std::time::Duration;

use proofmark_converse::hosted::HostedScenario;
use proofmark_core::revision::Revision;
use proofmark_judge::{catalogue::find, outcome::Status};
use proofmark_record::{
    event::{Border, Frame},
    topic::Topic,
    transport::Transport,
};
use serde_json::{Value, json};

use super::*;

#[test]
fn a_silence_is_reported_if_it_comes_again() {
    let ping = || sent(0, Topic::StillThere, &json!({ "id": 1, "method": "ping" }));
    let answer = || received(1, &json!({ "id": 1, "result": {} }));
    for (again, expected) in [(vec![ping(), answer()], Status::Pass), (vec![ping()], Status::Warn)]
    {
        let said = sent(0, Topic::CancelUnknown, &json!({ "method": "notifications/cancelled" }));
        let first = vec![said.clone(), ping()];
        let again = [vec![said], again].concat();
        let mut evidence = modern(vec![talk("tour", first)]);
        assert_eq!(names_in_doubt(&evidence, "S101"), ["hosted ask", "tour"]);
        add_again(&mut evidence, [talk("tour", again)].into_iter());
        assert_eq!(status(&mut evidence, "S101"), expected);
        let names: Vec<_> = evidence.conversations.iter().map(|it| it.scenario.as_str()).collect();
        assert_eq!(names, ["tour", "tour again"]);
    }
}

#[test]
fn what_a_peer_said_is_reported_whether_it_says_it_again_or_not() {
    let odd = received(0, &json!({ "id": 7, "result": {} }));
    let mut evidence = modern(vec![talk("tour", vec![odd])]);
    assert_eq!(names_in_doubt(&evidence, "M006"), Vec::<String>::new());
    add_again(&mut evidence, [talk("tour", Vec::new())].into_iter());
    assert_eq!(status(&mut evidence, "M006"), Status::Fail);
}

#[test]
fn a_client_that_was_slow_to_leave_gets_another_chance() {
    let behave = HostedScenario::BEHAVE.label();
    let head = |status, session: &str| EventKind::Responded {
        exchange: 1,
        status,
        headers: vec![("mcp-session-id".to_owned(), session.to_owned())],
    };
    let asks = |exchange, line: &str| EventKind::Requested {
        topic: Topic::Endpoint,
        exchange,
        line: line.to_owned(),
        headers: Vec::new(),
    };
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize" });
    let begins = || {
        let body = Frame::new(begin.to_string(), Border::Body);
        let posted = EventKind::Received { exchange: 1, frame: body };
        vec![at(0, asks(1, "POST /mcp")), at(0, posted), at(0, head(200, "one"))]
    };
    let gone = || at(9, EventKind::Exited("exit status: 0".to_owned()));
    let hasty = [begins(), vec![gone()]].concat();
    let polite = [begins(), vec![at(8, asks(2, "DELETE /mcp")), gone()]].concat();
    let mut evidence = Evidence {
        side: Side::Client,
        revision: Revision::V2025_11_25,
        transport: Transport::Http,
        conversations: vec![talk(behave.as_str(), hasty)],
    };
    assert_eq!(names_in_doubt(&evidence, "S007"), ["hosted behave"]);
    assert_eq!(status(&mut evidence, "S007"), Status::Warn);
    add_again(&mut evidence, [talk(behave.as_str(), polite)].into_iter());
    assert_eq!(status(&mut evidence, "S007"), Status::Pass);
}

#[test]
fn lists_are_compared_unless_something_in_between_may_have_changed_them() {
    let list = |time: u64, id: u64, tools: &[&str]| {
        let tools: Vec<_> = tools.iter().map(|name| json!({ "name": name })).collect();
        let asked = json!({ "id": id, "method": "tools/list" });
        let given = json!({ "id": id, "result": { "tools": tools } });
        vec![sent(time, Topic::ListAgain, &asked), received(time, &given)]
    };
    let call = sent(15, Topic::Call, &json!({ "id": 9, "method": "tools/call" }));
    let news = received(15, &json!({ "method": "notifications/tools/list_changed" }));
    let judged = |between: Vec<Event>, second: &[&str]| {
        let tour = [list(10, 1, &["a"]), between].concat();
        let mut evidence = modern(vec![talk("tour", tour), talk("lists", list(20, 2, second))]);
        status(&mut evidence, "M482")
    };
    assert_eq!(judged(Vec::new(), &["a"]), Status::Pass);
    assert_eq!(judged(Vec::new(), &["a", "b"]), Status::Fail);
    assert_eq!(judged(vec![call], &["a", "b"]), Status::Untestable);
    assert_eq!(judged(vec![news], &["a", "b"]), Status::Untestable);
}

#[test]
fn progress_of_a_retry_under_the_same_token_counts_for_itself() {
    let ask = |time, id: u64| {
        let params = json!({ "name": "a", "_meta": { "progressToken": "t" } });
        sent(time, Topic::Call, &json!({ "id": id, "method": "tools/call", "params": params }))
    };
    let step = |time| {
        let params = json!({ "progressToken": "t", "progress": 1 });
        received(time, &json!({ "method": "notifications/progress", "params": params }))
    };
    let answer = |time, id: u64| received(time, &json!({ "id": id, "result": {} }));
    let rounds = vec![ask(1, 1), step(2), answer(3, 1), ask(4, 2), step(5), answer(6, 2)];
    let mut evidence = modern(vec![talk("tour", rounds)]);
    assert_eq!(status(&mut evidence, "M085"), Status::Pass);
    assert_eq!(status(&mut evidence, "M227"), Status::Pass);
    let late = vec![ask(1, 1), step(2), answer(3, 1), step(4)];
    let mut evidence = modern(vec![talk("tour", late)]);
    assert_eq!(status(&mut evidence, "M085"), Status::Fail);
    assert_eq!(status(&mut evidence, "M227"), Status::Fail);
}

#[test]
fn a_list_that_is_not_there_is_not_blamed_for_its_cursor() {
    let ask = |id: u64, params: Value, topic| {
        sent(0, topic, &json!({ "id": id, "method": "tools/list", "params": params }))
    };
    let unknown = |id: u64| received(0, &json!({ "id": id, "error": { "code": -32601 } }));
    let listed = received(0, &json!({ "id": 1, "result": { "tools": [] } }));
    let bogus = || vec![ask(2, json!({ "cursor": "x" }), Topic::BogusCursor), unknown(2)];
    let first = || ask(1, json!({}), Topic::List);
    for (answer, expected) in [(unknown(1), Status::Skip), (listed, Status::Fail)] {
        let events = [vec![first(), answer], bogus()].concat();
        let mut evidence = modern(vec![talk("tour", events)]);
        assert_eq!(status(&mut evidence, "M498"), expected);
    }
}

#[test]
fn a_null_for_what_had_to_be_refused_is_one_finding() {
    let ask = |id: u64, topic| {
        sent(0, topic, &json!({ "id": id, "method": "completion/complete", "params": {} }))
    };
    let right = json!({ "id": 1, "result": { "completion": { "values": [] } } });
    let null = json!({ "id": 2, "result": null });
    let events = vec![
        ask(1, Topic::Complete),
        received(0, &right),
        ask(2, Topic::CompleteNothing),
        received(0, &null),
    ];
    let mut evidence = modern(vec![talk("tour", events)]);
    assert_eq!(status(&mut evidence, "M485"), Status::Fail);
    assert_eq!(status(&mut evidence, "M089"), Status::Pass);
}

fn names_in_doubt(evidence: &Evidence, id: &str) -> Vec<String> {
    let requirement = find(id).unwrap();
    let outcome = judge(requirement, evidence, &Judgement::of(evidence));
    conversations_in_doubt(evidence, [(requirement, &outcome)].into_iter()).into_iter().collect()
}

fn status(evidence: &mut Evidence, id: &str) -> Status {
    let requirement = find(id).unwrap();
    outcomes(evidence, &[requirement])[0].status(requirement.level)
}

fn modern(conversations: Vec<Conversation>) -> Evidence {
    Evidence {
        side: Side::Server,
        revision: Revision::V2026_07_28,
        transport: Transport::Http,
        conversations,
    }
}

fn talk(name: &str, events: Vec<Event>) -> Conversation {
    Conversation { scenario: ScenarioName::new(name.to_owned()), events }
}

fn sent(time: u64, topic: Topic, message: &Value) -> Event {
    at(time, EventKind::Sent { topic, exchange: 0, frame: frame(message) })
}

fn received(time: u64, message: &Value) -> Event {
    at(time, EventKind::Received { exchange: 0, frame: frame(message) })
}

fn at(time: u64, kind: EventKind) -> Event {
    Event { at: Duration::from_millis(time), kind }
}

fn frame(message: &Value) -> Frame {
    let mut message = message.clone();
    message["jsonrpc"] = json!("2.0");
    Frame::new(message.to_string(), Border::Line)
}
