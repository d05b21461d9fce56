//! A session as one HTML file: what was said, in order, and what is wrong with it. It has no script and asks for nothing.

use std::{collections::HashMap, sync::Arc};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::{
    inspector::{Server, Verdict},
    timeline::{Direction, Entry},
};

/// What was said has no secrets any more.
pub(crate) fn page(server: &Server, entries: &[Arc<Entry>]) -> String {
    let name = &server.entry.name;
    let mut marks: HashMap<u64, Vec<&Verdict>> = HashMap::new();
    for verdict in &server.verdicts {
        marks.entry(verdict.seq.unwrap_or_default()).or_default().push(verdict);
    }
    let (shown, left) = within(entries);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (name) " · Proofmark session" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (name) }
                p { (server.entry.target()) " over " (server.entry.transport()) "; "
                    (told(server.verdicts.len())) }
                @for verdict in marks.get(&0).into_iter().flatten() { (broken(verdict)) }
                @if left > 0 { p.muted { (left) " older ones are left out; the transcript has them." } }
                @for entry in shown { (line(entry, marks.get(&entry.seq))) }
            }
        }
    };
    page.into_string()
}

fn told(broken: usize) -> String {
    match broken {
        0 => "nothing broken".to_owned(),
        1 => "1 requirement is broken".to_owned(),
        many => format!("{many} requirements are broken"),
    }
}

fn line(entry: &Entry, marks: Option<&Vec<&Verdict>>) -> Markup {
    let arrow = match entry.direction {
        Direction::In => "← ",
        Direction::Out => "→ ",
        Direction::None => "· ",
    };
    html! {
        details id={ "m" (entry.seq) } open[marks.is_some()] {
            summary {
                span.muted { (entry.at / 1000) " ms " } (arrow) (entry.label)
                @if let Some(took) = entry.took { span.muted { " in " (took / 1000) " ms" } }
                @for verdict in marks.into_iter().flatten() { " " b.bad { (verdict.status) " " (verdict.id) } }
            }
            @for verdict in marks.into_iter().flatten() { (broken(verdict)) }
            @if !entry.text.is_empty() { pre { (pretty(&entry.text)) } }
        }
    }
}

fn broken(verdict: &Verdict) -> Markup {
    html! {
        div.verdict {
            p { b.bad { (verdict.status) " " (verdict.id) } " " (verdict.text) span.muted { " (" (verdict.level) ", by the " (verdict.side) ")" } }
            p { "Expected " (verdict.expected) "; got " code { (verdict.actual) } }
            @if let Some(fix) = verdict.fix { p { "To mend it: " (fix) } }
        }
    }
}

fn pretty(text: &str) -> String {
    let read: Result<serde_json::Value, _> = serde_json::from_str(text);
    let read = read.ok().and_then(|it| serde_json::to_string_pretty(&it).ok());
    read.unwrap_or_else(|| text.to_owned())
}

/// The newest that fit into a file that can be sent, and how many do not.
fn within(entries: &[Arc<Entry>]) -> (&[Arc<Entry>], usize) {
    let mut bytes = 0;
    let fits = |entry: &&Arc<Entry>| {
        bytes += entry.text.len() + 200;
        bytes < MOST
    };
    let count = entries.iter().rev().take_while(fits).count();
    let left = entries.len() - count;
    (&entries[left..], left)
}

const MOST: usize = 8 * 1024 * 1024;
const STYLE: &str = "
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { max-width: 960px; margin: 24px auto; padding: 0 16px; overflow-wrap: anywhere; }
summary, pre, code { font-family: ui-monospace, monospace; font-size: 13px; }
summary { padding: 3px 0; cursor: pointer; border-top: 1px solid color-mix(in srgb, currentcolor 15%, transparent); }
pre { white-space: pre-wrap; margin: 4px 0 12px; padding: 8px; background: color-mix(in srgb, currentcolor 7%, transparent); }
.muted { opacity: 0.75; }
.bad { color: light-dark(#a8211a, #ff938a); }
.verdict { border-left: 3px solid light-dark(#a8211a, #ff938a); padding-left: 12px; margin: 8px 0; }
.verdict p { margin: 2px 0; }
";
