//! The last results for Prometheus and its kin, in the text form of OpenMetrics.

use std::fmt::Write;

use proofmark_check::record::text::plain;

use crate::{outcome::Verdict, store::ResultRow};

pub fn write(results: &[ResultRow]) -> String {
    let mut text = String::new();
    family(&mut text, "proofmark_score", "Score of the last check, from 0 to 100", results, |it| {
        it.score.map(i64::from)
    });
    family(
        &mut text,
        "proofmark_conformant",
        "1 if the last check found it conformant",
        results,
        |it| Some(i64::from(it.verdict == Verdict::Conformant)),
    );
    family(&mut text, "proofmark_reachable", "1 if the last check had a verdict", results, |it| {
        Some(i64::from(!it.verdict.is_failure()))
    });
    family(&mut text, "proofmark_failures", "Requirements that are broken", results, |it| {
        Some(i64::from(it.counts.fail))
    });
    family(
        &mut text,
        "proofmark_warnings",
        "Recommendations that are not followed",
        results,
        |it| Some(i64::from(it.counts.warn)),
    );
    family(&mut text, "proofmark_failed_tests", "Tests that failed", results, |it| {
        Some(i64::from(it.tests.failed))
    });
    family(
        &mut text,
        "proofmark_checked_timestamp_seconds",
        "When the last check began",
        results,
        |it| Some(it.started / 1000),
    );
    text.push_str("# EOF\n");
    text
}

fn family(
    text: &mut String,
    name: &str,
    help: &str,
    results: &[ResultRow],
    value: impl Fn(&ResultRow) -> Option<i64>,
) {
    let _ = writeln!(text, "# TYPE {name} gauge\n# HELP {name} {help}");
    for row in results {
        let Some(value) = value(row) else { continue };
        let _ = writeln!(
            text,
            "{name}{{server=\"{}\",owner=\"{}\",revision=\"{}\",transport=\"{}\"}} {value}",
            label(&row.server),
            label(row.owner.as_deref().unwrap_or_default()),
            label(&row.wanted),
            label(&row.transport)
        );
    }
}

fn label(text: &str) -> String {
    plain(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_label_cannot_end_itself() {
        assert_eq!(super::label("a\"} 1\nb\\"), "a\\\"} 1\\\\nb\\\\");
    }
}
