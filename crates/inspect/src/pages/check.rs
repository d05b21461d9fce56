//! The whole check of a server.

use proofmark_check::report::{Report, Strictness};
use proofmark_web::{
    axum::{
        extract::{Path, State as Shared},
        response::Html,
    },
    layout::{Badge, Tone, empty},
    maud::{Markup, html},
};

use super::{Here, Sheet, no_server};
use crate::{Inspector, inspector::Check};

pub(super) async fn page(
    Shared(inspector): Shared<Inspector>,
    Path(id): Path<u32>,
) -> Html<String> {
    let looked = inspector.with(id, |server| match &server.check {
        Check::No => ("not run yet".to_owned(), html! { (empty("The check tries what no click tries", &html! { "It holds conversations of its own, and calls only tools that say they are read-only." })) }, "no"),
        Check::Running => ("it runs; this takes up to a minute".to_owned(), html! { p.note { "The page is shown again when it is done." } }, "running"),
        Check::Failed(why) => ("the server could not be checked".to_owned(), html! { p.note.bad { (why) } }, "failed"),
        Check::Done(report) => (answer(report), done(id, report), "done"),
    });
    let Ok((answer, body, state)) = looked else { return no_server(&inspector) };
    let data = vec![("check", state.to_owned())];
    let sheet = Sheet {
        here: Here::Check,
        server: Some(id),
        title: "Whole check",
        answer,
        scripts: &["check.js"],
        data,
    };
    let body = html! {
        div.row {
            button.primary id="run" data-testid="run-check" disabled[state == "running"] { @if state == "done" { "Run it again" } @else { "Run the whole check" } }
            @if state == "done" { a.button href={ "/api/servers/" (id) "/report" } download="" { "Save the report" } }
        }
        p.problem role="alert" {}
        (body)
    };
    sheet.render(&inspector, &body)
}

fn answer(report: &Report) -> String {
    let (observed, applies) = report.observed();
    let score = report.score().map(|score| format!(", score {score}")).unwrap_or_default();
    format!(
        "{}{score}; {observed} of {applies} requirements observed, revision {}",
        report.verdict(Strictness::Failures).as_str(),
        report.revision
    )
}

fn done(_id: u32, report: &Report) -> Markup {
    let findings: Vec<_> = report.findings().collect();
    html! {
        @if findings.is_empty() { p.note.good { "Nothing that was observed is broken." } }
        @for (entry, finding) in findings {
            details.card.finding data-row="" {
                summary {
                    @let tone = if entry.status.as_str() == "fail" { Tone::Bad } else { Tone::Warn };
                    (Badge::new(tone, entry.word()).render()) " " code { (entry.requirement.id) } " " (entry.requirement.text)
                }
                dl.facts {
                    dt { "expected" } dd { (finding.expected) }
                    dt { "got" } dd.mono { (finding.actual) }
                    @if let Some(check) = entry.check { dt { "to mend it" } dd { (check.fix) } }
                    dt { "page" } dd { (entry.page) }
                    @for link in &entry.links { dt { "read" } dd { a href=(link) rel="noreferrer noopener" target="_blank" { (link) } } }
                }
                @if !entry.proof.is_empty() { pre.code { (entry.proof.join("\n")) } }
            }
        }
    }
}
