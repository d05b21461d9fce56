//! Results as `JUnit` XML: a suite for each server, a case for each way, and one for each gate.

use std::time::Duration;

use proofmark_check::{record::text::plain, report::junit::text};
use quick_junit::{
    NonSuccessKind, Report as Document, SerializeError, TestCase, TestCaseStatus, TestSuite,
};

use super::Summary;
use crate::{outcome::Verdict, store::ResultRow};

pub fn write(summary: &Summary) -> Result<String, SerializeError> {
    let mut document = Document::new(format!("proofmark fleet run {}", summary.run.id));
    for rows in summary.results.chunk_by(|one, other| one.server == other.server) {
        let Some(first) = rows.first() else { continue };
        let mut suite = TestSuite::new(plain(&first.server));
        suite.add_test_cases(rows.iter().map(case));
        document.add_test_suite(suite);
    }
    if !summary.breaches.is_empty() {
        let mut suite = TestSuite::new("gates");
        suite.add_test_cases(summary.breaches.iter().map(|breach| {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(plain(&breach.what));
            TestCase::new(plain(&breach.server), status)
        }));
        document.add_test_suite(suite);
    }
    text(&document)
}

fn case(row: &ResultRow) -> TestCase {
    let mut status = match row.verdict {
        Verdict::Conformant => TestCaseStatus::success(),
        Verdict::Broken => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Exceeded | Verdict::NotObserved | Verdict::Unreachable => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
    };
    if row.verdict != Verdict::Conformant {
        let why = row.why.as_deref().map(plain).unwrap_or_default();
        status.set_message(format!(
            "{}: {} fail, {} warn, {} tests failed {why}",
            row.verdict.as_str(),
            row.counts.fail,
            row.counts.warn,
            row.tests.failed
        ));
    }
    let mut case = TestCase::new(format!("{} over {}", row.wanted, row.transport), status);
    case.set_classname(plain(&row.server));
    case.set_time(Duration::from_millis(row.took.unsigned_abs()));
    case
}
