//! The report as one page that needs nothing else, with the transcript behind every finding.

use std::fmt::Write;

use super::{Report, transcript};
use crate::{outcome::Status, sanitise::html};

pub fn write(report: &Report) -> String {
    let mut page = String::from(HEAD);
    let (observed, applicable) = report.observed();
    let score =
        report.score().map_or_else(|| "no score".to_owned(), |score| format!("score {score}"));
    let _ = writeln!(
        page,
        "<h1>MCP conformance: {score}</h1>\n<p>{} over {} in revision {}; {observed} of the {applicable} \
         requirements that apply were observed</p>",
        html(&report.target.description),
        report.transport,
        report.revision
    );
    for rows in report.entries.chunk_by(|one, other| one.page == other.page) {
        let Some(first) = rows.first() else { continue };
        let _ = writeln!(page, "<h2>{}</h2>\n<table>", html(first.page));
        for entry in rows {
            let word = if entry.excused.is_some() { "known" } else { entry.status.as_str() };
            let _ = write!(
                page,
                "<tr class={word}><td>{word}<td>{}<td>{}<td>",
                entry.requirement.id,
                html(entry.requirement.text)
            );
            if let Some(finding) = entry.outcome.finding() {
                let _ = write!(
                    page,
                    "expected: {}<br>actual: {}<br>fix: {}",
                    html(&finding.expected),
                    html(&finding.actual),
                    html(entry.fix())
                );
                if let Some(event) = entry.event {
                    let _ = write!(page, "<br><a href=\"#e{event}\">event {event}</a>");
                }
            } else if entry.status != Status::Pass {
                let _ = write!(page, "{}", html(entry.outcome.reason().unwrap_or_default()));
            }
            page.push('\n');
        }
        page.push_str("</table>\n");
    }
    page.push_str("<h2>Transcript</h2>\n");
    let mut number = 0;
    for conversation in &report.evidence.conversations {
        let _ = writeln!(
            page,
            "<h3>{}</h3>\n<ol start=\"{number}\">",
            html(conversation.scenario.title())
        );
        for event in &conversation.events {
            let _ = writeln!(
                page,
                "<li id=e{number}><code>{}</code>",
                html(&transcript::line(report.side, event))
            );
            number += 1;
        }
        page.push_str("</ol>\n");
    }
    page
}

const HEAD: &str = "<!doctype html>
<html lang=en>
<meta charset=utf-8>
<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">
<title>MCP conformance</title>
<style>
body { font: 15px system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }
table { border-collapse: collapse; width: 100% }
td { border-top: 1px solid #ddd; padding: .3em .6em; vertical-align: top }
td:first-child { font-weight: bold }
.pass td:first-child { color: #080 } .fail td:first-child { color: #c00 } .warn td:first-child { color: #a60 }
.skip, .untestable { color: #777 }
code { overflow-wrap: anywhere } li:target { background: #ffc }
</style>
";
