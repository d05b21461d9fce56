//! The report as `JUnit` XML: a suite for each page, a case for each requirement.

use quick_junit::{
    NonSuccessKind, Report as Document, SerializeError, TestCase, TestCaseStatus, TestSuite,
};

use super::{Entry, Report};
use crate::{outcome::Status, sanitise::plain};

pub fn write(report: &Report) -> Result<String, SerializeError> {
    let mut document =
        Document::new(format!("proofmark {} over {}", report.revision, report.transport));
    for page in report.entries.chunk_by(|one, other| one.page == other.page) {
        let Some(first) = page.first() else { continue };
        let mut suite = TestSuite::new(first.page);
        suite.add_test_cases(page.iter().map(case));
        document.add_test_suite(suite);
    }
    document.to_string()
}

fn case(entry: &Entry) -> TestCase {
    let mut status = match entry.status {
        Status::Fail if entry.excused.is_none() => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        Status::Pass => TestCaseStatus::success(),
        _ => TestCaseStatus::skipped(),
    };
    let message = match entry.outcome.finding() {
        Some(finding) => format!("expected {}, got {}", finding.expected, finding.actual),
        None => entry.outcome.reason().unwrap_or_default().to_owned(),
    };
    if !message.is_empty() {
        status.set_message(plain(&message));
    }
    if entry.status == Status::Fail && entry.excused.is_none() {
        status.set_description(entry.fix());
    }
    let mut case =
        TestCase::new(format!("{} {}", entry.requirement.id, entry.requirement.name), status);
    case.set_classname(entry.page);
    case
}
