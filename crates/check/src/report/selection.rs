//! Requirements by id, by name, or by page, each also as a pattern with `*`.

use std::collections::BTreeSet;

use proofmark_core::revision::Revision;

use crate::options::Options;
use proofmark_judge::{catalogue::PAGES, requirement::Requirement};
use proofmark_record::{scenario::ScenarioName, side::Side, transport::Transport};

/// Why a selection makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    #[error("nothing of what is selected binds {0}")]
    Nothing(String),
    #[error("{pattern:?} is no requirement and no page; {nearest:?} comes nearest")]
    Unknown { pattern: String, nearest: &'static str },
}

/// Every pattern has to be one of something. This is independent of who is judged.
pub fn verify(options: &Options) -> Result<(), SelectionError> {
    for pattern in options.only.iter().chain(&options.skip) {
        if !rows().any(|(page, it)| is_meant(pattern, page, it)) {
            let nearest = nearest(pattern);
            return Err(SelectionError::Unknown { pattern: pattern.clone(), nearest });
        }
    }
    Ok(())
}

/// Something has to be left to be judged of such a peer.
pub fn verify_for(side: Side, options: &Options) -> Result<(), SelectionError> {
    verify(options)?;
    let binds = |it: &Requirement, revision| it.binds(side, revision, options.transport);
    let revisions = |it: &Requirement| match options.revision {
        Some(revision) => binds(it, revision),
        None => Revision::ALL.iter().any(|revision| binds(it, *revision)),
    };
    if rows().any(|(page, it)| revisions(it) && selects(page, it, options)) {
        return Ok(());
    }
    let by = match side {
        Side::Authorization => "an authorization server",
        Side::Client => "a client",
        Side::Server => "a server",
    };
    let revision = options.revision.map(|it| format!(" in {it}")).unwrap_or_default();
    Err(SelectionError::Nothing(format!("{by} over {}{revision}", options.transport)))
}

/// The requirements that bind such a peer and are wanted, each with its page.
pub(crate) fn selected(
    side: Side,
    revision: Revision,
    transport: Transport,
    options: &Options,
) -> impl Iterator<Item = (&'static str, &'static Requirement)> {
    rows()
        .filter(move |(_, requirement)| requirement.binds(side, revision, transport))
        .filter(|(page, requirement)| selects(page, requirement, options))
}

/// The conversations in which the wanted requirements show, by their names. `None` if that may be any, also because those that a check names
/// are not held with such a peer.
pub(crate) fn conversations(
    side: Side,
    revision: Revision,
    transport: Transport,
    options: &Options,
    is_held: impl Fn(&ScenarioName) -> bool,
) -> Option<BTreeSet<&'static str>> {
    let mut names = BTreeSet::new();
    for (_, requirement) in selected(side, revision, transport, options) {
        let Some(check) = requirement.check(side) else { continue };
        if !check.seen.scenarios.iter().any(|it| is_held(&ScenarioName::new(*it))) {
            return None;
        }
        names.extend(check.seen.scenarios);
    }
    Some(names)
}

/// Whether a requirement is among those wanted and not among those left out.
fn selects(page: &str, requirement: &Requirement, options: &Options) -> bool {
    let Options { only, skip, within, .. } = options;
    let listed =
        |patterns: &[String]| patterns.iter().any(|pattern| is_meant(pattern, page, requirement));
    (only.is_empty() || listed(only))
        && !listed(skip)
        && within.as_ref().is_none_or(|ids| ids.contains(requirement.id))
}

fn rows() -> impl Iterator<Item = (&'static str, &'static Requirement)> {
    PAGES.iter().flat_map(|page| page.requirements.iter().map(|it| (page.name, *it)))
}

