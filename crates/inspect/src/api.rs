//! What the scripts of the pages ask.

mod calls;
mod live;
mod replay;
mod servers;
mod timeline;

use http::StatusCode;
use proofmark_web::axum::{
    Json, Router,
    extract::DefaultBodyLimit,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::json;

use crate::{Inspector, NotDone};

pub(crate) fn routes(inspector: Inspector) -> Router {
    Router::new()
        .route("/api/state", get(servers::state))
        .route("/api/events", get(live::events))
        .route("/api/timeline", get(timeline::after))
        .route("/api/entry/{seq}", get(timeline::entry))
        .route("/api/verdicts", get(timeline::verdicts))
        .route("/api/validate", post(calls::validate))
        .route("/api/calls/cancel", post(calls::cancel))
        .route("/api/questions/{question}", post(calls::answer))
        .route("/api/rules", post(calls::rules))
        .route("/api/servers", post(servers::add))
        .route("/api/import", post(servers::import))
        .route("/api/transcripts", post(servers::open_transcript))
        .route("/api/servers/{id}/connect", post(servers::connect))
        .route("/api/servers/{id}/disconnect", post(servers::disconnect))
        .route("/api/servers/{id}/remove", post(servers::remove))
        .route("/api/servers/{id}/refresh", post(servers::refresh))
        .route("/api/servers/{id}/check", post(servers::check))
        .route("/api/servers/{id}/doctor", post(servers::doctor))
        .route("/api/servers/{id}/roots", post(servers::roots))
        .route("/api/servers/{id}/request", post(calls::request))
        .route("/api/servers/{id}/subscribe", post(calls::subscribe))
        .route("/api/servers/{id}/raw", post(calls::raw))
        .route("/api/servers/{id}/transcript", get(timeline::transcript))
        .route("/api/servers/{id}/tests", get(timeline::tests))
        .route("/api/servers/{id}/report", get(timeline::report))
        .route("/api/servers/{id}/shared", get(timeline::shared))
        .route("/api/servers/{id}/replay", post(replay::replay))
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .with_state(inspector)
}

impl IntoResponse for NotDone {
    fn into_response(self) -> Response {
        (StatusCode::CONFLICT, Json(json!({"error": self.0}))).into_response()
    }
}

/// Transcripts are opened by their text.
const MOST_BODY: usize = 64 * 1024 * 1024;
