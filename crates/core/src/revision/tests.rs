//! Each answer that changed over time, stated where it changed. A revision that is not named keeps the answer of the one before it, so a
//! new revision has a line only where it differs.

use std::fmt::Debug;

use super::{
    Era, Revision,
    Revision::{V2025_11_25, V2026_07_28},
    Rules, UnknownRevision,
};

mod authorization;
mod base;
mod capabilities;
mod features;
mod http;
mod methods;
mod tasks;

/// Asks every revision the same question. The oldest answers `first`.
#[track_caller]
fn history<T: PartialEq + Debug + Clone>(
    ask: impl Fn(&Rules) -> T,
    first: T,
    changes: impl AsRef<[(Revision, T)]>,
) {
    let mut expected = first;
    for revision in Revision::ALL {
        if let Some((_, changed)) = changes.as_ref().iter().find(|(since, _)| since == revision) {
            assert_ne!(*changed, expected, "nothing changes in {revision}");
            expected.clone_from(changed);
        }
        assert_eq!(ask(revision.rules()), expected, "in {revision}");
    }
}

/// The text names members in no particular order, so the order of a list is no part of the answer.
fn sorted<T: Copy + Ord>(members: &[T]) -> Vec<T> {
    let mut members = members.to_vec();
    members.sort_unstable();
    members
}

#[test]
fn a_revision_is_written_as_its_date() {
    for revision in Revision::ALL {
        let name = revision.as_str();
        let is_date = name.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        assert!(is_date && name.len() == "YYYY-MM-DD".len(), "{name}");
        assert_eq!(format!("{revision:?}"), format!("V{}", name.replace('-', "_")));
        assert_eq!(revision.to_string(), name);
    }
}

#[test]
fn a_revision_is_read_from_its_date() {
    for revision in Revision::ALL {
        assert_eq!(revision.as_str().parse(), Ok(*revision));
        let json = serde_json::to_string(revision).unwrap();
        assert_eq!(json, format!("\"{revision}\""));
        assert_eq!(serde_json::from_str::<Revision>(&json).unwrap(), *revision);
    }
}

#[test]
fn every_revision_finds_its_own_rules() {
    for revision in Revision::ALL {
        assert_eq!(revision.rules().revision, *revision);
        assert_eq!(Revision::ALL[revision.index()], *revision);
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
    assert!(Revision::ALL.is_sorted_by_key(|revision| revision.as_str()));
}

#[test]
fn the_handshake_ends_with_the_modern_era() {
    history(|rules| rules.era, Era::Legacy, [(V2026_07_28, Era::Modern)]);
}

#[test]
fn the_newest_of_an_era_is_its_last() {
    assert_eq!(Revision::newest(Era::Legacy), V2025_11_25);
    assert_eq!(Some(&Revision::newest(Era::Modern)), Revision::ALL.last());
    let (legacy, modern) = (Revision::of(Era::Legacy), Revision::of(Era::Modern));
    assert!(legacy.chain(modern).eq(Revision::ALL.iter().copied()));
}

#[test]
fn a_request_that_hides_its_revision_is_taken_for_the_first_with_streamable_http() {
    assert_eq!(Revision::ASSUMED_OVER_HTTP.as_str(), "2025-03-26");
}