/// A star alone stands for ids. That of names and pages needs what only they have in them, so that `M*` is not about words.
fn is_meant(pattern: &str, page: &str, requirement: &Requirement) -> bool {
    let exact = !pattern.contains('*');
    matches(pattern, requirement.id)
        || ((exact || pattern.contains('-')) && matches(pattern, requirement.name))
        || ((exact || pattern.contains('/')) && matches(pattern, page))
}

/// `*` stands for any number of characters; upper and lower case are the same.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else {
        return pattern.eq_ignore_ascii_case(text);
    };
    let Some((start, rest)) = text.split_at_checked(head.len()) else { return false };
    start.eq_ignore_ascii_case(head)
        && (0..=rest.len()).any(|at| rest.get(at..).is_some_and(|rest| matches(tail, rest)))
}

/// The page, the name or the id that the pattern may have been meant to be.
fn nearest(pattern: &str) -> &'static str {
    let wanted = pattern.to_ascii_lowercase();
    let known = PAGES.iter().map(|page| page.name);
    let known = known.chain(rows().flat_map(|(_, it)| [it.name, it.id]));
    let distance = |known: &&str| {
        let known = known.to_ascii_lowercase();
        // A part of it is nearer than whatever has about as many letters.
        (!known.contains(wanted.trim_matches('*')), distance(&wanted, &known))
    };
    known.min_by_key(distance).unwrap_or_default()
}

/// How many letters have to be put in, taken out or replaced.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, one) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(one != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_judge::catalogue::find;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text, expected) in [
            ("M0*", "M022", true),
            ("m022", "M022", true),
            ("*2", "M022", true),
            ("M*2", "M022", true),
            ("M1*", "M022", false),
            ("M02", "M022", false),
            ("M0222*", "M022", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern}");
        }
    }

    #[test]
    fn a_requirement_is_selected_by_id_name_and_page() {
        let requirement = find("M056").unwrap();
        let is_meant = |pattern: &str| is_meant(pattern, "architecture/index", requirement);
        for pattern in
            ["m056", "M05*", requirement.name, "resource-*", "architecture/index", "arch*/*"]
        {
            assert!(is_meant(pattern), "{pattern}");
        }
        // Names and pages begin with letters, too.
        for pattern in ["r*", "a*", "architecture", "M057"] {
            assert!(!is_meant(pattern), "{pattern}");
        }
    }

    #[test]
    fn what_is_skipped_is_not_selected_even_if_it_is_wanted() {
        let chosen = |only: &str, skip: &str| {
            let options = options(&[only], &[skip]);
            selects("basic/index", find("M001").unwrap(), &options)
        };
        assert!(chosen("M*", "S*"));
        assert!(!chosen("S*", "S001"));
        assert!(!chosen("M*", "M001"));
    }

    #[test]
    fn what_selects_nothing_is_refused_with_what_comes_nearest() {
        let nearest = |pattern: &str| match verify(&options(&[], &[pattern])) {
            Err(SelectionError::Unknown { nearest, .. }) => nearest,
            other => panic!("{other:?}"),
        };
        assert_eq!(nearest("basic/lifecicle"), "basic/lifecycle");
        assert_eq!(nearest("M0022"), "M002");
        assert_eq!(nearest("subscriptions-only-offered"), "resource-subscriptions-only-offered-by");
    }

    #[test]
    fn something_has_to_be_left_of_a_selection() {
        let refused = |side, options: &Options| {
            matches!(verify_for(side, options), Err(SelectionError::Nothing(_)))
        };
        assert!(refused(Side::Server, &options(&["M016"], &["M016"])));
        assert!(!refused(Side::Server, &options(&["M016"], &[])));
        // It is about HTTP.
        let http = options(&["M165"], &[]);
        assert!(refused(Side::Server, &http));
        assert!(!refused(Side::Server, &Options { transport: Transport::Http, ..http }));
    }

    fn options(only: &[&str], skip: &[&str]) -> Options {
        let owned = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect();
        Options { only: owned(only), skip: owned(skip), ..Options::default() }
    }
}
