//! Tools, resources and prompts: a list, and one of them beside it.

use std::collections::BTreeMap;

use proofmark_web::{
    axum::{
        extract::{Path, Query, State as Shared},
        response::Html,
    },
    layout::{Badge, Tone, empty},
    maud::{Markup, html},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Here, Sheet, no_server};
use crate::Inspector;

/// Which of them is chosen.
#[derive(Deserialize)]
pub(super) struct Chosen {
    name: Option<String>,
}

pub(super) async fn tools(
    Shared(inspector): Shared<Inspector>,
    Path(id): Path<u32>,
    Query(chosen): Query<Chosen>,
) -> Html<String> {
    let kind = Kind {
        here: Here::Tools,
        title: "Tools",
        members: &["tools"],
        script: "tools.js",
        key: "name",
    };
    kind.page(&inspector, id, &chosen)
}

pub(super) async fn resources(
    Shared(inspector): Shared<Inspector>,
    Path(id): Path<u32>,
    Query(chosen): Query<Chosen>,
) -> Html<String> {
    let kind = Kind {
        here: Here::Resources,
        title: "Resources",
        members: &["resources", "resourceTemplates"],
        script: "resources.js",
        key: "uri",
    };
    kind.page(&inspector, id, &chosen)
}

pub(super) async fn prompts(
    Shared(inspector): Shared<Inspector>,
    Path(id): Path<u32>,
    Query(chosen): Query<Chosen>,
) -> Html<String> {
    let kind = Kind {
        here: Here::Prompts,
        title: "Prompts",
        members: &["prompts"],
        script: "prompts.js",
        key: "name",
    };
    kind.page(&inspector, id, &chosen)
}

struct Kind {
    here: Here,
    title: &'static str,
    members: &'static [&'static str],
    script: &'static str,
    /// The member by which one of them is known.
    key: &'static str,
}

impl Kind {
    fn page(&self, inspector: &Inspector, id: u32, chosen: &Chosen) -> Html<String> {
        let lists = inspector.with(id, |server| server.lists.clone());
        let Ok(lists) = lists else { return no_server(inspector) };
        let (items, errors) = self.items(&lists);
        let known = |item: &Value| self.name(item);
        let current = match &chosen.name {
            Some(name) => items.iter().find(|item| known(item) == *name),
            None => None,
        };
        let is_connected = inspector.connected(id).is_ok();
        let mut data = Vec::new();
        if let Some(item) = current {
            data.push(("item", item.to_string()));
        }
        let answer = match items.len() {
            0 => "none".to_owned(),
            1 => "1".to_owned(),
            many => many.to_string(),
        };
        let answer = if is_connected {
            answer
        } else {
            format!("{answer}, and the server is not connected")
        };
        let sheet = Sheet {
            here: self.here,
            server: Some(id),
            title: self.title,
            answer,
            scripts: &[self.script],
            data,
        };
        let body = html! {
            @for why in errors { p.note.bad { (why) } }
            @if items.is_empty() {
                (empty("The server lists none", &html! { a href={ "/s/" (id) } { "Look at the connection" } }))
            } @else {
                div.split.chosen[current.is_some()] {
                    div.list {
                        input type="search" data-search="" data-filter="#items" aria-label="Search" placeholder="Search  /";
                        ul id="items" { @for item in &items { (self.row(id, item, current)) } }
                    }
                    div.detail {
                        @match current {
                            Some(item) => { (head(item)) div id="detail" {} noscript { pre.code { (pretty(item)) } } }
                            None => (empty("Choose one", &html! { "Use " kbd { "j" } " and " kbd { "k" } ", or " kbd { "/" } " to search." }))
                        }
                    }
                }
            }
        };
        sheet.render(inspector, &body)
    }

    fn items(&self, lists: &BTreeMap<&'static str, Value>) -> (Vec<Value>, Vec<String>) {
        let (mut items, mut errors) = (Vec::new(), Vec::new());
        for member in self.members {
            match lists.get(member) {
                Some(Value::Array(found)) => items.extend(found.iter().cloned()),
                Some(other) => errors.extend(
                    other
                        .get("error")
                        .and_then(Value::as_str)
                        .map(|why| format!("{member}: {why}")),
                ),
                None => {}
            }
        }
        (items, errors)
    }

    fn name(&self, item: &Value) -> String {
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        text(self.key).or_else(|| text("uriTemplate")).unwrap_or("without a name").to_owned()
    }

    fn row(&self, id: u32, item: &Value, current: Option<&Value>) -> Markup {
        let name = self.name(item);
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        let title = text("title").or_else(|| if self.key == "uri" { text("name") } else { None });
        let query = form_encoded(&name);
        let path = self.title.to_lowercase();
        html! {
            li data-row="" data-text={ (name) " " (text("title").unwrap_or_default()) " " (text("description").unwrap_or_default()) } {
                a href={ "/s/" (id) "/" (path) "?name=" (query) } aria-current=[(current == Some(item)).then_some("true")] {
                    span.name { (name) }
                    @if let Some(title) = title { span.muted.small { (title) } }
                }
            }
        }
    }
}

fn head(item: &Value) -> Markup {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let hint = |key: &str| item.pointer(&format!("/annotations/{key}")).and_then(Value::as_bool);
    let badges = [
        (hint("readOnlyHint") == Some(true), Tone::Good, "says it only reads"),
        (
            hint("readOnlyHint") != Some(true) && hint("destructiveHint") == Some(true),
            Tone::Bad,
            "says it may destroy",
        ),
        (hint("idempotentHint") == Some(true), Tone::Plain, "says it is idempotent"),
        (hint("openWorldHint") == Some(true), Tone::Plain, "open world"),
        (item.get("outputSchema").is_some(), Tone::Plain, "structured output"),
    ];
    html! {
        div.head {
            h2 { (text("name").or_else(|| text("uri")).unwrap_or("without a name")) }
            @if let Some(title) = text("title") { p.muted { (title) } }
            div.row { @for (_, tone, word) in badges.iter().filter(|it| it.0) { (Badge::new(*tone, *word).render()) } }
            @if let Some(description) = text("description") { p.description { (description) } }
        }
    }
}

fn pretty(item: &Value) -> String {
    serde_json::to_string_pretty(&json!(item)).unwrap_or_default()
}

/// For a query.
fn form_encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let digits = |byte: u8| format!("%{byte:02X}");
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { digits(byte) })
        .collect()
}
