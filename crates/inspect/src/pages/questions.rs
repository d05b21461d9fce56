//! What servers ask the person.

use proofmark_web::{
    axum::{extract::State as Shared, response::Html},
    maud::html,
};

use super::{Here, Sheet};
use crate::Inspector;

pub(super) async fn page(Shared(inspector): Shared<Inspector>) -> Html<String> {
    let open = inspector.0.questions.all().len();
    let answer = match open {
        0 => "no server waits for you".to_owned(),
        1 => "a server waits for your answer".to_owned(),
        many => format!("{many} questions wait for your answer"),
    };
    let sheet = Sheet {
        here: Here::Questions,
        server: None,
        title: "Questions",
        answer,
        scripts: &["questions.js"],
        data: Vec::new(),
    };
    sheet.render(&inspector, &html! { div id="questions" data-testid="questions" {} })
}
