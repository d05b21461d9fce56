//! The report as commands that make GitHub annotate a run: one line for each finding.

use std::fmt::Write;

use super::{AllRevisions, Report};
use proofmark_judge::outcome::Status;
use proofmark_record::text::plain;

pub fn write(report: &Report) -> String {
    lines(report, "")
}

/// Every title says which revision it is about.
pub fn write_all(all: &AllRevisions) -> String {
    let mut text = String::new();
    for report in &all.reports {
        text.push_str(&lines(report, &format!("{}: ", report.revision)));
    }
    for (revision, unreachable) in &all.unreachable {
        let said = data(&plain(&unreachable.why));
        let _ = writeln!(text, "::error title={revision}%3A cannot be checked::{said}");
    }
    text
}

fn lines(report: &Report, prefix: &str) -> String {
    let mut text = String::new();
    for (entry, finding) in report.findings() {
        let kind = match (&entry.excused, entry.status) {
            (Some(_), _) => "notice",
            (None, Status::Fail) => "error",
            (None, _) => "warning",
        };
        let title = format!("{prefix}{} {}", entry.requirement.id, entry.requirement.text);
        let link = entry.links.first().map(String::as_str).unwrap_or_default();
        let said = format!(
            "expected {}, got {}\nfix: {}\n{link}",
            plain(&finding.expected),
            plain(&finding.actual),
            entry.fix()
        );
        let _ = writeln!(text, "::{kind} title={}::{}", property(&title), data(&said));
    }
    for id in &report.stale {
        let _ = writeln!(
            text,
            "::error title=stale baseline::{} is excused but not broken",
            data(&plain(id))
        );
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(data("a%\r\n::error::b"), "a%25%0D%0A::error::b");
        assert_eq!(property("a:b,c"), "a%3Ab%2Cc");
    }
}
