//! A run as it runs: results are told as they are written.

use std::time::Duration;

use axum::{
    extract::{Query, State},
    response::Response,
};
use proofmark_web::events::{self, Source};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Place;

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Watched {
    run: i64,
    after: i64,
}

pub(crate) async fn events(State(place): State<Place>, Query(watched): Query<Watched>) -> Response {
    events::stream(Watch { place, watched, done: None })
}

/// Looks into the history now and then. What it has told is a number, so that nothing is held for a slow reader.
struct Watch {
    place: Place,
    watched: Watched,
    /// How many there were when that was told last; the end is told once.
    done: Option<(u32, bool)>,
}

impl Source for Watch {
    async fn next(&mut self) -> Option<(&'static str, Value)> {
        if self.done.is_some_and(|(_, finished)| finished) {
            return None;
        }
        loop {
            let Watched { run, after } = self.watched;
            let news = self.place.ask(move |store| {
                let row = store.run(run)?;
                Ok((row, store.done(run)?, store.results_after(run, after, AT_ONCE)?))
            });
            let Ok((run, done, results)) = news.await else { return None };
            let finished = run.finished.is_some() && results.is_empty();
            let state = Some((done, finished));
            if let Some(last) = results.last() {
                self.watched.after = last.id;
            }
            if !results.is_empty() || self.done != state {
                self.done = state;
                let rows = results.iter().map(|it| {
                    json!({
                        "server": it.server, "wanted": it.wanted, "transport": it.transport,
                        "verdict": it.verdict.as_str(), "score": it.score,
                    })
                });
                let rows: Vec<Value> = rows.collect();
                let told =
                    json!({"done": done, "jobs": run.jobs, "finished": finished, "results": rows});
                return Some(("progress", told));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

const PAUSE: Duration = Duration::from_millis(500);
/// Results that are told at once.
const AT_ONCE: u32 = 50;
