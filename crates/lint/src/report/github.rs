//! Commands that make GitHub annotate a run: one line for each finding.

use std::fmt::Write;

use super::{message, place};
use crate::{Outcome, Severity};

pub fn write(outcome: &Outcome) -> String {
    let mut text = String::new();
    for finding in &outcome.findings {
        let kind = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let rule = finding.rule;
        let title = format!("{} {}", rule.id, rule.summary);
        let said = format!(
            "{}: {}\nfix: {}\n{}",
            place(finding),
            message(finding),
            rule.fix,
            rule.sources[0]
        );
        let _ = writeln!(text, "::{kind} title={}::{}", property(&title), data(&said));
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
