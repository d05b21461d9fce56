//! For the summary of a job, and for a repository.

use std::fmt::Write;

use proofmark_check::record::text::markdown as cell;

use super::{Summary, pretty, score, score_change};
use crate::{
    compare::Comparison,
    inventory::Member,
    store::{FindingRow, ResultRow, RunRow},
    time,
};

pub fn summary(summary: &Summary) -> String {
    let Summary { run, results, comparison, breaches } = summary;
    let mut text = String::from("# The fleet\n\n");
    let _ = writeln!(
        text,
        "Run {} of {}: **{} conformant**, {} broken, {} without a verdict.\n",
        run.id,
        time::minute(run.started),
        run.conformant,
        run.broken,
        run.failed
    );
    if breaches.is_empty() {
        text.push_str("All gates hold.\n");
    } else {
        text.push_str("## Gates that do not hold\n\n| server | owner | why |\n|---|---|---|\n");
    }
    for breach in breaches {
        let owner = breach.owner.as_deref().unwrap_or("-");
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            cell(&breach.server),
            cell(owner),
            cell(&breach.what)
        );
    }
    text.push_str("\n## What changed\n\n");
    text.push_str(&changes(comparison));
    text.push_str("\n## Results\n\n");
    text.push_str(&table(&pretty::RESULT_HEAD, results.iter().map(pretty::result_cells)));
    text
}

pub fn comparison(comparison: &Comparison) -> String {
    format!("# What run {} changed\n\n{}", comparison.later.id, changes(comparison))
}

fn changes(comparison: &Comparison) -> String {
    let mut rows = Vec::new();
    for (word, findings) in [("new", &comparison.new), ("gone", &comparison.gone)] {
        rows.extend(findings.iter().map(|it| finding(word, it)));
    }
    for change in &comparison.results {
        let word = if change.is_worse() { "worse" } else { "other" };
        let (was, now) = (change.was.verdict.as_str(), change.now.verdict.as_str());
        let what = format!("{was} → {now}, score {}", score_change(change));
        rows.push(row(word, &change.now, what));
    }
    for (result, change) in &comparison.interfaces {
        rows.extend(change.breaking.iter().map(|it| row("breaking", result, it.clone())));
        rows.extend(change.harmless.iter().map(|it| row("harmless", result, it.clone())));
    }
    for first in &comparison.first {
        rows.push(row(
            "first",
            first,
            format!("{}, score {}", first.verdict.as_str(), score(first)),
        ));
    }
    let mut text = if rows.is_empty() {
        "Nothing changed.\n".to_owned()
    } else {
        table(&["", "server", "revision", "over", "owner", "what"], rows.into_iter())
    };
    let _ = writeln!(
        text,
        "\n{} new, {} gone, {} still broken.",
        comparison.new.len(),
        comparison.gone.len(),
        comparison.still
    );
    text
}

fn finding(word: &str, it: &FindingRow) -> Vec<String> {
    let flaky = if it.flaky { " (flaky)" } else { "" };
    let what = format!("{} {}{flaky}: {}", it.severity.as_str(), it.subject.id, it.actual);
    let owner = it.owner.clone().unwrap_or_default();
    vec![word.to_owned(), it.server.clone(), it.wanted.clone(), it.transport.clone(), owner, what]
}

fn row(word: &str, it: &ResultRow, what: String) -> Vec<String> {
    let owner = it.owner.clone().unwrap_or_default();
    vec![word.to_owned(), it.server.clone(), it.wanted.clone(), it.transport.clone(), owner, what]
}

pub fn history(courses: &[Vec<ResultRow>], open: &[FindingRow]) -> String {
    let mut text = String::new();
    for course in courses {
        let Some(first) = course.first() else { continue };
        let _ = writeln!(
            text,
            "# {}, {} over {}\n",
            cell(&first.server),
            first.wanted,
            first.transport
        );
        let rows = course.iter().map(|it| {
            vec![
                it.run.to_string(),
                time::minute(it.started),
                it.verdict.as_str().to_owned(),
                score(it),
                it.peer_version.clone().unwrap_or_default(),
                it.why.clone().unwrap_or_default(),
            ]
        });
        text.push_str(&table(&["run", "when (UTC)", "verdict", "score", "version", "why"], rows));
        text.push('\n');
    }
    text.push_str(&table(
        &["", "server", "revision", "over", "owner", "what"],
        open.iter().map(|it| finding("open", it)),
    ));
    text
}

pub fn runs(runs: &[RunRow]) -> String {
    let rows = runs.iter().map(|run| {
        let numbers = [run.jobs, run.conformant, run.broken, run.failed].map(|it| it.to_string());
        [run.id.to_string(), time::minute(run.started)].into_iter().chain(numbers).collect()
    });
    table(&["run", "when (UTC)", "jobs", "conformant", "broken", "failed"], rows)
}

pub fn members(members: &[&Member]) -> String {
    let rows = members.iter().map(|it| {
        vec![
            it.name.clone(),
            it.owner.clone().unwrap_or_default(),
            it.stage.clone().unwrap_or_default(),
            it.tags.join(" "),
        ]
    });
    table(&["server", "owner", "stage", "tags"], rows)
}

fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|it| cell(it)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}
