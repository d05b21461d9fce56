//! The report as one page that needs nothing else, with the transcript behind every finding.

use std::{collections::BTreeSet, fmt::Write};

use super::{AllRevisions, Entry, Report, Strictness, all_revisions::Row, summary, transcript};
use proofmark_judge::outcome::{Finding, Status};
use proofmark_record::{event::Conversation, text::html};

pub fn write(report: &Report, strictness: Strictness) -> String {
    let mut page = String::from(include_str!("head.html"));
    let verdict = summary::sentence(&summary::verdict(report, strictness));
    let target = html(&report.target.description);
    let _ = writeln!(page, "<title>{verdict} {target}</title>");
    write_about(&mut page, report, strictness);
    filter(&mut page, std::slice::from_ref(report));
    write_rest(&mut page, report, "");
    page
}

/// A table over all revisions, and then each of them.
pub fn write_all(all: &AllRevisions, strictness: Strictness) -> String {
    let mut page = String::from(include_str!("head.html"));
    let (verdict, target) = (all.verdict(strictness).as_str(), html(&all.target()));
    let _ = writeln!(
        page,
        "<title>{verdict} in all revisions {target}</title>\n<h1 class={verdict}>{target} in all revisions: {verdict}</h1>"
    );
    page.push_str("<table>\n");
    for row in all.rows(strictness) {
        let Row { revision, verdict, score, counts, broken } = row;
        let counts = counts.join(" · ");
        let revision = if all.reports.iter().any(|it| it.revision.as_str() == revision) {
            format!("<a href=\"#{revision}\">{revision}</a>")
        } else {
            revision
        };
        let _ = writeln!(
            page,
            "<tr><td>{revision}<td>{verdict}<td>{score}<td>{counts}<small>{broken}</small>"
        );
    }
    page.push_str("</table>\n");
    filter(&mut page, &all.reports);
    for report in &all.reports {
        let _ = writeln!(page, "<div id=\"{}\">", report.revision);
        write_about(&mut page, report, strictness);
        write_rest(&mut page, report, &format!("{}-", report.revision));
        page.push_str("</div>\n");
    }
    page
}

/// The verdict, and about whom.
fn write_about(page: &mut String, report: &Report, strictness: Strictness) {
    let verdict = summary::sentence(&summary::verdict(report, strictness));
    let (target, kind) = (html(&report.target.description), report.verdict(strictness).as_str());
    let _ = writeln!(
        page,
        "<h1 class={kind}>{verdict}</h1>\n<p class=about><code>{target}</code> over {} in \
         revision {}",
        report.transport, report.revision
    );
    if let Some(peer) = report.peer() {
        let version = peer.version.map(|version| format!(" {}", html(&version)));
        let _ = writeln!(
            page,
            "<br>It calls itself {}{}",
            html(&peer.name),
            version.unwrap_or_default()
        );
    }
    let _ = writeln!(page, "<br>{}", summary::sentence(&summary::score(report)));
    if let Some(timing) = &report.timing {
        let (started, seconds) = (timing.started_rfc3339(), timing.duration.as_secs_f64());
        let _ =
            writeln!(page, "<br><time datetime=\"{started}\">{started}</time>, {seconds:.1} s, ");
    }
    let _ = writeln!(page, "proofmark {}</p>", env!("CARGO_PKG_VERSION"));
    if let Some(broken_off) = &report.broken_off {
        let _ = writeln!(page, "<p><b>The run broke off: {}.</b></p>", html(&broken_off.why));
    }
}

/// Counts to choose by, once for a page.
fn filter(page: &mut String, reports: &[Report]) {
    let all: usize = reports.iter().map(|report| report.entries.len()).sum();
    let _ = writeln!(
        page,
        "<ul class=counts>\n<li><label><input type=radio name=only id=only-all checked><b>{all}</b> all</label>"
    );
    for status in Status::ALL {
        let word = status.as_str();
        let count: usize = reports.iter().map(|report| report.count(status)).sum();
        let _ = writeln!(
            page,
            "<li><label class={word}><input type=radio name=only id=only-{word}><b>{count}</b> {word}</label>"
        );
    }
    page.push_str("</ul>\n");
}

