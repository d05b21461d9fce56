//! Who hears of changes.

use super::*;

fn listen(id: i64, filter: &Value) -> Value {
    modern(id, "subscriptions/listen", json!({"notifications": filter}), &json!({}))
}

fn updated(uri: &str) -> Input<'static> {
    Input::Changed(Change::Resource { uri: uri.to_owned() })
}

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

#[test]
fn a_legacy_client_hears_of_lists_unasked_and_of_resources_it_subscribed_to() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    let seen = bench.input(Input::Changed(Change::Tools));
    assert_eq!(seen.only()["method"], "notifications/tools/list_changed");
    assert!(bench.input(updated("a:1")).is_nothing());
    bench.receive(&legacy(1, "resources/subscribe", &json!({"uri": "a:1"})));
    assert!(bench.input(updated("a:1")).is_nothing());
    bench.finish(1);
    assert_eq!(bench.input(updated("a:1")).only()["params"]["uri"], "a:1");
    assert!(bench.input(updated("a:2")).is_nothing());
    bench.receive(&legacy(2, "resources/unsubscribe", &json!({"uri": "a:1"})));
    bench.finish(2);
    assert!(bench.input(updated("a:1")).is_nothing());
}

#[test]
fn a_refused_subscription_is_none() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    bench.receive(&legacy(1, "resources/subscribe", &json!({"uri": "a:1"})));
    let error = ErrorObject::new(ErrorCode::RESOURCE_NOT_FOUND, "no such resource");
    bench.input(Input::Finished { id: Id::Integer(1), outcome: Err(error) });
    assert!(bench.input(updated("a:1")).is_nothing());
}

#[test]
fn no_change_is_told_before_the_client_is_ready() {
    let mut bench = Bench::new();
    assert!(bench.input(Input::Changed(Change::Tools)).is_nothing());
    bench.receive(&initialize(newest_legacy(), &json!({})));
    assert!(bench.input(Input::Changed(Change::Tools)).is_nothing());
}

#[test]
fn a_list_whose_changes_were_not_declared_changes_silently() {
    let capabilities =
        ServerCapabilities { tools: Some(ToolsCapability::default()), ..capabilities() };
    let offer = Offer::new(Implementation::new("bench", "1"), capabilities);
    let mut bench = Bench::agreed_with(offer, newest_legacy(), &json!({}));
    assert!(bench.input(Input::Changed(Change::Tools)).is_nothing());
    let seen = bench.receive(&listen(1, &json!({"toolsListChanged": true})));
    assert_eq!(seen.only()["params"]["notifications"], json!({}));
    assert!(bench.input(Input::Changed(Change::Tools)).is_nothing());
}

#[test]
fn more_resources_than_the_limit_cannot_be_watched() {
    let mut offer = offer();
    offer.limits.subscriptions = 1;
    let mut bench = Bench::agreed_with(offer, newest_legacy(), &json!({}));
    bench.receive(&legacy(1, "resources/subscribe", &json!({"uri": "a:1"})));
    bench.finish(1);
    let seen = bench.receive(&legacy(2, "resources/subscribe", &json!({"uri": "a:2"})));
    assert_eq!(seen.code(), -32603);
}

#[test]
fn subscriptions_that_are_still_being_made_count_towards_the_limit() {
    let mut offer = offer();
    offer.limits.subscriptions = 1;
    let mut bench = Bench::agreed_with(offer, newest_legacy(), &json!({}));
    bench.receive(&legacy(1, "resources/subscribe", &json!({"uri": "a:1"})));
    let seen = bench.receive(&legacy(2, "resources/subscribe", &json!({"uri": "a:2"})));
    assert_eq!(seen.code(), -32603);
}

#[test]
fn a_modern_subscription_watches_no_more_resources_than_the_limit() {
    let mut offer = offer();
    offer.limits.subscriptions = 1;
    let mut bench = Bench::with(offer);
    let seen = bench.receive(&listen(1, &json!({"resourceSubscriptions": ["a:1", "a:2"]})));
    let granted = &seen.only()["params"]["notifications"];
    assert_eq!(*granted, json!({"resourceSubscriptions": ["a:1"]}));
    assert!(bench.input(updated("a:2")).is_nothing());
}

