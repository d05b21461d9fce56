//! What is known about one server.

use proofmark_web::{
    axum::{
        extract::{Path, State as Shared},
        response::Html,
    },
    layout::{Badge, Tone, empty},
    maud::{Markup, html},
    table::{Column, Table},
};
use serde_json::Value;

use super::{
    Here, Sheet, no_server,
    servers::{era, shown},
    state_badge,
};
use crate::{
    Inspector,
    inspector::{Server, State, Verdict},
};

pub(super) async fn page(
    Shared(inspector): Shared<Inspector>,
    Path(id): Path<u32>,
) -> Html<String> {
    let Ok((name, answer, body)) =
        inspector.with(id, |server| (server.entry.name.clone(), answer(server), body(id, server)))
    else {
        return no_server(&inspector);
    };
    let sheet = Sheet {
        here: Here::Connection,
        server: Some(id),
        title: &name,
        answer,
        scripts: &["servers.js"],
        data: Vec::new(),
    };
    sheet.render(&inspector, &body)
}

fn answer(server: &Server) -> String {
    match (&server.state, server.verdicts.len()) {
        (State::Connected(_) | State::Recorded, 0) => "nothing broken so far".into(),
        (State::Connected(_) | State::Recorded, 1) => "1 requirement is broken".into(),
        (State::Connected(_) | State::Recorded, many) => format!("{many} requirements are broken"),
        (state, _) => state.as_str().into(),
    }
}

fn body(id: u32, server: &Server) -> Markup {
    html! {
        section.card data-server=(id) data-state=(shown(server)) {
            div.row.spread { h2 { "Connection" } (state_badge(&server.state)) }
            @if let State::Failed(why) = &server.state { p.note.bad { (why) } }
            dl.facts {
                dt { "target" } dd.mono { (server.entry.target()) }
                dt { "transport" } dd { (server.entry.transport()) }
                @if let State::Connected(connected) = &server.state { (known(connected)) }
            }
            div.row {
                @if !matches!(server.state, State::Recorded) {
                    @if matches!(server.state, State::Connected(_)) {
                        button data-act="refresh" { "Ask for the lists again" }
                        button data-act="connect" { "Connect again" }
                        button data-act="disconnect" { "Disconnect" }
                    } @else {
                        button.primary data-act="connect" data-confirm=[server.entry.to_confirm()] { "Connect" }
                    }
                }
                a.button href={ "/timeline?server=" (id) } { "Timeline" }
                @if server.recorder.is_some() || server.opened.is_some() {
                    a.button href={ "/api/servers/" (id) "/transcript" } download="" data-testid="save-transcript" { "Save the transcript" }
                    a.button href={ "/api/servers/" (id) "/shared" } download="" data-testid="save-shared" { "Save as one HTML file" }
                    a.button href={ "/api/servers/" (id) "/tests" } download="" data-testid="save-tests" { "Save the calls as proofmark.yaml" }
                }
            }
        }
        h2 { "Verdicts" }
        @if server.verdicts.is_empty() {
            (empty("Nothing is broken so far", &html! { "Every message of both sides is judged while you use the server. The whole check tries much more." }))
        } @else { (verdicts(&server.verdicts)) }
        @if let State::Connected(connected) = &server.state { (capabilities(connected)) }
        @if !matches!(server.state, State::Recorded) { (roots(server)) }
    }
}

fn known(connected: &crate::inspector::Connected) -> Markup {
    let Some(server) = connected.client.server() else { return html! {} };
    html! {
        dt { "speaks" } dd { (server.revision.to_string()) ", " (era(server.revision)) }
        @if let Some(info) = &server.info {
            dt { "name" } dd { (info.name) @if let Some(title) = &info.title { " · " (title) } }
            dt { "version" } dd { (info.version) }
        }
        dt { "ready in" } dd { (connected.latency.as_millis()) " ms" }
        @if let Some(instructions) = &server.instructions { dt { "instructions" } dd.instructions { (instructions) } }
    }
}

fn capabilities(connected: &crate::inspector::Connected) -> Markup {
    let declared = connected
        .client
        .server()
        .and_then(|it| serde_json::to_value(it.capabilities.as_ref()?).ok());
    let Some(Value::Object(declared)) = declared else { return html! {} };
    let rows = declared
        .iter()
        .map(|(name, value)| vec![html! { (name) }, html! { code { (value.to_string()) } }])
        .collect();
    let table = Table {
        caption: "What the server declares".into(),
        columns: vec![Column::text("capability"), Column::text("settings")],
        rows,
    };
    html! { h2 { "Capabilities" } (table.render()) }
}

pub(super) fn verdicts(all: &[Verdict]) -> Markup {
    let rows = all
        .iter()
        .map(|it| {
            let tone = if it.status == "fail" { Tone::Bad } else { Tone::Warn };
            vec![
                html! { (Badge::new(tone, it.status).render()) },
                html! { code { (it.id) } },
                html! { (it.side) },
                html! {
                    p.strong { (it.text) }
                    p { "Expected " (it.expected) "; got " span.mono { (it.actual) } }
                    @if let Some(fix) = it.fix { p.muted { "To mend it: " (fix) } }
                },
                html! {
                    @if let Some(seq) = it.seq { a href={ "/timeline?seq=" (seq) } { "message " (seq) } }
                },
            ]
        })
        .collect();
    let columns = vec![
        Column::text("verdict"),
        Column::text("id"),
        Column::text("by"),
        Column::text("what"),
        Column::text("where"),
    ];
    Table { caption: "Broken requirements".into(), columns, rows }.render()
}

fn roots(server: &Server) -> Markup {
    let text = server.roots.iter().map(|root| root.uri.clone()).collect::<Vec<_>>().join("\n");
    html! {
        form.card id="roots" {
            h2 { "Roots" }
            label.field { "Places that the server may work on, one file:// address a line"
                textarea name="roots" rows="2" spellcheck="false" placeholder="file:///srv/project" { (text) }
            }
            div.row { button { "Tell the server" } }
            p.problem role="alert" {}
        }
    }
}
