//! A fleet as pages: what got worse, why, and whose it is.
//!
//! Every page reads the history and changes nothing. What it asks for is bounded by what it shows.

mod frame;
mod live;
mod pages;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Query, State},
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use maud::html;
use proofmark_fleet::store::{self, Store, StoreError};
use proofmark_web::Asset;
use serde::Deserialize;

use frame::Tab;

/// Files of the pages.
pub const ASSETS: &[Asset] = &[
    proofmark_web::asset!("fleet.css", "../assets/fleet.css"),
    proofmark_web::asset!("run.js", "../assets/run.js"),
];

/// The pages of the fleet whose history is there.
pub fn routes(database: store::Place) -> Router {
    Router::new()
        .route("/", get(front))
        .route("/matrix", get(matrix))
        .route("/server", get(server))
        .route("/requirement", get(requirement))
        .route("/runs", get(runs))
        .route("/run", get(run))
        .route("/run/events", get(live::events))
        .route("/metrics", get(metrics))
        .route("/badge.svg", get(badge))
        .fallback(nowhere)
        .with_state(Place(Arc::new(database)))
}

/// Where the history is.
#[derive(Clone, Debug)]
pub(crate) struct Place(Arc<store::Place>);

impl Place {
    /// Asks the history, on a thread that may wait for the disk.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, String> {
        let place = self.0.clone();
        let answer = tokio::task::spawn_blocking(move || {
            let store = Store::open_existing(&place)?;
            question(&store)
        });
        match answer.await {
            Ok(answer) => answer.map_err(|error| error.to_string()),
            Err(_) => Err("the question was given up".to_owned()),
        }
    }

    async fn page(
        &self,
        question: impl FnOnce(&Store) -> Result<Html<String>, StoreError> + Send + 'static,
    ) -> Response {
        match self.ask(question).await {
            Ok(page) => page.into_response(),
            Err(why) => {
                let page = frame::page(
                    Tab::None,
                    "The history cannot be read",
                    why,
                    &html! {
                        p { "The page can be loaded again when that is mended." }
                    },
                );
                (StatusCode::SERVICE_UNAVAILABLE, page).into_response()
            }
        }
    }
}

/// What stands in the address of a page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    q: String,
    owner: String,
    stage: String,
    page: u32,
    name: String,
    id: String,
    run: i64,
}

async fn front(State(place): State<Place>, Query(asked): Query<Asked>) -> Response {
    place.page(move |store| pages::front::page(store, &asked)).await
}

async fn matrix(State(place): State<Place>, Query(asked): Query<Asked>) -> Response {
    place.page(move |store| pages::matrix::page(store, &asked)).await
}

async fn server(State(place): State<Place>, Query(asked): Query<Asked>) -> Response {
    place.page(move |store| pages::server::page(store, &asked.name)).await
}

async fn requirement(State(place): State<Place>, Query(asked): Query<Asked>) -> Response {
    place.page(move |store| pages::requirement::page(store, &asked.id)).await
}

async fn runs(State(place): State<Place>) -> Response {
    place.page(pages::runs::list).await
}

async fn run(State(place): State<Place>, Query(asked): Query<Asked>) -> Response {
    place.page(move |store| pages::runs::one(store, asked.run)).await
}

async fn metrics(State(place): State<Place>) -> Response {
    match place.ask(Store::latest).await {
        Ok(results) => {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            let text = proofmark_fleet::report::openmetrics::write(&results);
            ([(header::CONTENT_TYPE, kind)], text).into_response()
        }
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, why).into_response(),
    }
}

async fn badge(State(place): State<Place>, Query(asked): Query<Asked>) -> Response {
    let results = place.ask(move |store| match store.server(&asked.name)? {
        Some(server) => store.latest_of_server(server.id).map(Some),
        None => Ok(None),
    });
    match results.await {
        Ok(Some(results)) => {
            let svg = proofmark_fleet::report::badge::write(&results);
            ([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response()
        }
        Ok(None) => (StatusCode::NOT_FOUND, "there is no such server\n").into_response(),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, why).into_response(),
    }
}

async fn nowhere() -> Response {
    let page = frame::page(
        Tab::None,
        "There is no such page",
        String::new(),
        &html! {
            p { a href="/" { "The fleet" } }
        },
    );
    (StatusCode::NOT_FOUND, page).into_response()
}
