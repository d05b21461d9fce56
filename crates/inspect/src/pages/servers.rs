//! All servers, as cards.

use proofmark_core::revision::Revision;
use proofmark_web::{
    axum::{extract::State as Shared, response::Html},
    layout::{Badge, Tone, empty},
    maud::{Markup, html},
};

use super::{Here, Sheet, state_badge};
use crate::{
    Inspector,
    inspector::{Server, State},
};

pub(super) async fn page(Shared(inspector): Shared<Inspector>) -> Html<String> {
    let cards = inspector.each(card);
    let connected = inspector.each(|_, server| matches!(server.state, State::Connected(_)));
    let connected = connected.iter().filter(|it| **it).count();
    let sheet = Sheet {
        here: Here::Servers,
        server: None,
        title: "Servers",
        answer: format!("{connected} of {} connected", cards.len()),
        scripts: &["servers.js"],
        data: Vec::new(),
    };
    let body = html! {
        @if cards.is_empty() {
            (empty("There is no server yet", &html! { "Add one below, paste a client's configuration, or open a transcript." }))
        }
        div.grid id="servers" { @for card in &cards { (card) } }
        (adding())
    };
    sheet.render(&inspector, &body)
}

fn card(id: u32, server: &Server) -> Markup {
    let entry = &server.entry;
    let fails = server.verdicts.iter().filter(|it| it.status == "fail").count();
    let warns = server.verdicts.len() - fails;
    html! {
        section.card data-server=(id) data-state=(shown(server)) data-testid="server-card" data-row="" {
            div.row.spread {
                h2 { a href={ "/s/" (id) } { (entry.name) } }
                (state_badge(&server.state))
            }
            p.mono.target { (entry.target()) }
            @if let State::Connected(connected) = &server.state {
                @let server_info = connected.client.server();
                dl.facts {
                    @if let Some(info) = server_info.as_ref().and_then(|it| it.info.as_ref()) { dt { "server" } dd { (info.name) " " (info.version) } }
                    @if let Some(known) = &server_info { dt { "speaks" } dd { (known.revision.to_string()) " · " (era(known.revision)) " · " (entry.transport()) } }
                    dt { "ready in" } dd { (connected.latency.as_millis()) " ms" }
                    dt { "verdict" }
                    dd.row {
                        @if fails + warns == 0 { (Badge::new(Tone::Good, "nothing broken so far").render()) }
                        @if fails > 0 { a href={ "/timeline?server=" (id) "&show=broken" } { (Badge::new(Tone::Bad, format!("{fails} broken")).render()) } }
                        @if warns > 0 { a href={ "/timeline?server=" (id) "&show=broken" } { (Badge::new(Tone::Warn, format!("{warns} warnings")).render()) } }
                    }
                }
            }
            @if let State::Failed(why) = &server.state {
                p.note.bad { (why) }
            }
            div.row {
                @match &server.state {
                    State::Connected(_) => {
                        a.button href={ "/s/" (id) "/tools" } { "Tools" }
                        button data-act="disconnect" { "Disconnect" }
                    }
                    State::Connecting => { button disabled { "Connecting…" } }
                    State::Recorded => { a.button href={ "/timeline?server=" (id) } { "Timeline" } }
                    State::Idle | State::Failed(_) => {
                        button.primary data-act="connect" data-confirm=[entry.to_confirm()] { "Connect" }
                        @if entry.to_confirm().is_none() { a.button href={ "/s/" (id) "/doctor" } { "Ask the doctor" } }
                    }
                }
                button.quiet data-act="remove" { "Remove" }
            }
            p.muted.small { (entry.origin.as_str()) }
        }
    }
}

/// What a page shows of a server, by which its script knows that it is old.
pub(super) fn shown(server: &Server) -> String {
    let fails = server.verdicts.iter().filter(|it| it.status == "fail").count();
    format!("{} {fails} {}", server.state.as_str(), server.verdicts.len() - fails)
}

pub(super) fn era(revision: Revision) -> &'static str {
    match revision.era() {
        proofmark_core::revision::Era::Legacy => "legacy era",
        proofmark_core::revision::Era::Modern => "modern era",
    }
}

fn adding() -> Markup {
    html! {
        div.grid {
            form.card id="add" data-testid="add-server" {
                h2 { "Add a server" }
                label.field { "Name" input name="name" autocomplete="off" placeholder="optional"; }
                label.field { "Command" input.mono name="command" autocomplete="off" spellcheck="false" placeholder="npx -y some-server"; }
                label.field { "or address" input.mono name="url" autocomplete="off" spellcheck="false" placeholder="http://127.0.0.1:3000/mcp"; }
                label.field { "Authorization header" input.mono name="authorization" type="password" autocomplete="off" placeholder="Bearer …, optional"; }
                label.field { "Revision"
                    select name="revision" {
                        option value="" { "newest that it speaks" }
                        @for revision in Revision::ALL.iter().rev() { option { (revision.as_str()) } }
                    }
                }
                label.check { input type="checkbox" name="sse"; " older HTTP+SSE" }
                div.row { button.primary { "Add and connect" } }
                p.problem role="alert" {}
            }
            form.card id="import" {
                h2 { "Paste a configuration" }
                label.field { "JSON of a client (mcpServers, servers)"
                    textarea name="text" rows="8" spellcheck="false" placeholder="{ \"mcpServers\": { … } }" {}
                }
                div.row { button { "Add its servers" } }
                p.muted { "Nothing is started before you have seen and confirmed its command." }
                p.problem role="alert" {}
            }
            form.card id="open" {
                h2 { "Open a transcript" }
                label.field { "A file of proofmark tap, check or inspect" input type="file" name="file" accept=".jsonl,.json,text/plain"; }
                div.row { button { "Open" } }
                p.muted { "It is judged again, and shown as a timeline." }
                p.problem role="alert" {}
            }
        }
    }
}
