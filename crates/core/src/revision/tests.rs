//! Each table of differences between revisions, as a row of expected answers from the oldest revision to the newest.

use std::fmt::Debug;

use super::{Era, Revision, Rules, UnknownRevision};

mod authorization;
mod base;
mod capabilities;
mod features;
mod http;
mod meta;
mod methods;
mod status;
mod tasks;

/// Asks every revision the same question.
#[track_caller]
fn row<T: PartialEq + Debug>(ask: impl Fn(&Rules) -> T, expected: [T; 5]) {
    assert_eq!(Revision::ALL.len(), expected.len());
    for (revision, expected) in Revision::ALL.iter().zip(expected) {
        assert_eq!(ask(revision.rules()), expected, "in {revision}");
    }
}

/// The text names members in no particular order, so the order of a list is no part of the answer.
fn sorted<T: Copy + Ord>(members: &[T]) -> Vec<T> {
    let mut members = members.to_vec();
    members.sort_unstable();
    members
}

const NAMES: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

#[test]
fn a_revision_is_written_as_its_date() {
    row(|rules| rules.name, NAMES);
    row(|rules| rules.revision.to_string(), NAMES.map(str::to_owned));
}

#[test]
fn a_revision_is_read_from_its_date() {
    row(|rules| rules.revision, NAMES.map(|name| name.parse().unwrap()));
    for revision in Revision::ALL {
        let json = serde_json::to_string(revision).unwrap();
        assert_eq!(json, format!("\"{revision}\""));
        assert_eq!(serde_json::from_str::<Revision>(&json).unwrap(), *revision);
    }
}

#[test]
fn every_revision_finds_its_own_rules() {
    for revision in Revision::ALL {
        assert_eq!(revision.rules().revision, *revision);
    }
}

#[test]
fn a_text_that_names_no_revision_is_refused() {
    for text in
        ["", "2024-10-07", "2025-06-18 ", " 2025-06-18", "2025-6-18", "draft", "1.0", "２025-06-18"]
    {
        assert_eq!(text.parse::<Revision>(), Err(UnknownRevision), "{text:?}");
        let json = serde_json::to_string(text).unwrap();
        assert!(serde_json::from_str::<Revision>(&json).is_err(), "{json}");
    }
    for json in ["null", "20250618", "[\"2025-06-18\"]"] {
        assert!(serde_json::from_str::<Revision>(json).is_err(), "{json}");
    }
}

#[test]
fn revisions_are_listed_from_the_oldest_to_the_newest() {
    assert!(Revision::ALL.is_sorted());
    assert!(NAMES.is_sorted());
}

#[test]
fn only_the_newest_revision_has_no_handshake() {
    row(|rules| rules.era, [Era::Legacy, Era::Legacy, Era::Legacy, Era::Legacy, Era::Modern]);
}

#[test]
fn the_newest_of_an_era_is_its_last() {
    assert_eq!(Revision::newest(Era::Legacy).as_str(), "2025-11-25");
    assert_eq!(Revision::newest(Era::Modern).as_str(), "2026-07-28");
    assert_eq!(Revision::of(Era::Legacy).count() + Revision::of(Era::Modern).count(), NAMES.len());
}

#[test]
fn a_request_that_hides_its_revision_is_taken_for_the_first_with_streamable_http() {
    assert_eq!(Revision::ASSUMED_OVER_HTTP.as_str(), "2025-03-26");
    let first = Revision::ALL.iter().find(|revision| revision.rules().http.defined);
    assert_eq!(first, Some(&Revision::ASSUMED_OVER_HTTP));
}
