//! What came of a run, for people and for programs. One file per format; each is a function of the outcome.

pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod pretty;
pub mod tap;

#[cfg(test)]
mod tests;

use crate::outcome::RunOutcome;

/// `3 passed, 1 failed`, without what there is none of.
pub fn summary(outcome: &RunOutcome) -> String {
    let flaky = outcome.flaky();
    let mut parts = vec![format!("{} passed", outcome.count("passed"))];
    if flaky > 0 {
        parts = vec![format!("{} passed ({flaky} flaky)", outcome.count("passed"))];
    }
    for word in ["failed", "skipped", "undecided", "not-run"] {
        let count = outcome.count(word);
        if count > 0 {
            parts.push(format!("{count} {}", word.replace('-', " ")));
        }
    }
    parts.join(", ")
}
