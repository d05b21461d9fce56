//! News, in the way of each era.

use proofmark_core::{
    revision::{Era, RequestMethod, Revision},
    session::{
        client::{CallError, CallId, Completion, Output},
        server::{self, Change},
    },
    types::ServerNotification,
};
use serde_json::{Value, json};

use crate::link::{Pair, SECOND};

fn legacy() -> Pair {
    Pair::speaking(Revision::newest(Era::Legacy))
}

fn modern() -> Pair {
    Pair::speaking(Revision::newest(Era::Modern))
}

fn change(pair: &mut Pair, change: Change) {
    pair.server_input(server::Input::Changed(change));
    pair.run();
}

fn resource(uri: &str) -> Change {
    Change::Resource { uri: uri.to_owned() }
}

fn listen(pair: &mut Pair, filter: &Value) -> CallId {
    let params = json!({"notifications": filter});
    let call = pair.begin(RequestMethod::SubscriptionsListen, &params);
    pair.run();
    call
}

/// What was heard, and by which subscription.
fn heard(pair: &Pair) -> Vec<(&'static str, Option<CallId>)> {
    let told = pair.events.iter().filter_map(|event| match event {
        Output::Notified { notification, subscription } => {
            Some((notification.method().as_str(), *subscription))
        }
        _ => None,
    });
    told.collect()
}

#[test]
fn a_legacy_client_hears_of_what_it_subscribed_to_and_of_lists() {
    let mut pair = legacy();
    change(&mut pair, resource("a:1"));
    let uri = json!({"uri": "a:1"});
    let call = pair.begin(RequestMethod::ResourcesSubscribe, &uri);
    pair.run();
    assert!(pair.outcome(call).is_ok());
    assert_eq!(pair.client.watched(), ["a:1"]);
    change(&mut pair, resource("a:1"));
    change(&mut pair, Change::Tools);
    pair.begin(RequestMethod::ResourcesUnsubscribe, &uri);
    pair.run();
    assert_eq!(pair.client.watched(), [] as [&str; 0]);
    change(&mut pair, resource("a:1"));
    assert_eq!(
        heard(&pair),
        [("notifications/resources/updated", None), ("notifications/tools/list_changed", None)]
    );
}

#[test]
fn a_subscription_is_acknowledged_and_then_hears_its_news() {
    let mut pair = modern();
    let tools = listen(&mut pair, &json!({"toolsListChanged": true}));
    let both =
        listen(&mut pair, &json!({"toolsListChanged": true, "resourceSubscriptions": ["a:1"]}));
    assert!(matches!(
        &pair.events[0],
        Output::Notified { notification: ServerNotification::Acknowledged(_), subscription }
            if *subscription == Some(tools)
    ));
    pair.events.clear();
    change(&mut pair, Change::Tools);
    change(&mut pair, resource("a:1"));
    change(&mut pair, Change::Prompts);
    assert_eq!(
        heard(&pair),
        [
            ("notifications/tools/list_changed", Some(tools)),
            ("notifications/tools/list_changed", Some(both)),
            ("notifications/resources/updated", Some(both)),
        ]
    );
    pair.close();
}

#[test]
fn a_subscription_stays_open_however_long_nothing_happens() {
    let mut pair = modern();
    let call = listen(&mut pair, &json!({"toolsListChanged": true}));
    pair.advance(SECOND * 1_000_000);
    assert!(pair.is_open(call));
    change(&mut pair, Change::Tools);
    assert_eq!(heard(&pair).len(), 2);
    pair.close();
}

#[test]
fn a_subscription_that_is_never_acknowledged_times_out() {
    let mut pair = modern();
    pair.upward().lose = 1;
    let call = listen(&mut pair, &json!({"toolsListChanged": true}));
    pair.advance(SECOND * 60);
    assert_eq!(*pair.outcome(call), Err(CallError::TimedOut));
}

#[test]
fn a_subscription_that_the_client_cancels_is_silent() {
    let mut pair = modern();
    let call = listen(&mut pair, &json!({"toolsListChanged": true}));
    pair.cancel(call);
    pair.run();
    pair.events.clear();
    change(&mut pair, Change::Tools);
    assert_eq!(heard(&pair), []);
    assert_eq!(*pair.outcome(call), Err(CallError::Cancelled));
    pair.close();
}

#[test]
fn news_that_cross_the_cancellation_are_ignored() {
    let mut pair = modern();
    let call = listen(&mut pair, &json!({"toolsListChanged": true}));
    pair.delay = SECOND;
    pair.server_input(server::Input::Changed(Change::Tools));
    pair.cancel(call);
    pair.events.clear();
    pair.advance(SECOND * 3);
    assert_eq!(pair.events, []);
}

#[test]
fn a_subscription_that_the_server_ends_ends_once() {
    let mut pair = modern();
    let call = listen(&mut pair, &json!({"toolsListChanged": true}));
    pair.server_input(server::Input::EndSubscriptions);
    pair.run();
    assert_eq!(*pair.outcome(call), Ok(Completion::Ended));
    assert_eq!(pair.breaches(), [] as [&str; 0]);
    pair.close();
}

#[test]
fn news_for_no_subscription_are_a_breach() {
    let mut pair = modern();
    listen(&mut pair, &json!({"toolsListChanged": true}));
    let id = pair.upward().log.last().unwrap()["id"].clone();
    pair.events.clear();
    let text = Value::String(id.to_string());
    for meta in [json!({}), json!({"io.modelcontextprotocol/subscriptionId": text})] {
        pair.say_to_client(&json!({"jsonrpc": "2.0",
            "method": "notifications/tools/list_changed", "params": {"_meta": meta}}));
    }
    assert_eq!(heard(&pair), []);
    assert_eq!(pair.breaches().len(), 2);
}

#[test]
fn news_before_the_acknowledgement_and_more_than_was_asked_are_breaches() {
    let mut pair = modern();
    pair.upward().lose = 1;
    listen(&mut pair, &json!({"toolsListChanged": true}));
    let id = pair.upward().log.last().unwrap()["id"].clone();
    let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
    pair.say_to_client(&json!({"jsonrpc": "2.0",
        "method": "notifications/tools/list_changed", "params": {"_meta": meta}}));
    assert_eq!(heard(&pair), []);
    pair.say_to_client(&json!({"jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": meta, "notifications": {"promptsListChanged": true}}}));
    assert_eq!(pair.breaches().len(), 2);
}

#[test]
fn notifications_of_another_era_are_breaches() {
    let mut pair = modern();
    pair.say_to_client(&json!({"jsonrpc": "2.0",
        "method": "notifications/elicitation/complete", "params": {"elicitationId": "e"}}));
    let mut old = legacy();
    old.say_to_client(&json!({"jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged", "params": {"notifications": {}}}));
    assert_eq!((pair.breaches().len(), old.breaches().len()), (1, 1));
}

#[test]
fn a_server_cannot_cancel_a_call() {
    for mut pair in [legacy(), modern()] {
        let call = pair.tool("hold");
        let id = pair.upward().log.last().unwrap()["id"].clone();
        pair.say_to_client(&json!({"jsonrpc": "2.0",
            "method": "notifications/cancelled", "params": {"requestId": id}}));
        assert!(pair.is_open(call));
        pair.close();
    }
}
