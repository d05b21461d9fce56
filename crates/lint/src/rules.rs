//! The table of rules. A rule is one literal in the file of its class.

mod cost;
mod descriptions;
mod hints;
mod names;
mod schemas;
mod security;

use crate::Rule;

/// By class, in the order of their ids.
pub static RULES: [&[Rule]; 6] = [
    &names::RULES,
    &schemas::RULES,
    &descriptions::RULES,
    &hints::RULES,
    &cost::RULES,
    &security::RULES,
];

pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.into_iter().flatten()
}

/// By id or name.
pub fn find(which: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id.eq_ignore_ascii_case(which) || rule.name == which)
}
