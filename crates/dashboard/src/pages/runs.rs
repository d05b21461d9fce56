//! Runs: all of them, and one with what it changed; live while it goes on.

use axum::response::Html;
use maud::{Markup, html};
use proofmark_fleet::{
    compare::Comparison,
    store::{FindingRow, ResultRow, RunRow, Store, StoreError},
};
use proofmark_web::{
    layout::empty,
    table::{Column, Table},
};

use crate::frame::{self, Tab};

pub(crate) fn list(store: &Store) -> Result<Html<String>, StoreError> {
    let runs = store.runs(MOST_RUNS)?;
    let table = Table {
        caption: "Runs, newest first".to_owned(),
        columns: vec![
            Column::text("run"),
            Column::text("began (UTC)"),
            Column::text("state"),
            Column::figures("jobs"),
            Column::figures("conformant"),
            Column::figures("broken"),
            Column::figures("no verdict"),
            Column::figures("new findings"),
            Column::text("filter"),
        ],
        rows: runs.iter().map(run_cells).collect(),
    };
    let body = html! {
        @if runs.is_empty() {
            (empty("There is no run yet", &html! { code { "proofmark fleet run" } " begins one." }))
        } @else { (table.render()) }
    };
    let answer = format!("The last {} runs", runs.len());
    Ok(frame::page(Tab::Runs, "Runs", answer, &body))
}

fn run_cells(run: &RunRow) -> Vec<Markup> {
    let new = run.changes.map(|it| it.new.to_string()).unwrap_or_default();
    vec![
        html! { a href={ "/run?run=" (run.id) } { "run " (run.id) } },
        frame::when(run.started),
        html! { @if run.finished.is_some() { "finished" } @else { "goes on, or was interrupted" } },
        html! { (run.jobs) },
        html! { (run.conformant) },
        html! { (run.broken) },
        html! { (run.failed) },
        html! { (new) },
        html! { (run.filter) },
    ]
}

pub(crate) fn one(store: &Store, id: i64) -> Result<Html<String>, StoreError> {
    let run = store.run(id)?;
    let title = format!("Run {id}");
    if run.finished.is_none() {
        return running(store, &run, &title);
    }
    let comparison = Comparison::of(store, None, id)?;
    let worse = comparison.results.iter().filter(|it| it.is_worse()).count();
    let answer = format!(
        "{worse} of {} got worse; {} new, {} gone, {} still broken",
        run.jobs,
        comparison.new.len(),
        comparison.gone.len(),
        comparison.still
    );
    let body = html! {
        (findings("New", &comparison.new))
        (findings("Gone", &comparison.gone))
        @if !comparison.results.is_empty() { (changes(&comparison)) }
        @if !comparison.interfaces.is_empty() {
            section {
                h2 { "Changes of what servers offer" }
                ul.lines {
                    @for (result, change) in comparison.interfaces.iter().take(SHOWN) {
                        @for line in &change.breaking { li { b { "breaking " } (frame::server_link(&result.server)) ": " (line) } }
                        @for line in &change.harmless { li { "harmless " (frame::server_link(&result.server)) ": " (line) } }
                    }
                }
            }
        }
        @if comparison.is_empty() { (empty("Nothing changed", &html! { a href="/" { "The servers" } })) }
        @if !comparison.first.is_empty() {
            p.muted { (comparison.first.len()) " were looked at for the first time." }
        }
    };
    Ok(frame::page(Tab::Runs, &title, answer, &body))
}

fn running(store: &Store, run: &RunRow, title: &str) -> Result<Html<String>, StoreError> {
    let done = store.done(run.id)?;
    let results = store.results_after(run.id, 0, MOST_LIVE)?;
    let last = results.last().map_or(0, |it| it.id);
    let body = html! {
        p {
            progress id="bar" max=(run.jobs) value=(done) aria-label="done" {}
            " " span id="done" aria-live="polite" { (done) " of " (run.jobs) " done" }
        }
        table.cards {
            caption.unseen { "Results as they come" }
            thead { tr { th scope="col" { "server" } th scope="col" { "revision" } th scope="col" { "over" } th scope="col" { "verdict" } th.figures scope="col" { "score" } } }
            tbody id="results" { @for result in &results { (live_row(result)) } }
        }
    };
    let answer = "It goes on, and this page follows it".to_owned();
    let data = vec![("run", run.id.to_string()), ("after", last.to_string())];
    Ok(frame::with_script(Tab::Runs, title, answer, &body, &["run.js"], data))
}

fn live_row(result: &ResultRow) -> Markup {
    html! {
        tr data-row="" {
            td data-label="server" { (frame::server_link(&result.server)) }
            td data-label="revision" { (result.wanted) }
            td data-label="over" { (result.transport) }
            td data-label="verdict" { (frame::verdict(result.verdict)) }
            td.figures data-label="score" { (frame::score(result.score)) }
        }
    }
}

fn findings(title: &str, rows: &[FindingRow]) -> Markup {
    if rows.is_empty() {
        return html! {};
    }
    let table = Table {
        caption: title.to_owned(),
        columns: vec![
            Column::text("server"),
            Column::text("owner"),
            Column::text("revision"),
            Column::text("over"),
            Column::text("as"),
            Column::text("what"),
            Column::text("it does"),
        ],
        rows: rows
            .iter()
            .take(SHOWN)
            .map(|it| {
                vec![
                    frame::server_link(&it.server),
                    html! { (it.owner.as_deref().unwrap_or_default()) },
                    html! { (it.wanted) },
                    html! { (it.transport) },
                    frame::severity(it.severity),
                    html! { (frame::subject_link(it)) @if it.flaky { " " span.muted { "flaky" } } },
                    html! { code { (it.actual) } },
                ]
            })
            .collect(),
    };
    html! {
        section {
            h2 { (title) " (" (rows.len()) ")" }
            (table.render())
            @if rows.len() > SHOWN { p.muted { "The first " (SHOWN) " are shown; " code { "proofmark fleet diff" } " has all." } }
        }
    }
}

fn changes(comparison: &Comparison) -> Markup {
    let rows = comparison.results.iter().take(SHOWN).map(|it| {
        let scores = if it.scores_are_comparable() {
            format!("{} → {}", frame::score(it.was.score), frame::score(it.now.score))
        } else {
            format!("{} (not comparable with the one before)", frame::score(it.now.score))
        };
        vec![
            frame::server_link(&it.now.server),
            html! { (it.now.wanted) },
            html! { (it.now.transport) },
            html! { @if it.is_worse() { "worse" } @else { "other" } },
            html! { (frame::verdict(it.was.verdict)) " → " (frame::verdict(it.now.verdict)) },
            html! { (scores) },
        ]
    });
    let table = Table {
        caption: "Verdicts and scores that changed".to_owned(),
        columns: vec![
            Column::text("server"),
            Column::text("revision"),
            Column::text("over"),
            Column::text("which way"),
            Column::text("verdict"),
            Column::text("score"),
        ],
        rows: rows.collect(),
    };
    html! { section { h2 { "Verdicts and scores" } (table.render()) } }
}

const MOST_RUNS: u32 = 100;
const MOST_LIVE: u32 = 200;
/// Rows of a table.
const SHOWN: usize = 100;
