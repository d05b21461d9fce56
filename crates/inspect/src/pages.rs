//! What people see: one module for each page.

mod check;
mod compare;
mod connection;
mod console;
mod doctor;
mod lists;
mod questions;
mod servers;
mod timeline;

use proofmark_web::{
    axum::{Router, response::Html, routing::get},
    layout::{Badge, Current, Link, Page, Section, Tone},
    maud::{Markup, html},
};

use crate::{
    Inspector,
    inspector::{Server, State},
};

pub(crate) fn routes(inspector: Inspector) -> Router {
    Router::new()
        .route("/", get(servers::page))
        .route("/timeline", get(timeline::page))
        .route("/compare", get(compare::page))
        .route("/console", get(console::page))
        .route("/questions", get(questions::page))
        .route("/s/{id}", get(connection::page))
        .route("/s/{id}/tools", get(lists::tools))
        .route("/s/{id}/resources", get(lists::resources))
        .route("/s/{id}/prompts", get(lists::prompts))
        .route("/s/{id}/check", get(check::page))
        .route("/s/{id}/doctor", get(doctor::page))
        .with_state(inspector)
}

/// Which page it is, for the links beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Here {
    Servers,
    Timeline,
    Console,
    Questions,
    Connection,
    Tools,
    Resources,
    Prompts,
    Check,
    Compare,
    Doctor,
}

/// A page of the inspector, about one server or about all.
struct Sheet<'a> {
    here: Here,
    server: Option<u32>,
    title: &'a str,
    answer: String,
    scripts: &'a [&'a str],
    data: Vec<(&'a str, String)>,
}

impl Sheet<'_> {
    fn render(&self, inspector: &Inspector, body: &Markup) -> Html<String> {
        let mut nav = vec![general(inspector, self.here)];
        if let Some(id) = self.server
            && let Ok(section) = inspector.with(id, |server| of_server(id, server, self.here))
        {
            nav.push(section);
        }
        let mut data = self.data.clone();
        data.extend(self.server.map(|id| ("server", id.to_string())));
        let scripts: Vec<&str> = ["live.js"].iter().chain(self.scripts).copied().collect();
        let page = Page {
            title: self.title,
            answer: self.answer.clone().into(),
            site: "Proofmark inspector",
            nav,
            styles: &["inspect.css"],
            scripts: &scripts,
            class: "",
            data,
        };
        page.render(body)
    }
}

fn general<'a>(inspector: &Inspector, here: Here) -> Section<'a> {
    let servers = inspector.ids().len();
    let questions = inspector.0.questions.all().len();
    let broken: usize = inspector.each(|_, server| server.verdicts.len()).into_iter().sum();
    let link = |of: Here, href: &str, text: &'static str, id: &'static str, badge| Link {
        href: href.to_owned(),
        text: text.into(),
        badge,
        current: Current::from(here == of),
        id,
    };
    let count = |number: usize, tone| {
        Some(Badge::new(if number == 0 { Tone::Plain } else { tone }, number.to_string()))
    };
    Section {
        title: "".into(),
        links: vec![
            link(Here::Servers, "/", "Servers", "nav-servers", count(servers, Tone::Plain)),
            link(
                Here::Timeline,
                "/timeline",
                "Timeline",
                "nav-timeline",
                count(broken, Tone::Warn),
            ),
            link(
                Here::Questions,
                "/questions",
                "Questions",
                "nav-questions",
                count(questions, Tone::Warn),
            ),
            link(Here::Compare, "/compare", "Compare", "nav-compare", None),
            link(Here::Console, "/console", "Console", "nav-console", None),
        ],
    }
}

fn of_server<'a>(id: u32, server: &Server, here: Here) -> Section<'a> {
    let link = |of: Here, path: &str, text: &'static str, test: &'static str, badge| Link {
        href: format!("/s/{id}{path}"),
        text: text.into(),
        badge,
        current: Current::from(here == of),
        id: test,
    };
    let count = |names: &[&str]| {
        let number: usize =
            names.iter().filter_map(|it| Some(server.lists.get(it)?.as_array()?.len())).sum();
        Some(Badge::new(Tone::Plain, number.to_string()))
    };
    let mut links = vec![link(Here::Connection, "", "Connection", "nav-connection", None)];
    if !matches!(server.state, State::Recorded) {
        links.extend([
            link(Here::Tools, "/tools", "Tools", "nav-tools", count(&["tools"])),
            link(
                Here::Resources,
                "/resources",
                "Resources",
                "nav-resources",
                count(&["resources", "resourceTemplates"]),
            ),
            link(Here::Prompts, "/prompts", "Prompts", "nav-prompts", count(&["prompts"])),
            link(Here::Check, "/check", "Whole check", "nav-check", None),
            link(Here::Doctor, "/doctor", "Doctor", "nav-doctor", None),
        ]);
    }
    Section { title: server.entry.name.clone().into(), links }
}

/// A state as a word in a colour.
fn state_badge(state: &State) -> Markup {
    let tone = match state {
        State::Connected(_) => Tone::Good,
        State::Failed(_) => Tone::Bad,
        State::Connecting => Tone::Warn,
        State::Idle | State::Recorded => Tone::Plain,
    };
    Badge::new(tone, state.as_str()).render()
}

/// Where there is no such server.
fn no_server(inspector: &Inspector) -> Html<String> {
    let sheet = Sheet {
        here: Here::Servers,
        server: None,
        title: "No such server",
        answer: "It was removed, or never was.".into(),
        scripts: &[],
        data: Vec::new(),
    };
    sheet.render(inspector, &html! { p { a href="/" { "All servers" } } })
}
