//! Servers by families of requirements: where the fleet is weak.

use std::collections::{BTreeMap, BTreeSet};

use axum::response::Html;
use maud::{Markup, html};
use proofmark_check::judge::catalogue;
use proofmark_fleet::store::{Store, StoreError};
use proofmark_web::layout::{Badge, Tone, empty};

use super::front;
use crate::{
    Asked,
    frame::{self, Tab, encoded},
};

pub(crate) fn page(store: &Store, asked: &Asked) -> Result<Html<String>, StoreError> {
    let (servers, count) = store.list(&front::wish(asked, PER_PAGE))?;
    let mut families: BTreeSet<String> = BTreeSet::new();
    let mut rows = Vec::new();
    for server in &servers {
        let mut cells: BTreeMap<String, Cell> = BTreeMap::new();
        for (subject, must) in store.broken_subjects(server.id)? {
            let family = family(&subject);
            families.insert(family.clone());
            let cell = cells.entry(family).or_default();
            cell.subjects.push(subject);
            cell.must |= must;
        }
        rows.push((server, cells));
    }
    let broken = rows.iter().filter(|(_, cells)| cells.values().any(|it| it.must)).count();
    let answer = format!("{broken} of the {} servers shown break what must be", rows.len());
    let body = html! {
        (front::search(asked, "/matrix"))
        @if rows.is_empty() {
            (empty("No server fits", &html! { a href="/matrix" { "All servers" } }))
        } @else if families.is_empty() {
            (empty("Nothing is broken", &html! { a href="/" { "The servers" } }))
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Matrix of servers and families of requirements" {
                table.matrix {
                    caption.unseen { "Findings of each server by family of requirements" }
                    thead { tr { th scope="col" { "server" } @for family in &families { th scope="col" { (family) } } } }
                    tbody {
                        @for (server, cells) in &rows {
                            tr data-row="" {
                                th scope="row" {
                                    (frame::server_link(&server.name))
                                    @if server.rank == 0 { " " (Badge::new(Tone::Warn, "no verdict").render()) }
                                }
                                @for family in &families { td { (cells.get(family).map(Cell::render).unwrap_or_default()) } }
                            }
                        }
                    }
                }
            }
        }
        (front::turning("/matrix", asked, count, PER_PAGE))
    };
    Ok(frame::page(Tab::Matrix, "Matrix", answer, &body))
}

#[derive(Debug, Default)]
struct Cell {
    subjects: Vec<String>,
    must: bool,
}

impl Cell {
    fn render(&self) -> Markup {
        let tone = if self.must { Tone::Bad } else { Tone::Warn };
        let word = if self.must { "fail" } else { "warn" };
        html! {
            (Badge::new(tone, format!("{} {word}", self.subjects.len())).render())
            @for subject in self.subjects.iter().take(SHOWN) {
                " " a href={ "/requirement?id=" (encoded(subject)) } { (subject) }
            }
            @if self.subjects.len() > SHOWN { " …" }
        }
    }
}

/// The page of the specification, or that it is a test.
fn family(subject: &str) -> String {
    let page = catalogue::find(subject).and_then(catalogue::page_of);
    page.map_or_else(|| "tests".to_owned(), |page| page.name.to_owned())
}

const PER_PAGE: u32 = 25;
/// Subjects that a cell names.
const SHOWN: usize = 3;
