//! Messages with every member there is, fitted to each revision, are shown to the other implementation of that revision.
//!
//! It drops what it does not know, so where nothing is lost we sent nothing that the revision lacks.

use proofmark_core::revision::{NotificationMethod, RequestMethod, Revision};
use serde_json::Value;

use super::{
    maximal,
    second_opinion::{self, Opinion},
};

#[test]
fn what_is_fitted_has_no_member_that_its_revision_lacks() {
    let mut complaints = Vec::new();
    for (revision, second) in OPINIONS {
        let revision: Revision = revision.parse().unwrap();
        for (name, kind, message) in messages(revision) {
            if let Some(complaint) = super::complaint(kind, &message, second(name, kind, &message))
            {
                complaints.push(format!("{revision}/{name}.{kind}: {complaint}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn fitting_to_another_revision_would_be_noticed() {
    let (newest, older) = OPINIONS.split_last().unwrap();
    let (_, message) = maximal::results(newest.0.parse().unwrap())
        .into_iter()
        .find(|(name, _)| *name == "tools-list")
        .unwrap();
    for (_, second) in older {
        let opinion = second("tools-list", "result", &message);
        assert!(super::complaint("result", &message, opinion).is_some());
    }
}

/// Every message that the revision has a method for.
fn messages(revision: Revision) -> Vec<(&'static str, &'static str, Value)> {
    let rules = revision.rules();
    let asked = |name| method(name).is_some_and(|it| rules.client_requests.contains(it));
    let asks = |name| method(name).is_some_and(|it| rules.server_requests.contains(it));
    let told = |name: &str| {
        NotificationMethod::parse(&wire(name))
            .is_some_and(|it| rules.server_notifications.contains(it))
    };
    let asks_for_it = |name: &'static str| match name {
        // Forms are all there was at first.
        "elicitation-create.url" => asks(name) && rules.elicitation.is_some_and(|it| it.url_mode),
        // The other implementation takes a choice for a plain string and drops the options.
        "elicitation-create.choices" => false,
        _ => asks(name),
    };
    let sent = |name: &str| match name.split_once('.') {
        Some((_, "input-required")) => rules.may_require_input.contains(RequestMethod::ToolsCall),
        Some((_, "task")) => rules.client_requests.contains(RequestMethod::TasksResult),
        // The extension's tasks have messages of their own.
        None if name.starts_with("tasks") => {
            rules.client_requests.contains(RequestMethod::TasksResult)
        }
        _ => true,
    };
    let groups = [
        ("result", retain(maximal::results(revision), |name| asked(name) && sent(name))),
        ("request", retain(maximal::client_requests(revision), asked)),
        ("request", retain(maximal::server_requests(revision), asks_for_it)),
        ("result", retain(maximal::client_results(revision), asks)),
        ("notification", retain(maximal::notifications(revision), told)),
    ];
    groups
        .into_iter()
        .flat_map(|(kind, group)| group.into_iter().map(move |(name, it)| (name, kind, it)))
        .collect()
}

fn retain(
    mut group: Vec<(&'static str, Value)>,
    keep: impl Fn(&'static str) -> bool,
) -> Vec<(&'static str, Value)> {
    group.retain(|(name, _)| keep(name));
    group
}

fn method(name: &str) -> Option<RequestMethod> {
    RequestMethod::parse(&wire(name))
}

fn wire(name: &str) -> String {
    name.split('.').next().unwrap_or(name).replace('-', "/")
}

/// What the other implementation makes of a message, by its name and kind.
type SecondOpinion = fn(&str, &str, &Value) -> Opinion;

/// The revisions that the other implementation has, oldest first.
const OPINIONS: &[(&str, SecondOpinion)] = &[
    ("2024-11-05", second_opinion::of_2024_11_05),
    ("2025-03-26", second_opinion::of_2025_03_26),
    ("2025-06-18", second_opinion::of_2025_06_18),
    ("2025-11-25", second_opinion::of_2025_11_25),
    ("2026-07-28", second_opinion::of_2026_07_28),
];
