//! What models and hosts trip over in what a server lists: findings and numbers of their own, which never touch the score of a check.
//!
//! [`lint`] is a function of the lists: it starts nothing and asks nothing. A rule is one literal of [`RULES`], with its reason, its source,
//! an example that passes and one that fails.

mod cost;
mod finding;
mod lists;
pub mod report;
mod rule;
mod rules;
mod schema;
mod settings;

pub use cost::{Cost, tokens};
pub use finding::{Finding, Found, List, Outcome, Place};
pub use lists::Lists;
pub use rule::{Class, Rule, Severity};
pub use rules::{RULES, find};
pub use settings::{Level, Settings, UnknownRule};

/// Everything that the rules which are on find, the gravest first.
pub fn lint(lists: &Lists, settings: &Settings) -> Outcome {
    let mut findings = Vec::new();
    for rule in rules::all() {
        let Some(severity) = settings.severity(rule) else { continue };
        let found = (rule.check)(lists, settings);
        findings.extend(found.into_iter().map(|it| Finding {
            rule,
            severity,
            place: it.place,
            message: it.message,
        }));
    }
    findings.sort_by_key(|finding| (finding.severity, finding.rule.id));
    Outcome { findings, cost: Cost::of(lists), subjects: lists.count() }
}

#[cfg(test)]
mod tests;
