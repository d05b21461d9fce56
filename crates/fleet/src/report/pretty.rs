//! For a terminal. Whatever a server says of itself is shown and not obeyed.

use std::fmt::Write;

use proofmark_check::record::text::plain;
use serde_json::Value;

use super::{Summary, score, score_change};
use crate::{
    compare::Comparison,
    store::{FindingRow, InterfaceChange, ResultRow, RunRow},
    time,
};

/// Columns that are as wide as what is in them.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = head.iter().map(|it| it.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count()).min(WIDEST);
        }
    }
    let head: Vec<String> = head.iter().map(|it| (*it).to_owned()).collect();
    let mut text = String::new();
    for row in std::iter::once(&head).chain(rows) {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let cell: String = cell.chars().take(WIDEST).collect();
            let _ = write!(line, "{cell:<width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

pub fn summary(summary: &Summary) -> String {
    let Summary { run, results, comparison, breaches } = summary;
    let mut text = table(&RESULT_HEAD, &results.iter().map(result_cells).collect::<Vec<_>>());
    text.push('\n');
    text.push_str(&changes(comparison));
    let _ = writeln!(
        text,
        "\nrun {}: {} conformant, {} broken, {} without a verdict",
        run.id, run.conformant, run.broken, run.failed
    );
    if breaches.is_empty() {
        text.push_str("all gates hold\n");
    }
    for breach in breaches {
        let owner = breach.owner.as_deref().map(|it| format!(" ({})", plain(it)));
        let _ = writeln!(
            text,
            "gate: {}{}: {}",
            plain(&breach.server),
            owner.unwrap_or_default(),
            first_line(&breach.what)
        );
    }
    text
}

pub fn comparison(comparison: &Comparison) -> String {
    let mut text = match &comparison.earlier {
        Some(earlier) => format!("from run {} to run {}\n", earlier.id, comparison.later.id),
        None => format!("what run {} changed\n", comparison.later.id),
    };
    text.push_str(&changes(comparison));
    text
}

fn changes(comparison: &Comparison) -> String {
    let mut text = String::new();
    for (word, rows) in [("new", &comparison.new), ("gone", &comparison.gone)] {
        for row in rows {
            let _ = writeln!(text, "{word:<5} {}", finding(row));
        }
    }
    for change in &comparison.results {
        let (was, now) = (change.was.verdict, change.now.verdict);
        let verdict = if was == now {
            now.as_str().to_owned()
        } else {
            format!("{} → {}", was.as_str(), now.as_str())
        };
        let word = if change.is_worse() { "worse" } else { "other" };
        let _ = writeln!(
            text,
            "{word} {}: {verdict}, score {}",
            way(&change.now),
            score_change(change)
        );
    }
    for (result, change) in &comparison.interfaces {
        for (word, lines) in [("breaking", &change.breaking), ("harmless", &change.harmless)] {
            for line in lines {
                let _ = writeln!(text, "{word} {}: {}", way(result), plain(line));
            }
        }
    }
    for first in &comparison.first {
        let _ = writeln!(
            text,
            "first {}: {}, score {}",
            way(first),
            first.verdict.as_str(),
            score(first)
        );
    }
    if comparison.is_empty() {
        text.push_str("nothing changed\n");
    }
    let _ = writeln!(
        text,
        "{} new, {} gone, {} still broken",
        comparison.new.len(),
        comparison.gone.len(),
        comparison.still
    );
    text
}

fn finding(row: &FindingRow) -> String {
    let owner = row.owner.as_deref().map(|it| format!(" ({})", plain(it))).unwrap_or_default();
    let flaky = if row.flaky { ", flaky" } else { "" };
    let version = row.since_version.as_deref().map(plain).unwrap_or_default();
    let first = match row.since_run {
        Some(run) if !version.is_empty() => format!("first in run {run}, version {version}"),
        Some(run) => format!("first in run {run}"),
        None => "first in a run that is not kept".to_owned(),
    };
    format!(
        "{} {} {}{owner}: {} {} ({first}{flaky}): {}",
        plain(&row.server),
        row.wanted,
        row.transport,
        row.severity.as_str(),
        plain(&row.subject.id),
        first_line(&row.actual)
    )
}

fn way(result: &ResultRow) -> String {
    format!("{} {} {}", plain(&result.server), result.wanted, result.transport)
}

fn first_line(text: &str) -> String {
    plain(text.lines().next().unwrap_or_default())
}

pub const RESULT_HEAD: [&str; 9] =
    ["server", "revision", "over", "verdict", "score", "fail", "warn", "tests", "version"];

pub fn result_cells(result: &ResultRow) -> Vec<String> {
    let spoken = result.revision.as_deref().map(plain).unwrap_or_default();
    let revision = if result.wanted == "newest" && !spoken.is_empty() {
        format!("newest ({spoken})")
    } else {
        result.wanted.clone()
    };
    let tests = result.tests;
    vec![
        plain(&result.server),
        revision,
        result.transport.clone(),
        result.verdict.as_str().to_owned(),
        score(result),
        result.counts.fail.to_string(),
        result.counts.warn.to_string(),
        if tests.passed + tests.failed == 0 {
            "-".to_owned()
        } else {
            format!("{}/{}", tests.passed, tests.passed + tests.failed)
        },
        result.peer_version.as_deref().map(plain).unwrap_or_default(),
    ]
}

/// The course of one server, a table for each way.
pub fn history(courses: &[Vec<ResultRow>], open: &[FindingRow]) -> String {
    let mut text = String::new();
    for course in courses {
        let Some(first) = course.first() else { continue };
        let _ = writeln!(text, "{}", way(first));
        let rows: Vec<Vec<String>> = course
            .iter()
            .enumerate()
            .map(|(at, result)| {
                // A score beside one that it cannot be compared with has a mark.
                let before = course.get(at + 1);
                let mark = before
                    .is_some_and(|it| it.comparable != result.comparable && it.score.is_some());
                vec![
                    result.run.to_string(),
                    time::minute(result.started),
                    result.verdict.as_str().to_owned(),
                    format!("{}{}", score(result), if mark { " *" } else { "" }),
                    result.counts.fail.to_string(),
                    result.counts.warn.to_string(),
                    result.peer_version.as_deref().map(plain).unwrap_or_default(),
                    result.why.as_deref().map(first_line).unwrap_or_default(),
                ]
            })
            .collect();
        let head = ["run", "when (UTC)", "verdict", "score", "fail", "warn", "version", "why"];
        text.push_str(&table(&head, &rows));
        if rows.iter().any(|row| row[3].ends_with('*')) {
            text.push_str("* not comparable with the score before\n");
        }
        text.push('\n');
    }
    for row in open {
        let _ = writeln!(text, "open  {}", finding(row));
    }
    if open.is_empty() {
        text.push_str("no finding is open\n");
    }
    text
}

/// All runs, newest first.
pub fn runs(runs: &[RunRow]) -> String {
    let rows: Vec<Vec<String>> = runs
        .iter()
        .map(|run| {
            vec![
                run.id.to_string(),
                time::minute(run.started),
                run.finished.map_or_else(|| "not finished".to_owned(), |_| "finished".to_owned()),
                run.jobs.to_string(),
                run.conformant.to_string(),
                run.broken.to_string(),
                run.failed.to_string(),
                plain(&run.filter),
            ]
        })
        .collect();
    table(
        &["run", "when (UTC)", "state", "jobs", "conformant", "broken", "failed", "filter"],
        &rows,
    )
}

/// Everything that is known about one finding.
pub fn why(occurrences: &[FindingRow], entries: &[(ResultRow, Value)]) -> String {
    let mut text = String::new();
    for row in occurrences {
        let state = match row.until {
            Some(_) => format!(
                "gone since version {}",
                row.until_version.as_deref().map_or_else(|| "unknown".to_owned(), plain)
            ),
            None => "open".to_owned(),
        };
        let when = row.since_time.map(time::rfc3339).unwrap_or_default();
        let _ = writeln!(text, "{} {state}, since {when}", finding(row));
        let _ = writeln!(
            text,
            "  expected: {}\n  actual:   {}",
            plain(&row.expected),
            plain(&row.actual)
        );
    }
    for (result, entry) in entries {
        let _ = writeln!(
            text,
            "\n{} in run {}: {}",
            way(result),
            result.run,
            entry["status"].as_str().unwrap_or_default()
        );
        for (word, value) in [
            ("text", &entry["text"]),
            ("expected", &entry["finding"]["expected"]),
            ("actual", &entry["finding"]["actual"]),
            ("fix", &entry["finding"]["fix"]),
            ("reason", &entry["reason"]),
        ] {
            if let Some(said) = value.as_str() {
                let _ = writeln!(text, "  {word}: {}", plain(said));
            }
        }
        for line in entry["finding"]["proof"].as_array().into_iter().flatten() {
            let _ = writeln!(text, "  {}", plain(line.as_str().unwrap_or_default()));
        }
        for failure in entry["failures"].as_array().into_iter().flatten() {
            let _ = writeln!(
                text,
                "  {}: {}",
                plain(failure["step"].as_str().unwrap_or_default()),
                plain(failure["what"].as_str().unwrap_or_default())
            );
            for line in failure["detail"].as_array().into_iter().flatten() {
                let _ = writeln!(text, "    {}", plain(line.as_str().unwrap_or_default()));
            }
        }
        for link in entry["links"].as_array().into_iter().flatten() {
            let _ = writeln!(text, "  {}", plain(link.as_str().unwrap_or_default()));
        }
    }
    text
}

/// Changes of what a server offers, for its history.
pub fn interfaces(changes: &[InterfaceChange]) -> String {
    let mut text = String::new();
    for change in changes {
        for (word, lines) in [("breaking", &change.breaking), ("harmless", &change.harmless)] {
            for line in lines {
                let _ = writeln!(text, "{word} (result {}): {}", change.result, plain(line));
            }
        }
    }
    text
}

/// Characters of a column.
const WIDEST: usize = 60;
