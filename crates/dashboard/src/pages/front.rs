//! The fleet at a glance: what needs attention first.

use axum::response::Html;
use maud::{Markup, html};
use proofmark_fleet::store::{Listed, Overview, Store, StoreError, Wish};
use proofmark_web::{
    layout::{Badge, Tone, empty},
    table::{Column, Table},
};

use crate::{
    Asked,
    frame::{self, Tab, encoded},
};

pub(crate) fn page(store: &Store, asked: &Asked) -> Result<Html<String>, StoreError> {
    let overview = store.overview()?;
    let wish = wish(asked, PER_PAGE);
    let (rows, count) = store.list(&wish)?;
    let mut cells = Vec::new();
    for row in &rows {
        cells.push(row_cells(row, &store.scores(row.way, COURSE)?));
    }
    let table = Table {
        caption: "Servers, what needs attention first".to_owned(),
        columns: vec![
            Column::text("server"),
            Column::text("verdict"),
            Column::figures("score"),
            Column::text("course"),
            Column::figures("fail"),
            Column::figures("warn"),
            Column::text("stage"),
            Column::text("owner"),
            Column::text("version"),
            Column::text("checked (UTC)"),
        ],
        rows: cells,
    };
    let body = html! {
        (figures(&overview))
        (search(asked, "/"))
        @if rows.is_empty() && overview.servers == 0 {
            (empty("No server was checked yet", &html! { code { "proofmark fleet run" } " checks those of the inventory." }))
        } @else if rows.is_empty() {
            (empty("No server fits", &html! { a href="/" { "All servers" } }))
        } @else {
            (table.render())
            (turning("/", asked, count, PER_PAGE))
        }
        @if !overview.owners.is_empty() { (owners(&overview)) }
    };
    Ok(frame::page(Tab::Fleet, "Servers", answer(&overview), &body))
}

/// What the reader came to know.
fn answer(overview: &Overview) -> String {
    let slipping = match overview.slipping {
        0 => String::new(),
        1 => "; 1 server is below its stage".to_owned(),
        many => format!("; {many} servers are below their stage"),
    };
    match overview.last.as_ref() {
        None => "There is no run yet".to_owned(),
        Some(run) if run.finished.is_none() => format!("Run {} goes on{slipping}", run.id),
        Some(run) => match run.changes {
            Some(changes) if changes.worse == 0 && changes.new == 0 => {
                format!("Nothing got worse in run {}{slipping}", run.id)
            }
            Some(changes) => format!(
                "{} of {} checks got worse in run {}, with {}{slipping}",
                changes.worse,
                run.jobs,
                run.id,
                frame::count(changes.new, "new finding", "new findings")
            ),
            None => format!("Run {} is the last{slipping}", run.id),
        },
    }
}

pub(super) fn wish(asked: &Asked, per_page: u32) -> Wish {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Wish {
        search: asked.q.chars().take(LONGEST_SEARCH).collect(),
        owner: some(&asked.owner),
        stage: some(&asked.stage),
        page: asked.page.min(LAST_PAGE),
        per_page,
    }
}

fn figures(overview: &Overview) -> Markup {
    html! {
        ul.numbers {
            li { b { (overview.servers) } " servers" }
            li { b { (overview.conformant) } " " (Badge::new(Tone::Good, "conformant").render()) }
            li { b { (overview.broken) } " " (Badge::new(Tone::Bad, "broken").render()) }
            li { b { (overview.failed) } " " (Badge::new(Tone::Warn, "no verdict").render()) }
            li { b { (overview.slipping) } " slipping" }
            @if let Some(run) = &overview.last {
                li { a href={ "/run?run=" (run.id) } { "run " (run.id) } " of " (frame::when(run.started)) }
            }
        }
    }
}

