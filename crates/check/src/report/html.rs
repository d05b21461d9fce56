//! The report as one page that needs nothing else, with the transcript behind every finding.

use std::{collections::BTreeSet, fmt::Write};

use super::{Entry, Report, transcript};
use proofmark_judge::outcome::{Finding, Status};
use proofmark_record::{event::Conversation, text::html};

pub fn write(report: &Report) -> String {
    let mut page = String::from(include_str!("head.html"));
    summary(&mut page, report);
    if report.findings().next().is_some() {
        page.push_str("<h2>Findings</h2>\n");
    }
    for (entry, finding) in report.findings() {
        write_finding(&mut page, entry, finding);
    }
    page.push_str("<h2>All requirements</h2>\n");
    for rows in report.entries.chunk_by(|one, other| one.page == other.page) {
        table(&mut page, rows);
    }
    conversations(&mut page, report);
    page
}

fn summary(page: &mut String, report: &Report) {
    let (observed, applicable) = report.observed();
    let score =
        report.score().map_or_else(|| "no score".to_owned(), |score| format!("score {score}"));
    let _ = writeln!(
        page,
        "<h1>MCP conformance: {score}</h1>\n<p><code>{}</code> over {} in revision {}; {observed} of the {applicable} \
         requirements that apply were observed, by proofmark {}</p>\n<p class=counts>",
        html(&report.target.description),
        report.transport,
        report.revision,
        env!("CARGO_PKG_VERSION")
    );
    if let Some(broken_off) = &report.broken_off {
        let _ = writeln!(page, "<b>The run broke off: {}.</b> ", html(&broken_off.why));
    }
    for status in Status::ALL {
        let word = status.as_str();
        let _ = writeln!(page, "<span class={word}><b>{}</b> {word}</span>", report.count(status));
    }
    page.push_str("</p>\n");
    for id in &report.stale {
        let _ = writeln!(
            page,
            "<p class=fail>The baseline excuses {}, which is not broken.</p>",
            html(id)
        );
    }
}

fn write_finding(page: &mut String, entry: &Entry, finding: &Finding) {
    let (requirement, word) = (entry.requirement, entry.word());
    let _ = writeln!(
        page,
        "<section id=\"{id}\" class={word}><h3><b>{word}</b> {id} {}</h3>\n<dl>\n<dt>expected<dd>{}\n<dt>actual<dd>{}",
        html(requirement.text),
        html(&finding.expected),
        html(&finding.actual),
        id = requirement.id,
    );
    if let Some(reason) = &entry.excused {
        let _ = writeln!(page, "<dt>excused<dd>{}", html(reason));
    }
    if let Some(note) = entry.note() {
        let _ = writeln!(page, "<dt>note<dd>{note}");
    }
    let _ = writeln!(page, "<dt>fix<dd>{}", html(entry.fix()));
    for link in &entry.links {
        let link = html(link);
        let level = requirement.level.as_str();
        let _ = writeln!(page, "<dt>{level}<dd><a href=\"{link}\" rel=noreferrer>{link}</a>");
    }
    page.push_str("</dl>\n");
    if !entry.proof.is_empty() {
        let _ = writeln!(
            page,
            "<pre>{}</pre>",
            entry.proof.iter().map(|line| html(line) + "\n").collect::<String>()
        );
    }
    if let Some(event) = entry.event {
        let _ = writeln!(page, "<p><a href=\"#e{event}\">event {event} of the transcript</a></p>");
    }
    page.push_str("</section>\n");
}

fn table(page: &mut String, rows: &[Entry]) {
    let Some(first) = rows.first() else { return };
    let _ = writeln!(page, "<h3>{}</h3>\n<table>", html(first.page));
    for entry in rows {
        let (word, id) = (entry.word(), entry.requirement.id);
        let name = match entry.outcome.finding() {
            Some(_) => format!("<a href=\"#{id}\">{id}</a>"),
            None => id.to_owned(),
        };
        let reason = entry.outcome.reason().unwrap_or_default();
        let _ = writeln!(
            page,
            "<tr class={word}><td>{word}<td>{name}<td>{}<td>{}<td>{}",
            entry.requirement.level.as_str(),
            html(entry.requirement.text),
            html(reason)
        );
    }
    page.push_str("</table>\n");
}

/// Those that a finding points into are open.
fn conversations(page: &mut String, report: &Report) {
    page.push_str("<h2>Transcript</h2>\n");
    let proven: BTreeSet<usize> = report.entries.iter().filter_map(|entry| entry.event).collect();
    let mut number = 0;
    for conversation in &report.evidence.conversations {
        let until = number + conversation.events.len();
        let open = if proven.range(number..until).next().is_some() { " open" } else { "" };
        let _ = writeln!(
            page,
            "<details{open}><summary>{}</summary>\n<ol start=\"{number}\">",
            html(title(conversation))
        );
        for event in &conversation.events {
            let line = html(&transcript::line(report.side, event));
            let _ = writeln!(page, "<li id=\"e{number}\"><code>{line}</code>");
            number += 1;
        }
        page.push_str("</ol></details>\n");
    }
}

fn title(conversation: &Conversation) -> &str {
    proofmark_converse::title(&conversation.scenario).unwrap_or(conversation.scenario.as_str())
}
