use super::*;
use crate::{
    revision::{Era, Revision},
    types::{NotificationParams, ResourceUpdatedParams},
};

fn rules() -> &'static Rules {
    Revision::newest(Era::Modern).rules()
}

fn raw(text: &str) -> Raw {
    Raw::from_json(text).unwrap()
}

#[track_caller]
fn key(method: RequestMethod, params: &str) -> Key {
    Key::new(method, Some(&raw(params)), rules()).expect("a cacheable request")
}

fn tools() -> Key {
    key(RequestMethod::ToolsList, "{}")
}

fn read(uri: &str) -> Key {
    key(RequestMethod::ResourcesRead, &format!(r#"{{"uri":"{uri}"}}"#))
}

fn public(ttl: &str) -> Raw {
    raw(&format!(r#"{{"resultType":"complete","ttlMs":{ttl},"cacheScope":"public"}}"#))
}

fn private(ttl: &str) -> Raw {
    raw(&format!(r#"{{"resultType":"complete","ttlMs":{ttl},"cacheScope":"private"}}"#))
}

fn at(millis: u64) -> Time {
    Time(Duration::from_millis(millis))
}

fn ann() -> AuthorizationContext {
    AuthorizationContext("ann".into())
}

fn bob() -> AuthorizationContext {
    AuthorizationContext("bob".into())
}

#[test]
fn a_result_is_fresh_until_its_time_is_over() {
    let mut cache = ResponseCache::default();
    cache.insert(at(1000), tools(), ann(), public("500"));
    assert_eq!(cache.get(at(1499), &tools(), &ann()), Some(&public("500")));
    assert_eq!(cache.get(at(1500), &tools(), &ann()), None);
}

#[test]
fn nothing_is_fresh_for_longer_than_a_day() {
    let mut cache = ResponseCache::default();
    let day = 24 * 60 * 60 * 1000;
    cache.insert(at(0), tools(), ann(), public("18446744073709551615"));
    assert!(cache.get(at(day - 1), &tools(), &ann()).is_some());
    assert!(cache.get(at(day), &tools(), &ann()).is_none());
}

#[test]
fn a_result_without_usable_hints_is_not_kept() {
    let mut cache = ResponseCache::default();
    for result in [
        public("0").as_str(),
        public("-5").as_str(),
        public("1.5").as_str(),
        public("\"9\"").as_str(),
        public("null").as_str(),
        "{}",
        r#"{"ttlMs":9}"#,
        r#"{"ttlMs":9,"cacheScope":"world"}"#,
        r#"{"ttlMs":9,"cacheScope":"public","resultType":"input_required"}"#,
    ] {
        cache.insert(at(0), tools(), ann(), raw(result));
        assert!(cache.is_empty(), "{result}");
    }
}

#[test]
fn a_private_result_is_only_for_whom_it_was_given_to() {
    let mut cache = ResponseCache::default();
    cache.insert(at(0), tools(), ann(), private("9"));
    assert!(cache.get(at(1), &tools(), &bob()).is_none());
    assert!(cache.get(at(1), &tools(), &ann()).is_some());
    cache.insert(at(0), read("a:1"), ann(), public("9"));
    assert!(cache.get(at(1), &read("a:1"), &bob()).is_some());
}

#[test]
fn a_newer_result_replaces_the_older_one_whatever_its_scope() {
    let mut cache = ResponseCache::default();
    cache.insert(at(0), tools(), ann(), public("9"));
    cache.insert(at(0), tools(), ann(), private("9"));
    assert_eq!(cache.len(), 1);
    assert!(cache.get(at(1), &tools(), &bob()).is_none());
    cache.insert(at(0), tools(), ann(), public("0"));
    assert!(cache.is_empty());
    assert_eq!(cache.bytes(), 0);
}

#[test]
fn other_params_are_another_question() {
    let mut cache = ResponseCache::default();
    cache.insert(at(0), read("a:1"), ann(), public("9"));
    assert!(cache.get(at(1), &read("a:2"), &ann()).is_none());
    let page = |cursor: &str| key(RequestMethod::ToolsList, &format!(r#"{{"cursor":{cursor}}}"#));
    assert_ne!(page("\"\""), tools());
    assert_ne!(page("\"a\""), page("\"b\""));
}

#[test]
fn what_does_not_matter_does_not_make_another_question() {
    let plain = Key::new(RequestMethod::ToolsList, None, rules()).unwrap();
    assert_eq!(plain, tools());
    assert_eq!(key(RequestMethod::ToolsList, r#"{"_meta":{"progressToken":1}}"#), tools());
    assert_eq!(
        key(RequestMethod::ResourcesRead, r#"{"a":1,"uri":"x"}"#),
        key(RequestMethod::ResourcesRead, r#"{ "uri": "x", "a": 1 }"#)
    );
}

#[test]
fn what_may_not_be_kept_has_no_key() {
    let key = |method, params| Key::new(method, Some(&raw(params)), rules());
    assert_eq!(key(RequestMethod::ToolsCall, r#"{"name":"t"}"#), None);
    assert_eq!(key(RequestMethod::ResourcesRead, r#"{"uri":"x","requestState":"s"}"#), None);
    assert_eq!(key(RequestMethod::ResourcesRead, r#"{"uri":"x","inputResponses":{}}"#), None);
    let legacy = Revision::newest(Era::Legacy).rules();
    assert_eq!(Key::new(RequestMethod::ToolsList, None, legacy), None);
}

#[test]
fn a_change_makes_what_it_is_about_stale_and_nothing_else() {
    let mut cache = ResponseCache::default();
    let page = key(RequestMethod::ToolsList, r#"{"cursor":"2"}"#);
    let all = [tools(), page, read("a:1"), read("b:1"), key(RequestMethod::PromptsList, "{}")];
    for key in &all {
        cache.insert(at(0), key.clone(), ann(), public("9"));
    }
    cache.invalidate(&ServerNotification::ToolsListChanged(NotificationParams::default()));
    assert_eq!(cache.len(), 3);
    let updated = ResourceUpdatedParams { uri: "a:1/part".into(), meta: None };
    cache.invalidate(&ServerNotification::ResourceUpdated(updated));
    assert!(cache.get(at(1), &read("a:1"), &ann()).is_none());
    assert!(cache.get(at(1), &read("b:1"), &ann()).is_some());
    cache.invalidate(&ServerNotification::PromptsListChanged(NotificationParams::default()));
    assert_eq!(cache.len(), 1);
    cache.clear();
    assert_eq!((cache.len(), cache.bytes()), (0, 0));
}

#[test]
fn the_entry_that_was_not_used_for_longest_makes_room() {
    let mut cache = ResponseCache::new(CacheLimits { entries: 2, ..CacheLimits::default() });
    cache.insert(at(0), read("a:1"), ann(), public("9"));
    cache.insert(at(0), read("a:2"), ann(), public("9"));
    cache.get(at(1), &read("a:1"), &ann());
    cache.insert(at(0), read("a:3"), ann(), public("9"));
    assert!(cache.get(at(1), &read("a:1"), &ann()).is_some());
    assert!(cache.get(at(1), &read("a:2"), &ann()).is_none());
    assert_eq!(cache.len(), 2);
}

#[test]
fn the_bytes_of_all_entries_are_bounded() {
    let mut cache = ResponseCache::new(CacheLimits { entries: 100, bytes: 300 });
    for number in 0..20 {
        cache.insert(at(0), read(&format!("a:{number}")), ann(), public("9"));
        assert!(cache.bytes() <= 300 && !cache.is_empty());
    }
    let padding = "x".repeat(300);
    let large = format!(r#"{{"ttlMs":9,"cacheScope":"public","p":"{padding}"}}"#);
    cache.insert(at(0), tools(), ann(), raw(&large));
    assert!(cache.get(at(1), &tools(), &ann()).is_none());
    assert!(!cache.is_empty());
}
