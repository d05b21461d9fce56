//! What all pages of a fleet have around them.

use axum::response::Html;
use maud::{Markup, html};
use proofmark_fleet::{
    outcome::{Severity, Verdict},
    store::FindingRow,
    time,
};
use proofmark_web::layout::{Badge, Current, Link, Page, Section, Tone};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    Fleet,
    Matrix,
    None,
    Runs,
}

/// A page under its heading, whose first line is the answer.
pub(crate) fn page(tab: Tab, title: &str, answer: String, body: &Markup) -> Html<String> {
    with_script(tab, title, answer, body, &[], Vec::new())
}

pub(crate) fn with_script(
    tab: Tab,
    title: &str,
    answer: String,
    body: &Markup,
    scripts: &[&str],
    data: Vec<(&str, String)>,
) -> Html<String> {
    let link = |href: &str, text: &'static str, own: Tab, id: &'static str| Link {
        href: href.to_owned(),
        text: text.into(),
        badge: None,
        current: Current::from(tab == own),
        id,
    };
    let links = vec![
        link("/", "Servers", Tab::Fleet, "nav-servers"),
        link("/matrix", "Matrix", Tab::Matrix, "nav-matrix"),
        link("/runs", "Runs", Tab::Runs, "nav-runs"),
    ];
    let page = Page {
        title,
        answer: answer.into(),
        site: "Fleet",
        nav: vec![Section { title: "".into(), links }],
        styles: &["chart.css", "fleet.css"],
        scripts,
        class: "fleet",
        data,
    };
    page.render(body)
}

/// A word with its colour.
pub(crate) fn verdict(verdict: Verdict) -> Markup {
    let tone = match verdict {
        Verdict::Conformant => Tone::Good,
        Verdict::Broken => Tone::Bad,
        Verdict::Exceeded | Verdict::NotObserved | Verdict::Unreachable => Tone::Warn,
    };
    Badge::new(tone, verdict.as_str()).render()
}

pub(crate) fn severity(severity: Severity) -> Markup {
    let tone = match severity {
        Severity::Fail => Tone::Bad,
        Severity::Warn => Tone::Warn,
    };
    Badge::new(tone, severity.as_str()).render()
}

/// A number with its noun.
pub(crate) fn count(number: u32, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

pub(crate) fn score(score: Option<u32>) -> String {
    score.map_or_else(|| "none".to_owned(), |it| it.to_string())
}

pub(crate) fn server_link(name: &str) -> Markup {
    html! { a href={ "/server?name=" (encoded(name)) } { (name) } }
}

pub(crate) fn subject_link(row: &FindingRow) -> Markup {
    html! { a href={ "/requirement?id=" (encoded(&row.subject.id)) } { (row.subject.id) } }
}

pub(crate) fn when(milliseconds: i64) -> Markup {
    html! { time datetime=(time::rfc3339(milliseconds)) { (time::minute(milliseconds)) } }
}

/// A text as a value in an address.
pub(crate) fn encoded(text: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _infallible = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_cannot_be_left() {
        assert_eq!(encoded("a b&c=\"<ü"), "a%20b%26c%3D%22%3C%C3%BC");
    }
}
