//! The outcome as one page that needs nothing else.

use std::fmt::Write;

use proofmark_check::record::text::html;

use super::summary;
use crate::outcome::{RunOutcome, Verdict};

pub fn write(outcome: &RunOutcome) -> String {
    let mut page = String::from(HEAD);
    let word = if outcome.is_good() { "passed" } else { "failed" };
    let _ = writeln!(
        page,
        "<h1 class={word}>Tests {word}</h1>\n<p>{} in {:.2} s, seed {}, by proofmark {}</p>",
        html(&summary(outcome)),
        outcome.duration.as_secs_f64(),
        outcome.seed,
        env!("CARGO_PKG_VERSION")
    );
    for (server, why) in &outcome.unreachable {
        let _ = writeln!(
            page,
            "<p class=failed>{} could not be reached: {}</p>",
            html(server),
            html(why)
        );
    }
    for (number, test) in outcome.tests.iter().enumerate() {
        let Verdict::Failed(failures) = &test.verdict else { continue };
        let _ = writeln!(page, "<section id=t{number}><h2>{}</h2>", html(&test.id()));
        for failure in failures {
            let _ = writeln!(page, "<p><b>{}</b> {}</p>", html(&failure.step), html(&failure.what));
            if !failure.detail.is_empty() {
                page.push_str("<pre>");
                for line in &failure.detail {
                    let tag = match line.as_bytes().first() {
                        Some(b'-') => "del",
                        Some(b'+') => "ins",
                        _ => "span",
                    };
                    let _ = writeln!(page, "<{tag}>{}</{tag}>", html(line));
                }
                page.push_str("</pre>\n");
            }
        }
        if !test.stderr.is_empty() {
            let lines: Vec<String> = test.stderr.lines().map(html).collect();
            let _ = writeln!(
                page,
                "<details><summary>standard error</summary><pre>{}</pre></details>",
                lines.join("\n")
            );
        }
        page.push_str("</section>\n");
    }
    if !outcome.breaches.is_empty() {
        page.push_str("<h2>Rules of the protocol that were broken meanwhile</h2>\n<table>\n<tr><th>server<th>id<th>level<th>rule<th>actual\n");
        for it in &outcome.breaches {
            let _ = writeln!(
                page,
                "<tr><td>{}<td>{}<td>{}<td>{}<td>{}",
                html(&it.server),
                html(&it.id),
                html(&it.level),
                html(&it.text),
                html(&it.actual)
            );
        }
        page.push_str("</table>\n");
    }
    page.push_str("<h2>All tests</h2>\n<table>\n<tr><th>result<th>test<th>seconds<th>\n");
    for (number, test) in outcome.tests.iter().enumerate() {
        let word = if test.is_flaky() { "flaky" } else { test.verdict.as_str() };
        let name = html(&test.id());
        let name = match test.verdict {
            Verdict::Failed(_) => format!("<a href=\"#t{number}\">{name}</a>"),
            _ => name,
        };
        let why = match &test.verdict {
            Verdict::Skipped(why) | Verdict::Undecided(why) | Verdict::NotRun(why) => html(why),
            _ => String::new(),
        };
        let _ = writeln!(
            page,
            "<tr class={word}><td>{word}<td>{name}<td class=n>{:.2}<td>{why}",
            test.duration.as_secs_f64()
        );
    }
    page.push_str("</table>\n");
    page
}

const HEAD: &str = "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<meta name=viewport content=\"width=device-width\">\n\
<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>Tests</title>\n<style>\n\
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }\nbody { max-width: 72rem; margin: 2rem auto; padding: 0 1rem }\n\
pre { overflow-x: auto; padding: .5rem; border: 1px solid light-dark(#ccc, #444) }\npre > * { display: block; text-decoration: none }\n\
del { background: light-dark(#ffe2e0, #5c1a16) }\nins { background: light-dark(#dcf5dc, #174a17) }\n\
table { border-collapse: collapse; width: 100% }\ntd, th { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid light-dark(#ddd, #333); vertical-align: top }\n\
td.n { text-align: right; font-variant-numeric: tabular-nums }\n.failed { color: light-dark(#a40e08, #ff8a80) }\n</style>\n";
