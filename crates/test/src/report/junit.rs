//! The outcome as `JUnit` XML: a suite for each server.

use std::{collections::BTreeMap, time::Duration};

use proofmark_check::{record::text::plain, report::junit::text};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use crate::outcome::{RunOutcome, TestOutcome, Verdict};

pub fn write(outcome: &RunOutcome) -> Result<String, SerializeError> {
    let mut report = Report::new("proofmark test");
    report.set_time(outcome.duration);
    let mut suites: BTreeMap<&str, Vec<&TestOutcome>> = BTreeMap::new();
    for test in &outcome.tests {
        suites.entry(&test.server).or_default().push(test);
    }
    for (server, tests) in suites {
        let mut suite = TestSuite::new(plain(server));
        suite.set_time(tests.iter().map(|test| test.duration).sum::<Duration>());
        suite.add_test_cases(tests.into_iter().map(case));
        report.add_test_suite(suite);
    }
    if !outcome.breaches.is_empty() {
        let mut suite = TestSuite::new("protocol");
        suite.add_test_cases(outcome.breaches.iter().map(|breach| {
            // Listed, and not held against the tests.
            let mut status = TestCaseStatus::skipped();
            status.set_message(plain(&format!(
                "expected {}, got {}",
                breach.expected, breach.actual
            )));
            let mut case = TestCase::new(format!("{} {}", breach.id, breach.text), status);
            case.set_classname(plain(&breach.server));
            case
        }));
        report.add_test_suite(suite);
    }
    text(&report)
}

fn case(test: &TestOutcome) -> TestCase {
    let mut status = match &test.verdict {
        Verdict::Failed(_) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Passed => TestCaseStatus::success(),
        Verdict::Skipped(_) | Verdict::Undecided(_) | Verdict::NotRun(_) => {
            TestCaseStatus::skipped()
        }
    };
    match &test.verdict {
        Verdict::Failed(failures) => {
            if let Some(first) = failures.first() {
                status.set_message(plain(&format!("{}: {}", first.step, first.what)));
            }
            let mut lines = Vec::new();
            for failure in failures {
                lines.push(plain(&format!("{}: {}", failure.step, failure.what)));
                lines.extend(failure.detail.iter().map(|line| format!("  {}", plain(line))));
            }
            status.set_description(lines.join("\n"));
        }
        Verdict::Skipped(why) | Verdict::Undecided(why) | Verdict::NotRun(why) => {
            status.set_message(plain(why));
        }
        Verdict::Passed => {}
    }
    let mut case = TestCase::new(plain(&test.name), status);
    case.set_classname(plain(&test.server));
    case.set_time(test.duration);
    if test.is_flaky() {
        case.set_system_out(format!("flaky: passed at attempt {}", test.attempts));
    }
    if !test.stderr.is_empty() {
        let lines: Vec<String> = test.stderr.lines().map(plain).collect();
        case.set_system_err(lines.join("\n"));
    }
    case
}
