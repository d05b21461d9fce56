//! One server: its course, what it breaks with bytes and fix, what it offers, its stages.

use axum::response::Html;
use maud::{Markup, html};
use proofmark_check::judge::catalogue;
use proofmark_fleet::{
    store::{FindingRow, ResultRow, Store, StoreError},
    time,
};
use proofmark_web::{
    chart::{self, Chart},
    layout::empty,
    table::{Column, Table},
};
use serde_json::Value;

use crate::frame::{self, Tab};

pub(crate) fn page(store: &Store, name: &str) -> Result<Html<String>, StoreError> {
    let name: String = name.chars().take(LONGEST).collect();
    let Some(server) = store.server(&name)? else {
        let body = empty("There is no such server", &html! { a href="/" { "All servers" } });
        return Ok(frame::page(Tab::Fleet, &name, String::new(), &body));
    };
    let latest = store.latest_of_server(server.id)?;
    let mut sections = Vec::new();
    let (mut broken, mut open) = (0_u32, 0_u32);
    for result in &latest {
        let findings = store.open_findings(result.way)?;
        let fails = findings.iter().filter(|it| it.severity.as_str() == "fail").count();
        broken += u32::try_from(fails).unwrap_or(u32::MAX);
        open += u32::try_from(findings.len()).unwrap_or(u32::MAX);
        sections.push(way(store, result, &findings)?);
    }
    let promotions = store.promotions(server.id)?;
    let answer = format!(
        "{} broken; {} open",
        frame::count(broken, "requirement or test is", "requirements or tests are"),
        frame::count(open, "finding is", "findings are")
    );
    let body = html! {
        dl.facts {
            dt { "owner" } dd { (server.owner.as_deref().unwrap_or("none")) }
            dt { "stage" } dd { (server.stage.as_deref().unwrap_or("none")) }
            @if !server.tags.is_empty() { dt { "tags" } dd { (server.tags.join(", ")) } }
            @if !server.in_fleet { dt { "inventory" } dd { "no longer in it" } }
        }
        @if sections.is_empty() { (empty("It was not checked yet", &html! { code { "proofmark fleet run" } })) }
        @for section in sections { (section) }
        @if !promotions.is_empty() {
            section {
                h2 { "Stages" }
                ul.lines {
                    @for it in &promotions {
                        li { (frame::when(it.at)) ": from " (it.from.as_deref().unwrap_or("none")) " to " (it.to) ", by " (it.who) }
                    }
                }
            }
        }
    };
    Ok(frame::page(Tab::Fleet, &name, answer, &body))
}

fn way(store: &Store, result: &ResultRow, findings: &[FindingRow]) -> Result<Markup, StoreError> {
    let course = store.course(result.way, COURSE)?;
    let values = course.iter().rev().map(|it| {
        let label = format!("run {}, {}", it.run, time::minute(it.started));
        (label, it.score.map(f64::from))
    });
    let chart =
        Chart { title: "Score", unit: "points", values: values.collect(), most: Some(100.0) };
    let report: Value = store
        .report(result.id)?
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let changes = store.interface_changes(result.way, 0, result.id)?;
    Ok(html! {
        section.card {
            div.row {
                h2 { (result.wanted) " over " (result.transport) }
                (frame::verdict(result.verdict))
                span.muted { "run " (result.run) ", " (frame::when(result.started)) }
            }
            @if let Some(why) = &result.why { p.note.warn { (why) } }
            dl.facts {
                dt { "score" } dd { (frame::score(result.score)) ", " (result.observed.0) " of the " (result.observed.1) " requirements that apply were observed" }
                @if result.tests.passed + result.tests.failed > 0 {
                    dt { "tests" } dd { (result.tests.passed) " passed, " (result.tests.failed) " failed" }
                }
                dt { "calls itself" } dd { (result.peer_name.as_deref().unwrap_or_default()) " " (result.peer_version.as_deref().unwrap_or_default()) }
                dt { "revision" } dd { (result.revision.as_deref().unwrap_or_default()) }
                dt { "tries" } dd { (result.attempts) }
            }
            (chart::line(&chart))
            @for finding in findings { (self::finding(finding, &report)) }
            @if findings.is_empty() { p.muted { "Nothing is open." } }
            @if !changes.is_empty() {
                h3 { "Changes of what it offers" }
                ul.lines {
                    @for change in &changes {
                        @for line in &change.breaking { li { b { "breaking: " } (line) } }
                        @for line in &change.harmless { li { "harmless: " (line) } }
                    }
                }
            }
            details { summary { "All results" } (results(&course)) }
        }
    })
}

fn finding(it: &FindingRow, report: &Value) -> Markup {
    let entries = report["check"]["requirements"].as_array().into_iter().flatten();
    let entry = entries.into_iter().find(|entry| entry["id"].as_str() == Some(&it.subject.id));
    let detail = entry.map(|entry| &entry["finding"]);
    let text = |key: &str| detail.and_then(|it| it[key].as_str()).unwrap_or_default();
    let proof = detail.and_then(|it| it["proof"].as_array()).into_iter().flatten();
    html! {
        details.finding data-row="" id=(it.subject.id) {
            summary {
                (frame::severity(it.severity)) " " b { (it.subject.id) } " "
                (catalogue::find(&it.subject.id).map(|it| it.text).unwrap_or_default())
                @if it.flaky { " " span.muted { "flaky" } }
            }
            dl.facts {
                dt { "expected" } dd { (it.expected) }
                dt { "actual" } dd { code { (it.actual) } }
                @if !text("fix").is_empty() { dt { "fix" } dd { (text("fix")) } }
                dt { "since" }
                dd {
                    @if let Some(run) = it.since_run { "run " (run) " " }
                    @if let Some(time) = it.since_time { (frame::when(time)) }
                    @if let Some(version) = &it.since_version { ", version " (version) }
                }
                dt { "others" } dd { (frame::subject_link(it)) }
            }
            @for line in proof { pre.code tabindex="0" { (line.as_str().unwrap_or_default()) } }
        }
    }
}

fn results(course: &[ResultRow]) -> Markup {
    let table = Table {
        caption: "Results, newest first".to_owned(),
        columns: vec![
            Column::text("run"),
            Column::text("when (UTC)"),
            Column::text("verdict"),
            Column::figures("score"),
            Column::text("version"),
        ],
        rows: course
            .iter()
            .map(|it| {
                vec![
                    html! { a href={ "/run?run=" (it.run) } { "run " (it.run) } },
                    frame::when(it.started),
                    frame::verdict(it.verdict),
                    html! { (frame::score(it.score)) },
                    html! { (it.peer_version.as_deref().unwrap_or_default()) },
                ]
            })
            .collect(),
    };
    table.render()
}

const LONGEST: usize = 300;
/// Results in a course.
const COURSE: u32 = 60;
