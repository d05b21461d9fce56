//! The frame that all pages share.

use std::borrow::Cow;

use axum::response::Html;
use maud::{DOCTYPE, Markup, html};

/// What a page says about itself.
#[derive(Clone, Debug, Default)]
pub struct Page<'a> {
    /// Of the window, and the heading.
    pub title: &'a str,
    /// The first line: what the reader came to know.
    pub answer: Cow<'a, str>,
    /// Of the program, in the corner; the link leads to the start.
    pub site: &'a str,
    pub nav: Vec<Section<'a>>,
    /// Names of files under `/static/`, besides those that all pages have.
    pub styles: &'a [&'a str],
    pub scripts: &'a [&'a str],
    /// Of the `main` element, for styles of a page.
    pub class: &'a str,
    /// Facts for scripts, as `data-` attributes of the body: names without the prefix.
    pub data: Vec<(&'a str, String)>,
}

/// Links that belong together.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    pub title: Cow<'a, str>,
    pub links: Vec<Link<'a>>,
}

#[derive(Clone, Debug)]
pub struct Link<'a> {
    pub href: String,
    pub text: Cow<'a, str>,
    /// How many there are, for example.
    pub badge: Option<Badge>,
    pub current: Current,
    /// By which scripts and tests find it.
    pub id: &'a str,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Current {
    #[default]
    No,
    Yes,
}

impl From<bool> for Current {
    fn from(current: bool) -> Self {
        if current { Self::Yes } else { Self::No }
    }
}

/// A word in a colour; the colour alone says nothing.
#[derive(Clone, Debug)]
pub struct Badge {
    pub tone: Tone,
    pub text: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    Bad,
    Good,
    #[default]
    Plain,
    Warn,
}

impl Tone {
    pub fn class(self) -> &'static str {
        match self {
            Self::Bad => "bad",
            Self::Good => "good",
            Self::Plain => "plain",
            Self::Warn => "warn",
        }
    }
}

impl Badge {
    pub fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into() }
    }

    pub fn render(&self) -> Markup {
        html! { span class={ "badge " (self.tone.class()) } { (self.text) } }
    }
}

impl Page<'_> {
    /// The whole document.
    pub fn render(&self, body: &Markup) -> Html<String> {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · " (self.site) }
                    link rel="icon" href="/static/icon.svg" type="image/svg+xml";
                    @for style in ["tokens.css", "base.css"].iter().chain(self.styles) {
                        link rel="stylesheet" href={ "/static/" (style) };
                    }
                    @for script in ["keys.js"].iter().chain(self.scripts) {
                        script type="module" src={ "/static/" (script) } {}
                    }
                }
                (self.body(body))
            }
        };
        Html(page.into_string())
    }

    fn body(&self, body: &Markup) -> Markup {
        // Names of attributes cannot be values in a template; these are of our own making, and their values go through the escaper.
        let data = self
            .data
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone().into()))
            .collect::<serde_json::Map<_, _>>();
        html! {
            body data-facts=(serde_json::Value::Object(data)) {
                a.skip href="#main" { "Skip to the page" }
                header.bar {
                    a.brand href="/" {
                        img src="/static/icon.svg" alt="" width="20" height="20";
                        span { (self.site) }
                    }
                    nav aria-label="Pages" { @for section in &self.nav { (section.render()) } }
                    div.hint { kbd { "?" } " keys" }
                }
                main id="main" tabindex="-1" class=(self.class) {
                    div.title {
                        h1 { (self.title) }
                        p.answer { (self.answer) }
                    }
                    (body)
                }
            }
        }
    }
}

impl Section<'_> {
    fn render(&self) -> Markup {
        html! {
            @if !self.title.is_empty() { h2 { (self.title) } }
            ul {
                @for link in &self.links {
                    li {
                        a href=(link.href) aria-current=[(link.current == Current::Yes).then_some("page")] data-testid=(link.id) {
                            span { (link.text) }
                            @if let Some(badge) = &link.badge { (badge.render()) }
                        }
                    }
                }
            }
        }
    }
}

/// What stands where a list would be, and what to do next.
pub fn empty(what: &str, next: &Markup) -> Markup {
    html! { div.empty { p.strong { (what) } p { (next) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strangers_say_is_text() {
        let evil = "<script>alert(1)</script>\"'&";
        let page = Page {
            title: evil,
            answer: evil.into(),
            site: evil,
            nav: vec![Section {
                title: evil.into(),
                links: vec![Link {
                    href: evil.to_owned(),
                    text: evil.into(),
                    badge: Some(Badge::new(Tone::Bad, evil)),
                    current: Current::Yes,
                    id: evil,
                }],
            }],
            data: vec![("odd", evil.to_owned())],
            ..Page::default()
        };
        let Html(text) = page.render(&html! { (evil) });
        assert!(!text.contains("<script>alert"));
        assert!(!text.contains("\"'&\""));
    }

    #[test]
    fn nothing_is_inline() {
        let Html(text) = Page { title: "a", ..Page::default() }.render(&html! {});
        assert!(!text.contains("style="));
        assert_eq!(
            text.matches("<script").count(),
            text.matches("<script type=\"module\" src=").count()
        );
    }
}
