//! Who may send which method.

use super::{Revision, Rules, row};
use crate::revision::{NotificationMethod, RequestMethod, Requests};

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

use Way::{Absent as NO, Both as CS, FromClient as C, FromServer as S, Input as I};

#[test]
fn each_request_travels_its_way() {
    let table = [
        ("initialize", [C, C, C, C, NO]),
        ("ping", [CS, CS, CS, CS, NO]),
        ("server/discover", [NO, NO, NO, NO, C]),
        ("tools/list", [C, C, C, C, C]),
        ("tools/call", [C, C, C, C, C]),
        ("resources/list", [C, C, C, C, C]),
        ("resources/templates/list", [C, C, C, C, C]),
        ("resources/read", [C, C, C, C, C]),
        ("resources/subscribe", [C, C, C, C, NO]),
        ("resources/unsubscribe", [C, C, C, C, NO]),
        ("prompts/list", [C, C, C, C, C]),
        ("prompts/get", [C, C, C, C, C]),
        ("completion/complete", [C, C, C, C, C]),
        ("logging/setLevel", [C, C, C, C, NO]),
        ("subscriptions/listen", [NO, NO, NO, NO, C]),
        ("roots/list", [S, S, S, S, I]),
        ("sampling/createMessage", [S, S, S, S, I]),
        ("elicitation/create", [NO, NO, S, S, I]),
        ("tasks/get", [NO, NO, NO, CS, C]),
        ("tasks/result", [NO, NO, NO, CS, NO]),
        ("tasks/list", [NO, NO, NO, CS, NO]),
        ("tasks/cancel", [NO, NO, NO, CS, C]),
        ("tasks/update", [NO, NO, NO, NO, C]),
        ("skills/list", [NO, NO, NO, NO, C]),
        ("skills/get", [NO, NO, NO, NO, C]),
        ("resources/directory/read", [NO, NO, NO, NO, C]),
    ];
    for (name, expected) in table {
        let method = RequestMethod::parse(name).unwrap();
        row(|rules| (name, request_way(rules, method)), expected.map(|way| (name, way)));
    }
    let named: Vec<_> = table.iter().map(|(name, _)| *name).collect();
    let known: Vec<_> = RequestMethod::ALL.iter().map(|method| method.as_str()).collect();
    assert_eq!(known, named);
}

#[test]
fn each_notification_travels_its_way() {
    let table = [
        ("notifications/initialized", [C, C, C, C, NO]),
        ("notifications/cancelled", [CS, CS, CS, CS, CS]),
        ("notifications/progress", [CS, CS, CS, CS, S]),
        ("notifications/message", [S, S, S, S, S]),
        ("notifications/resources/list_changed", [S, S, S, S, S]),
        ("notifications/resources/updated", [S, S, S, S, S]),
        ("notifications/tools/list_changed", [S, S, S, S, S]),
        ("notifications/prompts/list_changed", [S, S, S, S, S]),
        ("notifications/roots/list_changed", [C, C, C, C, NO]),
        ("notifications/elicitation/complete", [NO, NO, NO, S, NO]),
        ("notifications/tasks/status", [NO, NO, NO, CS, NO]),
        ("notifications/tasks", [NO, NO, NO, NO, S]),
        ("notifications/subscriptions/acknowledged", [NO, NO, NO, NO, S]),
    ];
    for (name, expected) in table {
        let method = NotificationMethod::parse(name).unwrap();
        row(|rules| (name, notification_way(rules, method)), expected.map(|way| (name, way)));
    }
    let named: Vec<_> = table.iter().map(|(name, _)| *name).collect();
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
    row(|rules| names(rules.may_require_input), ["", "", "", "", asking].map(str::to_owned));
}

#[test]
fn lists_come_in_pages() {
    let four = "tools/list resources/list resources/templates/list prompts/list";
    let five = "tools/list resources/list resources/templates/list prompts/list tasks/list";
    let with_skills = "tools/list resources/list resources/templates/list prompts/list skills/list \
                       resources/directory/read";
    row(|rules| names(rules.paginated), [four, four, four, five, with_skills].map(str::to_owned));
}

#[test]
fn whatever_is_asked_for_input_is_no_request_of_its_own() {
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
