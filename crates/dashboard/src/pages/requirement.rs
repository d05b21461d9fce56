//! One requirement: what it says, and which servers break it.

use axum::response::Html;
use maud::{Markup, html};
use proofmark_check::judge::catalogue;
use proofmark_fleet::store::{Store, StoreError};
use proofmark_web::{
    layout::empty,
    table::{Column, Table},
};

use crate::frame::{self, Tab};

pub(crate) fn page(store: &Store, id: &str) -> Result<Html<String>, StoreError> {
    let id: String = id.chars().take(LONGEST).collect();
    let rows = store.breakers(&id, MOST)?;
    let mut servers: Vec<&str> = rows.iter().map(|it| it.server.as_str()).collect();
    servers.dedup();
    let answer = match servers.len() {
        0 => "No server breaks it".to_owned(),
        1 => "1 server breaks it".to_owned(),
        many => format!("{many} servers break it"),
    };
    let table = Table {
        caption: "Servers that break it".to_owned(),
        columns: vec![
            Column::text("server"),
            Column::text("owner"),
            Column::text("revision"),
            Column::text("over"),
            Column::text("as"),
            Column::text("since"),
            Column::text("what it does"),
        ],
        rows: rows
            .iter()
            .map(|it| {
                vec![
                    frame::server_link(&it.server),
                    html! { (it.owner.as_deref().unwrap_or_default()) },
                    html! { (it.wanted) },
                    html! { (it.transport) },
                    frame::severity(it.severity),
                    html! { @if let Some(time) = it.since_time { (frame::when(time)) } },
                    html! { code { (it.actual) } },
                ]
            })
            .collect(),
    };
    let body = html! {
        (about(&id))
        @if rows.is_empty() { (empty("All servers that were looked at keep it", &html! { a href="/matrix" { "The matrix" } })) }
        @else { (table.render()) }
    };
    Ok(frame::page(Tab::None, &id, answer, &body))
}

fn about(id: &str) -> Markup {
    let Some(requirement) = catalogue::find(id) else { return html! {} };
    html! {
        section.card {
            p { (requirement.text) }
            dl.facts {
                dt { "level" } dd { (requirement.level.as_str()) }
                dt { "name" } dd { (requirement.name) }
                @if let Some(page) = catalogue::page_of(requirement) { dt { "page" } dd { (page.name) } }
            }
        }
    }
}

const LONGEST: usize = 300;
const MOST: u32 = 500;
