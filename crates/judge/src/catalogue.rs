//! Every requirement of the specification, page by page.

pub mod document;
pub mod frozen;
mod links;

use proofmark_core::revision::Revision;

pub use crate::pages::{PAGES, READ_UNTIL};
use crate::requirement::{Page, Requirement, Span};

/// Every requirement, in the order of the pages.
pub fn all() -> impl Iterator<Item = &'static Requirement> {
    PAGES.iter().flat_map(|page| page.requirements.iter().copied())
}

/// The page that a requirement is at home on.
pub fn page_of(requirement: &Requirement) -> Option<&'static Page> {
    let has = |page: &&Page| page.requirements.iter().any(|it| it.id == requirement.id);
    PAGES.iter().find(has)
}

pub fn find(id: &str) -> Option<&'static Requirement> {
    all().find(|requirement| requirement.id.eq_ignore_ascii_case(id))
}

/// The revisions that the requirements were not read for, oldest first.
pub fn unread_revisions() -> impl Iterator<Item = Revision> {
    Revision::ALL.iter().copied().filter(|revision| *revision > READ_UNTIL)
}

/// The requirements that bind this revision only because they have no end.
pub fn unread_in(revision: Revision) -> impl Iterator<Item = &'static Requirement> {
    all().filter(move |it| is_unread(it.span, revision))
}

fn is_unread(span: Span, revision: Revision) -> bool {
    span.first <= READ_UNTIL && span.last.is_none() && revision > READ_UNTIL
}

#[cfg(test)]
mod tests;
