//! The report for the summary of a job.

use std::fmt::Write;

use super::{AllRevisions, Entry, Report, Strictness, all_revisions::Row, summary};
use proofmark_judge::outcome::{Finding, Status};
use proofmark_record::text::{html, markdown};

pub fn write(report: &Report, strictness: Strictness) -> String {
    let mut text = String::new();
    let (observed, applicable) = report.observed();
    let score = report.score().map_or_else(|| "none".to_owned(), |score| score.to_string());
    let _ = writeln!(text, "# MCP conformance of {}\n", markdown(&report.target.description));
    let _ = writeln!(text, "**{}**\n", summary::sentence(&summary::verdict(report, strictness)));
    let _ = writeln!(
        text,
        "Revision {} over {}. Score: **{score}**. Observed: {observed} of {applicable}.\n",
        report.revision, report.transport
    );
    if let Some(broken_off) = &report.broken_off {
        let _ = writeln!(text, "The run broke off: {}.\n", markdown(&broken_off.why));
    }
    let _ = writeln!(text, "| pass | fail | warn | skip | untestable |\n|---|---|---|---|---|");
    let counts: Vec<String> = Status::ALL.iter().map(|it| report.count(*it).to_string()).collect();
    let _ = writeln!(text, "| {} |", counts.join(" | "));
    for line in summary::unseen(report) {
        let _ = writeln!(text, "\n{}", summary::sentence(&line));
    }
    for id in &report.stale {
        let _ = writeln!(
            text,
            "\nThe baseline excuses {}, which is not broken: remove the line.",
            markdown(id)
        );
    }
    for (entry, finding) in report.findings() {
        write_finding(&mut text, entry, finding);
    }
    text
}

/// A table over all revisions, and then each of them.
pub fn write_all(all: &AllRevisions, strictness: Strictness) -> String {
    let mut text = format!("# MCP conformance of {} in all revisions\n\n", markdown(&all.target()));
    text.push_str(
        "| revision | verdict | score | pass | fail | warn | skip | untestable | broken |\n",
    );
    text.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for row in all.rows(strictness) {
        let Row { revision, verdict, score, counts, broken } = row;
        let counts = counts.join(" | ");
        let _ = writeln!(text, "| {revision} | {verdict} | {score} | {counts} | {broken} |");
    }
    for report in &all.reports {
        let _ = write!(text, "\n{}", write(report, strictness));
    }
    text
}

fn write_finding(text: &mut String, entry: &Entry, finding: &Finding) {
    let requirement = entry.requirement;
    let _ = writeln!(
        text,
        "\n### {} {}: {}\n",
        entry.word(),
        requirement.id,
        markdown(requirement.text)
    );
    let _ = writeln!(text, "- expected: {}", markdown(&finding.expected));
    let _ = writeln!(text, "- actual: {}", markdown(&finding.actual));
    if let Some(reason) = &entry.excused {
        let _ = writeln!(text, "- excused: {}", markdown(reason));
    }
    if let Some(note) = entry.note() {
        let _ = writeln!(text, "- {note}");
    }
    let _ = writeln!(text, "- fix: {}", markdown(entry.fix()));
    if let Some(link) = entry.links.first() {
        let _ = writeln!(text, "- {} in [{}]({link})", requirement.level.as_str(), entry.page);
    }
    if entry.proof.is_empty() {
        return;
    }
    // Whatever a peer says stays text: inside this there is no Markdown, and no markup is left.
    let _ = writeln!(text, "\n<details><summary>proof</summary>\n\n<pre>");
    for line in &entry.proof {
        let _ = writeln!(text, "{}", html(line));
    }
    let _ = writeln!(text, "</pre>\n\n</details>");
}
