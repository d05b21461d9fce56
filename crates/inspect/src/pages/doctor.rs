//! Why a connection fails.

use proofmark_web::{
    axum::{
        extract::{Path, State as Shared},
        response::Html,
    },
    maud::html,
};

use super::{Here, Sheet, no_server};
use crate::Inspector;

pub(super) async fn page(
    Shared(inspector): Shared<Inspector>,
    Path(id): Path<u32>,
) -> Html<String> {
    let Ok(target) = inspector.with(id, |server| server.entry.target()) else {
        return no_server(&inspector);
    };
    let sheet = Sheet {
        here: Here::Doctor,
        server: Some(id),
        title: "Doctor",
        answer: "each step to the server, and the one that fails".into(),
        scripts: &["doctor.js"],
        data: Vec::new(),
    };
    let body = html! {
        p.mono { (target) }
        div.row { button.primary id="run" data-testid="run-doctor" { "Examine the connection" } }
        p.problem role="alert" {}
        ol.steps id="steps" {}
    };
    sheet.render(&inspector, &body)
}
