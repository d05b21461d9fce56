//! Sets of requirements that never change, so that a result does not change when the catalogue grows.
//!
//! A set is what was observed when it was frozen. It is never edited: a later one gets another name. `proofmark requirements --freeze`
//! prints what a set of today would have.

use proofmark_core::revision::Revision;

use super::{Requirement, all};

/// Requirements by a name that means the same for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frozen {
    pub name: &'static str,
    /// The revision that it is about.
    pub revision: Revision,
    pub ids: Vec<&'static str>,
}

/// Every set, in the order of the file.
pub fn sets() -> Vec<Frozen> {
    let mut sets: Vec<Frozen> = Vec::new();
    for line in FILE.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let date = name.split('.').next().unwrap_or(name);
            if let Ok(revision) = date.parse() {
                sets.push(Frozen { name, revision, ids: Vec::new() });
            }
        } else if let Some(set) = sets.last_mut() {
            set.ids.extend(line.split_whitespace());
        }
    }
    sets
}

pub fn find(name: &str) -> Option<Frozen> {
    sets().into_iter().find(|set| set.name == name)
}

/// What a set of this revision would have today.
pub fn candidates(revision: Revision) -> impl Iterator<Item = &'static Requirement> {
    all().filter(move |it| it.span.contains(revision) && it.is_observed())
}

const FILE: &str = include_str!("frozen.txt");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::READ_UNTIL;
    use super::*;

    #[test]
    fn a_frozen_requirement_is_still_observed_in_its_revision() {
        for set in sets() {
            let now: BTreeSet<_> = candidates(set.revision).map(|it| it.id).collect();
            let gone: Vec<_> = set.ids.iter().filter(|id| !now.contains(**id)).collect();
            assert!(gone.is_empty(), "{} has lost {gone:?}", set.name);
        }
    }

    #[test]
    fn every_revision_that_was_read_has_a_set_without_repetitions() {
        for revision in Revision::ALL.iter().filter(|revision| **revision <= READ_UNTIL) {
            let set = find(revision.as_str()).unwrap();
            assert_eq!(set.ids.iter().collect::<BTreeSet<_>>().len(), set.ids.len());
            assert!(!set.ids.is_empty());
        }
    }

    #[test]
    fn a_set_that_does_not_exist_is_not_found() {
        assert_eq!(find("1999-01-01"), None);
    }
}
