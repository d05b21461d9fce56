//! The report as `JUnit` XML: a suite for each page, a case for each requirement.

use std::time::Duration;

use quick_junit::{
    NonSuccessKind, Report as Document, SerializeError, TestCase, TestCaseStatus, TestSuite,
};

use super::{AllRevisions, Entry, Report, Strictness};
use proofmark_judge::outcome::Status;
use proofmark_record::text::plain;

pub fn write(report: &Report, strictness: Strictness) -> Result<String, SerializeError> {
    let mut document =
        Document::new(format!("proofmark {} over {}", report.revision, report.transport));
    if let Some(timing) = report.timing {
        document.set_time(timing.duration);
    }
    document.add_test_suites(suites(report, strictness, ""));
    text(&document)
}

/// The suites of each revision are named after it.
pub fn write_all(all: &AllRevisions, strictness: Strictness) -> Result<String, SerializeError> {
    let mut document = Document::new("proofmark, all revisions");
    document.set_time(all.reports.iter().filter_map(|it| it.timing).map(|it| it.duration).sum());
    for report in &all.reports {
        document.add_test_suites(suites(report, strictness, &format!("{} ", report.revision)));
    }
    for (revision, unreachable) in &all.unreachable {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(plain(&unreachable.why));
        let mut suite = TestSuite::new(revision.to_string());
        suite.add_test_case(TestCase::new("the peer can be checked", status));
        document.add_test_suite(suite);
    }
    text(&document)
}

/// The document in the words of Jenkins: what other dialects call disabled is skipped, and the schema of its plugin knows no other name.
pub fn text(document: &Document) -> Result<String, SerializeError> {
    // A quotation mark that is not part of the markup is written as an entity.
    Ok(document.to_string()?.replace("\" disabled=\"", "\" skipped=\""))
}

fn suites(report: &Report, strictness: Strictness, prefix: &str) -> Vec<TestSuite> {
    let mut suites = Vec::new();
    for page in report.entries.chunk_by(|one, other| one.page == other.page) {
        let Some(first) = page.first() else { continue };
        let mut suite = TestSuite::new(format!("{prefix}{}", first.page));
        suite.set_time(Duration::ZERO);
        suite.add_test_cases(page.iter().map(|entry| case(entry, strictness, prefix)));
        suites.push(suite);
    }
    if !report.stale.is_empty() {
        let mut suite = TestSuite::new(format!("{prefix}baseline"));
        suite.add_test_cases(report.stale.iter().map(|id| {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message("it is excused but not broken: remove the line");
            TestCase::new(plain(id), status)
        }));
        suites.push(suite);
    }
    suites
}

fn case(entry: &Entry, strictness: Strictness, prefix: &str) -> TestCase {
    let fails = entry.is_broken(strictness);
    // What should be and is not is no reason to fail, and was looked at: it passes, with a word about it.
    let warns = !fails && entry.status == Status::Warn;
    let mut status = match entry.status {
        _ if fails => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Status::Pass | Status::Warn => TestCaseStatus::success(),
        Status::Fail | Status::Skip | Status::Untestable => TestCaseStatus::skipped(),
    };
    let mut message = match entry.outcome.finding() {
        Some(finding) => format!("expected {}, got {}", finding.expected, finding.actual),
        None => entry.outcome.reason().unwrap_or_default().to_owned(),
    };
    if let Some(reason) = &entry.excused {
        message = format!("excused ({reason}): {message}");
    }
    let message = plain(&message);
    if !message.is_empty() {
        status.set_message(message.clone());
    }
    if fails {
        status.set_type(entry.requirement.level.as_str());
        let link = entry.links.first().cloned().unwrap_or_default();
        let lines = [entry.requirement.text.to_owned()]
            .into_iter()
            .chain(entry.proof.iter().cloned())
            .chain([format!("fix: {}", entry.fix()), link]);
        status.set_description(lines.collect::<Vec<_>>().join("\n"));
    }
    let mut case =
        TestCase::new(format!("{} {}", entry.requirement.id, entry.requirement.name), status);
    case.set_classname(format!("{prefix}{}", entry.page));
    // The conversations take the time of a run, which no requirement has for itself.
    case.set_time(Duration::ZERO);
    if warns {
        case.set_system_out(format!("warning: {message}\nfix: {}", entry.fix()));
    }
    case
}
