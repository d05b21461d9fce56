//! Two servers, or one in two revisions, side by side.

use proofmark_test::interface::{self, Effect};
use proofmark_web::{
    axum::{
        extract::{Query, State as Shared},
        response::Html,
    },
    layout::{Badge, Tone, empty},
    maud::{Markup, html},
    table::{Column, Table},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Here, Sheet, servers::era};
use crate::{
    Inspector,
    inspector::{Server, State},
};

#[derive(Deserialize)]
pub(super) struct Two {
    a: Option<u32>,
    b: Option<u32>,
}

pub(super) async fn page(
    Shared(inspector): Shared<Inspector>,
    Query(two): Query<Two>,
) -> Html<String> {
    let all = inspector.each(|id, server| (id, server.entry.name.clone()));
    let a = two.a.or_else(|| all.first().map(|(id, _)| *id));
    let b = two.b.or_else(|| all.get(1).or_else(|| all.first()).map(|(id, _)| *id));
    let look = |id: Option<u32>| id.and_then(|id| inspector.with(id, |it| Side::of(it)).ok());
    let sides = look(a).zip(look(b));
    let changes = sides.as_ref().map(|(a, b)| interface::compare(&a.face, &b.face));
    let answer = match &changes {
        None => "there is nothing to compare yet".to_owned(),
        Some(changes) => {
            let breaking = changes.iter().filter(|it| it.effect == Effect::Breaking).count();
            format!("{} differences, {breaking} of which break callers of the first", changes.len())
        }
    };
    let ids = |id: Option<u32>| id.unwrap_or_default().to_string();
    let sheet = Sheet {
        here: Here::Compare,
        server: None,
        title: "Compare",
        answer,
        scripts: &["compare.js"],
        data: vec![("a", ids(a)), ("b", ids(b))],
    };
    let body = html! {
        form.row.end method="get" action="/compare" {
            (choice("a", "The first", &all, a))
            (choice("b", "The second", &all, b))
            button { "Compare" }
        }
        @if let (Some((one, other)), Some(changes)) = (&sides, &changes) {
            (facts(one, other))
            h2 { "What they offer" }
            @if changes.is_empty() { (empty("They offer the same", &html! { "Capabilities, instructions, tools, resources and prompts are equal." })) }
            @else { (differences(changes)) }
            (asking(&all))
        } @else {
            (empty("There is no server yet", &html! { a href="/" { "Add one" } }))
        }
    };
    sheet.render(&inspector, &body)
}

/// What is compared of a server.
struct Side {
    name: String,
    facts: Vec<(&'static str, String)>,
    face: Value,
}

impl Side {
    fn of(server: &Server) -> Self {
        let known = match &server.state {
            State::Connected(connected) => connected.client.server(),
            _ => None,
        };
        let mut face = Map::new();
        let mut facts = vec![("state", server.state.as_str().to_owned())];
        if let Some(known) = &known {
            let info = known.info.as_ref().map(|it| format!("{} {}", it.name, it.version));
            facts.push(("server", info.unwrap_or_default()));
            facts.push(("revision", format!("{}, {}", known.revision, era(known.revision))));
            let capabilities = serde_json::to_value(&known.capabilities).unwrap_or_default();
            let names = capabilities.as_object().map(|it| it.keys().cloned().collect::<Vec<_>>());
            facts.push(("capabilities", names.unwrap_or_default().join(", ")));
            face.insert("capabilities".to_owned(), capabilities);
            face.extend(
                known.instructions.as_ref().map(|it| ("instructions".to_owned(), json!(it))),
            );
        }
        facts.push(("over", server.entry.transport().to_owned()));
        for (member, key, name) in [
            ("tools", "name", "tools"),
            ("resources", "uri", "resources"),
            ("resourceTemplates", "uriTemplate", "templates"),
            ("prompts", "name", "prompts"),
        ] {
            let items = server.lists.get(member).and_then(Value::as_array);
            facts.push((name, items.map_or(0, Vec::len).to_string()));
            let by_name = items.into_iter().flatten().filter_map(|it| named(it, key));
            face.insert(name.to_owned(), Value::Object(by_name.collect()));
        }
        Self { name: server.entry.name.clone(), facts, face: Value::Object(face) }
    }
}

fn named(item: &Value, key: &str) -> Option<(String, Value)> {
    let mut members = item.as_object()?.clone();
    let name = members.remove(key)?.as_str()?.to_owned();
    for noise in ["_meta", "icons"] {
        members.remove(noise);
    }
    Some((name, Value::Object(members)))
}

fn choice(name: &str, label: &str, all: &[(u32, String)], now: Option<u32>) -> Markup {
    html! {
        label.field { (label)
            select name=(name) { @for (id, text) in all { option value=(id) selected[Some(*id) == now] { (text) " (" (id) ")" } } }
        }
    }
}

fn facts(one: &Side, other: &Side) -> Markup {
    let value = |side: &Side, name: &str| {
        let found = side.facts.iter().find(|(it, _)| *it == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let names = [
        "state",
        "server",
        "revision",
        "over",
        "capabilities",
        "tools",
        "resources",
        "templates",
        "prompts",
    ];
    html! {
        table.cards.sides {
            caption.unseen { "Facts about both" }
            thead { tr { th scope="col" { "what" } th scope="col" { (one.name) } th scope="col" { (other.name) } } }
            tbody {
                @for name in names {
                    @let (a, b) = (value(one, name), value(other, name));
                    tr { td { (name) @if a != b { " " (Badge::new(Tone::Warn, "differs").render()) } }
                        td data-label=(one.name) { (a) } td data-label=(other.name) { (b) } }
                }
            }
        }
    }
}

fn differences(changes: &[interface::Change]) -> Markup {
    let rows = changes.iter().take(MOST).map(|it| {
        let (tone, word) = match it.effect {
            Effect::Breaking => (Tone::Bad, "breaking"),
            Effect::Harmless => (Tone::Plain, "harmless"),
        };
        vec![html! { (Badge::new(tone, word).render()) }, html! { (it.what) }]
    });
    let columns = vec![Column::text("effect"), Column::text("what is different in the second")];
    Table { caption: "Differences".into(), columns, rows: rows.collect() }.render()
}

fn asking(all: &[(u32, String)]) -> Markup {
    html! {
        form.card id="ask" {
            h2 { "Ask both" }
            label.field { "Method" input.mono name="method" value="tools/list" autocomplete="off" spellcheck="false"; }
            label.field { "Params" textarea name="params" rows="4" spellcheck="false" { "{}" } }
            div.row { button.primary data-testid="ask-both" { "Ask" } }
            p.problem role="alert" {}
        }
        div.sides id="answers" aria-live="polite" {}
        form.card id="replay" {
            h2 { "Say it again" }
            p.muted { "Every call, read and list of a recording is said to the second server, and answers that are different are shown. Tools are really called." }
            label.field { "Recording of" select name="from" { @for (id, text) in all { option value=(id) { (text) " (" (id) ")" } } } }
            div.row { button data-testid="replay" { "Say it again" } }
            p.problem role="alert" {}
            div id="replayed" aria-live="polite" {}
        }
    }
}

/// Differences that are shown.
const MOST: usize = 500;