#[test]
fn a_subscription_is_acknowledged_first_and_hears_what_it_asked_for() {
    let mut bench = Bench::new();
    let filter = json!({"toolsListChanged": true, "resourceSubscriptions": ["a:1"]});
    let seen = bench.receive(&listen(1, &filter));
    assert_eq!(seen.only()["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(seen.only()["params"]["notifications"], filter);
    assert_eq!(seen.only()["params"]["_meta"][SUBSCRIPTION], 1);
    let seen = bench.input(Input::Changed(Change::Tools));
    assert_eq!(seen.only()["params"]["_meta"][SUBSCRIPTION], 1);
    assert!(bench.input(Input::Changed(Change::Prompts)).is_nothing());
    assert_eq!(bench.input(updated("a:1")).sent.len(), 1);
}

#[test]
fn each_open_subscription_hears_for_itself() {
    let mut bench = Bench::new();
    bench.receive(&listen(1, &json!({"toolsListChanged": true})));
    bench.receive(&listen(2, &json!({"toolsListChanged": true})));
    bench.receive(&listen(3, &json!({"promptsListChanged": true})));
    let seen = bench.input(Input::Changed(Change::Tools));
    let ids: Vec<_> =
        seen.sent.iter().map(|it| it["params"]["_meta"][SUBSCRIPTION].clone()).collect();
    assert_eq!(ids, [json!(1), json!(2)]);
}

#[test]
fn a_cancelled_subscription_is_silent_at_once() {
    let mut bench = Bench::new();
    bench.receive(&listen(1, &json!({"toolsListChanged": true})));
    assert!(bench.receive(&cancel(1)).is_nothing());
    assert!(bench.input(Input::Changed(Change::Tools)).is_nothing());
    assert!(bench.input(Input::EndSubscriptions).is_nothing());
}

#[test]
fn an_open_subscription_never_times_out() {
    let mut bench = Bench::new();
    bench.receive(&listen(1, &json!({"toolsListChanged": true})));
    assert_eq!(bench.session.next_deadline(), None);
    assert!(bench.pass(1_000_000).is_nothing());
}

#[test]
fn a_subscription_ends_on_a_pipe_with_a_cancellation_and_its_result() {
    let mut bench = Bench::new();
    bench.receive(&listen(1, &json!({"toolsListChanged": true})));
    let seen = bench.input(Input::EndSubscriptions);
    assert_eq!(seen.sent.len(), 2);
    assert_eq!(seen.sent[0]["method"], "notifications/cancelled");
    assert_eq!(seen.sent[0]["params"]["requestId"], 1);
    assert_eq!(seen.sent[1]["id"], 1);
    assert_eq!(seen.sent[1]["result"]["resultType"], "complete");
    assert_eq!(seen.sent[1]["result"]["_meta"][SUBSCRIPTION], 1);
    assert_eq!(bench.session.running(), 0);
}

#[test]
fn a_subscription_ends_over_http_with_its_result_alone() {
    let mut offer = offer();
    offer.link = Link::Http;
    let mut bench = Bench::with(offer);
    bench.receive(&listen(1, &json!({"toolsListChanged": true})));
    let seen = bench.input(Input::EndSubscriptions);
    assert_eq!(seen.only()["result"]["resultType"], "complete");
}

#[test]
fn tasks_are_only_told_to_clients_that_declare_the_extension() {
    let mut bench = Bench::with(offer_with_tasks());
    let seen = bench.receive(&listen(1, &json!({"taskIds": ["t"]})));
    assert_eq!((seen.code(), seen.statuses[0]), (-32021, 400));
    let declared = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let params = json!({"notifications": {"taskIds": ["t"]}});
    let seen = bench.receive(&modern(1, "subscriptions/listen", params, &declared));
    assert_eq!(seen.only()["params"]["notifications"], json!({"taskIds": ["t"]}));
}

#[test]
fn tasks_that_the_server_does_not_run_are_not_granted() {
    let mut bench = Bench::new();
    let declared = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let params = json!({"notifications": {"taskIds": ["t"]}});
    let seen = bench.receive(&modern(1, "subscriptions/listen", params, &declared));
    assert_eq!(seen.only()["params"]["notifications"], json!({}));
}
