//! Every requirement of the specification, page by page.

pub mod document;
pub mod frozen;
mod links;

pub use crate::pages::PAGES;
use crate::requirement::{Page, Requirement};

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

#[cfg(test)]
mod tests;
