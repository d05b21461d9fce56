//! What servers log, and what they write to standard error.

use proofmark_web::{
    axum::{extract::State as Shared, response::Html},
    maud::html,
};

use super::{Here, Sheet};
use crate::Inspector;

pub(super) async fn page(Shared(inspector): Shared<Inspector>) -> Html<String> {
    let sheet = Sheet {
        here: Here::Console,
        server: None,
        title: "Console",
        answer: "what servers log, and what they write to standard error".into(),
        scripts: &["console.js"],
        data: Vec::new(),
    };
    let body = html! {
        div.toolbar {
            input type="search" id="search" data-search="" aria-label="Search" placeholder="Search  /";
            select id="level" aria-label="Least level" {
                @for level in ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] { option { (level) } }
            }
            label.check { input type="checkbox" id="stderr" checked; " standard error" }
            span.muted id="count" role="status" {}
        }
        div.log.code id="log" role="log" aria-label="Log" tabindex="0" {}
    };
    sheet.render(&inspector, &body)
}
