//! The report for the summary of a job.

use std::fmt::Write;

use super::Report;
use crate::{outcome::Status, sanitise::markdown};

pub fn write(report: &Report) -> String {
    let mut text = String::new();
    let (observed, applicable) = report.observed();
    let score = report.score().map_or_else(|| "none".to_owned(), |score| score.to_string());
    let _ = writeln!(text, "# MCP conformance of {}\n", markdown(&report.target.description));
    let _ = writeln!(
        text,
        "Revision {} over {}. Score: **{score}**. Observed: {observed} of {applicable}.\n",
        report.revision, report.transport
    );
    let _ = writeln!(text, "| pass | fail | warn | skip | untestable |\n|---|---|---|---|---|");
    let counts: Vec<String> = Status::ALL.iter().map(|it| report.count(*it).to_string()).collect();
    let _ = writeln!(text, "| {} |", counts.join(" | "));
    let broken: Vec<_> =
        report.entries.iter().filter(|it| it.outcome.finding().is_some()).collect();
    if broken.is_empty() {
        return text;
    }
    let _ = writeln!(text, "\n| | id | requirement | expected | actual |\n|---|---|---|---|---|");
    for entry in broken {
        let Some(finding) = entry.outcome.finding() else { continue };
        let word = if entry.excused.is_some() { "known" } else { entry.status.as_str() };
        let _ = writeln!(
            text,
            "| {word} | {} | {} | {} | {} |",
            entry.requirement.id,
            markdown(entry.requirement.text),
            markdown(&finding.expected),
            markdown(&finding.actual)
        );
    }
    text
}
