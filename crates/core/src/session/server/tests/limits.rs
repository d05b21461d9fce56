//! What a client can make a session keep, at the limits and one beyond.

use super::*;
use crate::session::server::changes::Watched;

fn limited(limits: SessionLimits) -> Offer {
    let mut offer = offer();
    offer.limits = limits;
    offer
}

fn subscribe(bench: &mut Bench, id: i64, uri: &str) -> Seen {
    let seen = bench.receive(&legacy(id, "resources/subscribe", &json!({"uri": uri})));
    bench.finish(id);
    seen
}

#[test]
fn a_uri_may_have_the_longest_length_and_not_one_byte_more() {
    let limits = SessionLimits { uri_bytes: 100, ..SessionLimits::default() };
    let mut bench = Bench::agreed_with(limited(limits), newest_legacy(), &json!({}));
    assert_eq!(subscribe(&mut bench, 1, &"a".repeat(100)).events, ["dispatch 1"]);
    assert_eq!(subscribe(&mut bench, 2, &"b".repeat(101)).code(), -32602);
}

#[test]
fn the_uris_of_a_session_take_as_many_bytes_as_the_limit_and_not_one_more() {
    let room = Watched::default().and("a").and("b").and("three").bytes;
    let limits = SessionLimits { subscription_bytes: room, ..SessionLimits::default() };
    let mut bench = Bench::agreed_with(limited(limits), newest_legacy(), &json!({}));
    subscribe(&mut bench, 1, "a");
    // A request that still runs counts too.
    bench.receive(&legacy(2, "resources/subscribe", &json!({"uri": "b"})));
    let refused = subscribe(&mut bench, 3, "three!");
    assert_eq!(refused.code(), -32603);
    assert_eq!(subscribe(&mut bench, 4, "three").events, ["dispatch 4"]);
    // What is watched already takes nothing more.
    assert_eq!(subscribe(&mut bench, 5, "three").events, ["dispatch 5"]);
    assert_eq!(subscribe(&mut bench, 6, "d").code(), -32603);
    bench.receive(&legacy(7, "resources/unsubscribe", &json!({"uri": "three"})));
    bench.finish(7);
    assert_eq!(subscribe(&mut bench, 8, "d").events, ["dispatch 8"]);
}

#[test]
fn a_thousand_long_uris_are_not_kept() {
    let mut bench = Bench::agreed(newest_legacy(), &json!({}));
    for id in 0..1020 {
        subscribe(&mut bench, id, &format!("{id}{}", "u".repeat(8000)));
    }
    let watched = bench.session.agreement().unwrap().watched;
    let bytes: usize = watched.iter().map(String::len).sum();
    assert!(!watched.is_empty() && bytes <= 256 * 1024, "{bytes}");
}

#[test]
fn subscriptions_of_the_modern_era_share_the_same_room() {
    let room = Watched::default().and("a").and("b").bytes;
    let limits =
        SessionLimits { subscription_bytes: room, uri_bytes: 10, ..SessionLimits::default() };
    let mut bench = Bench::with(limited(limits));
    let mut granted = |id: i64, uris: &[&str]| {
        let filter = json!({"notifications": {"resourceSubscriptions": uris}});
        let seen = bench.receive(&modern(id, "subscriptions/listen", filter, &json!({})));
        seen.only()["params"]["notifications"]["resourceSubscriptions"].clone()
    };
    assert_eq!(granted(1, &["01234567890", "a"]), json!(["a"]));
    assert_eq!(granted(2, &["too long", "b", "c"]), json!(["b"]));
    assert_eq!(granted(3, &["d"]), json!([]));
}

/// A client that costs as much to keep as this many bytes of a setting, and its name.
fn described(setting: usize) -> Value {
    let mut message = initialize(newest_legacy(), &everything());
    let capabilities = &mut message["params"]["capabilities"];
    // Two bytes are quotation marks.
    capabilities["experimental"] = json!({"e": "x".repeat(setting - 2)});
    capabilities["extensions"] = json!({TASKS_EXTENSION: {}, "other/extension": {}});
    message["params"]["clientInfo"]["icons"] = json!([{"src": "data:,icon"}]);
    message
}

#[test]
fn what_a_client_says_of_itself_is_kept_up_to_the_limit() {
    let client = |setting: usize| {
        let mut bench = Bench::new();
        assert_eq!(bench.receive(&described(setting)).statuses, [200]);
        bench.session.client().unwrap().clone()
    };
    let small = client(100);
    assert_eq!(small.capabilities.experimental.as_ref().unwrap().len(), 1);
    assert_eq!(small.capabilities.extensions.as_ref().unwrap().len(), 2);
    assert!(small.info.icons.is_some());
    let large = client(16 * 1024);
    assert_eq!(large.capabilities.experimental, Some([].into()));
    let extensions: Vec<_> = large.capabilities.extensions.as_ref().unwrap().keys().collect();
    assert_eq!(extensions, [TASKS_EXTENSION]);
    assert_eq!((large.info.name.as_str(), &large.info.icons), ("client", &None));
    // The server goes by the same.
    assert_eq!(Declared::from(&small.capabilities), Declared::from(&large.capabilities));
    let longest = (100..16 * 1024).rev().find(|setting| {
        client(*setting).capabilities.experimental.is_some_and(|kept| !kept.is_empty())
    });
    let longest = longest.unwrap();
    assert!(longest > 15 * 1024, "{longest}");
}

#[test]
fn many_keys_cost_more_than_their_letters() {
    let keys: serde_json::Map<_, _> = (0..1000).map(|key| (key.to_string(), json!(1))).collect();
    let mut bench = Bench::new();
    bench.receive(&initialize(newest_legacy(), &json!({"experimental": keys})));
    let client = bench.session.client().unwrap();
    assert_eq!(client.capabilities.experimental, Some([].into()));
}

#[test]
fn a_name_may_have_the_longest_length_and_not_one_byte_more() {
    let limits = SessionLimits { client_bytes: 100, ..SessionLimits::default() };
    let named = |bytes: usize| {
        let mut message = initialize(newest_legacy(), &everything());
        message["params"]["clientInfo"]["name"] = "n".repeat(bytes - 1).into();
        let mut bench = Bench::with(limited(limits));
        let seen = bench.receive(&message);
        (seen, bench.session.client().is_some())
    };
    let (taken, is_agreed) = named(100);
    assert!(is_agreed && taken.only().get("result").is_some());
    let (refused, is_agreed) = named(101);
    assert_eq!((refused.code(), is_agreed), (-32602, false));
}
