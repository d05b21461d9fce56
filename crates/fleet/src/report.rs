//! What came of runs, for people and for programs. One file for each format; each is a function of plain values.

pub mod badge;
pub mod csv;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod openmetrics;
pub mod pretty;
pub mod sarif;

use crate::{
    compare::Comparison,
    gates::Breach,
    store::{ResultRow, RunRow, Store, StoreError},
};

/// What one run came to.
#[derive(Clone, Debug)]
pub struct Summary {
    pub run: RunRow,
    pub results: Vec<ResultRow>,
    pub comparison: Comparison,
    pub breaches: Vec<Breach>,
}

impl Summary {
    pub fn of(store: &Store, run: &RunRow, breaches: Vec<Breach>) -> Result<Self, StoreError> {
        Ok(Self {
            run: run.clone(),
            results: store.results_of_run(run.id)?,
            comparison: Comparison::of(store, None, run.id)?,
            breaches,
        })
    }
}

/// A score, or why there is none.
fn score(result: &ResultRow) -> String {
    result.score.map_or_else(|| "-".to_owned(), |it| it.to_string())
}

/// How a score changed, if that can be said.
fn score_change(change: &crate::compare::ResultChange) -> String {
    let (was, now) = (score(&change.was), score(&change.now));
    if was == now {
        return now;
    }
    if change.scores_are_comparable() || change.was.score.is_none() || change.now.score.is_none() {
        format!("{was} → {now}")
    } else {
        format!("{now} (not comparable with {was} before)")
    }
}
