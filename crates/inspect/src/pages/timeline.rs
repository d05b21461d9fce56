//! Every message, one after the other.

use proofmark_web::{
    axum::{extract::State as Shared, response::Html},
    maud::html,
};

use super::{Here, Sheet};
use crate::Inspector;

pub(super) async fn page(Shared(inspector): Shared<Inspector>) -> Html<String> {
    let broken: usize = inspector.each(|_, server| server.verdicts.len()).into_iter().sum();
    let answer = match broken {
        0 => "nothing broken so far".to_owned(),
        1 => "1 requirement is broken".to_owned(),
        many => format!("{many} requirements are broken"),
    };
    let sheet = Sheet {
        here: Here::Timeline,
        server: None,
        title: "Timeline",
        answer,
        scripts: &["timeline.js"],
        data: Vec::new(),
    };
    let body = html! {
        div.toolbar {
            input type="search" id="search" data-search="" aria-label="Search methods, ids and servers" placeholder="Search  /";
            select id="server" aria-label="Server" {
                option value="" { "all servers" }
                @for (id, name) in inspector.each(|id, server| (id, server.entry.name.clone())) { option value=(id) { (name) } }
            }
            select id="show" aria-label="Kinds" {
                option value="messages" { "messages" }
                option value="all" { "messages, HTTP, stderr" }
                option value="broken" { "broken only" }
                option value="request" { "requests and answers" }
                option value="notification" { "notifications" }
                option value="http" { "HTTP" }
            }
            label.check { input type="checkbox" id="follow" checked; " follow" }
            button id="clear" { "Clear view" }
            span.muted id="count" role="status" {}
        }
        div.split.wide id="timeline" {
            div.rows id="rows" role="listbox" aria-label="Messages" tabindex="0" { div id="space" {} }
            aside.detail id="detail" aria-label="Message" hidden {}
        }
        noscript {
            table.cards {
                thead { tr { th { "time" } th { "kind" } th { "what" } th { "bytes" } } }
                tbody {
                    @for entry in inspector.0.timeline.last(200) {
                        tr { td data-label="time" { (entry.at / 1000) " ms" } td data-label="kind" { (format!("{:?}", entry.kind)) } td data-label="what" { (entry.label) } td data-label="bytes" { (entry.size) } }
                    }
                }
            }
        }
    };
    sheet.render(&inspector, &body)
}
