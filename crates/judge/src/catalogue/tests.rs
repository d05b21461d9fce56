use std::collections::BTreeSet;

use proofmark_record::side::Side;

use super::*;
use crate::requirement::{only, since};

#[test]
fn an_id_names_one_requirement() {
    let ids: BTreeSet<_> = all().map(|requirement| requirement.id).collect();
    assert_eq!(ids.len(), all().count());
}

#[test]
fn an_id_begins_with_the_letter_of_the_level_it_was_given_at() {
    for requirement in all() {
        assert!(requirement.id.starts_with(['M', 'S', 'A']), "{}", requirement.id);
        assert!(requirement.id[1..].parse::<u16>().is_ok(), "{}", requirement.id);
    }
}

#[test]
fn whatever_is_observed_has_a_mutant() {
    for requirement in all() {
        for side in Side::ALL {
            let Some(check) = requirement.check(side) else { continue };
            assert!(!check.mutants.is_empty(), "{} cannot be shown to fail", requirement.id);
        }
    }
}

#[test]
fn a_requirement_ends_after_it_begins() {
    for requirement in all() {
        let Span { first, last } = requirement.span;
        assert!(last.is_none_or(|last| first <= last), "{}", requirement.id);
    }
}

#[test]
fn every_text_is_a_sentence() {
    for requirement in all() {
        assert!(
            requirement.text.ends_with('.') || requirement.text.ends_with(')'),
            "{}",
            requirement.id
        );
    }
}

#[test]
fn a_requirement_without_an_end_is_unread_in_what_came_after_the_catalogue() {
    for revision in Revision::ALL.iter().copied() {
        let newer = revision > READ_UNTIL;
        assert_eq!(is_unread(since(Revision::ALL[0]), revision), newer, "{revision}");
        assert!(!is_unread(only(Revision::ALL[0]), revision), "{revision}");
        assert!(!is_unread(since(revision), revision), "{revision}");
    }
    assert_eq!(unread_revisions().next().is_none(), Revision::ALL.last() == Some(&READ_UNTIL));
}