/// Findings, requirements and the transcript. Ids begin with the prefix.
fn write_rest(page: &mut String, report: &Report, prefix: &str) {
    for line in summary::unseen(report) {
        let _ = writeln!(page, "<p class=unseen>{}</p>", html(&summary::sentence(&line)));
    }
    for id in &report.stale {
        let _ = writeln!(
            page,
            "<p class=broken>The baseline excuses {}, which is not broken.</p>",
            html(id)
        );
    }
    if report.findings().next().is_some() {
        page.push_str("<h2>Findings</h2>\n");
    }
    let (broken, others): (Vec<_>, Vec<_>) =
        report.findings().partition(|(entry, _)| entry.is_broken(Strictness::Failures));
    for (entry, finding) in broken.into_iter().chain(others) {
        write_finding(page, entry, finding, prefix);
    }
    page.push_str("<h2>All requirements</h2>\n");
    for rows in report.entries.chunk_by(|one, other| one.page == other.page) {
        table(page, rows, prefix);
    }
    conversations(page, report, prefix);
}

fn write_finding(page: &mut String, entry: &Entry, finding: &Finding, prefix: &str) {
    let (requirement, word) = (entry.requirement, entry.word());
    let _ = writeln!(
        page,
        "<section id=\"{prefix}{id}\" class={word}><h3><b>{word}</b> {id} {}</h3>\n<dl>\n<dt>expected<dd>{}\n<dt>actual<dd>{}",
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
    for line in &entry.proof {
        let _ = writeln!(page, "<pre tabindex=0>{}</pre>", html(&formatted(line)));
    }
    if let Some(pointer) = entry.point.as_ref().and_then(|it| it.pointer.as_ref()) {
        let _ = writeln!(page, "<p>The place is <code>{}</code>.</p>", html(pointer));
    }
    if let Some(event) = entry.event {
        let _ = writeln!(
            page,
            "<p><a href=\"#{prefix}e{event}\">event {event} of the transcript</a></p>"
        );
    }
    page.push_str("</section>\n");
}

/// A message of a proof over several lines, if it is whole and long.
fn formatted(line: &str) -> String {
    let Some((arrow, message)) = line.split_once(' ') else { return line.to_owned() };
    if line.len() < LONG {
        return line.to_owned();
    }
    match serde_json::from_str::<serde_json::Value>(message) {
        Ok(value) if value.is_object() || value.is_array() => format!("{arrow} {value:#}"),
        _ => line.to_owned(),
    }
}

fn table(page: &mut String, rows: &[Entry], prefix: &str) {
    let Some(first) = rows.first() else { return };
    let _ = writeln!(page, "<h3>{}</h3>\n<table>", html(first.page));
    for entry in rows {
        let (word, id) = (entry.word(), entry.requirement.id);
        let name = match entry.outcome.finding() {
            Some(_) => format!("<a href=\"#{prefix}{id}\">{id}</a>"),
            None => id.to_owned(),
        };
        let reason = entry.outcome.reason().map(|why| format!("<small>{}</small>", html(why)));
        let _ = writeln!(
            page,
            "<tr class={word}><td>{word}<td>{name}<td>{}<td>{}{}",
            entry.requirement.level.as_str(),
            html(entry.requirement.text),
            reason.unwrap_or_default()
        );
    }
    page.push_str("</table>\n");
}

/// Those that a finding points into are open.
fn conversations(page: &mut String, report: &Report, prefix: &str) {
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
            let _ = writeln!(page, "<li id=\"{prefix}e{number}\"><code>{line}</code>");
            number += 1;
        }
        page.push_str("</ol></details>\n");
    }
}

fn title(conversation: &Conversation) -> &str {
    proofmark_converse::title(&conversation.scenario).unwrap_or(conversation.scenario.as_str())
}

/// Characters of a line that a wide screen shows.
const LONG: usize = 120;
