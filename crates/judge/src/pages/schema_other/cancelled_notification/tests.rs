//! What is said about what is no request.

use std::time::Duration;

use proofmark_core::revision::{Era, Revision};
use serde_json::Value;

use super::*;
use proofmark_record::{
    event::{Border, Conversation, Event, Frame},
    evidence::Evidence,
    side::Side,
    transport::Transport,
};

#[test]
fn what_is_no_request_is_judged_by_the_answer_that_names_it_whatever_comes_between() {
    let right = json!({ "jsonrpc": "2.0", "id": "no-request", "error": { "code": -32600 } });
    assert_eq!((M109_CLIENT.judge)(&babbled(&[&late_about_text(), &right])), Outcome::Kept);
    let wrong = json!({ "jsonrpc": "2.0", "id": "no-request", "error": { "code": -32601 } });
    let doubtful = (M109_CLIENT.judge)(&babbled(&[&right_without_id(), &wrong]));
    assert!(matches!(doubtful, Outcome::Doubtful(_)), "{doubtful:?}");
    assert_eq!(
        (M109_CLIENT.judge)(&babbled(&[&late_about_text(), &right_without_id()])),
        Outcome::Kept
    );
}

#[test]
fn an_answer_about_what_is_no_request_is_none_about_what_is_no_json() {
    assert_eq!(
        (M108_CLIENT.judge)(&babbled(&[&late_about_text(), &right_without_id()])),
        Outcome::Kept
    );
    let alone = (M108_CLIENT.judge)(&babbled(&[&right_without_id()]));
    assert!(matches!(alone, Outcome::NotApplicable(_)), "{alone:?}");
}

#[test]
fn a_refused_ping_is_no_answer_to_what_was_said_before_it() {
    let refused = json!({ "jsonrpc": "2.0", "id": "last-ping", "error": { "code": -32603 } });
    let mut evidence = babbled(&[]);
    evidence.side = Side::Server;
    let events = &mut evidence.conversations[0].events;
    events.remove(2);
    let last =
        EventKind::Received { exchange: 0, frame: Frame::new(refused.to_string(), Border::Line) };
    events.last_mut().unwrap().kind = last;
    let Outcome::Doubtful(finding) = (M109_SERVER.judge)(&evidence) else { panic!() };
    assert_eq!(finding.actual, "no answer");
}

fn late_about_text() -> Value {
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700 } })
}

fn right_without_id() -> Value {
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32600 } })
}

/// A conversation in which a client says these things about the babble, after news of something else.
fn babbled(said: &[&Value]) -> Evidence {
    let frame = |text: &str| Frame::new(text, Border::Line);
    let sent = |topic, text: &str| EventKind::Sent { topic, exchange: 0, frame: frame(text) };
    let received = |text: &str| EventKind::Received { exchange: 0, frame: frame(text) };
    let odd = json!({ "jsonrpc": "2.0", "id": "no-request", "method": 5 });
    let ping = json!({ "jsonrpc": "2.0", "id": "last-ping", "method": "ping" });
    let alive = json!({ "jsonrpc": "2.0", "id": "last-ping", "result": {} });
    let news = json!({ "jsonrpc": "2.0", "method": "notifications/progress" });
    let mut events = vec![
        sent(Topic::NotJson, "{"),
        sent(Topic::NotARequest, &odd.to_string()),
        sent(Topic::News, &news.to_string()),
    ];
    events.extend(said.iter().map(|it| received(&it.to_string())));
    events.push(sent(Topic::StillThere, &ping.to_string()));
    events.push(received(&alive.to_string()));
    let events = events.into_iter().map(|what| Event { at: Duration::ZERO, kind: what }).collect();
    let scenario = HostedScenario::BABBLE.label();
    Evidence {
        side: Side::Client,
        revision: Revision::newest(Era::Legacy),
        transport: Transport::Http,
        conversations: vec![Conversation { scenario, events }],
    }
}
