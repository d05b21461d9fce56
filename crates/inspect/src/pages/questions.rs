//! What servers ask the person.

use proofmark_web::{
    axum::{extract::State as Shared, response::Html},
    maud::{Markup, html},
};

use super::{Here, Sheet};
use crate::{Inspector, questions::Rule};

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
    let rules = inspector.0.questions.rules();
    let body = html! {
        div id="questions" data-testid="questions" {}
        form.card id="rules" {
            h2 { "Answers by rule" }
            p.muted { "For questions that come from now on. Accepted forms get their defaults, and the simplest values where there are none." }
            div.row {
                (rule("form", "Forms", rules.form))
                (rule("url", "Pages to visit", rules.url))
                (rule("sampling", "Requests to a model", rules.sampling))
            }
            p.problem role="alert" {}
        }
    };
    sheet.render(&inspector, &body)
}

fn rule(name: &str, title: &str, now: Rule) -> Markup {
    html! {
        label.field { (title)
            select name=(name) {
                @for (value, rule, text) in [("ask", Rule::Ask, "ask me"), ("accept", Rule::Accept, "accept"), ("decline", Rule::Decline, "decline")] {
                    option value=(value) selected[rule == now] { (text) }
                }
            }
        }
    }
}
