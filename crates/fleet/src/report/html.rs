//! A folder of pages that need no server and nothing else: one for the fleet, one for each server.

use std::fmt::Write;

use proofmark_check::record::text::html;

use super::{Summary, pretty, score, score_change};
use crate::{
    outcome::Verdict,
    store::{FindingRow, ResultRow},
    time,
};

/// What the page of one server shows.
#[derive(Clone, Debug)]
pub struct ServerPage {
    pub name: String,
    pub owner: Option<String>,
    /// Of each way, newest first.
    pub courses: Vec<Vec<ResultRow>>,
    pub open: Vec<FindingRow>,
}

/// The names of files, and what is in each.
pub fn write(summary: &Summary, servers: &[ServerPage]) -> Vec<(String, String)> {
    let mut files = vec![("index.html".to_owned(), index(summary, servers))];
    files.extend(servers.iter().enumerate().map(|(at, it)| (file(at), server(it))));
    files
}

/// Names of servers may be anything; numbers are names of files everywhere.
fn file(number: usize) -> String {
    format!("server-{}.html", number + 1)
}

fn index(summary: &Summary, servers: &[ServerPage]) -> String {
    let Summary { run, results, comparison, breaches } = summary;
    let worse = comparison.results.iter().filter(|it| it.is_worse()).count();
    let mut page = head("The fleet");
    let _ = writeln!(
        page,
        "<h1>{worse} of {} got worse since the time before</h1>\n<p>Run {} of {}: {} conformant, {} broken, {} without a verdict.</p>",
        results.len(),
        run.id,
        time::minute(run.started),
        run.conformant,
        run.broken,
        run.failed
    );
    if !breaches.is_empty() {
        page.push_str("<h2>Gates that do not hold</h2>\n<ul>\n");
        for breach in breaches {
            let owner = breach.owner.as_deref().unwrap_or("no owner");
            let _ = writeln!(
                page,
                "<li><b>{}</b> ({}): {}",
                html(&breach.server),
                html(owner),
                html(&breach.what)
            );
        }
        page.push_str("</ul>\n");
    }
    page.push_str("<h2>What changed</h2>\n<ul>\n");
    for (word, rows) in [("new", &comparison.new), ("gone", &comparison.gone)] {
        for row in rows {
            let _ = writeln!(page, "<li><b>{word}</b> {}", finding(row));
        }
    }
    for change in &comparison.results {
        let word = if change.is_worse() { "worse" } else { "other" };
        let _ = writeln!(
            page,
            "<li><b>{word}</b> {} {} over {}: {} → {}, score {}",
            html(&change.now.server),
            html(&change.now.wanted),
            html(&change.now.transport),
            change.was.verdict.as_str(),
            change.now.verdict.as_str(),
            html(&score_change(change))
        );
    }
    let _ = writeln!(page, "<li>{} still broken\n</ul>\n<h2>Servers</h2>", comparison.still);
    let number = |name: &str| servers.iter().position(|it| it.name == name);
    table(&mut page, &pretty::RESULT_HEAD, results, &|row| number(&row.server).map(file));
    page.push_str("</main></html>\n");
    page
}

fn server(it: &ServerPage) -> String {
    let mut page = head(&it.name);
    let _ =
        writeln!(page, "<p><a href=\"index.html\">The fleet</a></p>\n<h1>{}</h1>", html(&it.name));
    let _ = writeln!(page, "<p>Owner: {}</p>", html(it.owner.as_deref().unwrap_or("none")));
    let _ = writeln!(page, "<h2>{} open findings</h2>\n<ul>", it.open.len());
    for row in &it.open {
        let _ = writeln!(page, "<li>{}<br>expected: {}", finding(row), html(&row.expected));
    }
    page.push_str("</ul>\n");
    for course in &it.courses {
        let Some(first) = course.first() else { continue };
        let _ = writeln!(page, "<h2>{} over {}</h2>", html(&first.wanted), html(&first.transport));
        page.push_str(&line(course));
        page.push_str("<table><thead><tr><th>run<th>when (UTC)<th>verdict<th>score<th>version<th>why</thead>\n");
        for row in course {
            let _ = writeln!(
                page,
                "<tr><td>{}<td>{}<td class={}>{}<td class=n>{}<td>{}<td>{}",
                row.run,
                time::minute(row.started),
                class(row.verdict),
                row.verdict.as_str(),
                score(row),
                html(row.peer_version.as_deref().unwrap_or_default()),
                html(row.why.as_deref().unwrap_or_default())
            );
        }
        page.push_str("</table>\n");
    }
    page.push_str("</main></html>\n");
    page
}

fn finding(row: &FindingRow) -> String {
    let flaky = if row.flaky { ", flaky" } else { "" };
    let first = row.since_run.map_or_else(|| "before".to_owned(), |run| format!("run {run}"));
    format!(
        "{} {} over {}: {} {} (since {first}{flaky}): <code>{}</code>",
        html(&row.server),
        html(&row.wanted),
        html(&row.transport),
        row.severity.as_str(),
        html(&row.subject.id),
        html(&row.actual)
    )
}

fn table(
    page: &mut String,
    head: &[&str],
    results: &[ResultRow],
    link: &dyn Fn(&ResultRow) -> Option<String>,
) {
    let _ = writeln!(page, "<table><thead><tr><th>{}</thead>", head.join("<th>"));
    for row in results {
        let cells = pretty::result_cells(row);
        let name = match link(row) {
            Some(file) => format!("<a href=\"{file}\">{}</a>", html(&cells[0])),
            None => html(&cells[0]),
        };
        let _ = write!(page, "<tr><td>{name}");
        for (at, cell) in cells.iter().enumerate().skip(1) {
            let class = if at == 3 { class(row.verdict) } else { "c" };
            let _ = write!(page, "<td class={class}>{}", html(cell));
        }
        page.push('\n');
    }
    page.push_str("</table>\n");
}

/// The course of the score, with words for those who do not see it.
fn line(course: &[ResultRow]) -> String {
    let scores: Vec<Option<u32>> = course.iter().rev().map(|it| it.score).collect();
    let last = scores.len().saturating_sub(1).max(1);
    let mut path = String::new();
    let mut down = false;
    for (at, score) in scores.iter().enumerate() {
        let Some(score) = score else {
            down = false;
            continue;
        };
        let _ = write!(
            path,
            "{}{} {} ",
            if down { "L" } else { "M" },
            at * 300 / last,
            60 - score * 6 / 10
        );
        down = true;
    }
    let known: Vec<u32> = scores.into_iter().flatten().collect();
    let words = match (known.first(), known.last()) {
        (Some(first), Some(last)) => format!("Score from {first} to {last}, newest last"),
        _ => "No score yet".to_owned(),
    };
    format!(
        "<svg role=img viewBox=\"0 -4 300 68\" width=300 height=68><title>{words}</title><path d=\"{path}\" fill=none \
         stroke=currentColor stroke-width=2 /></svg>\n"
    )
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Conformant => "good",
        Verdict::Broken => "bad",
        Verdict::Exceeded | Verdict::NotObserved | Verdict::Unreachable => "odd",
    }
}

fn head(title: &str) -> String {
    format!("{}<title>{}</title>\n<main>\n", include_str!("head.html"), html(title))
}
