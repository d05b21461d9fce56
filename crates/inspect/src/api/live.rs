//! What happens, told to the pages as it happens.

use proofmark_web::{
    axum::{
        extract::{Query, State},
        response::Response,
    },
    events::{Source, stream},
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::Inspector;

#[derive(Deserialize)]
pub(super) struct From {
    after: Option<u64>,
}

pub(super) async fn events(
    State(inspector): State<Inspector>,
    Query(from): Query<From>,
) -> Response {
    let timeline = inspector.0.timeline.watch();
    let after = from.after.unwrap_or_else(|| *timeline.borrow());
    let (questions, servers) = (inspector.0.questions.watch(), inspector.watch());
    stream(News { inspector, timeline, questions, servers, after, told: false })
}

/// Pulls from what is kept: nothing waits for a page that is slow.
struct News {
    inspector: Inspector,
    timeline: watch::Receiver<u64>,
    questions: watch::Receiver<u64>,
    servers: watch::Receiver<u64>,
    after: u64,
    told: bool,
}

impl Source for News {
    async fn next(&mut self) -> Option<(&'static str, Value)> {
        loop {
            if !self.told
                || self.questions.has_changed().ok()?
                || self.servers.has_changed().ok()?
            {
                self.told = true;
                self.questions.mark_unchanged();
                self.servers.mark_unchanged();
                let inspector = &self.inspector;
                return Some((
                    "state",
                    json!({"servers": inspector.summaries(), "questions": inspector.0.questions.all()}),
                ));
            }
            if *self.timeline.borrow_and_update() > self.after {
                // What comes in bursts is told in one piece.
                tokio::time::sleep(GATHER).await;
                let (entries, lost) = self.inspector.0.timeline.after(self.after, AT_ONCE);
                self.after = entries.last().map_or(self.after, |entry| entry.seq);
                return Some(("entries", json!({"entries": entries, "lost": lost})));
            }
            tokio::select! {
                changed = self.timeline.changed() => changed.ok()?,
                changed = self.questions.changed() => { changed.ok()?; self.told = false },
                changed = self.servers.changed() => { changed.ok()?; self.told = false },
            }
        }
    }
}

const AT_ONCE: usize = 2000;
const GATHER: std::time::Duration = std::time::Duration::from_millis(40);
