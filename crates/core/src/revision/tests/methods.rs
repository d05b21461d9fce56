//! Who may send which method.

use super::{Revision, Rules, history};
use crate::revision::{
    NotificationMethod, RequestMethod, Requests,
    Revision::{V2025_06_18, V2025_11_25, V2026_07_28},
};

/// How a method travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Absent,
    Both,
    FromClient,
    FromServer,
    /// Inside an `input_required` result.
    Input,
}

/// A method, how it travels first, and where that changes.
type Row = (&'static str, Way, &'static [(Revision, Way)]);

use Way::{Absent as NO, Both as CS, FromClient as C, FromServer as S, Input as I};

#[test]
fn each_request_travels_its_way() {
    let table: &[Row] = &[
        ("initialize", C, &[(V2026_07_28, NO)]),
        ("ping", CS, &[(V2026_07_28, NO)]),
        ("server/discover", NO, &[(V2026_07_28, C)]),
        ("tools/list", C, &[]),
        ("tools/call", C, &[]),
        ("resources/list", C, &[]),
        ("resources/templates/list", C, &[]),
        ("resources/read", C, &[]),
        ("resources/subscribe", C, &[(V2026_07_28, NO)]),
        ("resources/unsubscribe", C, &[(V2026_07_28, NO)]),
        ("prompts/list", C, &[]),
        ("prompts/get", C, &[]),
        ("completion/complete", C, &[]),
        ("logging/setLevel", C, &[(V2026_07_28, NO)]),
        ("subscriptions/listen", NO, &[(V2026_07_28, C)]),
        ("roots/list", S, &[(V2026_07_28, I)]),
        ("sampling/createMessage", S, &[(V2026_07_28, I)]),
        ("elicitation/create", NO, &[(V2025_06_18, S), (V2026_07_28, I)]),
        ("tasks/get", NO, &[(V2025_11_25, CS), (V2026_07_28, C)]),
        ("tasks/result", NO, &[(V2025_11_25, CS), (V2026_07_28, NO)]),
        ("tasks/list", NO, &[(V2025_11_25, CS), (V2026_07_28, NO)]),
        ("tasks/cancel", NO, &[(V2025_11_25, CS), (V2026_07_28, C)]),
        ("tasks/update", NO, &[(V2026_07_28, C)]),
        ("skills/list", NO, &[(V2026_07_28, C)]),
        ("skills/get", NO, &[(V2026_07_28, C)]),
        ("resources/directory/read", NO, &[(V2026_07_28, C)]),
    ];
    for (name, first, changes) in table {
        let method = RequestMethod::parse(name).unwrap();
        history(|rules| request_way(rules, method), *first, changes);
    }
    let named: Vec<_> = table.iter().map(|(name, ..)| *name).collect();
    let known: Vec<_> = RequestMethod::ALL.iter().map(|method| method.as_str()).collect();
    assert_eq!(known, named);
}

#[test]
fn each_notification_travels_its_way() {
    let table: &[Row] = &[
        ("notifications/initialized", C, &[(V2026_07_28, NO)]),
        ("notifications/cancelled", CS, &[]),
        ("notifications/progress", CS, &[(V2026_07_28, S)]),
        ("notifications/message", S, &[]),
        ("notifications/resources/list_changed", S, &[]),
        ("notifications/resources/updated", S, &[]),
        ("notifications/tools/list_changed", S, &[]),
        ("notifications/prompts/list_changed", S, &[]),
        ("notifications/roots/list_changed", C, &[(V2026_07_28, NO)]),
        ("notifications/elicitation/complete", NO, &[(V2025_11_25, S), (V2026_07_28, NO)]),
        ("notifications/tasks/status", NO, &[(V2025_11_25, CS), (V2026_07_28, NO)]),
        ("notifications/tasks", NO, &[(V2026_07_28, S)]),
        ("notifications/subscriptions/acknowledged", NO, &[(V2026_07_28, S)]),
    ];
    for (name, first, changes) in table {
        let method = NotificationMethod::parse(name).unwrap();
        history(|rules| notification_way(rules, method), *first, changes);
    }
    let named: Vec<_> = table.iter().map(|(name, ..)| *name).collect();
    let known: Vec<_> = NotificationMethod::ALL.iter().map(|method| method.as_str()).collect();
    assert_eq!(known, named);
}

#[test]
fn a_name_that_no_revision_has_is_no_method() {
    for name in ["", "tools/List", "tools/call ", "initialized", "notifications/unknown"] {
        assert_eq!(RequestMethod::parse(name), None, "{name:?}");
        assert_eq!(NotificationMethod::parse(name), None, "{name:?}");
    }
    assert_eq!(RequestMethod::parse("notifications/progress"), None);
    assert_eq!(NotificationMethod::parse("ping"), None);
}

#[test]
fn three_requests_may_come_back_for_input() {
    let asking = "tools/call resources/read prompts/get";
    history(
        |rules| names(rules.may_require_input),
        String::new(),
        [(V2026_07_28, asking.to_owned())],
    );
}

#[test]
fn what_is_asked_for_input_is_no_request_of_its_own() {
    for revision in Revision::ALL {
        let rules = revision.rules();
        for method in rules.input_requests.iter() {
            assert!(!rules.server_requests.contains(method), "{method:?} in {revision}");
        }
    }
}

#[test]
fn sets_gain_and_lose_members() {
    let set = Requests::of(&[RequestMethod::Ping]).with(&[RequestMethod::ToolsCall]);
    assert_eq!(names(set), "ping tools/call");
    assert_eq!(names(set.without(&[RequestMethod::Ping, RequestMethod::Initialize])), "tools/call");
    assert_eq!(set.iter().collect::<Vec<_>>(), [RequestMethod::Ping, RequestMethod::ToolsCall]);
    assert_eq!(Requests::default(), Requests::NONE);
}

fn names(set: Requests) -> String {
    set.iter().map(RequestMethod::as_str).collect::<Vec<_>>().join(" ")
}

fn request_way(rules: &Rules, method: RequestMethod) -> Way {
    let from_client = rules.client_requests.contains(method);
    let from_server = rules.server_requests.contains(method);
    match (from_client, from_server, rules.input_requests.contains(method)) {
        (false, false, false) => Way::Absent,
        (true, true, false) => Way::Both,
        (true, false, false) => Way::FromClient,
        (false, true, false) => Way::FromServer,
        (false, false, true) => Way::Input,
        _ => panic!("{method:?} travels in ways that exclude each other"),
    }
}

fn notification_way(rules: &Rules, method: NotificationMethod) -> Way {
    let from_client = rules.client_notifications.contains(method);
    match (from_client, rules.server_notifications.contains(method)) {
        (false, false) => Way::Absent,
        (true, true) => Way::Both,
        (true, false) => Way::FromClient,
        (false, true) => Way::FromServer,
    }
}
