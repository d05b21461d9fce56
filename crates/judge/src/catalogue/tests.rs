use std::collections::BTreeSet;

use proofmark_record::side::Side;

use super::*;
use crate::requirement::Span;

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