/// Filters, which stand in the address.
pub(super) fn search(asked: &Asked, path: &str) -> Markup {
    html! {
        form.row method="get" action=(path) role="search" {
            label { span.unseen { "Search servers" }
                input type="search" name="q" value=(asked.q) placeholder="Name of a server" data-search=""; }
            label { span.unseen { "Owner" } input name="owner" value=(asked.owner) placeholder="Owner"; }
            label { span.unseen { "Stage" } input name="stage" value=(asked.stage) placeholder="Stage"; }
            button { "Filter" }
        }
    }
}

/// To the pages before and after.
pub(super) fn turning(path: &str, asked: &Asked, count: u32, per_page: u32) -> Markup {
    let last = count.saturating_sub(1) / per_page.max(1);
    let page = asked.page.min(last);
    let href = |page: u32| {
        format!(
            "{path}?q={}&owner={}&stage={}&page={page}",
            encoded(&asked.q),
            encoded(&asked.owner),
            encoded(&asked.stage)
        )
    };
    html! {
        nav.row aria-label="Pages of the table" {
            @if page > 0 { a href=(href(page - 1)) rel="prev" { "before" } }
            span.muted { "page " (page + 1) " of " (last + 1) ", " (count) " servers" }
            @if page < last { a href=(href(page + 1)) rel="next" { "after" } }
        }
    }
}

fn row_cells(row: &Listed, scores: &[Option<u32>]) -> Vec<Markup> {
    let (tone, word) = match row.rank {
        2 => (Tone::Good, "conformant"),
        1 => (Tone::Bad, "broken"),
        _ => (Tone::Warn, "no verdict"),
    };
    vec![
        html! { (frame::server_link(&row.name)) },
        html! { (Badge::new(tone, word).render()) },
        html! { (frame::score(row.score)) },
        course(scores),
        html! { (row.fail) },
        html! { (row.warn) },
        html! {
            (row.stage.as_deref().unwrap_or_default())
            @if let Some(why) = &row.slips { " " span title=(why) { (Badge::new(Tone::Bad, "slipping").render()) } }
        },
        html! { (row.owner.as_deref().unwrap_or_default()) },
        html! { (row.version.as_deref().unwrap_or_default()) },
        frame::when(row.checked),
    ]
}

/// Scores as a small line, with words for those who do not see it.
fn course(scores: &[Option<u32>]) -> Markup {
    use std::fmt::Write;
    let known: Vec<u32> = scores.iter().flatten().copied().collect();
    let (Some(first), Some(last)) = (known.first(), known.last()) else { return html! {} };
    let (mut path, mut pen_is_down) = (String::new(), false);
    let steps = scores.len().saturating_sub(1).max(1);
    for (at, score) in scores.iter().enumerate() {
        let Some(score) = score else {
            pen_is_down = false;
            continue;
        };
        let pen = if pen_is_down { 'L' } else { 'M' };
        let _infallible = write!(path, "{pen}{} {}", 2 + at * 76 / steps, 18 - score * 16 / 100);
        pen_is_down = true;
    }
    html! {
        svg.course role="img" viewBox="0 0 80 20" width="80" height="20" aria-label={ "score from " (first) " to " (last) } {
            path.line d=(path) fill="none" {}
        }
    }
}

fn owners(overview: &Overview) -> Markup {
    let rows = overview.owners.iter().map(|(owner, broken)| {
        let name = owner.as_deref().unwrap_or_default();
        vec![
            html! {
                @if name.is_empty() { span.muted { "no owner" } }
                @else { a href={ "/?owner=" (encoded(name)) } { (name) } }
            },
            html! { (broken) },
        ]
    });
    let table = Table {
        caption: "Broken requirements by owner".to_owned(),
        columns: vec![Column::text("owner"), Column::figures("broken requirements")],
        rows: rows.collect(),
    };
    html! { section.narrow { h2 { "By owner" } (table.render()) } }
}

const PER_PAGE: u32 = 50;
/// Results in a course.
const COURSE: u32 = 30;
const LONGEST_SEARCH: usize = 200;
const LAST_PAGE: u32 = 1_000_000;
